class Gemm:
    def __init__(self, sm_version: str):
        supported = ["sm_100", "sm_103"]
        assert sm_version in supported, f"{supported} only"
        self.sm_version = sm_version
