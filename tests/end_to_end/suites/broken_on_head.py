"""A module that one side cannot load."""

from kernel import SIDE

if SIDE == "head":
    raise RuntimeError("no such thing on head")


def time_it():
    sum(range(1000))
