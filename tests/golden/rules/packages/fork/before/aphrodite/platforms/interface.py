class Platform:
    @classmethod
    def get_device_capability(cls, device_id=0):
        return None

    @classmethod
    def is_family(cls, capability, device_id=0):
        current = cls.get_device_capability(device_id)
        if current is None:
            return False
        return current[0] == capability // 10
