from .attention import attend
from .reduce import all_reduce
