from vllm.platforms import current_platform


class FlashInferBackend:
    @classmethod
    def get_required_kv_cache_layout(cls):
        capability = current_platform.get_device_capability()
        if capability is not None and capability[0] == 10:
            return "HND"
        return None
