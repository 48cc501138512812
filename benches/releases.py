"""Releases of real projects, as the package registry has them: environments with one, and its sources."""

import re
import subprocess
import sys
import tarfile
import tempfile
import urllib.request


def environment(directory, *requirements):
    """The interpreter of an environment with these wheels."""
    python = directory / "bin" / "python"
    if not python.exists():
        subprocess.run([sys.executable, "-m", "venv", directory], check=True)
        pip = [python, "-m", "pip", "install", "--quiet", "--only-binary", ":all:"]
        subprocess.run([*pip, *requirements], check=True)
    return python


def numpy(place, version):
    """An interpreter with this NumPy, and with what its benchmarks import that asv brings along."""
    return environment(place / f"numpy-{version}", f"numpy=={version}", "packaging")


def numpy_suite(place, version):
    """The benchmarks directory of NumPy's source distribution, with nothing else around it."""
    project = place / f"suite-{version}"
    if not project.exists():
        unpack(place, "numpy", version, project, "benchmarks/")
    return project


def unpack(place, name, version, directory, below=""):
    """The files of a source distribution, or those below one of its directories."""
    archive = place / f"{name}-{version}.tar.gz"
    if not archive.exists():
        urllib.request.urlretrieve(address(name, version), archive)
    with tarfile.open(archive) as tar:
        prefix = f"{name}-{version}/{below}"
        members = [member for member in tar if member.name.startswith(prefix)]
        for member in members:
            member.name = member.name.removeprefix(prefix)
        tar.extractall(directory, members=[m for m in members if m.name], filter="data")


def address(name, version):
    """Where pip finds a source distribution: it keeps none that it cannot build."""
    pip = [sys.executable, "-m", "pip", "download", "-vv", "--no-deps", "--no-build-isolation"]
    command = [*pip, "--no-cache-dir", "--no-binary", ":all:", f"{name}=={version}"]
    with tempfile.TemporaryDirectory() as directory:
        finished = subprocess.run(command, cwd=directory, capture_output=True, text=True)
    found = re.search(rf"Found link (\S+/{re.escape(f'{name}-{version}.tar.gz')})", finished.stdout)
    if found is None:
        sys.exit(f"error: pip finds no {name} {version}:\n{finished.stderr}")
    return found.group(1)
