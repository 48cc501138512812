"""The pytest worker: collects a suite once, and measures what tests give to `benchmark`.

    pytest_worker.main(ROOT, TIMEOUT, ARGUMENTS...)

ROOT is the directory pytest runs in, TIMEOUT the seconds one set-up or slice may take, ARGUMENTS are
pytest's. It answers the same requests as the asv worker, whose loop, clocks and forks it uses. `open`
forks the collected session; the child runs one test as pytest would, fixtures included. When the test
calls `benchmark(...)` the child serves `measure` until `close`; then the call returns what the function
returns, so that the test's own assertions are still checked.

Needs pytest 7 or later, and pytest-benchmark or pytest-codspeed: the fixture is theirs, with its
measuring replaced.
"""

import functools
import gc
import hashlib
import inspect
import os
import sys

import bench_action_worker as base
import pytest
from bench_action_worker import Shared, clean, failed, perf_counter_ns
from _pytest.runner import runtestprotocol


class Suite:
    """What the asv worker's loop asks of a suite."""

    skip = pytest.skip.Exception


# -- A call of the fixture -------------------------------------------------------------------------


class Call(base.Opened):
    """What a test wants measured: a function with its arguments, and what goes around each call."""

    def __init__(self, function, args, kwargs, setup=None, teardown=None):
        self.function = function
        self.given = (args, kwargs)
        self.before, self.after = setup, teardown
        self.stage = "run"
        self.is_raw, self.is_timed = False, True
        self.number = 1
        self.switches = base.Switches()
        self.used = False
        self.current = None
        self.set_up()

    def set_up(self):
        args, kwargs = self.given
        if self.before is not None:
            self.stage = "setup"
            made = self.before()
            if made:
                args, kwargs = made
            self.stage = "run"
        self.current = (args, kwargs)
        target = functools.partial(self.function, **kwargs) if kwargs else self.function
        self.run = base.make_slice(target, args, self.switches.delay)
        self.used = False

    def tear_down(self):
        if self.after is not None:
            args, kwargs = self.current
            self.after(*args, **kwargs)

    def slice(self, request):
        around_each = self.before is not None or self.after is not None
        return base.Opened.slice(self, dict(request, fresh=True) if around_each else request)

    def state(self, request):
        return {"state": []}

    def result(self):
        """What the test gets: the result of a call that nobody timed."""
        self.renew()
        args, kwargs = self.current
        self.used = True
        result = self.function(*args, **kwargs)
        self.tear_down()
        return result


def replace(measure):
    """Puts `measure(call)` in the place of the measuring of whichever fixture there is."""

    def plain(self, function, *args, **kwargs):
        return measure(self, Call(function, args, kwargs))

    def pedantic(self, target, args=(), kwargs=None, setup=None, teardown=None, **schedule):
        return measure(self, Call(target, args, kwargs or {}, setup, teardown))

    fixtures = []
    for module in ("pytest_benchmark.fixture", "pytest_codspeed.plugin"):
        found = sys.modules.get(module)
        if found is not None and hasattr(found, "BenchmarkFixture"):
            fixtures.append(found.BenchmarkFixture)
    for fixture in fixtures:
        for public, private, mine in (
            ("__call__", "_raw", plain),
            ("pedantic", "_raw_pedantic", pedantic),
        ):
            # The private half leaves the plug-in's own checks where they are.
            setattr(fixture, private if hasattr(fixture, private) else public, mine)


# -- The session -----------------------------------------------------------------------------------


class Plugin:
    """Takes the place of pytest's loop over the tests."""

    def __init__(self, worker, request):
        self.worker = worker
        self.request = request
        self.broken = []
        self.has_served = False

    def pytest_collectreport(self, report):
        if report.failed:
            text = getattr(report, "longreprtext", "") or str(report.longrepr)
            lines = [line for line in text.splitlines() if line.strip()] or [""]
            message = next((line for line in lines if line.startswith("E ")), lines[-1])
            message = clean(message.lstrip("E").strip(), 500)
            self.broken.append(
                {"module": report.nodeid, "message": message, "details": clean(text)}
            )

    @pytest.hookimpl(tryfirst=True)
    def pytest_runtestloop(self, session):
        self.has_served = True
        replace(self.worker.measure)
        self.worker.take(session.items, self.broken)
        self.worker.serve_all(self.request)
        base.flush()
        os._exit(0)


def is_benchmark(item):
    return "benchmark" in getattr(item, "fixturenames", ())


def is_marked(item):
    """pytest-codspeed measures whole tests that have the mark and do not ask for the fixture."""
    has_codspeed = "pytest_codspeed.plugin" in sys.modules
    return has_codspeed and any(
        item.get_closest_marker(mark) for mark in ("benchmark", "codspeed_benchmark")
    )


# -- The worker ------------------------------------------------------------------------------------


class PytestWorker(base.Worker):
    def __init__(self, channel, seeder, timeout):
        base.Worker.__init__(self, channel, Suite(), seeder)
        self.timeout = timeout
        self.items = {}
        self.rows = []
        self.broken = []
        self.started = 0
        self.is_closed = False

    def take(self, items, broken):
        """The collected tests that are benchmarks, by name and index."""
        self.broken = broken
        counts, seen = {}, set()
        for item in items:
            if not (is_benchmark(item) or is_marked(item)):
                continue
            name, params = identity(item)
            index = counts[name] = counts.get(name, -1) + 1
            key = (name, tuple((p["name"], p["value"]) for p in params))
            if key in seen:
                params.append({"name": "id", "value": clean(item.callspec.id, 500)})
            seen.add(key)
            self.items[name, index] = item
            self.rows.append(self.row(item, name, index, params))

    def row(self, item, name, index, params):
        skip = item.get_closest_marker("skip")
        reason = None
        if skip is not None:
            reason = skip.kwargs.get("reason") or (skip.args[0] if skip.args else "skipped")
        return {
            "name": name,
            "pretty_name": None,
            "params": params,
            "index": index,
            "metrics": [
                {
                    "metric": {"name": "time", "unit": "ns", "better": "lower"},
                    "gated": True,
                    "exact": False,
                }
            ],
            "how": {"stepped": {"hooks": False, "number": None}},
            "timeout_s": self.timeout,
            "version": version(item),
            "cache_key": None,
            "skip": clean(reason, 500) if reason is not None else None,
        }

    def serve_all(self, request):
        """Answers the request that started the session, then all that follow."""
        while request is not None and request["op"] != "quit":
            reply = self.answer(request)
            if reply is not None:
                self.channel.send(reply)
            request = self.channel.receive()

    def list(self):
        rows = {"benchmarks": self.rows, "broken": self.broken}
        return {"list": dict(rows, suite_digest=None, warnings=[])}

    def load(self, names):
        for count in range(4):
            base.slice_code(count)
        self.seeder.catch_up()
        gc.collect()
        if hasattr(gc, "freeze"):
            gc.freeze()
        return "ready"

    # In the child

    def serve(self, request):
        """Runs one test; what it gives to `benchmark` is measured from within."""
        try:
            base.redirect(request["output"])
            if request["core"] is not None and hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(0, {request["core"]})
        except OSError as error:
            return self.reply(failed("setup", error), Shared.ENDED)
        item = self.items.get((request["benchmark"], request["index"]))
        if item is None:
            causes = "; ".join("%(module)s: %(message)s" % module for module in self.broken)
            error = LookupError("no such benchmark" + (" (%s)" % causes if causes else ""))
            return self.reply(failed("import", error), Shared.ENDED)
        if not is_benchmark(item):
            item.obj = self.whole(item.obj)
        self.started = perf_counter_ns()
        reports = runtestprotocol(item, log=False, nextitem=None)
        self.finish(reports)

    def whole(self, test):
        """A test without the fixture: the whole of it is measured."""

        @functools.wraps(test)
        def measured(*args, **kwargs):
            return self.measure(None, Call(test, args, kwargs))

        return measured

    def measure(self, fixture, call):
        """Serves the driver from within the test, until it has had enough."""
        if self.is_closed:
            raise RuntimeError("`benchmark` can be called once in a test")
        pid, setup_ns = os.getpid(), perf_counter_ns() - self.started
        self.reply({"opened": {"pid": pid, "setup_ns": setup_ns}}, Shared.IDLE)
        while True:
            request = self.channel.receive()
            if request is None or request["op"] == "quit":
                self.shared.set(Shared.QUIT)
                base.flush()
                os._exit(0)
            self.shared.set(Shared.BUSY)
            if request["op"] == "close":
                break
            self.reply(self.handle(call, request), Shared.IDLE)
        self.is_closed = True
        start = perf_counter_ns()
        result = call.result()
        note(fixture, (perf_counter_ns() - start) / 1e9)
        return result

    def finish(self, reports):
        """Tells how the test ended: before it had measured anything, or after."""
        bad = next((report for report in reports if report.failed), None)
        skipped = next((report for report in reports if report.skipped), None)
        if bad is not None:
            return self.reply(of_report(bad, self.is_closed), Shared.ENDED)
        if self.is_closed:
            return self.shared.set(Shared.CLOSED)
        if skipped is not None:
            return self.reply({"skipped": reason_of(skipped)}, Shared.ENDED)
        reason = "the test ended without a call of `benchmark`"
        return self.reply({"skipped": reason}, Shared.ENDED)


def note(fixture, seconds):
    """Tests may look at the statistics of their own fixture."""
    if hasattr(fixture, "_make_stats"):
        try:
            fixture._make_stats(1).update(seconds)
        except Exception:
            pass  # They are the plug-in's own affair, and nothing of ours hangs on them.


def identity(item):
    """A test's name without parameters, and the parameters by their own names."""
    name, callspec = clean(item.nodeid), getattr(item, "callspec", None)
    if callspec is None:
        return name, []
    suffix = "[%s]" % callspec.id
    if item.nodeid.endswith(suffix):
        name = clean(item.nodeid[: -len(suffix)])
    ids = list(getattr(callspec, "_idlist", ()))
    params = []
    for at, (parameter, value) in enumerate(callspec.params.items()):
        if value is None or isinstance(value, (bool, int, float, str)):
            text = repr(value)
        else:
            text = ids[at] if at < len(ids) and len(ids) == len(callspec.params) else callspec.id
        params.append({"name": clean(parameter), "value": clean(text, 500)})
    return name, params


def version(item):
    try:
        source = inspect.getsource(item.function)
    except Exception:
        return None
    return hashlib.sha256(source.encode("utf-8", "replace")).hexdigest()


def of_report(report, was_measured):
    text = getattr(report, "longreprtext", "") or str(report.longrepr)
    crash = getattr(report.longrepr, "reprcrash", None)
    message = (crash.message if crash is not None else text.strip()).splitlines() or [""]
    stage = {"setup": "setup", "teardown": "teardown"}.get(report.when, "run")
    if was_measured and stage == "run":
        stage = "assert"
    failure = {"stage": stage, "message": clean(message[0], 500), "details": clean(text)}
    return {"failed": failure}


def reason_of(report):
    longrepr = report.longrepr
    reason = longrepr[2] if isinstance(longrepr, tuple) and len(longrepr) == 3 else str(longrepr)
    prefix = "Skipped: "
    reason = reason[len(prefix) :] if reason.startswith(prefix) else reason
    return clean(reason or "the test says that it does not apply", 500)


# -- Starting --------------------------------------------------------------------------------------


def options(arguments):
    """What of the user's arguments is no place to collect from."""
    return [
        argument
        for argument in arguments
        if argument.startswith("-") or not os.path.exists(argument.split("::")[0])
    ]


def quiet(root):
    """Plug-ins that would run tests elsewhere or look at them while they run are told not to."""
    found = ["-s", "-q", "-p", "no:cacheprovider", "--rootdir", root]
    available = base.importlib.util.find_spec
    if available("xdist"):
        found += ["-n", "0"]
    if available("pytest_cov"):
        found += ["--no-cov"]
    if available("pytest_benchmark"):
        found += ["--benchmark-enable"]
    return found


def main():
    root, timeout = sys.argv[2:4]
    arguments = sys.argv[4:]
    sys.argv = [__file__]
    channel, seeder = base.begin()
    os.chdir(root)
    try:
        first = channel.receive()
        if first is None or first["op"] == "quit":
            os._exit(0)
        if first["op"] == "load":
            files = dict.fromkeys(name.split("::")[0] for name in first["benchmarks"])
            arguments = options(arguments) + [file for file in files if os.path.exists(file)]
        plugin = Plugin(PytestWorker(channel, seeder, float(timeout)), first)
        code = pytest.main(quiet(root) + arguments, plugins=[plugin])
        if not plugin.has_served:
            message = "pytest ended with status %d before it had collected anything" % int(code)
            details = "\n".join(module["details"] for module in plugin.broken)
            channel.send({"failed": {"stage": "import", "message": message, "details": details}})
    except (base.ChannelGone, BrokenPipeError, ConnectionResetError):
        pass
    base.flush()
    os._exit(0)
