"""Digests what matters in wheels: one `name sha256` a line for the files given as arguments.

What differs between two builds of equal sources does not matter: `*.dist-info`, the order and the
dates of members, and version files that a build generates from the commit.
"""

import hashlib
import re
import sys
import zipfile
from os.path import basename

VERSION_FILE = re.compile(r"_?version(_info|_meson|info)?\.py$")


def is_generated(name, content):
    """setuptools-scm, versioneer, hatch-vcs, pdm and others all say so in the first lines."""
    return VERSION_FILE.match(basename(name)) and b"generated" in content[:2048].lower()


for path in sys.argv[1:]:
    digest = hashlib.sha256()
    with zipfile.ZipFile(path) as wheel:
        for name in sorted(wheel.namelist()):
            content = wheel.read(name)
            if name.split("/", 1)[0].endswith(".dist-info") or is_generated(name, content):
                continue
            digest.update(name.encode("utf-8") + b"\0")
            digest.update(hashlib.sha256(content).digest())
    print(basename(path).split("-", 1)[0], digest.hexdigest())
