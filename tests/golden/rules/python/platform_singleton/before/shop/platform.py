from __future__ import annotations

from dataclasses import dataclass
from functools import total_ordering

import torch


@dataclass(frozen=True)
class Version:
    major: int
    minor: int

    def __ge__(self, other: Version) -> bool:
        return (self.major, self.minor) >= (other.major, other.minor)

    def __le__(self, other: Version) -> bool:
        return (self.major, self.minor) <= (other.major, other.minor)


@total_ordering
class Major:
    def __init__(self, n):
        self.n = n

    def __eq__(self, other):
        return self.n == other

    def __lt__(self, other):
        return self.n < other


@dataclass(frozen=True)
class Info:
    vendor: str
    version: Version

    @classmethod
    def detect(cls) -> Info:
        return _detect()

    @property
    def is_nvidia(self):
        return self.vendor == "nvidia"

    @property
    def is_blackwell(self):
        return self.is_nvidia and self.version.major == 10

    @property
    def is_hopper_plus(self):
        return self.is_nvidia and self.version >= Version(9, 0)


class Platform:
    _instance: Info | None = None

    @classmethod
    def get(cls) -> Info:
        if cls._instance is None:
            cls._instance = Info.detect()
        return cls._instance

    @classmethod
    def override(cls, info: Info) -> None:
        cls._instance = info

    @classmethod
    def reset(cls) -> None:
        cls._instance = None


def current() -> Info:
    return Platform.get()


def ordered():
    return Major(torch.cuda.get_device_capability()[0])


def _detect() -> Info:
    if torch.cuda.is_available():
        if hasattr(torch.version, "hip") and torch.version.hip:
            return Info(vendor="amd", version=Version(9, 5))
        major, minor = torch.cuda.get_device_capability(torch.cuda.current_device())
        return Info(vendor="nvidia", version=Version(major, minor))
    raise RuntimeError("no device")
