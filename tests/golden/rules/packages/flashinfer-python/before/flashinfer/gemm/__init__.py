from flashinfer.utils import backend_requirement, supported_compute_capability


@supported_compute_capability([100, 120])
def _check_grouped(a, b):
    return True


@supported_compute_capability([100, 103])
def _cudnn_mm_half_requirement(a, b):
    return True


# The requirement's list lets in what the operator cannot run on (flashinfer-ai/flashinfer@904fa8cbc).
@backend_requirement({}, common_check=_check_grouped)
def grouped(a, b):
    out = a.new_empty(b.shape)
    get_gemm_sm100_module().grouped(a, b, out)
    return out


@backend_requirement({"cudnn": _cudnn_mm_half_requirement})
def mm_half(a, b):
    return _graph(a, b)
