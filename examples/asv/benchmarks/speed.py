"""Benchmarks of asv, as they are also run by `asv run`."""

from kernels import units, work


class Work:
    params = ["slower", "faster", "same"]
    param_names = ["name"]

    def setup(self, name):
        self.count = units[name]

    def time_work(self, name):
        work(self.count)


def track_units():
    return sum(units.values())
