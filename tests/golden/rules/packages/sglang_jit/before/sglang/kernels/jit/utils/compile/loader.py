def load_jit(*args, cpp_files=None, cuda_files=None, cpp_wrappers=None, cuda_wrappers=None, extra_cuda_cflags=None,
             extra_include_paths=None):
    return compile_module("_".join(args), cuda_files, cuda_wrappers)
