#!/usr/bin/env python3
"""How far one pair of launches scatters, for each harness: one side after the other by the wall, as one
would do it by hand, against what bench-action does by default.

Takes the projects below `examples`, in which base and head are equal here, so that all that is seen is
noise; prints a table. With --detect it counts, for criterion, how often +5 % is found within 20 pairs,
and how often something is found where nothing is. Run by hand; takes a minute or two a harness, and
half an hour with --detect. See --help.
"""

import argparse
import datetime
import json
import os
import pathlib
import platform
import shutil
import statistics
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benches"))

import workshop  # noqa: E402 (beside this script's directory)

WORK = ROOT / "target" / "noise"
EXAMPLES = ROOT / "examples"

# The two ways take turns, so that both see the same moods of the machine.
TURNS = 3
WAYS = {"wall": ["--schedule", "sequential", "--clock", "wall"], "ours": []}

MOST_PAIRS = 20

# Benchmarks that do the same on both sides, by their names in the examples.
SAME = "(?i)same|hash/"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("harnesses", nargs="*", help="directories of examples; default: all")
    parser.add_argument("--binary", type=pathlib.Path, help="default: built from this repository")
    parser.add_argument("--pairs", type=int, default=12, help="for each way [default: 12]")
    parser.add_argument("--detect", type=int, metavar="RUNS", help="criterion: so many runs of each kind")
    options = parser.parse_args()
    binary = workshop.binary(options.binary)
    machine()
    if options.detect:
        detect(binary, options.detect)
        return
    known = sorted(path.parent.name for path in EXAMPLES.glob("*/workflow.yml"))
    print(f"{'harness':18}{'wall, one after the other':>27}{'ours':>9}{'gain':>8}{'s/pair':>8}  schedule, clock")
    for harness in options.harnesses or known:
        row(binary, harness, options.pairs)


def machine():
    load = " ".join(f"{load:.1f}" for load in os.getloadavg())
    day = datetime.date.today().isoformat()
    print(f"{day}, {os.cpu_count()} cores, {platform.system()} {platform.release()}, load {load}")


def row(binary, harness, pairs):
    """One line of the table."""
    repository = equal(harness)
    seen = {way: [] for way in WAYS}
    for turn in range(TURNS):
        for way, flags in WAYS.items():
            repeat = str(pairs * (turn + 1) // TURNS - pairs * turn // TURNS)
            flags = [*flags, "--repeat", repeat, "--filter", SAME, "--measure-identical"]
            rows = measured(binary, repository, harness, flags)
            if rows is None:
                return
            seen[way].extend(rows)
    by = {way: scatter(rows) for way, rows in seen.items()}
    last = seen["ours"][-1]
    seconds = statistics.mean(row["cost_s"] / max(row["blocks_used"], 1) for row in seen["ours"])
    how = "counts, exactly the same each time" if last["pairing"] == "exact" else f"{last['schedule']}, {last['clock']}"
    gain = f"{by['wall'] / by['ours']:.0f} x" if by["ours"] else "-"
    print(f"{harness:18}{by['wall']:>25.2f} %{by['ours']:>7.2f} %{gain:>8}{seconds:>8.1f}  {how}", flush=True)


def scatter(rows):
    """Standard deviation of the log ratio of one pair, per cent; of several benchmarks, the middle one's."""
    by_name = {}
    for row in rows:
        ratios = [block["d"] for block in row["blocks"] if block["counted"] and block["d"] is not None]
        by_name.setdefault(row["id"], []).extend(ratios)
    return 100 * statistics.median(statistics.stdev(r) if len(r) > 1 else 0.0 for r in by_name.values())


def detect(binary, runs):
    """How often criterion's +5 % is found in time, and what is found where nothing is."""
    slower = lambda text: text.replace("SLOWER: u64 = 1000", "SLOWER: u64 = 1050")  # noqa: E731
    found = alarms = others = 0
    used = []
    for kind, repository in (("+5 %", example("criterion", slower)), ("equal", equal("criterion"))):
        for run in range(runs):
            flags = ["--seed", f"noise {run}", "--max-blocks", str(MOST_PAIRS), "--measure-identical"]
            rows = measured(binary, repository, "criterion", flags)
            if rows is None:
                return
            verdicts = {row["name"]: row["verdict"] for row in rows}
            changed = {name for name, verdict in verdicts.items() if verdict in ("regressed", "improved")}
            if kind == "equal":
                alarms += bool(changed)
                others += sum(verdict == "unchanged" for verdict in verdicts.values())
            else:
                is_found = verdicts["slower"] == "regressed"
                found += is_found
                alarms += bool(changed - {"slower"})
                used += [row["blocks_used"] for row in rows if row["name"] == "slower" and is_found]
            load = os.getloadavg()[0]
            blocks = {row["name"]: row["blocks_used"] for row in rows}
            print(f"  {kind} run {run}: {verdicts}, pairs {blocks}, load {load:.1f}", file=sys.stderr, flush=True)
    print(f"criterion, +5 %: found in {found} of {runs} runs, in {statistics.median(used or [0]):.0f} pairs (median), "
          f"{max(used or [0])} at most of {MOST_PAIRS}")
    print(f"false alarms: {alarms} in {2 * runs} runs; equal benchmarks called unchanged: {others} of {3 * runs}")


def equal(harness):
    """An example whose two commits differ in nothing that is built."""
    return example(harness, None)


def example(harness, change):
    repository = WORK / f"{harness}-{'changed' if change else 'equal'}"
    shutil.rmtree(repository, ignore_errors=True)
    shutil.copytree(EXAMPLES / harness, repository, ignore=shutil.ignore_patterns("target", ".bench-action"))
    workshop.new_repository(repository)
    workshop.commit(repository, "base")
    for path in repository.rglob("*.rs") if change else []:
        path.write_text(change(path.read_text()))
    (repository / "README.md").write_text("head\n")
    workshop.commit(repository, "head")
    return repository


def measured(binary, repository, harness, flags):
    """Rows of the benchmarks' own metrics; none, with a word, where it could not be run."""
    out = WORK / f"{harness}-results"
    command = [binary, "run", "--base", "HEAD~1", "--head", "HEAD", "--out", out, "--time-budget", "60m"]
    command += ["--quiet", "--progress", "never", *flags]
    variables = {**os.environ, **prepared(harness, repository)}
    finished = subprocess.run(command, cwd=repository, env=variables, capture_output=True, text=True)
    if finished.returncode != 0:
        told = (finished.stderr or finished.stdout).strip().splitlines()
        reason = next((line for line in told if "error" in line or "could not" in line), told[0])
        print(f"{harness:18}skipped: {reason.strip()}", flush=True)
        return None
    results = json.loads((out / "results.json").read_text())
    rows = [row for row in results["benchmarks"] if row["id"] == row["benchmark"] and row["blocks"]]
    return rows or None


def prepared(harness, repository):
    """What is made once and not for each run: Catch2's own part takes minutes to compile, as does the
    program that starts gungraun's benchmarks."""
    if harness == "gungraun" and not shutil.which("gungraun-runner"):
        kept = WORK / "tools"
        install = ["cargo", "install", "--quiet", "gungraun-runner@0.20.0", "--locked", "--debug", "--root", kept]
        if not (kept / "bin" / "gungraun-runner").exists():
            subprocess.run(install, check=True)
        return {"PATH": f"{kept / 'bin'}{os.pathsep}{os.environ['PATH']}"}
    if harness != "catch2":
        return {}
    kept = WORK / "catch2-main.o"
    if not kept.exists():
        subprocess.run(["c++", "-O2", "-c", "main.cpp", "-o", kept], cwd=repository, check=True)
    return {"CATCH_MAIN": str(kept)}


if __name__ == "__main__":
    WORK.mkdir(parents=True, exist_ok=True)
    main()
