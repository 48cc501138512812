#!/usr/bin/env python3
"""How often `bench-action bisect` names the right commit, and how many builds it needs.

Each repetition makes a fresh repository of one pure-Python kernel and a range of commits, of which one
makes the kernel slower and some cannot be imported, and searches it. Run by hand; see --help. A
repetition takes a minute or two. A commit that cannot be imported is never the culprit's neighbour:
then the right answer would be a range.
"""

import argparse
import pathlib
import random
import re
import shutil
import subprocess
import sys
import time

HERE = pathlib.Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path.insert(0, str(HERE.parent))

import workshop  # noqa: E402 (beside this script's directory)

WORK = ROOT / "target" / "bisect"
PROJECT = ROOT / "tests" / "end_to_end" / "support" / "project"
SUITE = "import kernel\n\n\ndef time_work():\n    kernel.work()\n"
KERNEL = "def work():\n    x = 0\n    for i in range({loops}):\n        x += i\n    return x\n# {at}\n"


def main():
    options = arguments()
    binary = workshop.binary(options.binary)
    chance = random.Random(options.seed)
    right, builds = 0, []
    for nth in range(options.repeat):
        culprit = chance.randint(1, options.commits)
        broken = chance.sample(
            [at for at in range(1, options.commits) if abs(at - culprit) > 1], options.broken
        )
        repository = prepare(options, culprit, set(broken))
        begun = time.monotonic()
        found, built, said = search(binary, repository, options.commits)
        right += found == culprit
        builds.append(built)
        verdict = "right" if found == culprit else f"WRONG: {said}"
        print(
            f"{nth + 1}: culprit {culprit}, found {found}, {built} builds,"
            f" {time.monotonic() - begun:.0f} s: {verdict}",
            flush=True,
        )
    print(f"right in {right} of {options.repeat}; at most {max(builds)} builds besides the ends")


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--repeat", type=int, default=20)
    parser.add_argument("--commits", type=int, default=64)
    parser.add_argument("--broken", type=int, default=4, help="commits that cannot be imported")
    parser.add_argument("--step", type=float, default=0.05, help="0.05 is 5 %% slower")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--binary", type=pathlib.Path, help="instead of a release build")
    return parser.parse_args()


def prepare(options, culprit, broken):
    """Commit 0 is the good end; what it has built before is kept."""
    repository = WORK / "repository"
    cache = WORK / "cache"
    kept = repository / ".bench-action" / "cache"
    if kept.exists():
        shutil.rmtree(cache, ignore_errors=True)
        shutil.move(kept, cache)
    shutil.rmtree(repository, ignore_errors=True)
    shutil.copytree(PROJECT, repository)
    (repository / "_build").mkdir(exist_ok=True)
    shutil.move(repository / "backend.py", repository / "_build" / "backend.py")
    (repository / "benchmarks").mkdir()
    (repository / "benchmarks" / "__init__.py").touch()
    (repository / "benchmarks" / "suite.py").write_text(SUITE)
    (repository / "kernel").mkdir()
    (repository / ".gitignore").write_text(".bench-action\n")
    workshop.new_repository(repository)
    for at in range(options.commits + 1):
        loops = round(2000 * (1 + options.step)) if at >= culprit else 2000
        text = KERNEL.format(loops=loops, at=at)
        if at in broken:
            text = f"raise ImportError('commit {at} is broken')\n"
        (repository / "kernel" / "__init__.py").write_text(text)
        workshop.commit(repository, f"change number {at}")
    for shelf in ("tools", "uv", "pip", "wheels", "environments"):
        if (cache / shelf).exists():
            (kept).mkdir(parents=True, exist_ok=True)
            shutil.move(cache / shelf, kept / shelf)
    return repository


def search(binary, repository, commits):
    command = [binary, "bisect", f"HEAD~{commits}", "HEAD", "--filter", "time_work"]
    command += ["--progress", "never", "--color", "never"]
    ended = subprocess.run(command, cwd=repository, capture_output=True, text=True)
    found = re.search(r"commit that changed it:\s+\w+ change number (\d+)", ended.stdout)
    built = re.search(r"(\d+) built besides the ends", ended.stdout)
    said = " ".join((ended.stdout + ended.stderr).split())[-300:]
    return int(found[1]) if found else None, int(built[1]) if built else 0, said


if __name__ == "__main__":
    main()
