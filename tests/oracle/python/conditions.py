import torch


def cap():
    return torch.cuda.get_device_capability()


def case_tuple_order():
    return cap() >= (9, 0)


def case_chained():
    return (9, 0) <= cap() < (11, 0)


def case_major_in():
    return cap()[0] in [9, 10]


def case_not_in():
    return cap()[0] not in (10, 12)


def case_cc():
    major, minor = cap()
    return major * 10 + minor


def case_family():
    major, minor = cap()
    return (major * 10 + minor) // 10 == 12


def case_and_or():
    major, minor = cap()
    return major == 12 and minor == 0 or major == 9


def case_and_value():
    return cap()[0] >= 9 and "new"


def case_or_value():
    return (cap()[0] == 9 and "hopper") or "other"


def case_not():
    return not cap()[0] == 9


def case_conditional():
    return "fa3" if cap()[0] == 9 else "fa2"


def case_if_chain():
    major = cap()[0]
    if major == 9:
        return "a"
    elif major >= 10 and major < 12:
        return "b"
    elif major == 12:
        return "c"
    return None


def case_shadowed_arm():
    major = cap()[0]
    if major >= 9:
        return 1
    elif major == 12:
        return 2
    else:
        return 3


def case_early_raise():
    if cap()[0] not in (9, 10):
        raise RuntimeError(f"unsupported {cap()}")
    return True


def case_assert():
    assert cap()[0] < 12, "too new"
    return True


def case_nested_minor():
    major, minor = cap()
    if major == 12:
        if minor == 1:
            return "spark"
        return "pro"
    return "other"


def case_compare_none():
    return None >= 9


def case_tuple_with_int():
    return cap() >= 9


def case_is_none():
    value = None if cap()[0] < 9 else cap()
    return value is None


def case_walrus():
    if (n := cap()[0]) > 9:
        return n
    return -n


def case_match():
    match cap():
        case (9, _):
            return "hopper"
        case (10, 0) | (10, 3):
            return "blackwell"
        case (12, minor) if minor > 0:
            return "spark"
        case _:
            return "other"


def case_match_value():
    match cap()[0]:
        case 9 | 10:
            return True
    return False


def case_bit_operations():
    return (cap()[0] << 4 | cap()[1]) & 0xF0


def case_floor_of_negative():
    return -cap()[0] // 4, -cap()[0] % 4


def case_max_min():
    return max(cap()[0], 10), min(cap()), sum(cap())
