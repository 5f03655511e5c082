"""Sum + residual + RMSNorm over the ranks of one process, from Python, without torch.

    python3 allreduce.py path/to/libarf.so 0 1

The numbers are the devices of the ranks; naming one twice runs two ranks on it. With torch, use
tensor.data_ptr() for the pointers and torch.cuda.current_stream().cuda_stream for the stream.
"""
import array
import ctypes
import sys

RESIDUAL_RMSNORM, FP32, TOKENS, HIDDEN = 1, 2, 4, 256
P, I32, U32, U64 = ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32, ctypes.c_uint64


class Config(ctypes.Structure):
    _fields_ = ([("size", U32), ("version", U32)] +
                [(n, I32) for n in ("max_tokens", "max_hidden", "max_dtype", "transport")] +
                [("oneshot_bytes", U64), ("timeout_ns", U64)])


class Params(ctypes.Structure):
    _fields_ = ([("size", U32), ("version", U32)] +
                [(n, I32) for n in
                 ("pattern", "dtype", "tokens", "hidden", "algorithm", "layout")] +
                [("flags", U32)] +
                [(n, I32) for n in ("cluster", "packs", "max_units", "pause_ns", "group_size")] +
                [(n, P) for n in ("input", "residual_in", "gamma", "out", "residual_out", "norm_out",
                                  "quant_out", "scale_out", "scale_factor")] +
                [("eps", ctypes.c_float), ("weight_bias", ctypes.c_float)])


class Status(ctypes.Structure):
    _fields_ = ([("size", U32)] +
                [(n, I32) for n in ("code", "rank", "peer", "algorithm", "phase")] +
                [("row", U32), ("sequence", U32)])


arf = ctypes.CDLL(sys.argv[1])
arf.arf_strerror.restype = ctypes.c_char_p
cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    """A function of CUDA's driver."""
    if code := getattr(cuda, name)(*arguments):
        sys.exit(f"{name}: CUDA error {code}")


def check(code, what):
    if code:
        sys.exit(f"{what}: {arf.arf_strerror(code).decode()}")


def upload(values):
    data, pointer = array.array("f", values), P()
    call("cuMemAlloc_v2", ctypes.byref(pointer), ctypes.c_size_t(4 * len(data)))
    call("cuMemcpyHtoD_v2", pointer, P(data.buffer_info()[0]), ctypes.c_size_t(4 * len(data)))
    return pointer


def download(pointer, n):
    data = array.array("f", bytes(4 * n))
    call("cuMemcpyDtoH_v2", P(data.buffer_info()[0]), pointer, ctypes.c_size_t(4 * n))
    return data


devices = [int(a) for a in sys.argv[2:]]
world = len(devices)
call("cuInit", 0)
config = Config()
arf.arf_config_init(ctypes.byref(config))
config.max_tokens, config.max_hidden, config.max_dtype = TOKENS, HIDDEN, FP32
comms = (P * world)()
numbers = (ctypes.c_int * world)(*devices)
check(arf.arf_comm_create_local(world, numbers, ctypes.byref(config), comms), "create")

contexts, streams, calls = [], [], []
for rank, device in enumerate(devices):
    context, stream = P(), P()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuStreamCreate", ctypes.byref(stream), 1)
    p = Params()
    arf.arf_params_init(ctypes.byref(p))
    p.pattern, p.dtype, p.tokens, p.hidden = RESIDUAL_RMSNORM, FP32, TOKENS, HIDDEN
    n = TOKENS * HIDDEN
    p.input, p.residual_in, p.gamma = upload([rank + 1] * n), upload([1] * n), upload([1] * HIDDEN)
    p.residual_out, p.norm_out = upload([0] * n), upload([0] * n)
    call("cuCtxSynchronize")
    contexts.append(context), streams.append(stream), calls.append(p)
# A launch returns at once: the kernel waits on the device for the other ranks. So nothing that waits
# for a device (allocating, copying) may come between the launches.
for rank in range(world):
    check(arf.arf_launch(P(comms[rank]), ctypes.byref(calls[rank]), streams[rank]), "launch")

total = world * (world + 1) / 2 + 1
for rank in range(world):
    call("cuCtxSetCurrent", contexts[rank])
    call("cuStreamSynchronize", streams[rank])
    status = Status()
    check(arf.arf_comm_status(P(comms[rank]), ctypes.byref(status)), "status")
    check(status.code, "the call")
    sums = download(P(calls[rank].residual_out), TOKENS * HIDDEN)
    norms = download(P(calls[rank].norm_out), TOKENS * HIDDEN)
    assert all(x == total for x in sums), "residual_out"
    assert all(abs(x - 1) < 1e-5 for x in norms), "norm_out"
for comm in comms:
    arf.arf_comm_destroy(P(comm))
print(f"{world} ranks: every sum is {total:g}, every norm is 1")
