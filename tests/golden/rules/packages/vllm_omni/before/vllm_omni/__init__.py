from .ops import pick
