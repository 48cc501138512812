"""A module that one side cannot load."""

from kernel import SIDE

if SIDE == "base":
    raise RuntimeError("no such thing on base")


def time_it():
    sum(range(1000))
