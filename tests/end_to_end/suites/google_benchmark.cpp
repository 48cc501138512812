#include <benchmark/benchmark.h>
#include <unistd.h>

static unsigned long work(long units) {
  unsigned long x = 1;
  for (long unit = 0; unit < units; unit++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    benchmark::DoNotOptimize(x);
  }
  return x;
}

static void run(benchmark::State &state, long units) {
  for (auto _ : state)
    benchmark::DoNotOptimize(work(units));
}

static void BM_same(benchmark::State &state) {
  run(state, 1000);
  state.counters["hits"] = 3;
}
static void BM_slower(benchmark::State &state) { run(state, SLOWER_UNITS); }
static void BM_slower_wall(benchmark::State &state) { run(state, SLOWER_UNITS); }
static void BM_faster(benchmark::State &state) { run(state, FASTER_UNITS); }
static void BM_argument(benchmark::State &state) { run(state, 100 * state.range(0)); }
static void BM_odd(benchmark::State &state) { run(state, 1000); }
static void BM_may_wait(benchmark::State &state) {
  for (auto _ : state) {
    benchmark::DoNotOptimize(work(10000));
    if (WAITS_US > 0)
      usleep(WAITS_US);
  }
}
static void BM_fails(benchmark::State &state) {
  state.SkipWithError("on purpose");
  for (auto _ : state) {
  }
}

BENCHMARK(BM_same);
BENCHMARK(BM_slower);
BENCHMARK(BM_slower_wall)->UseRealTime();
BENCHMARK(BM_faster);
BENCHMARK(BM_argument)->Arg(8);
BENCHMARK(BM_odd)->Name("BM_odd<f(a[0]), '+*'>");
BENCHMARK(BM_may_wait)->UseRealTime();
BENCHMARK(BM_fails);
BENCHMARK_MAIN();
