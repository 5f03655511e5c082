import dataclasses
from typing import Annotated

import torch
from pydantic import BaseModel


def is_hopper():
    return torch.cuda.get_device_capability()[0] == 9


@dataclasses.dataclass
class Arguments:
    wide_cache: Annotated[
        bool,
        "keep wide pages",
    ] = False
    backend: str = "triton"

    def check(self):
        if self.wide_cache and not is_hopper():
            raise ValueError("wide pages need sm_90")
        if self.backend == "wgmma" and not is_hopper():
            raise ValueError("wgmma needs sm_90")


def config(cls):
    return dataclasses.dataclass(cls)


@config
class CacheConfig:
    wide_pages: bool = False

    def check(self):
        if self.wide_pages:
            if not is_hopper():
                raise ValueError("wide pages need sm_90")


class ServerConfig(BaseModel):
    wide_pages: bool = False

    def check(self):
        if self.wide_pages and not is_hopper():
            raise ValueError("wide pages need sm_90")
