version = 3


def set_version(n):
    global version
    version = n
