"""Tests of pytest-benchmark as people write them."""

import pytest

from kernel import UNITS, work


def test_same(benchmark):
    assert benchmark(work, 100) > 0


def test_slower(benchmark):
    benchmark(work, UNITS["slower"])


def test_faster(benchmark):
    benchmark(work, units=UNITS["faster"])


@pytest.mark.parametrize("size", [1, 2])
@pytest.mark.parametrize("kind", ["a b", "x/[y]"])
def test_params(benchmark, size, kind):
    benchmark(work, 20 * size)


@pytest.fixture
def numbers():
    return list(range(2000, 0, -1))


def test_pedantic(benchmark, numbers):
    seen = []

    def setup():
        seen.append(len(numbers))
        return (list(numbers),), {}

    def sort(fresh):
        # A list that was sorted before would give it away.
        assert fresh[0] == 2000
        fresh.sort()
        return fresh[0]

    assert benchmark.pedantic(sort, setup=setup, rounds=3) == 1
    assert set(seen) == {2000}


def test_class_like(benchmark):
    @benchmark
    def result():
        return work(30)

    assert result > 0
    assert benchmark.stats["mean"] > 0


def test_without_the_fixture():
    raise AssertionError("never run")


def test_wrong_result(benchmark):
    assert benchmark(work, 10) == -1


def test_raises(benchmark):
    def bad():
        raise ValueError("on purpose")

    benchmark(bad)


def test_skips(benchmark):
    pytest.skip("not today")


def test_never_calls(benchmark):
    pass
