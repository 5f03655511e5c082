from plugin_interface import DeviceCapability


# The class of the annotation is not installed: a capability has major and minor all the same.
def order(capability: DeviceCapability, preferred):
    if capability.major == 10:
        return [preferred, "flash"]
    return ["flash"]
