"""Tells what an interpreter is, as one JSON object on standard output."""

import json
import platform
import sys
import sysconfig
from importlib.machinery import PathFinder


def has(*modules):
    return all(PathFinder.find_spec(module) is not None for module in modules)


print(
    json.dumps(
        {
            "executable": sys.executable,
            "version": platform.python_version(),
            "implementation": sys.implementation.name,
            "abi": sysconfig.get_config_var("SOABI") or sys.implementation.cache_tag,
            "platform": sysconfig.get_platform(),
            "path": [entry for entry in sys.path if entry],
            "has_pip": has("pip"),
            "has_venv": has("venv", "ensurepip"),
        }
    )
)
