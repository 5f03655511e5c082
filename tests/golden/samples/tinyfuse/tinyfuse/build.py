from pathlib import Path

SOURCES = Path(__file__).parent / "csrc"


class Architectures:
    def __init__(self):
        self.found = {(9, "0a"), (10, "0a"), (12, "0a")}

    def flags(self, supported_major_versions=None):
        kept = [a for a in sorted(self.found) if a[0] in supported_major_versions]
        if not kept:
            raise RuntimeError(f"no architecture among {supported_major_versions}")
        return [f"-gencode=arch=compute_{a}{b},code=sm_{a}{b}" for a, b in kept]


architectures = Architectures()


def module(name, sources, cuda_flags=None):
    return (name, sources, cuda_flags)
