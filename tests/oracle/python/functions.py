import functools
from functools import lru_cache, partial

import torch


def check(majors, version=(12, 3)):
    return torch.cuda.get_device_capability()[0] in majors and tuple(map(int, torch.version.cuda.split("."))) >= version


is_hopper = lru_cache(maxsize=1)(partial(check, majors=[9], version=(12, 3)))
is_blackwell = is_b = functools.cache(partial(check, [10, 12]))
is_future = partial(check, majors=[13], version=(99, 0))
by_lambda = lambda: torch.cuda.get_device_capability()[1] == 1


@lru_cache(maxsize=None)
def cached(n):
    return torch.cuda.get_device_capability()[0] * n


def with_defaults(a, b=2, *args, c=3, **kwargs):
    return a, b, args, c, sorted(kwargs)


def recursive(n):
    return n if n <= 0 else recursive(n - 1)


def makes_check(limit):
    def inner(value):
        return value >= limit

    return inner


def picks():
    return check if torch.cuda.get_device_capability()[0] >= 9 else makes_check(8)


def case_partial_keyword():
    return is_hopper()


def case_partial_positional():
    return is_b()


def case_partial_future():
    return is_future()


def case_lambda():
    return by_lambda()


def case_cached():
    return cached(3)


def case_defaults():
    return with_defaults(torch.cuda.get_device_capability()[0], 5, 6, 7, c=8, z=1, y=2)


def case_star_arguments():
    pair = (1, torch.cuda.get_device_capability()[1])
    return with_defaults(*pair, **{"c": 9})


def case_wrong_arguments():
    return makes_check(1, 2)


def case_closure():
    new = makes_check(10)
    return new(torch.cuda.get_device_capability()[0])


def case_function_value():
    chosen = picks()
    return chosen is check


def case_nested_function():
    flags = ["compute_%s" % x for x in ("a",)]
    names = [f"compute_{major}{minor}" for major, minor in [torch.cuda.get_device_capability()]]

    def has(text):
        return any(text in name for name in names)

    return {"sm90": has("compute_90"), "sm12": has("compute_12"), "n": len(flags)}


def case_conditional_lambda():
    pick = (lambda m: m > 9) if torch.cuda.get_device_capability()[0] > 8 else (lambda m: None)
    return pick(torch.cuda.get_device_capability()[0])


def case_map_filtered():
    return [x for x in map(lambda v: v * 2, torch.cuda.get_device_capability()) if x > 2]
