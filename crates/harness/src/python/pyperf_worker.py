"""The pyperf worker: runs scripts of pyperf as they are, and measures what they give to a `Runner`.

    pyperf_worker.main(DIRECTORY, COUNT, SCRIPTS..., ARGUMENTS...)

DIRECTORY is where the scripts are run, COUNT the number of SCRIPTS, ARGUMENTS are theirs. Listing runs each
script with a `Runner` that only notes its benchmarks. `open` runs the one script that has the benchmark; when
it comes to it, the requests that follow are served from within `Runner`, until the process ends. It serves one
benchmark: there is no fork.

pyperf's own loop and its clock are what measures; nothing of its processes, calibration and output is used.
"""

import gc
import os
import runpy
import sys

import bench_action_worker as base
from bench_action_worker import clean, failed, perf_counter_ns, process_time_ns, thread_time_ns

TIMEOUT_S = 60


class NotHere(Exception):
    """A script came to its end without the benchmark that was asked for."""


def replace(note):
    """Makes every `Runner` tell `note` of a benchmark instead of measuring it."""
    from pyperf import Runner

    def check(self):
        self.parse_args()
        return True

    def main(self, task):
        return note(task)

    # One a process is allowed: each script has its own.
    getattr(Runner, "_created", set()).clear()
    Runner._check_worker_task = check
    Runner._main = main


def is_time(task):
    return getattr(task, "metadata", {}).get("unit", "second") == "second"


def run(script, arguments):
    """Runs a script as `python script` would."""
    sys.argv = [script] + arguments
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    try:
        runpy.run_path(script, run_name="__main__")
    except SystemExit as error:
        if error.code not in (None, 0):
            raise RuntimeError("the script ended itself with %r" % (error.code,)) from error
    finally:
        del sys.path[0]


# -- Listing ---------------------------------------------------------------------------------------


def listing(scripts, arguments):
    rows, broken = [], []
    for script in scripts:
        found = []
        try:
            replace(lambda task, found=found: found.append(task))
            run(script, arguments)
        except BaseException as error:
            failure = failed("import", error)["failed"]
            broken.append(
                {"module": script, "message": failure["message"], "details": failure["details"]}
            )
        rows.extend(row(script, task) for task in found)
    return {"list": {"benchmarks": rows, "broken": broken, "suite_digest": None, "warnings": []}}


def row(script, task):
    time = {"name": "time", "unit": "ns", "better": "lower"}
    unit = getattr(task, "metadata", {}).get("unit")
    bytes_ = {"name": "memory", "unit": "bytes", "better": "lower"}
    other = bytes_ if unit == "byte" else {"name": "value", "unit": clean(unit), "better": "lower"}
    return {
        "name": clean("%s::%s" % (script, task.name)),
        "metrics": [{"metric": time if is_time(task) else other, "gated": True, "exact": False}],
        "how": {"stepped": {"hooks": False, "number": None}} if is_time(task) else "value",
        "timeout_s": TIMEOUT_S,
    }


# -- Measuring -------------------------------------------------------------------------------------


class Served:
    """A benchmark that the script has come to."""

    def __init__(self, channel, task, started):
        self.channel = channel
        self.task = task
        self.inner_loops = getattr(task, "inner_loops", None) or 1
        self.switches = base.Switches()
        self.setup_ns = perf_counter_ns() - started

    def serve(self):
        """Answers requests until the process ends."""
        self.channel.send({"opened": {"pid": os.getpid(), "setup_ns": self.setup_ns}})
        while True:
            request = self.channel.receive()
            if request is None or request["op"] == "quit":
                end()
            try:
                reply = self.answer(request)
            except BaseException as error:
                reply = failed("run", error)
            self.channel.send(reply)

    def answer(self, request):
        if request["op"] == "close":
            peak = base.resource.getrusage(base.resource.RUSAGE_SELF).ru_maxrss * base.RSS_UNIT
            return {"closed": {"max_rss_bytes": peak}}
        if request["op"] != "measure":
            return base.refused("run", "`%s` while a benchmark is open" % request["op"])
        if not is_time(self.task):
            value = self.task.task_func(self.task, 1) / self.inner_loops
            return {"value": base.reading_of(value)}
        slices, cpu, wall = [], 0, 0
        while len(slices) < request["slices"]:
            self.lead_in(request)
            reading = self.slice(max(1, request["loops"]))
            slices.append(reading)
            cpu, wall = cpu + reading[0], wall + reading[1]
            enough = cpu >= request["cpu_ns"] or wall >= 5 * request["cpu_ns"]
            if enough and len(slices) >= request["min_slices"]:
                break
        return {"slices": slices}

    def lead_in(self, request):
        start = process_time_ns()
        while process_time_ns() - start < request["lead_in_ns"]:
            self.slice(max(1, request["loops"] // 8))

    def slice(self, loops):
        """One value of pyperf's: what the benchmark itself says that its loop has taken.

        That is wall time, and may leave out some of the call. Of it so much is CPU time as of the
        whole call.
        """
        was_on = gc.isenabled()
        gc.disable()
        try:
            v0 = base.resource.getrusage(0).ru_nvcsw
            d0 = self.switches.delay()
            t0 = thread_time_ns()
            w0 = perf_counter_ns()
            c0 = process_time_ns()
            told = self.task.task_func(self.task, loops)
            c1 = process_time_ns()
            w1 = perf_counter_ns()
            t1 = thread_time_ns()
            d1 = self.switches.delay()
            v1 = base.resource.getrusage(0).ru_nvcsw
        finally:
            if was_on:
                gc.enable()
        told = float(told) * 1e9 / self.inner_loops
        whole = max(w1 - w0, 1)
        part = [int(told * min((c1 - c0) / whole, 64.0)), int(told), int(told * (t1 - t0) / whole)]
        waited = int(told * (d1 - d0) / whole) if d0 is not None and d1 is not None else None
        return part + [waited, v1 - v0]


def end():
    base.flush()
    os._exit(0)


def open_one(channel, request, scripts, arguments):
    """Runs the script that has the benchmark; never returns if it gets there."""
    name, started = request["benchmark"], perf_counter_ns()
    script = next((script for script in scripts if name.startswith(clean(script) + "::")), None)

    def note(task):
        if clean("%s::%s" % (script, task.name)) == name:
            Served(channel, task, started).serve()

    try:
        if script is None:
            raise NotHere("no script has it")
        replace(note)
        run(script, arguments)
        raise NotHere("the script has ended without it")
    except BaseException as error:
        return failed("import", error)


def main():
    directory, count = sys.argv[2], int(sys.argv[3])
    scripts, arguments = sys.argv[4 : 4 + count], sys.argv[4 + count :]
    channel, _ = base.begin()
    os.chdir(directory)
    try:
        while True:
            request = channel.receive()
            if request is None or request["op"] == "quit":
                end()
            elif request["op"] == "list":
                channel.send(listing(scripts, arguments))
            elif request["op"] == "open":
                channel.send(open_one(channel, request, scripts, arguments))
            elif request["op"] == "close":
                channel.send({"closed": {"max_rss_bytes": None}})
            else:
                channel.send(base.refused("run", "no benchmark is open"))
    except (base.ChannelGone, BrokenPipeError, ConnectionResetError):
        pass
    end()
