// Benchmarks as Catch2 has them; nothing in here knows of bench-action.
#define CATCH_CONFIG_ENABLE_BENCHMARKING
#include "kernels.hpp"
#include <catch2/catch.hpp>

TEST_CASE("slower", "[!benchmark]") {
  BENCHMARK("slower") { return slower(); };
}

TEST_CASE("faster", "[!benchmark]") {
  BENCHMARK("faster") { return faster(); };
}

TEST_CASE("same", "[!benchmark]") {
  SECTION("ten times") {
    BENCHMARK("same") {
      unsigned long sum = 0;
      for (int time = 0; time < 10; time++)
        sum += same();
      return sum;
    };
  }
}
