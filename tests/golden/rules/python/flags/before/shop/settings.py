import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    SHOP_PLAN_AHEAD: bool = False

VARIABLES = {"SHOP_PLAN_AHEAD": lambda: os.environ.get("SHOP_PLAN_AHEAD") == "1"}


def __getattr__(name):
    return VARIABLES[name]()
