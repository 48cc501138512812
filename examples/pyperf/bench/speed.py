"""A script of pyperf, as it is also run by `python bench/speed.py`."""

import pyperf

from kernels import units, work


async def later(count):
    return work(count)


def timed(loops, count):
    """What comes before the clock is read is not measured."""
    work(5000)
    start = pyperf.perf_counter()
    for _ in range(loops):
        work(count)
    return pyperf.perf_counter() - start


runner = pyperf.Runner()
runner.bench_func("slower", work, units["slower"])
runner.bench_func('faster/[x] (a.b*) "q" \'s\' ü', work, units["faster"])
runner.bench_func("same", work, units["same"])
runner.bench_async_func("async", later, units["slower"])
runner.bench_time_func("timed", timed, units["faster"])
runner.timeit("timeit", "work(count)", "from kernels import work; count = 1000")
runner.bench_func("n" * 300, work, units["same"])
