#!/usr/bin/env python3
"""How often `bench-action snippet` finds a true 4 %, and what it says of equal statements.

Runs two pure-Python statements against each other, once with 4 % more work and once with equal work
(written differently), so many times each, and prints how often each verdict came, how wide the interval
was and how long it took. Run by hand; each run takes up to 20 s. See --help.
"""

import argparse
import json
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benches"))

import workshop  # noqa: E402 (beside this script's directory)

LOOP = "x = 1\nfor i in range({units}): x = (x * 31 + i) & 0xFFFF"
EQUAL = "y = 1\nfor k in range({units}): y = (y * 31 + k) & 0xFFFF"
CASES = {
    "4 % slower": (LOOP.format(units=1040), LOOP.format(units=1000), "regressed"),
    "equal": (EQUAL.format(units=1000), LOOP.format(units=1000), "unchanged"),
}


def run(binary, directory, head, base, seed):
    """Verdict, interval in per cent (low, high), seconds of the whole command."""
    started = time.monotonic()
    command = [binary, "--quiet", "snippet", head, "--against", base, "--seed", seed]
    finished = subprocess.run(command, cwd=directory, stdout=subprocess.PIPE, text=True)
    seconds = time.monotonic() - started
    if finished.returncode != 0:
        sys.exit(f"error: bench-action ended with {finished.returncode}:\n{finished.stdout}")
    results = json.loads((directory / ".bench-action/snippet/results.json").read_text())
    row = results["benchmarks"][0]
    ends = [row["change"][end] for end in ("low", "high")]
    interval = tuple(None if end is None else 100 * (end - 1) for end in ends)
    return row["verdict"], interval, seconds


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=pathlib.Path, help="default: built from this repository")
    parser.add_argument("--repetitions", type=int, default=20)
    parser.add_argument("--seed", default="snippet")
    options = parser.parse_args()
    binary = workshop.binary(options.binary)
    print(f"{'head':12}{'as it is':>10}{'undecided':>11}{'wrong':>7}{'interval':>18}{'widest':>9}{'seconds':>9}{'most':>6}")
    for name, (head, base, truth) in CASES.items():
        with tempfile.TemporaryDirectory() as directory:
            place = pathlib.Path(directory)
            runs = [
                run(binary, place, head, base, f"{options.seed}-{nth}")
                for nth in range(options.repetitions)
            ]
        verdicts = [verdict for verdict, _, _ in runs]
        intervals = [interval for _, interval, _ in runs if None not in interval]
        low, high = (statistics.median(ends) for ends in zip(*intervals))
        widest = max(abs(end) for interval in intervals for end in interval)
        seconds = [spent for _, _, spent in runs]
        undecided = verdicts.count("inconclusive")
        wrong = len(verdicts) - verdicts.count(truth) - undecided
        print(
            f"{name:12}{verdicts.count(truth):>10}{undecided:>11}{wrong:>7}"
            f"{f'{low:+.1f} to {high:+.1f} %':>18}{widest:>7.1f} %{statistics.median(seconds):>9.1f}{max(seconds):>6.1f}"
        )


if __name__ == "__main__":
    main()
