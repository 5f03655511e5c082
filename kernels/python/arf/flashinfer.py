"""allreduce_fusion() with FlashInfer's arguments, run by libarf.so.

    workspace = arf.flashinfer.Workspace(communicator)
    allreduce_fusion(input=x, workspace=workspace, pattern=1, residual_in=residual,
                     rms_gamma=weight, norm_out=norm, residual_out=residual, launch_with_pdl=True)

What differs: sums are made in fp32 whatever fp32_acc says; trigger_completion_at_end has no effect;
the quantised outputs of patterns 6 and 7 are not there; a NaN is never turned into a number.
"""
from .library import PDL, Params, dtypes

SWIZZLED_128X4, SWIZZLED_8X4, LINEAR = 0, 1, 2  # FlashInfer's QuantizationSFLayout
_LAYOUTS = {SWIZZLED_128X4: 1, LINEAR: 0}
_NEEDS_NORM = (1, 4, 5, 6, 7, 9, 11)
_NEEDS_SCALES = (3, 5, 8, 9, 10, 11)
_GIVEN_SCALE = (2, 3, 4, 5)
_GROUPED = (8, 9)


class Workspace:
    """What FlashInfer's callers hand around; here a communicator, and the scales it was given as
    numbers, kept in device memory."""

    def __init__(self, communicator):
        self.communicator = communicator
        self.rank, self.world_size = communicator.rank, communicator.world
        self._scalars = {}

    def scale_tensor(self, value, like):
        key = (float(value), str(like.device))
        if key not in self._scalars:
            import torch
            self._scalars[key] = torch.full((1,), float(value), dtype=torch.float32,
                                            device=like.device)
        return self._scalars[key]

    def is_buffer_size_sufficient(self, tp_size, num_tokens, hidden_dim, dtype, use_oneshot=None):
        config = self.communicator.config
        return (tp_size == self.world_size and num_tokens <= config.max_tokens and
                hidden_dim <= config.max_hidden)

    def destroy(self):
        self.communicator.destroy()


def _dtype_name(tensor):
    return str(tensor.dtype).rsplit(".", 1)[-1]


def _need(condition, text):
    if not condition:
        raise ValueError(text)


def _pointer(tensor, name, shape=None, kinds=None):
    """The address of a contiguous tensor of this shape and type."""
    if tensor is None:
        return None
    _need(shape is None or tuple(tensor.shape) == tuple(shape),
          f"{name} has shape {tuple(tensor.shape)}, not {shape}")
    _need(kinds is None or _dtype_name(tensor) in kinds,
          f"{name} is {_dtype_name(tensor)}, not {' or '.join(kinds or ())}")
    _need(name == "scale_out" or tensor.is_contiguous(), f"{name} is not contiguous")
    return tensor.data_ptr()


def to_params(pattern, input, scale_tensor=None, *, launch_with_pdl=False, output=None,
              residual_out=None, norm_out=None, quant_out=None, scale_out=None, residual_in=None,
              rms_gamma=None, rms_eps=1e-6, scale_factor=None, layout_code=None, use_oneshot=None,
              moe_reduction_device_num_experts=None, moe_reduction_scale_input=None,
              moe_reduction_active_experts_token_input=None, moe_reduction_token_input=None,
              expanded_idx_to_permuted_idx=None, expert_scale_factor=None,
              shared_expert_output=None, routed_scaling_factor=None, block_quant_group_size=None,
              weight_bias=0.0):
    """arf_params of a call; ValueError says what it does not fit. `scale_tensor` makes a device
    tensor of a scale that is a number."""
    _need(pattern in range(12), f"there is no pattern {pattern}")
    moe = pattern in (6, 7)
    shaped = residual_in if moe else input
    _need(shaped is not None, "residual_in is missing" if moe else "input is missing")
    _need(len(shaped.shape) == 2, "tensors must be [tokens, hidden]")
    tokens, hidden = shaped.shape
    kind = _dtype_name(shaped)
    _need(kind in dtypes, f"{kind} cannot be summed; {', '.join(dtypes)} can")
    full, same = (tokens, hidden), (kind,)
    p = Params(pattern=pattern, dtype=dtypes[kind], tokens=tokens, hidden=hidden, eps=rms_eps,
               weight_bias=weight_bias, flags=PDL if launch_with_pdl else 0)
    if use_oneshot is not None:
        p.algorithm = 1 if use_oneshot else 2
    if not moe:
        p.input = _pointer(input, "input", full, same)
    if pattern == 0:
        _need(output is not None, "output is missing")
        p.out = _pointer(output, "output", full, same)
        return p
    for name, tensor in (("residual_in", residual_in), ("rms_gamma", rms_gamma),
                         ("residual_out", residual_out)):
        _need(tensor is not None, f"{name} is missing")
    p.residual_in = _pointer(residual_in, "residual_in", full, same)
    p.gamma = _pointer(rms_gamma, "rms_gamma", (hidden,), same)
    p.residual_out = _pointer(residual_out, "residual_out", full, same)
    if pattern in _NEEDS_NORM:
        _need(norm_out is not None, "norm_out is missing")
        p.norm_out = _pointer(norm_out, "norm_out", full, same)
    if moe:
        _need(quant_out is None and scale_out is None,
              f"pattern {pattern} with quantised outputs is not there")
        _experts(p, pattern, input, tokens, hidden, kind, locals())
    elif pattern != 1:
        _quantiser(p, pattern, tokens, hidden, locals())
    return p


def _quantiser(p, pattern, tokens, hidden, given):
    quant_out, scale_out = given["quant_out"], given["scale_out"]
    _need(quant_out is not None, "quant_out is missing")
    fp4 = pattern in (3, 5)
    p.quant_out = _pointer(quant_out, "quant_out")
    _need(quant_out.numel() * quant_out.element_size() == tokens * hidden // (2 if fp4 else 1),
          "quant_out has the wrong size")
    if pattern in _NEEDS_SCALES:
        _need(scale_out is not None, "scale_out is missing")
        p.scale_out = _pointer(scale_out, "scale_out")
    if pattern in _GIVEN_SCALE:
        scale = given["scale_factor"]
        _need(scale is not None, "scale_factor is missing")
        if isinstance(scale, (int, float)):
            _need(given["scale_tensor"] is not None, "scale_factor must be a tensor here")
            scale = given["scale_tensor"](scale)
        p.scale_factor = _pointer(scale, "scale_factor", kinds=("float32",))
    if fp4:
        code = given["layout_code"]
        code = SWIZZLED_128X4 if code is None else int(code)
        _need(code in _LAYOUTS, f"scales cannot be laid out as {code}; 0 (swizzled 128x4) and 2 "
              "(linear) can")
        p.layout = _LAYOUTS[code]
    if pattern in _GROUPED:
        size = given["block_quant_group_size"]
        _need(size in (16, 32, 64, 128, 256),
              f"block_quant_group_size {size} is not one of 16, 32, 64, 128, 256")
        _need(hidden % size == 0,
              f"hidden {hidden} is no multiple of block_quant_group_size {size}")
        p.group_size = size


def _experts(p, pattern, input, tokens, hidden, kind, given):
    full, same = (tokens, hidden), (kind,)
    if pattern == 6:
        count, rows = (given["moe_reduction_device_num_experts"],
                       given["moe_reduction_active_experts_token_input"])
        scales, shared = given["moe_reduction_scale_input"], given["moe_reduction_token_input"]
        for name, value in (("moe_reduction_device_num_experts", count),
                            ("moe_reduction_active_experts_token_input", rows),
                            ("moe_reduction_scale_input", scales),
                            ("moe_reduction_token_input", shared)):
            _need(value is not None, f"{name} is missing")
        count = int(count)
        p.experts = _pointer(rows, "moe_reduction_active_experts_token_input", kinds=same)
        _need(rows.numel() == count * tokens * hidden,
              "moe_reduction_active_experts_token_input is not [experts, tokens, hidden]")
        p.expert_scales = _pointer(scales, "moe_reduction_scale_input", (count, tokens),
                                   ("float32",))
        p.shared = _pointer(shared, "moe_reduction_token_input", full, same)
        p.expert_count = count
        return
    index = given["expanded_idx_to_permuted_idx"]
    _need(input is not None, "input is missing")
    _need(index is not None, "expanded_idx_to_permuted_idx is missing")
    _need(len(index.shape) == 2 and index.shape[0] == tokens,
          "expanded_idx_to_permuted_idx is not [tokens, experts of a token]")
    _need(len(input.shape) == 2 and input.shape[1] == hidden, "input is not [rows, hidden]")
    p.experts = _pointer(input, "input", kinds=same)
    p.expert_rows = _pointer(index, "expanded_idx_to_permuted_idx", kinds=("int32",))
    p.expert_scales = _pointer(given["expert_scale_factor"], "expert_scale_factor",
                               tuple(index.shape), same)
    p.shared = _pointer(given["shared_expert_output"], "shared_expert_output", full, same)
    p.expert_count = index.shape[1]
    if given["routed_scaling_factor"] is not None:
        p.routed_scale = given["routed_scaling_factor"]


def _stream_of(tensor):
    import torch
    return torch.cuda.current_stream(tensor.device).cuda_stream


def allreduce_fusion(input, workspace, pattern, launch_with_pdl=False,
                     trigger_completion_at_end=True, output=None, residual_out=None, norm_out=None,
                     quant_out=None, scale_out=None, residual_in=None, rms_gamma=None, rms_eps=1e-6,
                     scale_factor=None, layout_code=None, use_oneshot=None, fp32_acc=False,
                     stream=None, **more):
    """FlashInfer's allreduce_fusion(); `stream` (a cudaStream_t) is torch's current one if left
    out. Outputs that FlashInfer makes when they are left out are made here, too."""
    del trigger_completion_at_end, fp32_acc
    shaped = residual_in if pattern in (6, 7) else input
    if pattern == 0 and output is None:
        output = _empty_like(shaped)
    if pattern in _NEEDS_NORM and norm_out is None:
        norm_out = _empty_like(shaped)
    if pattern != 0 and residual_out is None:
        residual_out = _empty_like(shaped)
    params = to_params(pattern, input, lambda value: workspace.scale_tensor(value, shaped),
                       launch_with_pdl=launch_with_pdl, output=output, residual_out=residual_out,
                       norm_out=norm_out, quant_out=quant_out, scale_out=scale_out,
                       residual_in=residual_in, rms_gamma=rms_gamma, rms_eps=rms_eps,
                       scale_factor=scale_factor, layout_code=layout_code, use_oneshot=use_oneshot,
                       **more)
    workspace.communicator.launch(params, _stream_of(shaped) if stream is None else stream)
    return output if pattern == 0 else norm_out if pattern in _NEEDS_NORM else quant_out


def _empty_like(tensor):
    _need(tensor is not None, "there is no tensor to take the shape of an output from")
    import torch
    return torch.empty_like(tensor)
