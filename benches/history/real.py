#!/usr/bin/env python3
"""Two years of a real project, measured, searched and published.

Takes releases of sqlglot, a parser in pure Python, from the registry as source distributions, makes each
a commit of the day it was made, adds a small suite to all of them, measures them against the oldest with
`history record --range`, prints what `history detect` finds and publishes the dashboard. What was
downloaded and measured is kept, so that it can be stopped and started again. Run by hand. See --help.
"""

import argparse
import os
import pathlib
import shutil
import subprocess
import sys
import tarfile
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
sys.path.insert(0, str(HERE.parent))

import workshop  # noqa: E402 (beside this script's directory)

PACKAGE = "sqlglot"

# Of a distribution, what the package is built from. Setup reads a version in the directory of its sister.
KEPT = {"pyproject.toml", "setup.py", "setup.cfg", "README.md", "LICENSE", PACKAGE, f"{PACKAGE}rs"}

ASV = """\
{
    "version": 1,
    "project": "sqlglot",
    "repo": ".",
    "branches": ["main"],
    "environment_type": "virtualenv",
    "benchmark_dir": "benchmarks"
}
"""

CONFIG = """\
[[suite]]
harness = "asv"
"""

SUITE = '''\
import sqlglot
from sqlglot.optimizer import qualify

QUERIES = {
    "nested": """
        WITH u AS (SELECT a, SUM(b) AS s FROM t GROUP BY a HAVING SUM(b) > 10),
             v AS (SELECT u.a, u.s, ROW_NUMBER() OVER (PARTITION BY u.a ORDER BY u.s DESC) AS r FROM u)
        SELECT v.a, CASE WHEN v.s > 100 THEN 'many' ELSE 'few' END AS how, x.c
        FROM v JOIN (SELECT a, CAST(c AS DATE) AS c FROM w WHERE c IS NOT NULL) AS x ON v.a = x.a
        WHERE v.r = 1 AND x.c BETWEEN '2024-01-01' AND '2024-12-31'
    """,
    "wide": "SELECT " + ", ".join(f"COALESCE(c{i}, {i}) + {i} AS d{i}" for i in range(60)) + " FROM t",
}
COLUMNS = {
    "t": {"a": "INT", "b": "INT", "d": "INT", "e": "TEXT", **{f"c{i}": "INT" for i in range(60)}},
    "w": {"a": "INT", "c": "DATE"},
}


class Queries:
    params = list(QUERIES)
    param_names = ["query"]

    def setup(self, query):
        self.sql = QUERIES[query]
        self.tree = sqlglot.parse_one(self.sql)

    def time_parse(self, query):
        sqlglot.parse_one(self.sql)

    def time_qualify(self, query):
        qualify.qualify(self.tree.copy(), schema=COLUMNS)
'''


def main():
    options = arguments()
    binary = workshop.binary(options.binary)
    options.place.mkdir(parents=True, exist_ok=True)
    releases = chosen(available(), options)
    print(f"{len(releases)} releases, {releases[0]} to {releases[-1]}", flush=True)
    sources = options.place / "sources"
    python = builder(options.place)
    archives = [download(python, sources, release) for release in releases]
    repository = options.place / "repository"
    if not repository.exists():
        prepare(repository, releases, archives)
    store = ["--dir", str(options.place / "store")]

    def history(*given):
        subprocess.run([binary, "history", *given, *store], cwd=repository, check=True)

    oldest = f"v{releases[0]}"
    repeat = ["--repeat", str(options.repeat)]
    history("record", "--range", f"{oldest}..main", "--reference", oldest, *repeat)
    history("detect")
    pages = options.place / "pages"
    shutil.rmtree(pages, ignore_errors=True)
    history("publish", "--title", PACKAGE, "--out", str(pages))


def arguments():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--binary", type=pathlib.Path, help="default: built from this repository")
    parser.add_argument("--first", default="26.0.0", help="a release [default: %(default)s]")
    parser.add_argument("--last", default="30.31.0", help="a release [default: %(default)s]")
    parser.add_argument("--releases", type=int, default=32, help="evenly spaced [default: %(default)s]")
    parser.add_argument("--repeat", type=int, default=8, help="blocks of each benchmark [default: %(default)s]")
    place = pathlib.Path(tempfile.gettempdir()) / "bench-action-real"
    parser.add_argument("--place", type=pathlib.Path, default=place, help="[default: %(default)s]")
    return parser.parse_args()


def available():
    """Every release, oldest first, without those that only mend the one before."""
    pip = [sys.executable, "-m", "pip", "index", "versions", PACKAGE]
    said = subprocess.run(pip, check=True, capture_output=True, text=True).stdout
    line = next(line for line in said.splitlines() if line.startswith("Available versions:"))
    versions = [text.strip() for text in line.partition(":")[2].split(",")]
    return sorted((v for v in versions if v.count(".") == 2 and v.endswith(".0")), key=numbers)


def numbers(version):
    return [int(part) for part in version.split(".")]


def chosen(versions, options):
    first, last = numbers(options.first), numbers(options.last)
    wanted = [version for version in versions if first <= numbers(version) <= last]
    if len(wanted) < 2:
        sys.exit(f"error: fewer than two releases from {options.first} to {options.last}")
    most = max(2, min(options.releases, len(wanted)))
    return [wanted[round(at * (len(wanted) - 1) / (most - 1))] for at in range(most)]


def builder(place):
    """An interpreter with what reads the metadata of a distribution, which pip does before it keeps one."""
    python = place / "builder" / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", python.parent.parent], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--upgrade"]
        subprocess.run([*pip, "pip", "setuptools", "setuptools_scm"], check=True)
    return python


def download(python, sources, release):
    archive = sources / f"{PACKAGE}-{release}.tar.gz"
    if not archive.exists():
        pip = [python, "-m", "pip", "download", "--quiet", "--no-deps", "--no-build-isolation"]
        wanted = ["--no-binary", ":all:", "--dest", sources, f"{PACKAGE}=={release}"]
        subprocess.run([*pip, *wanted], check=True)
    return archive


def prepare(repository, releases, archives):
    """A commit a release, of the day its distribution was made, with the suite in each."""
    making = repository.with_name("making")
    shutil.rmtree(making, ignore_errors=True)
    making.mkdir()
    workshop.new_repository(making)
    for release, archive in zip(releases, archives):
        for child in making.iterdir():
            if child.name != ".git":
                shutil.rmtree(child) if child.is_dir() else child.unlink()
        made = unpack(archive, making)
        (making / "benchmarks").mkdir()
        (making / "benchmarks" / "__init__.py").touch()
        (making / "benchmarks" / "queries.py").write_text(SUITE)
        (making / "asv.conf.json").write_text(ASV)
        (making / "bench-action.toml").write_text(CONFIG)
        os.environ["GIT_AUTHOR_DATE"] = os.environ["GIT_COMMITTER_DATE"] = f"@{made} +0000"
        workshop.commit(making, f"{PACKAGE} {release}")
        workshop.git(making, "tag", f"v{release}")
    making.rename(repository)


def unpack(archive, target):
    """Unpacks what is kept; gives when the distribution was made, in seconds since 1970."""
    with tarfile.open(archive) as tar:
        made, members = 0, []
        for member in tar:
            _, _, path = member.name.partition("/")
            if path == "PKG-INFO":
                made = int(member.mtime)
            if path.partition("/")[0] in KEPT:
                member.name = path
                members.append(member)
        tar.extractall(target, members=members, filter="data")
    return made


if __name__ == "__main__":
    main()
