#!/usr/bin/env python3
"""How many blocks and seconds a decision costs, by kind of benchmark, in a family of 100.

Makes a repository with an asv suite (short kernels of several kinds, long iterations, and cases that
must not be compared by CPU time: one sleeps, one uses a thread, one lives in the second-level cache)
and a command suite; a known part of each kind does 5 % more work in head. Runs bench-action on it and
prints a table from results.json. Run by hand; takes five to ten minutes. See --help.
"""

import argparse
import json
import pathlib
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benches"))

import workshop  # noqa: E402 (beside this script's directory)

WORK = ROOT / "target" / "targets"

# Each kernel does work in proportion to `units`; base does 100.
KERNELS = {
    "loop": "for i in range(units * 100): x = (x * 31 + i) & 0xFFFF",
    "json": "for _ in range(units // 5): json.loads(TEXT)",
    "alloc": "for i in range(units * 8): x = [i] * 20",
    "regex": "for _ in range(units // 5): PATTERN.findall(WORDS)",
    "sort": "for _ in range(units // 5): sorted(NUMBERS)",
    "copy": "for _ in range(units): bytearray(BLOCK)",
}
COPIES = {"short": 14, "long": 4, "command": 3}
CHOSEN = dict(COPIES)
SLOWER = {"short": 2, "long": 2, "command": 2}  # of each kernel's copies
LONG = {"loop": 200, "json": 200, "alloc": 200}  # times a short kernel's units
# A command's start takes as long as some of these: 5 % more work must still be 4 % and more of the whole.
COMMAND = {"loop": 200, "json": 1000, "alloc": 1600}

PRELUDE = """import json, re, sys, threading, time
TEXT = json.dumps({str(i): [i, i * 2] for i in range(40)})
WORDS = " ".join(f"w{i} {i}" for i in range(100))
PATTERN = re.compile(r"[a-z]+(\\\\d+)")
NUMBERS = [(i * 7919) % 1000 for i in range(400)]
BLOCK = bytes(1 << 16)
"""


def package(units):
    text = PRELUDE
    for name, body in KERNELS.items():
        text += f"\n\ndef kernel_{name}(units):\n    x = 0\n    {body}\n"
    text += "\n\nUNITS = " + json.dumps(units, indent=1) + "\n"
    text += """

def run(case, kernel, times=1):
    globals()["kernel_" + kernel](UNITS[case] * times)


def sleeps(case):
    time.sleep(0.00002 * UNITS[case])


def threads(case):
    thread = threading.Thread(target=kernel_loop, args=(UNITS[case],))
    thread.start()
    thread.join()


if __name__ == "__main__":
    run(sys.argv[1], sys.argv[2], int(sys.argv[3]))
"""
    return text


def cases():
    """(kind, case name, kernel, is slower in head)."""
    for kind, copies in CHOSEN.items():
        for kernel in KERNELS if kind == "short" else LONG:
            for copy in range(copies):
                yield kind, f"{kind}_{kernel}_{copy}", kernel, copy < SLOWER[kind]
    for special in ("sleeps", "threads"):
        yield special, special, special, False


def suite():
    text = "import work\n\n"
    for kind, case, kernel, _ in cases():
        if kind == "command":
            continue
        call = f"work.{kind}({case!r})"
        if kind == "short":
            call = f"work.run({case!r}, {kernel!r})"
        if kind == "long":
            call = f"work.run({case!r}, {kernel!r}, {LONG[kernel]})"
        text += f"\ndef time_{case}():\n    {call}\n\n"
    return text


def configuration():
    text = '[[suite]]\nname = "asv"\nharness = "asv"\n'
    if "command" in CHOSEN:
        text += '\n[[suite]]\nname = "command"\nharness = "command"\n'
    for kind, case, kernel, _ in cases():
        if kind == "command":
            line = json.dumps([sys.executable, "-S", "work.py", case, kernel, str(COMMAND[kernel])])
            text += f'\n[[suite.benchmark]]\nname = "{case}"\nrun = {line}\n'
    return text


def make_repository():
    repository = WORK / "repository"
    shutil.rmtree(repository, ignore_errors=True)
    (repository / "benchmarks").mkdir(parents=True)
    write = lambda name, text: (repository / name).write_text(text)  # noqa: E731
    write("benchmarks/__init__.py", "")
    write("benchmarks/suite.py", suite())
    write("bench-action.toml", configuration())
    write("pyproject.toml", '[project]\nname = "work"\nversion = "1"\n[tool.setuptools]\npy-modules = ["work"]\n')
    asv = {"version": 1, "project": "work", "repo": ".", "environment_type": "virtualenv"}
    write("asv.conf.json", json.dumps(asv))
    base = {case: 100 for _, case, _, _ in cases()}
    head = {case: 105 if slower else 100 for _, case, _, slower in cases()}
    workshop.new_repository(repository)
    for message, units in (("base", base), ("head", head)):
        write("work.py", package(units))
        workshop.commit(repository, message)
    return repository


def table(rows):
    truth = {case: (kind, slower) for kind, case, _, slower in cases()}
    groups = {}
    for row in rows:
        if row["metric"] == "time":
            case = row["name"].rsplit("time_", 1)[-1]
            groups.setdefault(truth[case], []).append(row)
    print(f"{'kind':10}{'head':>6}{'benchmarks':>12}{'right':>7}{'wrong':>7}{'blocks':>9}{'seconds':>9}  schedule, clock")
    for (kind, slower), members in sorted(groups.items()):
        wanted = "regressed" if slower else "unchanged"
        right = [row for row in members if row["verdict"] == wanted]
        wrong = [row for row in members if row["verdict"] not in (wanted, "inconclusive")]
        middle = lambda key: statistics.median(row[key] for row in members)  # noqa: E731
        routes = sorted({f"{row['schedule']}, {row['clock']}" for row in members})
        print(
            f"{kind:10}{'+5 %' if slower else '=':>6}{len(members):>12}{len(right):>7}{len(wrong):>7}"
            f"{middle('blocks_used'):>9.0f}{middle('cost_s'):>9.1f}  {'; '.join(routes)}"
        )


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=pathlib.Path, help="default: built from this repository")
    parser.add_argument("--time-budget", default="15m")
    parser.add_argument("--kinds", nargs="+", choices=COPIES, default=list(COPIES))
    options = parser.parse_args()
    for kind in set(COPIES) - set(options.kinds):
        del CHOSEN[kind]
    binary = workshop.binary(options.binary)
    repository, out = make_repository(), WORK / "results"
    command = [binary, "run", "--base", "HEAD~1", "--head", "HEAD", "--out", out]
    command += ["--time-budget", options.time_budget, "--fail-on", "never"]
    finished = subprocess.run(command, cwd=repository, stdout=subprocess.PIPE, text=True)
    if finished.returncode != 0:
        sys.exit(f"error: bench-action ended with {finished.returncode}:\n{finished.stdout}")
    results = json.loads((out / "results.json").read_text())
    print(f"K = {results['plan']['family_size']}, {results['summary']['time']['measure_s']:.0f} s of measuring")
    table(results["benchmarks"])


if __name__ == "__main__":
    main()
