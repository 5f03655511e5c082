import torch


class CompilationContext:
    def __init__(self):
        self.TARGET_CUDA_ARCHS = set()
        for device in range(torch.cuda.device_count()):
            major, minor = torch.cuda.get_device_capability(device)
            if major >= 9:
                minor = str(minor) + "a"
            self.TARGET_CUDA_ARCHS.add((int(major), str(minor)))

    def get_nvcc_flags_list(self, supported_major_versions=None):
        archs = self.TARGET_CUDA_ARCHS
        if supported_major_versions:
            archs = [a for a in archs if a[0] in supported_major_versions]
        if len(archs) == 0:
            raise RuntimeError(f"no GPU of these majors: {supported_major_versions}")
        return [f"-gencode=arch=compute_{major}{minor},code=sm_{major}{minor}" for major, minor in archs]
