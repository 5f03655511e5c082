def choices(spec):
    if spec.target_device_capability is not None and spec.target_device_capability[0] == 10:  # closed
        return ("warp", "tcgen05")
    return None


def bitfield(spec, graphs):
    spec.fast = spec.target_device_capability == (10, 0) and any(graphs)  # closed, for whoever asks
    if spec.target_device_capability not in ((9, 0), (10, 0)):  # closed
        raise NotImplementedError("no seeds for this device")
    return spec


def others(spec):
    if spec.target_device_capability == "wide":  # something else
        return 1
    if spec.compute_capability[0] == 3:  # no device of today
        return 2
    if spec.compute_capability >= (9, 0):  # open
        return 3
    return None
