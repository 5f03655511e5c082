def reduce(x, oneshot=None):
    if oneshot:  # nothing of its own
        return x.sum()
    return x
