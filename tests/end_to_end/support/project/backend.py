"""Packs the package into a wheel with the standard library alone (PEP 517)."""

import pathlib
import zipfile

INFO = "kernel-1.0.dist-info"
METADATA = "Metadata-Version: 2.1\nName: kernel\nVersion: 1.0\n"
WHEEL = "Wheel-Version: 1.0\nGenerator: backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"


def build_wheel(directory, config_settings=None, metadata_directory=None):
    name = "kernel-1.0-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(directory, name), "w") as wheel:
        files = [path.as_posix() for path in sorted(pathlib.Path("kernel").glob("*.py"))]
        for file in files:
            # Without the date of the checkout: equal files make equal wheels.
            wheel.writestr(zipfile.ZipInfo(file), pathlib.Path(file).read_bytes())
        for file, text in [("METADATA", METADATA), ("WHEEL", WHEEL)]:
            wheel.writestr(zipfile.ZipInfo(f"{INFO}/{file}"), text)
            files.append(f"{INFO}/{file}")
        record = "".join(f"{file},,\n" for file in [*files, f"{INFO}/RECORD"])
        wheel.writestr(zipfile.ZipInfo(f"{INFO}/RECORD"), record)
    return name
