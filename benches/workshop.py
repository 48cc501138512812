"""What the scripts beside this file share: the program that is measured, and repositories for it."""

import os
import pathlib
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent


def binary(given=None):
    """The program to run: the one given, else a release build of this repository."""
    if given is not None:
        return given.resolve()
    subprocess.run(["cargo", "build", "--release", "--quiet"], cwd=ROOT, check=True)
    target = pathlib.Path(os.environ.get("CARGO_TARGET_DIR", ROOT / "target"))
    return target / "release" / "bench-action"


def new_repository(directory):
    git(directory, "init", "--quiet", "--initial-branch=main")


def commit(repository, message):
    """Commits every file as it is."""
    git(repository, "add", "--all")
    git(repository, "commit", "--quiet", "--no-verify", "-m", message)


def git(repository, *arguments):
    person = {"NAME": "workshop", "EMAIL": "workshop@example.invalid"}
    variables = dict(os.environ)
    for role in ("AUTHOR", "COMMITTER"):
        variables.update({f"GIT_{role}_{key}": value for key, value in person.items()})
    command = ["git", "-c", "commit.gpgsign=false", *arguments]
    subprocess.run(command, cwd=repository, check=True, env=variables)
