from ..compilation_context import CompilationContext

current_compilation_context = CompilationContext()


class JitSpec:
    def __init__(self, name, sources, flags):
        self.name = name
        self.sources = sources
        self.flags = flags


def gen_jit_spec(name, sources, extra_cflags=None, extra_cuda_cflags=None, extra_include_paths=None):
    return JitSpec(name, sources, extra_cuda_cflags or [])
