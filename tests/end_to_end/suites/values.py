"""Values that are known, so that verdicts are too."""

import os
import time

from kernel import SIDE


def track_slower():
    return 150 if SIDE == "head" else 100


def track_faster():
    return 50 if SIDE == "head" else 100


def track_same():
    return 7


def track_knob():
    return int(os.environ.get("KNOB", "1"))


def time_steady():
    sum(range(5000))
