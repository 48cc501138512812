#!/usr/bin/env python3
"""Compares bench-action with `asv continuous` on the same repository, set-up included.

Each repetition makes a fresh repository of 16 pure-Python kernels and two commits, in which two
kernels truly change (or none: head then differs in a comment), lets each tool compare them from
nothing (the tool itself and what it makes environments with are installed beforehand, the
environments and builds are its own affair), and counts what it found. Run by hand; see --help. A repetition takes a minute or two.
"""

import argparse
import contextlib
import dataclasses
import json
import os
import pathlib
import random
import re
import shutil
import statistics
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

import workshop  # noqa: E402 (beside this script's directory)

WORK = ROOT / "target" / "versus-asv"
# Each tool has what it makes environments with: asv has virtualenv, bench-action has uv.
TOOLS = ["asv==0.6.5", "virtualenv==20.35.4", "uv"]
# Ends by itself after half an hour, or when whoever started it is gone.
BUSY_LOOP = """
import os, sys, time
os.sched_setaffinity(0, {int(sys.argv[1])})
end, parent = time.monotonic() + 1800, os.getppid()
while time.monotonic() < end and os.getppid() == parent:
    pass
"""


@dataclasses.dataclass
class Truth:
    """What a repetition's head really does: kernel -> units, where base does 100."""

    units: dict

    def direction(self, kernel):
        return (self.units.get(kernel, 100) > 100) - (self.units.get(kernel, 100) < 100)


@dataclasses.dataclass
class Outcome:
    """What one tool said in one repetition."""

    tool: str
    wall_s: float
    true_changes: int
    found: int
    unchanged: int
    false_alarms: int
    proved_unchanged: int


def main():
    options = parse_arguments()
    variables = with_tools()
    tools = {"bench-action": ours(options, variables), "asv": asv(options, variables)}
    outcomes = []
    for repetition in range(options.repetitions):
        truth = choose_truth(options, repetition)
        print(f"repetition {repetition + 1}: {truth.units or 'no true change'}", flush=True)
        for tool in options.tools:
            repository = make_repository(truth)
            with load(options.load):
                outcome = measure(tool, tools[tool], repository, truth)
            outcomes.append(outcome)
            record(options, repetition, outcome)
            print(f"  {row(tool, [outcome])}", flush=True)
    print()
    print_table(options, outcomes)


def parse_arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--repetitions", type=int, default=3, metavar="N")
    parser.add_argument(
        "--changes",
        choices=["two", "none"],
        default="two",
        help="two: one kernel 10 %% and one 5 %% off, each up or down; none: a comment",
    )
    parser.add_argument(
        "--load",
        choices=["quiet", "busy"],
        default="quiet",
        help="busy: a bounded busy loop, pinned on the last core",
    )
    both = ["bench-action", "asv"]
    parser.add_argument("--tools", nargs="+", choices=both, default=both)
    parser.add_argument("--binary", type=pathlib.Path, help="default: built from this repository")
    parser.add_argument("--asv-factor", help="passed on as --factor; default: asv's own (1.1)")
    parser.add_argument("--seed", type=int, default=1, help="chooses the kernels that change")
    return parser.parse_args()


def choose_truth(options, repetition):
    if options.changes == "none":
        return Truth({})
    chance = random.Random(f"{options.seed}:{repetition}")
    large, small = chance.sample(kernels(), 2)
    return Truth({large: 100 + chance.choice([10, -10]), small: 100 + chance.choice([5, -5])})


def kernels():
    text = (HERE / "repository/kernels/units.py").read_text()
    return re.findall(r'^    "(\w+)": 100,$', text, re.MULTILINE)


def make_repository(truth):
    repository = WORK / "repository"
    shutil.rmtree(repository, ignore_errors=True)
    shutil.copytree(HERE / "repository", repository, ignore=shutil.ignore_patterns("__pycache__"))
    workshop.new_repository(repository)
    workshop.commit(repository, "base")
    units = repository / "kernels/units.py"
    text = units.read_text()
    for kernel, count in truth.units.items():
        text = text.replace(f'"{kernel}": 100,', f'"{kernel}": {count},')
    # Without a change the builds must still differ, so that nothing is skipped as identical. The
    # comment moves the lines below it.
    units.write_text(text if truth.units else text.replace("UNITS", "# The same on head.\nUNITS"))
    workshop.commit(repository, "head")
    return repository


@contextlib.contextmanager
def load(kind):
    """A busy loop on one core for as long as the tool runs, and never longer than the bound."""
    if kind == "quiet":
        yield
        return
    core = max(os.sched_getaffinity(0))
    process = subprocess.Popen([sys.executable, "-c", BUSY_LOOP, str(core)])
    try:
        yield
    finally:
        process.kill()
        process.wait()


def measure(tool, run, repository, truth):
    start = time.monotonic()
    verdicts = run(repository)
    wall = time.monotonic() - start
    changed = [kernel for kernel in kernels() if truth.direction(kernel)]
    unchanged = [kernel for kernel in kernels() if not truth.direction(kernel)]
    alarms = [k for k, v in verdicts.items() if v in ("slower", "faster")]
    words = {1: "slower", -1: "faster"}
    right = [k for k in changed if verdicts.get(k) == words[truth.direction(k)]]
    return Outcome(
        tool=tool,
        wall_s=wall,
        true_changes=len(changed),
        found=len(right),
        unchanged=len(unchanged),
        false_alarms=len([k for k in alarms if k not in right]),
        proved_unchanged=len([k for k in unchanged if verdicts.get(k) == "unchanged"]),
    )


def ours(options, variables):
    binary = workshop.binary(options.binary) if "bench-action" in options.tools else None

    def run(repository):
        out = WORK / "results"
        command = [binary, "run", "--base", "HEAD~1", "--head", "HEAD", "--out", out]
        command += ["--progress", "never"]
        at = {"cwd": repository, "env": variables, "text": True}
        finished = subprocess.run(command, **at, stdout=subprocess.PIPE)
        if finished.returncode != 0:
            sys.exit(f"error: bench-action ended with {finished.returncode}:\n{finished.stdout}")
        words = {"regressed": "slower", "improved": "faster"}
        rows = json.loads((out / "results.json").read_text())["benchmarks"]
        return {kernel_of(row["name"]): words.get(row["verdict"], row["verdict"]) for row in rows}

    return run


def asv(options, variables):
    def run(repository):
        at = {"cwd": repository, "env": variables, "text": True}
        subprocess.run(["asv", "machine", "--yes"], **at, check=True, stdout=subprocess.DEVNULL)
        command = ["asv", "continuous", "--no-stats", "--interleave-rounds", "-a", "repeat=3"]
        command += ["--factor", options.asv_factor] if options.asv_factor else []
        command += ["HEAD~1", "HEAD"]
        finished = subprocess.run(
            command, **at, stdout=subprocess.PIPE, stderr=subprocess.STDOUT
        )
        # asv ends with 1 after a slowdown as well as after a failed build.
        unseen = [kernel for kernel in kernels() if f"time_{kernel} " not in finished.stdout]
        if unseen:
            sys.exit(f"error: asv did not measure {', '.join(unseen)}:\n{finished.stdout}")
        return changes_of_asv(finished.stdout)

    return run


def with_tools():
    """The variables with which asv, virtualenv and uv are found."""
    environment = WORK / "tools"
    if not (environment / "ready").exists():
        shutil.rmtree(environment, ignore_errors=True)
        subprocess.run([sys.executable, "-m", "venv", environment], check=True)
        subprocess.run([environment / "bin/pip", "install", "--quiet", *TOOLS], check=True)
        (environment / "ready").touch()
    # asv keeps what it knows of the machine in the home directory.
    path = f"{environment / 'bin'}:{os.environ['PATH']}"
    return {**os.environ, "HOME": str(WORK), "PATH": path}


def changes_of_asv(output):
    """The lines `| + | before | after | ratio | benchmark |` of asv's table; it proves nothing
    unchanged."""
    verdicts = {}
    for line in output.splitlines():
        cells = [cell.strip() for cell in line.strip().strip("|").split("|")]
        if len(cells) == 5 and cells[0] in ("+", "-"):
            verdicts[kernel_of(cells[4])] = "slower" if cells[0] == "+" else "faster"
    return verdicts


def kernel_of(name):
    """`suite.time_sieve` and the like -> `sieve`."""
    return name.split("time_", 1)[1].split("(")[0].split(" ")[0]


def record(options, repetition, outcome):
    WORK.mkdir(parents=True, exist_ok=True)
    line = {"changes": options.changes, "load": options.load, "repetition": repetition}
    line.update(dataclasses.asdict(outcome))
    with (WORK / "outcomes.jsonl").open("a") as file:
        file.write(json.dumps(line) + "\n")


def print_table(options, outcomes):
    changes = "two true changes each" if options.changes == "two" else "no true change"
    print(f"{options.repetitions} repetitions, {changes}, machine {options.load}")
    print(COLUMNS.format("", "wall, s (range)", "found", "false alarms", "proved unchanged"))
    for tool in options.tools:
        print(row(tool, [outcome for outcome in outcomes if outcome.tool == tool]))


COLUMNS = "{:14}{:>24}{:>12}{:>16}{:>20}"


def row(tool, outcomes):
    walls = [outcome.wall_s for outcome in outcomes]
    wall = f"{statistics.median(walls):.1f} ({min(walls):.1f}-{max(walls):.1f})"

    def of(part, whole):
        total = [sum(getattr(outcome, name) for outcome in outcomes) for name in (part, whole)]
        return f"{total[0]} of {total[1]}"

    found = of("found", "true_changes")
    alarms = of("false_alarms", "unchanged")
    return COLUMNS.format(tool, wall, found, alarms, of("proved_unchanged", "unchanged"))


if __name__ == "__main__":
    main()
