"""Keys of tasks: every combination of what an experiment varies."""

import itertools


def crossed(over, **fixed):
    """A dict for each combination of the values that ``over`` has by name; what is ``fixed`` is in all.

    The values of the last name change first.
    """
    return [fixed | dict(zip(over, values, strict=True)) for values in itertools.product(*over.values())]
