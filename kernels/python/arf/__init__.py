"""The bundled allreduce kernels from Python: libarf.so over ctypes, with or without torch.

    import arf
    library = arf.Library("/path/to/libarf.so")          # or the one that ARF_LIBRARY names
    comm = library.communicator(rank, world, device, config, exchange)
    comm.launch(params, stream)

`arf.flashinfer` has a function with FlashInfer's arguments, `arf.torch_op` a custom op of torch.
"""
from .library import (Communicator, Config, Error, Library, Params, Status, algorithms, dtypes,
                      layouts, patterns)

__all__ = ["Communicator", "Config", "Error", "Library", "Params", "Status", "algorithms",
           "dtypes", "layouts", "patterns"]
