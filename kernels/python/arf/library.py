"""arf.h over ctypes."""
import ctypes
import os

VERSION = 1
PDL = 1  # Params.flags
P, I32, U32, U64, F32 = (ctypes.c_void_p, ctypes.c_int32, ctypes.c_uint32, ctypes.c_uint64,
                         ctypes.c_float)

dtypes = {"bfloat16": 0, "float16": 1, "float32": 2}
algorithms = {"auto": 0, "oneshot": 1, "twoshot": 2, "pull": 3, "hierarchical": 4, "nccl": 5}
layouts = {"linear": 0, "swizzled_128x4": 1}
patterns = {"allreduce": 0, "norm": 1, "fp8": 2, "fp4": 3, "norm_fp8": 4, "norm_fp4": 5,
            "moe_reduction": 6, "moe_finalize": 7, "group_fp8": 8, "norm_group_fp8": 9,
            "token_fp8": 10, "norm_token_fp8": 11}


class Error(RuntimeError):
    """A call of the library that failed; `code` is its arf_result."""

    def __init__(self, code, text):
        super().__init__(text)
        self.code = code


class Config(ctypes.Structure):
    """arf_config."""
    _fields_ = ([("size", U32), ("version", U32)] +
                [(n, I32) for n in ("max_tokens", "max_hidden", "max_dtype", "transport")] +
                [("oneshot_bytes", U64), ("timeout_ns", U64)])

    def __init__(self, max_tokens, max_hidden, **more):
        super().__init__(size=ctypes.sizeof(Config), version=VERSION, max_tokens=max_tokens,
                         max_hidden=max_hidden, **{"timeout_ns": 5 * 10**9, **more})


class Params(ctypes.Structure):
    """arf_params."""
    _fields_ = ([("size", U32), ("version", U32)] +
                [(n, I32) for n in ("pattern", "dtype", "tokens", "hidden", "algorithm",
                                    "layout")] +
                [("flags", U32)] +
                [(n, I32) for n in ("cluster", "packs", "max_units", "pause_ns", "group_size")] +
                [(n, P) for n in ("input", "residual_in", "gamma", "out", "residual_out",
                                  "norm_out", "quant_out", "scale_out", "scale_factor")] +
                [("eps", F32), ("weight_bias", F32)] +
                [(n, P) for n in ("experts", "expert_scales", "shared", "expert_rows")] +
                [("expert_count", I32), ("routed_scale", F32)])

    def __init__(self, **values):
        values = {"eps": 1e-6, "routed_scale": 1.0, **values}
        super().__init__(size=ctypes.sizeof(Params), version=VERSION, **values)


class Status(ctypes.Structure):
    """arf_status."""
    _fields_ = ([("size", U32)] +
                [(n, I32) for n in ("code", "rank", "peer", "algorithm", "phase")] +
                [("row", U32), ("sequence", U32)])


class Library:
    """libarf.so."""

    def __init__(self, path=None):
        self._c = ctypes.CDLL(path or os.environ.get("ARF_LIBRARY", "libarf.so"))
        self._c.arf_strerror.restype = ctypes.c_char_p
        self._c.arf_build_info.restype = ctypes.c_char_p
        self._c.arf_last_cuda_error.restype = ctypes.c_char_p

    def build_info(self):
        return self._c.arf_build_info().decode()

    def call(self, name, *arguments):
        """A function of arf.h; Error unless it returns 0."""
        code = getattr(self._c, name)(*arguments)
        if code:
            cuda = self._c.arf_last_cuda_error().decode()
            text = self._c.arf_strerror(code).decode()
            raise Error(code, f"{name}: {text}" + (f" ({cuda})" if cuda else ""))

    def communicator(self, rank, world, device, config, exchange):
        """One rank a process. `exchange` takes this rank's bytes and gives all ranks', in order:
        torch.distributed.all_gather_object, MPI's allgather, or files."""
        handle, length = P(), ctypes.c_size_t()
        self.call("arf_comm_create", rank, world, device, ctypes.byref(config),
                  ctypes.byref(handle))
        comm = Communicator(self, handle, rank, world, config)
        self.call("arf_comm_export", handle, None, ctypes.byref(length))
        own = ctypes.create_string_buffer(length.value)
        self.call("arf_comm_export", handle, own, ctypes.byref(length))
        blobs = exchange(own.raw)
        if len(blobs) != world or any(len(b) != len(own.raw) for b in blobs):
            raise ValueError("exchange must give the bytes of all ranks, in their order")
        self.call("arf_comm_import", handle, b"".join(blobs), length)
        return comm

    def local_communicators(self, devices, config):
        """All ranks in this process; devices[r] is rank r's."""
        handles = (P * len(devices))()
        numbers = (ctypes.c_int * len(devices))(*devices)
        self.call("arf_comm_create_local", len(devices), numbers, ctypes.byref(config), handles)
        return [Communicator(self, P(h), r, len(devices), config) for r, h in enumerate(handles)]


class Communicator:
    """One rank's arf_comm."""

    def __init__(self, library, handle, rank, world, config):
        self.library, self.handle, self.rank, self.world = library, handle, rank, world
        self.config = config

    def launch(self, params, stream):
        """`stream`: a cudaStream_t as an integer or c_void_p, torch's `stream.cuda_stream`."""
        self.library.call("arf_launch", self.handle, ctypes.byref(params), P(_integer(stream)))

    def use_nccl(self, nccl_comm, library=None):
        """Lets the automatic choice take NCCL: an ncclComm_t of the same ranks, as an integer."""
        name = library.encode() if library else None
        self.library.call("arf_comm_use_nccl", self.handle, name, P(nccl_comm))

    def status(self):
        s = Status()
        self.library.call("arf_comm_status", self.handle, ctypes.byref(s))
        return s

    def check(self):
        """Error if a call of this communicator has failed."""
        s = self.status()
        if s.code:
            text = self.library._c.arf_strerror(s.code).decode()
            raise Error(s.code, f"{text} (rank {s.rank}, peer {s.peer}, row {s.row})")

    def abort(self):
        self.library.call("arf_comm_abort", self.handle)

    def destroy(self):
        if self.handle:
            self.library.call("arf_comm_destroy", self.handle)
            self.handle = None


def _integer(stream):
    return stream.value if isinstance(stream, ctypes.c_void_p) else stream
