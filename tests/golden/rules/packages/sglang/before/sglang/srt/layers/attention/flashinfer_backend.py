from sglang.srt.utils import is_sm100_supported


class Backend:
    def __init__(self):
        self.kind = "auto"
        if is_sm100_supported():
            self.kind = "cutlass"
