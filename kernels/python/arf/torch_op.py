"""arf::allreduce_norm, a custom op of torch, so that compiled graphs can hold the call.

    from arf import torch_op
    key = torch_op.register(communicator)
    torch.ops.arf.allreduce_norm(x, residual, weight, norm_out, residual_out, 1e-6, key)

Importing this module needs torch (2.4 or later).
"""
import torch

from .flashinfer import Workspace, allreduce_fusion

_workspaces = {}


def register(communicator):
    """A number that names the communicator in a graph."""
    key = len(_workspaces)
    _workspaces[key] = Workspace(communicator)
    return key


@torch.library.custom_op("arf::allreduce_norm", mutates_args=("norm_out", "residual_out"),
                         device_types="cuda")
def allreduce_norm(x: torch.Tensor, residual: torch.Tensor, weight: torch.Tensor,
                   norm_out: torch.Tensor, residual_out: torch.Tensor, eps: float,
                   key: int) -> None:
    allreduce_fusion(x, _workspaces[key], 1, launch_with_pdl=True, residual_in=residual,
                     rms_gamma=weight, rms_eps=eps, norm_out=norm_out, residual_out=residual_out)


@allreduce_norm.register_fake
def _(x, residual, weight, norm_out, residual_out, eps, key):
    return None
