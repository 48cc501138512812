"""Packs the library into a wheel with the standard library alone (PEP 517)."""

import base64
import hashlib
import pathlib
import re
import zipfile

PACKAGE = "kernels"


def build_wheel(wheel_directory, config_settings=None, metadata_directory=None):
    settings = pathlib.Path("pyproject.toml").read_text()
    version = re.search(r'^version = "(.+)"$', settings, re.MULTILINE).group(1)
    files = {path.as_posix(): path.read_bytes() for path in sorted(pathlib.Path(PACKAGE).glob("*.py"))}
    info = f"{PACKAGE}-{version}.dist-info"
    files[f"{info}/METADATA"] = f"Metadata-Version: 2.1\nName: {PACKAGE}\nVersion: {version}\n".encode()
    files[f"{info}/WHEEL"] = (
        b"Wheel-Version: 1.0\nGenerator: backend\nRoot-Is-Purelib: true\nTag: py3-none-any\n"
    )
    record = "".join(f"{name},{digest(data)},{len(data)}\n" for name, data in files.items())
    files[f"{info}/RECORD"] = f"{record}{info}/RECORD,,\n".encode()
    wheel = f"{PACKAGE}-{version}-py3-none-any.whl"
    with zipfile.ZipFile(pathlib.Path(wheel_directory, wheel), "w") as archive:
        for name, data in files.items():
            archive.writestr(zipfile.ZipInfo(name), data)
    return wheel


def digest(data):
    return "sha256=" + base64.urlsafe_b64encode(hashlib.sha256(data).digest()).rstrip(b"=").decode()
