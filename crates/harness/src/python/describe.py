"""Tells what only an interpreter knows of a project and its libraries, as one JSON object.

    describe.py PROJECT

PROJECT is the distribution's name. What cannot be found out is left out; nothing here may fail.
"""

import hashlib
import importlib
import json
import os
import re
import sys


def rebuild_nothing():
    """Editable builds that rebuild when they are imported are taken as they are."""
    for finder in sys.meta_path:
        if hasattr(finder, "_build_cmd"):  # meson-python
            finder._build_cmd = [sys.executable, "-c", ""]
        if hasattr(finder, "rebuild_flag"):  # scikit-build-core
            finder.rebuild_flag = False


def distribution(project):
    """What is installed under this name: a digest of its list of files, and whether it is editable."""
    found = importlib.import_module("importlib.metadata").distribution(project)
    origin = json.loads(found.read_text("direct_url.json") or "{}")
    editable = bool(origin.get("dir_info", {}).get("editable"))
    # What is imported may be another copy, which comes first on the module path.
    module = importlib.import_module(module_name(project))
    place = os.path.dirname(os.path.realpath(module.__file__))
    is_this = place == os.path.realpath(str(found.locate_file(module_name(project))))
    record = found.read_text("RECORD") if is_this and not editable else None
    digest = hashlib.sha256(record.encode("utf-8")).hexdigest() if record else None
    return {"version": found.version if is_this else None, "record": digest, "editable": editable}


def module_name(project):
    return re.sub(r"[-.]", "_", project)


REVISIONS = (
    ("version", "git_revision"),
    ("version", "git_hash"),
    ("_version", "git_revision"),
    ("_version", "__git_version__"),
    ("_version", "commit_id"),
    (None, "__git_version__"),
    (None, "__git_revision__"),
)


def revision(project):
    """The commit a build says it was made from."""
    name = module_name(project)
    importlib.import_module(name)
    for submodule, attribute in REVISIONS:
        try:
            module = importlib.import_module(name + "." + submodule if submodule else name)
            value = getattr(module, attribute)
        except Exception:
            continue
        match = re.search(r"[0-9a-f]{7,40}", value) if isinstance(value, str) else None
        if match:
            return match.group(0)
    try:  # versioneer
        module = importlib.import_module(name + "._version")
        return module.get_versions()["full-revisionid"]
    except Exception:
        return None


def libraries():
    """NumPy's own words on what it uses here, in one line each."""
    import numpy

    details = {}
    config = numpy.show_config(mode="dicts")
    simd = config.get("SIMD Extensions", {})
    words = [kind + " " + " ".join(simd[kind]) for kind in ("baseline", "found") if simd.get(kind)]
    if words:
        details["simd"] = "; ".join(words)
    blas = config.get("Build Dependencies", {}).get("blas", {})
    if blas.get("name"):
        details["blas"] = ("%s %s" % (blas["name"], blas.get("version", ""))).strip()
    try:
        import threadpoolctl
    except ImportError:
        return details
    for pool in threadpoolctl.threadpool_info():
        keys = ("internal_api", "version", "architecture", "threading_layer")
        words = [str(pool[key]) for key in keys if pool.get(key)]
        words.append("%s thread%s" % (pool["num_threads"], "" if pool["num_threads"] == 1 else "s"))
        details["threads." + pool["user_api"]] = ", ".join(words)
    return details


def main():
    rebuild_nothing()
    told = {"version": None, "record": None, "editable": False, "revision": None, "details": {}}
    project = sys.argv[1]
    for find in (
        lambda: distribution(project),
        lambda: {"revision": revision(project)},
        lambda: {"details": libraries()},
    ):
        try:
            told.update(find())
        except BaseException:
            pass
    print(json.dumps(told))


main()
