"""Writes two outputs of `go test -bench` into a directory, for this repository's own benchmarks.

    python3 benches/own/inputs.py DIRECTORY

Made up, and the same every time: 500 benchmarks of 10 runs each, one in ten of which got slower.
"""

import pathlib
import random
import sys

BENCHMARKS = 500
RUNS = 10
SLOWER_EVERY = 10


def lines(side, numbers):
    yield "goos: linux"
    yield "pkg: example.com/own"
    for index in range(BENCHMARKS):
        center = 100.0 * (1 + index)
        if side == "head" and index % SLOWER_EVERY == 0:
            center *= 1.1
        for _ in range(RUNS):
            nanoseconds = center * numbers.gauss(1.0, 0.01)
            yield f"BenchmarkCase{index:03}-2 \t 1000\t {nanoseconds:.2f} ns/op\t 64 B/op\t 2 allocs/op"
    yield "PASS"


def main(directory):
    directory.mkdir(parents=True, exist_ok=True)
    for side in ("base", "head"):
        text = "\n".join(lines(side, random.Random(side))) + "\n"
        (directory / f"{side}.txt").write_text(text, encoding="utf-8")


if __name__ == "__main__":
    main(pathlib.Path(sys.argv[1]))
