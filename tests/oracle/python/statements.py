import os

import torch

ARCHS = []
for device in range(torch.cuda.device_count()):
    major, minor = torch.cuda.get_device_capability(device)
    if major >= 9:
        minor = str(minor) + "a"
    ARCHS.append((int(major), str(minor)))

TABLE = {9: "hopper", 10: "blackwell"}
TABLE[12] = "pro"
TABLE.update({11: "thor"})
NAMES = set()
NAMES.add("x")
NAMES |= {"y"}

try:
    import a_package_that_is_not_there

    FOUND = True
except ImportError:
    FOUND = False

if torch.version.hip is not None:
    PLATFORM = "rocm"
else:
    PLATFORM = "cuda"


def flags(majors=None):
    if majors:
        archs = [pair for pair in ARCHS if pair[0] in majors]
    else:
        archs = ARCHS
    if len(archs) == 0:
        raise RuntimeError(f"No architectures for {majors}")
    return [f"-gencode=arch=compute_{major}{minor},code=sm_{major}{minor}" for major, minor in archs]


def case_flags_all():
    return flags()


def case_flags_list():
    return flags(majors=[9, 10])


def case_table():
    return TABLE[torch.cuda.get_device_capability()[0]]


def case_table_get():
    return TABLE.get(torch.cuda.get_device_capability()[0], "none")


def case_table_membership():
    return torch.cuda.get_device_capability()[0] in TABLE


def case_sets():
    return sorted(NAMES), "x" in NAMES


def case_platform():
    return PLATFORM


def case_try_key_error():
    try:
        return TABLE[torch.cuda.get_device_capability()[0]]
    except KeyError:
        return "fallback"


def case_try_wrong_handler():
    try:
        return TABLE[torch.cuda.get_device_capability()[0]]
    except TypeError:
        return "fallback"


def case_try_else_finally():
    log = []
    try:
        if torch.cuda.get_device_capability()[0] < 9:
            raise ValueError("old")
    except ValueError as e:
        log.append("caught")
    else:
        log.append("else")
    finally:
        log.append("finally")
    return log


def case_loop_break():
    for wanted in (12, 10, 9):
        if torch.cuda.get_device_capability()[0] == wanted:
            found = wanted
            break
    else:
        found = 0
    return found


def case_loop_continue():
    kept = []
    for m in (8, 9, 10):
        if m > torch.cuda.get_device_capability()[0]:
            continue
        kept.append(m)
    return kept


def case_nested_comprehension():
    return [(a, b) for a in range(3) if a for b in range(a)]


def case_dict_comprehension():
    return {k: v for k, v in TABLE.items() if k >= 10}


def case_augmented():
    total = 0
    total += torch.cuda.get_device_capability()[0]
    total *= 10
    total -= 1
    text = "sm_"
    text += str(total)
    return text


def case_unpack_nested():
    (a, b), c = torch.cuda.get_device_capability(), 3
    return a, b, c


def case_unpack_mismatch():
    a, b, c = torch.cuda.get_device_capability()
    return a


def case_slices():
    text = "compute_120a"
    return text[:7], text[-4:], text[8:-1], (1, 2, 3)[1:]


def case_strings():
    major, minor = torch.cuda.get_device_capability()
    arch = "sm_" + str(major) + str(minor)
    return arch.upper(), arch.startswith("sm_9"), arch.split("_"), arch.replace("sm", "compute"), ",".join(["a", arch])


def case_string_to_number():
    return int("sm_120"[3:]) // 10, "9.0".split(".")[0].isdigit()


def case_del_and_pass():
    value = torch.cuda.get_device_capability()
    pass
    return value


def case_environment_list():
    return "UNGATE_TEST_CUDA_ARCH_LIST" in os.environ


def case_enumerate_zip():
    return [(i, a + b) for i, (a, b) in enumerate(zip((1, 2), (3, 4)))]


def case_while():
    n = 3
    while True:
        if torch.cuda.get_device_capability()[0] > 9:
            return "new"
        return "old"


def case_ternary_none():
    value = TABLE.get(torch.cuda.get_device_capability()[0])
    return value is not None and value.startswith("h")


def case_global_list():
    return len(ARCHS), ARCHS[0][0] >= 9
