from shop.helpers import has_twelve


def plan(config, ranks):
    largest = config.limits.largest_message(ranks)
    if largest is None:
        return None
    return largest // 2


def twelve():
    if has_twelve():
        return "twelve"
    return "other"
