from dataclasses import dataclass, field
from enum import Enum
from typing import NamedTuple, Optional

import torch


class Capability(NamedTuple):
    major: int
    minor: int

    def to_int(self):
        return self.major * 10 + self.minor

    def as_text(self) -> str:
        return f"{self.major}.{self.minor}"


class Backend(Enum):
    FA2 = "fa2"
    FA3 = "fa3"


@dataclass
class Options:
    arch: int = 80
    name: str = "x"
    extra: Optional[int] = None

    def new(self):
        return self.arch >= 90


class Platform:
    kind = "cuda"
    LIMIT = 90

    @classmethod
    def capability(cls):
        return Capability(*torch.cuda.get_device_capability())

    @classmethod
    def has(cls, wanted):
        current = cls.capability()
        if isinstance(wanted, tuple):
            return current >= wanted
        return current.to_int() >= wanted

    @staticmethod
    def family(cc):
        return cc // 10

    @property
    def modern(self):
        return self.has(self.LIMIT)

    def describe(self):
        return self.kind


class Derived(Platform):
    LIMIT = 100

    def describe(self):
        return "derived " + super().describe()


class Holder:
    def __init__(self, devices=1):
        self.archs = set()
        self.kind = None
        for device in range(devices):
            major, minor = torch.cuda.get_device_capability(device)
            self.archs.add((major, str(minor)))
        if major >= 10:
            self.kind = Backend.FA2

    def majors(self):
        return sorted(major for major, _ in self.archs)


class Conditional:
    if torch.cuda.get_device_capability()[0] >= 9:
        fast = True
    else:
        fast = False

    def __call__(self, value):
        return value if self.fast else None


holder = Holder()
platform = Derived()


def case_named_tuple_fields():
    cap = Platform.capability()
    return cap.major, cap.minor, cap.to_int(), cap.as_text()


def case_named_tuple_against_tuple():
    return Platform.capability() >= (10, 0), (9, 0) < Platform.capability()


def case_named_tuple_against_int():
    return Platform.capability() >= 90


def case_class_method():
    return Platform.has(89), Platform.has((12, 0))


def case_static_method():
    return Platform.family(Platform.capability().to_int())


def case_property():
    return platform.modern, Platform().modern


def case_super():
    return platform.describe()


def case_init_fields():
    return holder.majors(), holder.kind == Backend.FA2


def case_enum():
    chosen = Backend.FA3 if torch.cuda.get_device_capability()[0] == 9 else Backend.FA2
    return chosen.value, chosen.name, chosen == Backend.FA3, chosen is Backend.FA2


def case_enum_in():
    chosen = Backend.FA3 if torch.cuda.get_device_capability()[0] == 9 else Backend.FA2
    return chosen in (Backend.FA3,)


def case_enum_by_name():
    return Backend["FA2"].value


def case_dataclass():
    options = Options(arch=Platform.capability().to_int())
    return options.arch, options.name, options.extra, options.new()


def case_class_body_branch():
    return Conditional.fast, Conditional()(5)


def case_isinstance():
    return isinstance(Platform.capability(), tuple), isinstance("x", str), isinstance(platform, Platform)


def case_getattr_default():
    return getattr(platform, "missing", 3), getattr(platform, "kind", None)


def case_missing_attribute():
    return None.major


def case_attribute_assignment():
    options = Options()
    options.arch = torch.cuda.get_device_capability()[0]
    return options.arch, options.name
