from .facts import supports_fused

try:
    import fast
    _AVAILABLE = True
except ImportError:
    _AVAILABLE = False

if _AVAILABLE:

    def plan(x, rows):
        if not supports_fused(x.device) or rows > 1024:  # closed
            raise ValueError("needs the fused kernel")
        return fast.plan(x)


def run(x, rows):
    if rows > 1024 or not supports_fused(x.device):  # closed
        return _run_fallback(x, rows)
    return fast.run(x, rows)


def _run_fallback(x, rows):
    return x @ rows
