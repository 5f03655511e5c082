from shop.context import get_platform


def backend(args):
    if get_platform().is_datacenter:  # closed
        return "trtllm_mha"
    if get_platform().is_blackwell_like:  # open
        return "flashinfer"
    return "fa3"


def counts(args):
    return get_platform().is_cuda  # the same everywhere
