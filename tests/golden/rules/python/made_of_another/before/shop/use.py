from shop.flags import COMPILE, WIDE


def weights(w):
    if COMPILE and not WIDE and w.is_square():
        return narrow(w)
    else:
        return plain(w)
