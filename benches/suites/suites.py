#!/usr/bin/env python3
"""Suites of real projects, unmodified: is everything found that asv finds, and does all of it get a verdict?

NumPy: the suite of a source distribution on two released builds. Counts what asv's own discovery and
`bench-action list` find, benchmarks and combinations of parameters, then runs some of it.
packaging: two source distributions become two commits, with a small suite beside them, built through
`build_command`. Run by hand; takes minutes, as long as `--time-budget` lets it. See --help.
"""

import argparse
import collections
import itertools
import json
import pathlib
import subprocess
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import releases  # noqa: E402 (beside this script's directory)
import workshop  # noqa: E402

FILTER = r"bench_reduce|bench_itemselection|bench_core"


def by_asv(place, project, version):
    """Each benchmark's name with each combination's values, as asv's own discovery gives them."""
    python = releases.environment(place / f"asv-{version}", f"numpy=={version}", "asv")
    found = place / "discovered.json"
    command = [python, "-m", "asv.benchmark", "discover", "benchmarks", found]
    subprocess.run(command, cwd=project, check=True, stdout=subprocess.DEVNULL)
    return [
        (benchmark["name"], values)
        for benchmark in json.loads(found.read_text())
        for values in itertools.product(*benchmark["params"])
    ]


def by_us(binary, project, sides):
    """The same by `bench-action list`."""
    command = [binary, "--quiet", "list", *sides, "--format", "json"]
    listed = subprocess.run(command, cwd=project, check=True, stdout=subprocess.PIPE)
    rows = [row["benchmark"] for row in json.loads(listed.stdout)]
    return [(row["name"], tuple(param["value"] for param in row["params"])) for row in rows]


def counts(found):
    return f"{len({name for name, _ in found})} benchmarks, {len(found)} combinations"


def run(binary, project, arguments):
    """Runs it and gives its results file."""
    out = project / ".bench-action" / "suites"
    command = [binary, *arguments, "--out", out]
    finished = subprocess.run(command, cwd=project, stdout=subprocess.DEVNULL)
    if finished.returncode not in (0, 12):
        sys.exit(f"error: bench-action ended with {finished.returncode}")
    return json.loads((out / "results.json").read_text())


def tell(title, results):
    verdicts = collections.Counter(row["verdict"] for row in results["benchmarks"])
    print(f"{title}: {dict(verdicts.most_common())}, measuring took {results['summary']['time']['measure_s']:.0f} s")


def numpy(binary, place, options):
    base, head = (releases.numpy(place, version) for version in (options.base, options.head))
    project = releases.numpy_suite(place, options.head)
    sides = [f"--base-python={base}", f"--head-python={head}"]
    theirs, ours = by_asv(place, project, options.head), by_us(binary, project, sides)
    print(f"NumPy {options.head}, asv:          {counts(theirs)}")
    print(f"NumPy {options.head}, bench-action: {counts(ours)}")
    for who, missing in [("asv", set(ours) - set(theirs)), ("bench-action", set(theirs) - set(ours))]:
        for name, values in sorted(missing)[:20]:
            print(f"  {who} does not have {name}{values}")
    budget = ["--time-budget", options.time_budget, "--fail-on", "never"]
    filters = [f"--filter={options.filter}"]
    results = run(binary, project, ["run", *sides, *filters, *budget])
    tell(f"NumPy {options.base} → {options.head}, {options.filter}", results)


def packaging(binary, place, options):
    with tempfile.TemporaryDirectory(dir=place) as directory:
        repository = pathlib.Path(directory) / "packaging"
        repository.mkdir()
        workshop.new_repository(repository)
        for version in options.packaging:
            workshop.git(repository, "rm", "-rfq", "--ignore-unmatch", ".")
            releases.unpack(place, "packaging", version, repository)
            for name in ("asv.conf.json", "benchmarks.py"):
                to = repository / ("benchmarks" if name.endswith(".py") else ".") / name
                to.parent.mkdir(exist_ok=True)
                to.write_text((HERE / "packaging" / name).read_text())
            workshop.commit(repository, version)
        results = run(binary, repository, ["run", "--base=HEAD~1", "--head=HEAD"])
        tell(f"packaging {' → '.join(options.packaging)}", results)
        for row in results["benchmarks"]:
            change = row["change"]
            size = "" if change is None else f"{100 * (change['ratio'] - 1):+.1f} %"
            print(f"  {row['verdict']:13}{size:>9}  {row['id']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=pathlib.Path, help="default: built from this repository")
    parser.add_argument("--only", choices=["numpy", "packaging"])
    parser.add_argument("--base", default="2.3.5", help="a NumPy release [default: %(default)s]")
    parser.add_argument("--head", default="2.4.1", help="a NumPy release [default: %(default)s]")
    parser.add_argument("--filter", default=FILTER, help="of NumPy's benchmarks [default: %(default)s]")
    parser.add_argument("--time-budget", default="1h", help="for NumPy [default: %(default)s]")
    parser.add_argument("--packaging", nargs=2, default=["25.0", "26.0"], metavar="RELEASE")
    parser.add_argument("--place", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "bench-action-numpy")
    options = parser.parse_args()
    binary = workshop.binary(options.binary)
    options.place.mkdir(parents=True, exist_ok=True)
    for part in (numpy, packaging):
        if options.only in (None, part.__name__):
            part(binary, options.place, options)


if __name__ == "__main__":
    main()
