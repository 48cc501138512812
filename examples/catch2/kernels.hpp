// Three functions to measure. Change how much work one of them does, and see it in the report.
#pragma once

constexpr long SLOWER = 1000;
constexpr long FASTER = 1000;
constexpr long SAME = 1000;

inline unsigned long work(long units) {
  unsigned long x = 1;
  for (long unit = 0; unit < units; unit++) {
    x ^= x << 13;
    x ^= x >> 7;
    x ^= x << 17;
    asm volatile("" : "+r"(x));
  }
  return x;
}

inline unsigned long slower() { return work(SLOWER); }
inline unsigned long faster() { return work(FASTER); }
inline unsigned long same() { return work(SAME); }
