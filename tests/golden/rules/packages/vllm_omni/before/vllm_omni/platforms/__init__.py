from typing import TYPE_CHECKING

if TYPE_CHECKING:
    current_omni_platform: object


def __getattr__(name):
    if name == "current_omni_platform":
        return find_platform()
    raise AttributeError(name)
