"""Tests of pytest-benchmark, as they are also run by `pytest`."""

import pytest

from kernels import units, work


@pytest.mark.parametrize("name", ["slower", "faster", "same"])
def test_work(benchmark, name):
    assert benchmark(work, units[name]) > 0


def test_with_set_up(benchmark):
    numbers = list(range(2000, 0, -1))
    benchmark.pedantic(sorted, setup=lambda: ((list(numbers),), {}), rounds=5)
