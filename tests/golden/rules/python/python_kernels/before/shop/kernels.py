import cutlass.cute as cute
import triton
import triton.language as tl
from cutlass.cute.nvgpu import tcgen05


class Blockwise:
    """Written for tensor memory."""

    @cute.jit
    def __call__(self, a, b):
        op = tcgen05.MmaF16BF16Op(a.dtype)
        return cute.make_tiled_mma(op)

    @cute.kernel
    def kernel(self, a, b):
        cute.copy(a, b)


class Portable:
    """Mentions tcgen05 in a text only, and takes it on request."""

    @cute.experimental.kernel
    def kernel(self, a, fast):
        if fast:
            tcgen05.commit(a)
        cute.copy(a, a)


@triton.jit
def rounded(x, y):
    v = tl.load(x)
    v = tl.inline_asm_elementwise("cvt.rs.f16x2.f32 $0, $1, $2, $3;", "=r,r,r,r", [v, v, v], tl.uint32, True, 2)
    tl.store(y, v)


@triton.jit
def copied(x, y):
    tl.store(y, tl.load(x))
