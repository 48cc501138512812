"""The snippet worker: times statements as `python -m timeit` would, slice by slice.

    snippet_worker.main(TASK, TIMEOUT)

TASK is a JSON file: the set-up, the statements with the names they are known by, and the parameters
with their values. TIMEOUT is the seconds one set-up or slice may take. It answers the same requests
as the asv worker, whose loop, clocks and forks it uses.

Set-up and statement share one scope, and what the set-up makes are fast locals of the loop, as with
timeit. Here the loop is a generator: it is entered once, and each slice only goes on with it.
"""

import ast
import gc
import itertools
import json
import linecache
import os
import sys

import bench_action_worker as base
from bench_action_worker import clean, describe

FILE = "<snippet>"

# Names of our own cannot meet a statement's: they are no words that anybody would write.
LOOP = """
def _ba_steps({signature}):
{parameters}
    {setup}
    _ba_reading = None
    while True:
        _ba_calls = _ba_repeat(None, (yield _ba_reading))
        _ba_was_on = _ba_gc_is_on()
        _ba_gc_off()
        try:
            _ba_v0 = _ba_usage(0).ru_nvcsw
            _ba_d0 = _ba_delay()
            _ba_t0 = _ba_thread()
            _ba_w0 = _ba_wall()
            _ba_c0 = _ba_cpu()
            for _ba_call in _ba_calls:
                {statement}
            _ba_c1 = _ba_cpu()
            _ba_w1 = _ba_wall()
            _ba_t1 = _ba_thread()
            _ba_d1 = _ba_delay()
            _ba_v1 = _ba_usage(0).ru_nvcsw
        finally:
            if _ba_was_on:
                _ba_gc_on()
        _ba_waited = None if _ba_d0 is None or _ba_d1 is None else _ba_d1 - _ba_d0
        _ba_reading = [
            _ba_c1 - _ba_c0, _ba_w1 - _ba_w0, _ba_t1 - _ba_t0, _ba_waited, _ba_v1 - _ba_v0
        ]
"""


def indented(source, columns):
    """Source deeper in; text that runs over several lines is moved too, as timeit does."""
    return source.replace("\n", "\n" + " " * columns)


def value_of(text):
    """A parameter's value: a Python literal where it reads as one, else the text itself."""
    try:
        return ast.literal_eval(text)
    except (ValueError, SyntaxError):
        return text


class NotApplicable(Exception):
    """Nothing raises it: no statement says that it does not apply."""


class Task:
    """What is timed: statements by name, and the combinations of parameters."""

    skip = NotApplicable

    def __init__(self, path):
        with open(path, encoding="utf-8") as file:
            task = json.load(file)
        self.setup = task["setup"]
        self.statements = {name: source for name, source in task["statements"]}
        self.names = [name for name, _ in task["parameters"]]
        self.values = [values for _, values in task["parameters"]]
        self.programs = {}

    def combinations(self):
        return list(itertools.product(*self.values))

    def check(self):
        """Compiles everything by itself first, so that nothing can leave the loop it is put into."""
        compile(self.setup, "<setup>", "exec")
        for statement in self.statements.values():
            compile(self.setup + "\n" + statement, FILE, "exec")

    def program(self, name):
        """The compiled loop around a statement."""
        if name not in self.programs:
            clocks = ["_ba_delay"] + ["_ba_" + clock for clock in base.CLOCKS]
            signature = ", ".join("%s=%s" % (clock, clock) for clock in clocks)
            lines = ["    %s = _ba_values[%d]" % (name, at) for at, name in enumerate(self.names)]
            source = LOOP.format(
                signature=signature + ", _ba_values=_ba_values",
                parameters="\n".join(lines),
                setup=indented(self.setup, 4) or "pass",
                statement=indented(self.statements[name], 16) or "pass",
            )
            linecache.cache[FILE] = (len(source), None, source.splitlines(True), FILE)
            self.programs[name] = compile(source, FILE, "exec")
        return self.programs[name]


class Statement(base.Opened):
    """One statement with one combination of parameters, set up."""

    def __init__(self, task, request, output):
        self.output = output
        self.stage = "import"
        program = task.program(request["benchmark"])
        values = [value_of(text) for text in task.combinations()[request["index"]]]
        self.switches = base.Switches()
        self.is_raw, self.is_timed, self.used, self.number = False, True, False, 1
        scope = {"_ba_" + name: clock for name, clock in base.CLOCKS.items()}
        scope.update(__name__="__snippet__", _ba_values=values, _ba_delay=self.switches.delay)
        exec(program, scope)
        self.stage = "setup"
        start = base.perf_counter_ns()
        steps = scope["_ba_steps"]()
        next(steps)
        self.setup_ns = base.perf_counter_ns() - start
        self.run = steps.send
        self.stage = "run"

    def tear_down(self):
        pass

    def renew(self):
        """As with timeit, the set-up is run once."""

    def state(self, request):
        return {"state": []}


class SnippetWorker(base.Worker):
    opened = Statement

    def __init__(self, channel, task, seeder, timeout):
        base.Worker.__init__(self, channel, task, seeder)
        self.timeout = timeout

    def list(self):
        try:
            self.suite.check()
        except (SyntaxError, ValueError) as error:
            return base.failed("import", error.with_traceback(None))
        rows = [
            self.row(name, index, combination)
            for name in self.suite.statements
            for index, combination in enumerate(self.suite.combinations())
        ]
        listing = {"benchmarks": rows, "broken": [], "suite_digest": None, "warnings": []}
        return {"list": listing}

    def row(self, name, index, combination):
        metric = {"name": "time", "unit": "ns", "better": "lower"}
        pairs = zip(self.suite.names, combination)
        return {
            "name": name,
            "pretty_name": None,
            "params": [{"name": clean(n), "value": clean(v, 500)} for n, v in pairs],
            "index": index,
            "metrics": [{"metric": metric, "gated": True, "exact": False}],
            "how": {"stepped": {"hooks": False, "number": None}},
            "timeout_s": self.timeout,
            "version": None,
            "cache_key": None,
            "skip": None,
        }

    def load(self, names):
        for name in names:
            try:
                self.suite.program(name)
            except (SyntaxError, ValueError, KeyError) as error:
                return base.refused("import", describe(error))
        self.seeder.catch_up()
        gc.collect()
        if hasattr(gc, "freeze"):
            gc.freeze()
        return "ready"


def main():
    base.OURS.add(__file__)
    task, timeout = sys.argv[2:4]
    sys.argv = [FILE]
    channel, seeder = base.begin()
    try:
        SnippetWorker(channel, Task(task), seeder, float(timeout)).loop()
    except (base.ChannelGone, BrokenPipeError, ConnectionResetError):
        pass
    base.flush()
    os._exit(0)
