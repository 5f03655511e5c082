class RMSNorm:
    def forward_with_allreduce_fusion(self, x, residual):
        from sglang.srt.layers.flashinfer_comm_fusion import fused_allreduce

        return fused_allreduce(x), residual
