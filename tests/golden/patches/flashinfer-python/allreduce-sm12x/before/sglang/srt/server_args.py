from sglang.srt.utils import is_sm90_supported, is_sm100_supported, is_sm120_supported


class ServerArgs:
    enable_flashinfer_allreduce_fusion: bool = False
    nnodes: int = 1

    def _handle_model_specific_adjustments(self):
        if (
            not self.enable_flashinfer_allreduce_fusion
            and (is_sm90_supported() or is_sm100_supported())
            and self.nnodes == 1
        ):
            self.enable_flashinfer_allreduce_fusion = True

    def backend(self):
        return "sm120" if is_sm120_supported() else "any"


def get_global_server_args():
    return ServerArgs()
