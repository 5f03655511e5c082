from .arch import current_arch, supports_pdl


def launch(x):
    if supports_pdl():  # open
        x.pdl()
    if current_arch()[0] == 10:  # closed
        x.cluster()
