#!/usr/bin/env python3
"""What bench-action says of two NumPy releases, and of one with dispatched instruction sets switched off.

Makes an environment with each release from the registry, takes the suite of the second one's source
distribution, and compares by `--base-python/--head-python`, then the second release with itself, with
`NPY_DISABLE_CPU_FEATURES` on head, by the suite and by `snippet`. Prints what changed in each. Run by
hand; takes some minutes. See --help.
"""

import argparse
import json
import pathlib
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "benches"))

import releases  # noqa: E402 (beside this script's directory)
import workshop  # noqa: E402

# Some that live from SIMD, and some that know nothing of it.
FILTER = [
    r"bench_reduce\.FMinMax\.",
    r"bench_ufunc_strides\.UnaryFP\..*'(sqrt|sin|exp)'.*stride_in=1, stride_out=1, dtype='[fd]'",
    r"bench_core\.Core\.time_(array_1|dstack_l|eye_100)$",
    r"bench_core\.CorrConv\.time_convolve\(size1=50, size2=10, mode='full'",
]
SNIPPETS = {
    "sensitive": ["np.sqrt(a)", "np.sin(a)", "a.max()"],
    "insensitive": ["np.dtype('f8').str", "a.tolist()"],
}
SETUP = "import numpy as np; a = np.random.default_rng(1).random(10_000)"


def dispatched(python, wanted):
    """Of these features the ones that this NumPy chooses at run time, and this processor has."""
    program = (
        "from numpy._core import _multiarray_umath as m; "
        "print(*[f for f in m.__cpu_dispatch__ if m.__cpu_features__.get(f)])"
    )
    output = subprocess.run([python, "-c", program], check=True, capture_output=True, text=True)
    found = output.stdout.split()
    return [feature for feature in found if not wanted or feature in wanted]


def run(binary, project, title, arguments):
    """Runs it and prints its rows: verdict, change, name."""
    out = project / ".bench-action" / "numpy"
    command = [binary, "--quiet", *arguments, "--out", out]
    finished = subprocess.run(command, cwd=project, stdout=subprocess.PIPE, text=True)
    if finished.returncode != 0:
        sys.exit(f"error: bench-action ended with {finished.returncode}:\n{finished.stdout}")
    results = json.loads((out / "results.json").read_text())
    print(f"\n{title}: {results['summary']['verdict']}")
    for row in results["benchmarks"]:
        change, verdict = row["change"], row["verdict"] or "not judged"
        size = "" if change is None else f"{100 * (change['ratio'] - 1):+.1f} %"
        print(f"  {verdict:13}{size:>9}  {row['id']}")


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=pathlib.Path, help="default: built from this repository")
    parser.add_argument("--base", default="2.3.5", help="a release [default: %(default)s]")
    parser.add_argument("--head", default="2.4.1", help="a release [default: %(default)s]")
    parser.add_argument("--filter", action="append", help="benchmarks [default: a few of each kind]")
    parser.add_argument("--disable", nargs="*", help="features [default: all that are dispatched]")
    parser.add_argument("--time-budget", default="5m")
    parser.add_argument("--place", type=pathlib.Path, default=pathlib.Path(tempfile.gettempdir()) / "bench-action-numpy")
    options = parser.parse_args()
    binary = workshop.binary(options.binary)
    options.place.mkdir(parents=True, exist_ok=True)
    base, head = (releases.numpy(options.place, version) for version in (options.base, options.head))
    project = releases.numpy_suite(options.place, options.head)
    filters = [f"--filter={text}" for text in options.filter or FILTER]
    common = [*filters, "--time-budget", options.time_budget]
    sides = ["run", f"--base-python={base}", f"--head-python={head}"]
    run(binary, project, f"NumPy {options.base} and {options.head}", [*sides, *common])
    features = " ".join(dispatched(head, options.disable))
    variable = f"--head-var=NPY_DISABLE_CPU_FEATURES={features}"
    same = [f"--base-python={head}", f"--head-python={head}", variable]
    title = f"NumPy {options.head} without {features}"
    run(binary, project, title, ["run", *same, *common])
    for kind, statements in SNIPPETS.items():
        arguments = ["snippet", "--setup", SETUP, *statements, *same]
        run(binary, project, f"{title}, {kind} snippets", arguments)


if __name__ == "__main__":
    main()
