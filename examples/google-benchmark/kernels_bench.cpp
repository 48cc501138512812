// Benchmarks as Google Benchmark has them; nothing in here knows of bench-action.
#include "kernels.hpp"
#include <benchmark/benchmark.h>

static void BM_slower(benchmark::State &state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(slower());
}
BENCHMARK(BM_slower);

static void BM_faster(benchmark::State &state) {
  for (auto _ : state)
    benchmark::DoNotOptimize(faster());
}
BENCHMARK(BM_faster);

static void BM_same(benchmark::State &state) {
  for (auto _ : state)
    for (long time = 0; time < state.range(0); time++)
      benchmark::DoNotOptimize(same());
}
BENCHMARK(BM_same)->Arg(10);

BENCHMARK_MAIN();
