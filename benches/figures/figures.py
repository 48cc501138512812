#!/usr/bin/env python3
"""Where the time goes that is not spent measuring, with the targets it is held against.

Prints five figures: the share of measuring that is not timed slices (on the 16 kernels of
versus-asv), how long a second run on the same base takes to prepare, how long 5,000 benchmarks take
to list and plan, what comparing two files of 10,000 benchmarks takes, and how long `--version`
takes. Run by hand; takes a minute or two. See --help.
"""

import argparse
import json
import os
import pathlib
import random
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

import workshop  # noqa: E402 (beside this script's directory)

WORK = ROOT / "target" / "figures"
KERNELS = ROOT / "benches" / "versus-asv" / "repository"

# As crates/core/src/measure/stepped.rs has it: CPU time of one side before its first slice.
WARM_UP_S = 0.003

MANY = """class Many:
    params = [list(range(50)), list(range(100))]

    def time_many(self, a, b):
        pass
"""


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=pathlib.Path, help="default: built from this repository")
    binary = workshop.binary(parser.parse_args().binary)
    version(binary)
    files(binary)
    repository = kernels()
    outside(binary, repository)
    second(binary, repository)
    many(binary)


def version(binary):
    walls = []
    for _ in range(20):
        start = time.monotonic()
        subprocess.run([binary, "--version"], check=True, stdout=subprocess.DEVNULL)
        walls.append(time.monotonic() - start)
    figure("--version", f"{statistics.median(walls) * 1e3:.1f} ms", "below 10 ms")


def files(binary):
    """Two files of Google Benchmark, five repetitions each."""
    place = WORK / "files"
    place.mkdir(parents=True, exist_ok=True)
    paths = [place / f"{side}.json" for side in ("base", "head")]
    for path in paths:
        path.write_text(json.dumps({"context": {"num_cpus": 2}, "benchmarks": google_rows()}))
    for form in ("terminal", "markdown", "html"):
        command = [binary, "compare", *paths, "--format", form]
        start = time.monotonic()
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as process:
            _, status, usage = os.wait4(process.pid, 0)
            process.returncode = os.waitstatus_to_exitcode(status)
        assert process.returncode == 0, command
        wall, memory = time.monotonic() - start, usage.ru_maxrss / 1024
        what = f"10,000 benchmarks compared, as {form}"
        figure(what, f"{wall:.1f} s, {memory:.0f} MB", "below 2 s, 300 MB")


def google_rows():
    names = [f"BM_{number % 100}/{number}" for number in range(10_000)]
    return [google_row(name, repetition) for name in names for repetition in range(5)]


def google_row(name, repetition):
    wall = 100 * random.uniform(1, 1.05)
    return {
        "name": name,
        "run_name": name,
        "run_type": "iteration",
        "repetition_index": repetition,
        "iterations": 1000,
        "real_time": wall,
        "cpu_time": wall * 0.99,
        "time_unit": "ns",
    }


def kernels():
    repository = WORK / "kernels"
    shutil.rmtree(repository, ignore_errors=True)
    shutil.copytree(KERNELS, repository, ignore=shutil.ignore_patterns("__pycache__"))
    workshop.new_repository(repository)
    workshop.commit(repository, "as it is")
    units = repository / "kernels/units.py"
    units.write_text(units.read_text().replace("UNITS", "# The same on head.\nUNITS"))
    workshop.commit(repository, "as it is")
    return repository


def outside(binary, repository):
    results, outcomes = run(binary, repository)
    blocks = [outcome for outcome in outcomes if outcome["outcome"] == "block"]

    def cost(kind):
        return sum(outcome["cost_s"] for outcome in outcomes if outcome["outcome"] == kind)

    # Slices of a duet overlap in time, which makes their sum more than the wall clock shows.
    sliced = sum(
        slice_[1] for block in blocks for side in block["sides"] for slice_ in side["Ok"]["slices"]
    )
    sliced /= 1e9
    warm_up = 2 * WARM_UP_S * len(blocks)
    measured = results["summary"]["time"]["measure_s"]
    rest = measured - sliced - warm_up
    figure("outside slices", f"{rest / (measured - warm_up):.0%}", "below 50 %")
    parts = {
        "slices": sliced,
        "warm-up (nominal)": warm_up,
        "pilots": cost("pilot"),
        "starting workers": cost("opened"),
        "ending workers": cost("closed"),
        "rest of the blocks: opening, set-up, turns": cost("block") - sliced - warm_up,
    }
    for name, seconds in parts.items():
        print(f"    {name:45}{seconds:6.1f} s{seconds / measured:8.0%}")
    print(f"    {'measuring in all':45}{measured:6.1f} s, {len(blocks)} blocks")


def second(binary, repository):
    units = repository / "kernels/units.py"
    units.write_text("# Pushed again.\n" + units.read_text())
    workshop.commit(repository, "as it is")
    results, _ = run(binary, repository, "--base", "HEAD~2", "--time-budget", "5s")
    prepared = results["summary"]["time"]["prepare_s"]
    figure("second run on the same base prepares in", f"{prepared:.1f} s", "below 3 s")


def many(binary):
    repository = WORK / "many"
    shutil.rmtree(repository, ignore_errors=True)
    shutil.copytree(KERNELS, repository, ignore=shutil.ignore_patterns("__pycache__", "suite.py"))
    (repository / "benchmarks").mkdir(exist_ok=True)
    (repository / "benchmarks/many.py").write_text(MANY)
    workshop.new_repository(repository)
    workshop.commit(repository, "as it is")
    command = [binary, "list", "--base", "HEAD", "--head", "HEAD"]
    walls = []
    for _ in range(3):
        start = time.monotonic()
        listed = subprocess.run(command, cwd=repository, check=True, stdout=subprocess.PIPE)
        walls.append(time.monotonic() - start)
    count = listed.stdout.decode().count("time_many")
    what = f"{count} benchmarks: prepare from the cache, list and plan in"
    figure(what, f"{min(walls):.1f} s", "planning below 1 s")


def run(binary, repository, *arguments):
    out = repository / ".bench-action" / "figures"
    command = [binary, "run", "--head", "HEAD", "--out", out, "--progress", "never"]
    command += arguments or ["--base", "HEAD~1"]
    subprocess.run(command, cwd=repository, stdout=subprocess.DEVNULL, check=True)
    results = json.loads((out / "results.json").read_text())
    lines = (out / "journal.jsonl").read_text().splitlines()
    entries = [json.loads(line) for line in lines]
    return results, [entry["outcome"] for entry in entries if entry["entry"] == "outcome"]


def figure(name, value, target):
    print(f"{name:60}{value:>8}   (target: {target})", flush=True)


if __name__ == "__main__":
    main()
