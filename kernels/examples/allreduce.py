"""Sum + residual + RMSNorm over the ranks of one process, from Python, without torch.

    python3 allreduce.py path/to/libarf.so 0 1

The numbers are the devices of the ranks; naming one twice runs two ranks on it. With torch, use
tensor.data_ptr() for the pointers and torch.cuda.current_stream().cuda_stream for the stream.
"""
import array
import ctypes
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE, os.path.join(HERE, "..", "python")]
import arf  # noqa: E402

TOKENS, HIDDEN = 4, 256
P = ctypes.c_void_p
cuda = ctypes.CDLL("libcuda.so.1")


def call(name, *arguments):
    """A function of CUDA's driver."""
    if code := getattr(cuda, name)(*arguments):
        sys.exit(f"{name}: CUDA error {code}")


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
fp32 = arf.dtypes["float32"]
library = arf.Library(sys.argv[1])
comms = library.local_communicators(devices, arf.Config(TOKENS, HIDDEN, max_dtype=fp32))

contexts, streams, calls = [], [], []
for rank, device in enumerate(devices):
    context, stream = P(), P()
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuStreamCreate", ctypes.byref(stream), 1)
    n = TOKENS * HIDDEN
    p = arf.Params(pattern=arf.patterns["norm"], dtype=fp32, tokens=TOKENS, hidden=HIDDEN,
                   input=upload([rank + 1] * n), residual_in=upload([1] * n),
                   gamma=upload([1] * HIDDEN), residual_out=upload([0] * n),
                   norm_out=upload([0] * n))
    call("cuCtxSynchronize")
    contexts.append(context), streams.append(stream), calls.append(p)
# A launch returns at once: the kernel waits on the device for the other ranks. So nothing that
# waits for a device (allocating, copying) may come between the launches.
for rank in range(world):
    comms[rank].launch(calls[rank], streams[rank])

total = world * (world + 1) / 2 + 1
for rank in range(world):
    call("cuCtxSetCurrent", contexts[rank])
    call("cuStreamSynchronize", streams[rank])
    comms[rank].check()
    sums = download(P(calls[rank].residual_out), TOKENS * HIDDEN)
    norms = download(P(calls[rank].norm_out), TOKENS * HIDDEN)
    assert all(x == total for x in sums), "residual_out"
    assert all(abs(x - 1) < 1e-5 for x in norms), "norm_out"
for comm in comms:
    comm.destroy()
print(f"{world} ranks: every sum is {total:g}, every norm is 1")
