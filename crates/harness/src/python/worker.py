"""The Python worker: finds, opens and times the benchmarks of an asv suite, slice by slice.

    python worker.py SUITE TOOLS INDEX TIMEOUT

SUITE is the benchmark directory (a package), TOOLS holds the pinned asv_runner, INDEX is a file
that remembers which module a benchmark is in, TIMEOUT the default timeout in seconds. The worker
answers each JSON line that arrives on the socket BENCH_ACTION_CHANNEL with exactly one line.

The suite is imported once. `open` forks: the child serves the requests that follow, on the same
socket, until `close`. The parent only waits for the child, and answers in its place when it dies.

Runs on Python 3.7 and later. What is used while a benchmark is open is bound here, before any code
of the suite can replace it.
"""

import ast
import faulthandler
import fcntl
import functools
import gc
import importlib
import importlib.machinery
import itertools
import json
import math
import mmap
import os
import pickle
import random
import resource
import signal
import subprocess
import sys
import textwrap
import traceback
import warnings
from time import perf_counter_ns, process_time_ns, thread_time_ns

to_json, from_json = json.dumps, json.loads
read, write, fstat = os.read, os.write, os.fstat

PINNED = ("asv_runner",)
FALLBACK = ("pympler", "importlib_metadata", "zipp", "typing_extensions")
RSS_UNIT = 1 if sys.platform == "darwin" else 1024
HIGH = 400  # Private descriptors start here, out of the way of what a benchmark opens or closes.


# -- Words -------------------------------------------------------------------------------------


def clean(text, limit=20000):
    """Text that is valid UTF-8 whatever a benchmark put into it, and not endless."""
    text = str(text)
    if len(text) > limit:
        text = text[: limit // 2] + "\n[...]\n" + text[-limit // 2 :]
    return text.encode("utf-8", "backslashreplace").decode("utf-8")


def describe(error):
    """One line for an exception, also for one that can't be printed."""
    try:
        text = str(error)
    except BaseException:
        text = "(its message can't be printed)"
    text = text.strip()
    first = text.splitlines()[0] if text else ""
    name = type(error).__name__
    return clean("%s: %s" % (name, first) if first else name, 500)


OURS = {__file__, "<slice>"}


def is_suites(frame):
    """Whether a line of a traceback is the suite's, not ours or asv_runner's."""
    return frame.filename not in OURS and os.sep + "asv_runner" + os.sep not in frame.filename


def failed(stage, error):
    """The reply for something the suite did wrong, with the suite's part of the traceback."""
    try:
        trace = traceback.TracebackException(type(error), error, error.__traceback__)
        trace.stack[:] = [frame for frame in trace.stack if is_suites(frame)]
        details = "".join(trace.format())
    except BaseException:
        details = describe(error)
    return {"failed": {"stage": stage, "message": describe(error), "details": clean(details)}}


def refused(stage, message):
    """The reply for what went wrong without an exception."""
    return {"failed": {"stage": stage, "message": clean(message, 500), "details": ""}}


# -- The socket --------------------------------------------------------------------------------


class ChannelGone(Exception):
    """The descriptor is no longer our socket: something closed it."""


class Channel:
    """Lines of JSON on a descriptor that a program started from here does not inherit."""

    def __init__(self, number):
        self.fd = fcntl.fcntl(number, fcntl.F_DUPFD_CLOEXEC, HIGH)
        os.close(number)
        os.set_blocking(self.fd, True)
        self.identity = fstat(self.fd).st_ino
        self.buffer = b""

    def check(self):
        try:
            if fstat(self.fd).st_ino == self.identity:
                return
        except OSError:
            pass
        raise ChannelGone("the benchmark closed descriptors that are not its own")

    def receive(self):
        """The next request; None at the end of the stream."""
        while b"\n" not in self.buffer:
            self.check()
            piece = read(self.fd, 1 << 16)
            if not piece:
                return None
            self.buffer += piece
        line, self.buffer = self.buffer.split(b"\n", 1)
        return from_json(line.decode("utf-8"))

    def send(self, reply):
        self.check()
        data = to_json(reply, separators=(",", ":"), allow_nan=False).encode("ascii") + b"\n"
        while data:
            data = data[write(self.fd, data) :]


class Shared:
    """What parent and child know of each other: memory, because descriptors can be closed."""

    IDLE = 0  # All requests are answered; the child waits for the next.
    BUSY = 1  # A request is being served.
    ENDED = 2  # All is answered and the child ends.
    CLOSED = 3  # It was closed and ends; the parent answers, with what the system says of it.
    QUIT = 4  # The worker is to end.

    def __init__(self):
        self.memory = mmap.mmap(-1, 1 << 16)

    def set(self, state, words=None):
        data = b"" if words is None else to_json(words).encode("ascii")[: (1 << 16) - 8]
        self.memory[8 : 8 + len(data)] = data
        self.memory[4:8] = len(data).to_bytes(4, "little")
        self.memory[0] = state

    @property
    def state(self):
        return self.memory[0]

    @property
    def last_words(self):
        """The reply that a child could not send itself."""
        length = int.from_bytes(self.memory[4:8], "little")
        return from_json(self.memory[8 : 8 + length].decode("ascii")) if length else None


# -- asv_runner, pinned and light ----------------------------------------------------------------


class Only:
    """Finds only the named packages, only in one directory."""

    def __init__(self, names, directory):
        self.names = names
        self.path = [directory]

    def find_spec(self, name, path=None, target=None):
        if name in self.names:
            return importlib.machinery.PathFinder.find_spec(name, self.path, target)
        return None


class NumpySeeder:
    """Seeds numpy.random at the moment a suite imports it, and never imports it itself."""

    def __init__(self, seed):
        self.seed = seed
        self.is_done = False

    def find_spec(self, name, path=None, target=None):
        if name != "numpy.random":
            return None
        spec = importlib.machinery.PathFinder.find_spec(name, path, target)
        if spec is not None and spec.loader is not None:
            execute = spec.loader.exec_module

            def exec_module(module):
                execute(module)
                self.apply(module)

            spec.loader.exec_module = exec_module
        return spec

    def apply(self, module):
        module.seed(self.seed)
        self.is_done = True

    def catch_up(self):
        """For a numpy that came by a way of its own (editable installs have their own finders)."""
        module = sys.modules.get("numpy.random")
        if module is not None and not self.is_done:
            self.apply(module)


class PluginListing:
    """Stands in for importlib.metadata while asv_runner looks for its plug-ins.

    It wants distributions called `asv_bench*`; reading the metadata of all others, as it does,
    takes longer than everything else a worker does at its start.
    """

    class Distribution:
        def __init__(self, name):
            self.metadata = {"Name": name}

    @classmethod
    def distributions(cls):
        for directory in sys.path:
            try:
                entries = sorted(os.listdir(directory or "."))
            except OSError:
                continue
            for entry in entries:
                if entry.lower().startswith("asv_bench") and entry.endswith(("-info", ".egg")):
                    name = cls.name(os.path.join(directory, entry))
                    if name:
                        yield cls.Distribution(name)

    @staticmethod
    def name(path):
        for file in ("METADATA", "PKG-INFO"):
            try:
                with open(os.path.join(path, file), encoding="utf-8", errors="replace") as lines:
                    for line in lines:
                        if line.lower().startswith("name:"):
                            return line[5:].strip()
            except OSError:
                pass
        return None


class LaterSizes:
    """Stands in for pympler.asizeof, which imports numpy where it can, until a size is wanted."""

    @staticmethod
    def asizeof(*things, **options):
        return importlib.import_module("pympler.asizeof").asizeof(*things, **options)


STAND_INS = {
    "importlib.metadata": PluginListing,
    "importlib_metadata": PluginListing,
    "pympler": LaterSizes,
    "pympler.asizeof": LaterSizes,
    "cProfile": object,  # For profiling, which is not done here; slow to import.
}


def import_asv_runner(tools):
    """asv_runner's modules, from `tools` whatever the environment holds."""
    sys.meta_path.insert(0, Only(PINNED, tools))
    sys.meta_path.append(Only(FALLBACK, tools))
    real = {name: sys.modules.get(name) for name in STAND_INS}
    sys.modules.update(STAND_INS)
    try:
        return importlib.import_module("asv_runner.discovery")
    finally:
        for name, module in real.items():
            if module is None:
                del sys.modules[name]
            else:
                sys.modules[name] = module


def rebuild_nothing():
    """Editable builds that rebuild when they are imported are measured as they are."""
    for finder in sys.meta_path:
        if hasattr(finder, "_build_cmd"):  # meson-python
            finder._build_cmd = [sys.executable, "-c", ""]
        if hasattr(finder, "rebuild_flag"):  # scikit-build-core
            finder.rebuild_flag = False


MOVED = []


def move_memory(seed):
    """Gives what follows pages of its own, drawn from the seed.

    Addresses are not random here: the same work then lies at the same places on both sides, and what
    the places are worth cancels. Where the sides differ, so may their places, and what those are worth
    is averaged over workers only if they change from worker to worker.
    """
    draw = random.Random("places %d" % seed)
    MOVED.append(mmap.mmap(-1, mmap.PAGESIZE * draw.randrange(1, 8192)))  # What is mapped later.
    MOVED.append(bytearray(16 * draw.randrange(32, 7680)))  # What the C library's heap holds later.
    MOVED.append([bytes(476) for _ in range(32 * draw.randrange(64))])  # Pools of small objects,
    for size in range(48, 513, 16):  # and where in its pool the next one of each size lies.
        MOVED.append([bytes(size - 33) for _ in range(draw.randrange(16384 // size))])


def begin():
    """What every worker does before it imports anything of a suite."""
    channel = Channel(int(os.environ.pop("BENCH_ACTION_CHANNEL")))
    seed = int(os.environ.get("BENCH_ACTION_RANDOM_SEED", "0"))
    move_memory(seed)
    random.seed(seed)
    rebuild_nothing()
    seeder = NumpySeeder(seed)
    sys.meta_path.insert(0, seeder)
    return channel, seeder


# -- The suite -----------------------------------------------------------------------------------


class Suite:
    """The benchmarks of one directory, found as asv finds them."""

    def __init__(self, root, tools, index, timeout):
        self.root = root
        self.package = os.path.basename(root)
        self.index = index
        self.timeout = timeout
        self.runner = import_asv_runner(tools)
        self.runner.update_sys_path(root)
        self.skip = importlib.import_module("asv_runner.benchmarks.mark").SkipNotImplemented
        self.found = {}

    # Finding

    def modules(self, name, broken, progress):
        """Imports a module and everything below it; what can't be imported is reported."""
        if any(module["module"] == name for module in broken):
            return
        progress(name)
        try:
            module = importlib.import_module(name)
        except BaseException as error:
            broken.append(self.broken(name, error))
            return
        yield module
        if getattr(module, "__path__", None):
            pkgutil = importlib.import_module("pkgutil")
            for _, below, _ in pkgutil.iter_modules(module.__path__, name + "."):
                for found in self.modules(below, broken, progress):
                    yield found

    @staticmethod
    def broken(name, error):
        failure = failed("import", error)["failed"]
        return {"module": name, "message": failure["message"], "details": failure["details"]}

    def members(self, module):
        """(class or None, attribute, function) of what may be a benchmark in a module."""
        inspect = importlib.import_module("inspect")
        for name, thing in list(module.__dict__.items()):
            if name.startswith("_"):
                continue
            if inspect.isclass(thing) and not inspect.isabstract(thing):
                for attribute, member in inspect.getmembers(thing):
                    if inspect.isfunction(member) or inspect.ismethod(member):
                        yield thing, attribute, member
            elif inspect.isfunction(thing):
                yield None, name, thing

    def discover(self, broken, progress=lambda name: None):
        """All benchmarks by name: (benchmark, module, class name, attribute)."""
        found = {}
        for module in self.modules(self.package, broken, progress):
            for klass, attribute, function in self.members(module):
                try:
                    benchmark = self.runner._get_benchmark(attribute, module, klass, function)
                except BaseException as error:
                    owner = module.__name__ + ("." + klass.__name__ if klass else "")
                    if not any(known["module"] == owner for known in broken):
                        broken.append(self.broken(owner, error))
                    continue
                if benchmark is not None:
                    where = [module.__name__, klass and klass.__name__, attribute]
                    found[benchmark.name] = (benchmark, where)
        return found

    def remember(self, found):
        places = {name: where for name, (_, where) in found.items()}
        with open(self.index + ".new", "w", encoding="utf-8") as file:
            json.dump(places, file)
        os.replace(self.index + ".new", self.index)

    def place(self, name):
        """Where a benchmark is, as an earlier listing saw it or as asv would guess it."""
        try:
            with open(self.index, encoding="utf-8") as file:
                places = json.load(file)
            if name in places:
                return places[name]
        except (OSError, ValueError):
            pass
        parts = name.split(".")
        for depth in (1, 2):
            path = os.path.join(self.root, *parts[:-depth]) + ".py"
            if len(parts) > depth and os.path.isfile(path):
                module = ".".join([self.package] + parts[:-depth])
                return [module, parts[-2] if depth == 2 else None, parts[-1]]
        return None

    def load(self, name):
        """Imports what one benchmark needs; what goes wrong is kept for its `open`."""
        if name in self.found:
            return
        try:
            self.found[name] = self.direct(name) or self.search(name)
        except BaseException as error:
            self.found[name] = error

    def direct(self, name):
        where = self.place(name)
        if where is None:
            return None
        module = importlib.import_module(where[0])
        klass = getattr(module, where[1], None) if where[1] else None
        function = getattr(klass if where[1] else module, where[2], None)
        if function is None:
            return None
        benchmark = self.runner._get_benchmark(where[2], module, klass, function)
        return benchmark if benchmark is not None and benchmark.name == name else None

    def search(self, name):
        broken = []
        found = self.discover(broken)
        if name not in found:
            causes = "; ".join("%(module)s: %(message)s" % module for module in broken)
            raise LookupError("no such benchmark" + (" (%s)" % causes if causes else ""))
        return found[name][0]

    def get(self, name):
        self.load(name)
        found = self.found[name]
        if isinstance(found, BaseException):
            raise found
        return found

    # Describing

    def listing(self, broken, progress):
        found = self.discover(broken, progress)
        self.remember(found)
        warned = []
        rows = [row for benchmark, _ in found.values() for row in self.rows(benchmark, warned)]
        return {"benchmarks": rows, "broken": broken, "suite_digest": None, "warnings": warned}

    def rows(self, benchmark, warned):
        shared = {
            "name": clean(benchmark.name),
            "pretty_name": clean(benchmark.pretty_name) if benchmark.pretty_name else None,
            "metrics": [{"metric": metric_of(benchmark), "gated": True, "exact": False}],
            "how": how_measured(benchmark),
            "timeout_s": seconds(benchmark.timeout, self.timeout),
            "version": clean(benchmark.version),
            "cache_key": clean(benchmark.setup_cache_key) if benchmark._setup_cache else None,
            "cache_timeout_s": seconds(getattr(benchmark._setup_cache, "timeout", None), None),
        }
        timer = getattr(benchmark, "timer", None)
        if timer is not None and getattr(timer, "__module__", None) != "time":
            warned.append("%s has a timer of its own, which is not used" % shared["name"])
        names = [clean(name) for name in benchmark.param_names]
        values = itertools.product(*[[clean(v, 500) for v in entry] for entry in benchmark.params])
        for index, combination in enumerate(values):
            row = dict(shared, index=index, skip=self.skipped(benchmark, index))
            row["params"] = [{"name": n, "value": v} for n, v in zip(names, combination)]
            yield row

    @staticmethod
    def skipped(benchmark, index):
        if not benchmark._skip_tuples:
            return None
        try:
            benchmark.set_param_idx(index)
            if tuple(benchmark._current_params) in benchmark._skip_tuples:
                return "the suite skips these parameters"
        except Exception:
            pass  # Values that can't be compared are no reason to skip; `open` will tell.
        return None


def seconds(value, default):
    try:
        value = float(value)
    except (TypeError, ValueError):
        return default
    return value if 0 < value < float("inf") else default


def metric_of(benchmark):
    word = {"time": "time", "memory": "memory", "peakmemory": "peak-memory"}.get(benchmark.type)
    if word is None:
        unit = clean(getattr(benchmark, "unit", "unit"), 100)
        return {"name": "value", "unit": unit, "better": "lower"}
    return {"name": word, "unit": "ns" if word == "time" else "bytes", "better": "lower"}


def how_measured(benchmark):
    kinds = {kind.__name__ for kind in type(benchmark).__mro__}
    if "TimerawBenchmark" in kinds:
        return "stepped-process"
    if "TimeBenchmark" in kinds:
        number = benchmark.number if benchmark.number > 0 else None
        return {"stepped": {"hooks": bool(benchmark._setups), "number": number}}
    return "fresh-value" if "PeakMemBenchmark" in kinds else "value"


# -- Clocks --------------------------------------------------------------------------------------


class Switches:
    """Run-queue delay and voluntary switches of the calling thread's process."""

    def __init__(self):
        try:
            fd = os.open("/proc/thread-self/schedstat", os.O_RDONLY | os.O_CLOEXEC)
            self.fd = fcntl.fcntl(fd, fcntl.F_DUPFD_CLOEXEC, HIGH)
            os.close(fd)
        except OSError:
            self.fd = -1

    def delay(self, pread=os.pread):
        try:
            return int(pread(self.fd, 64, 0).split()[1])
        except (OSError, ValueError, IndexError):
            return None


CLOCKS = {
    "repeat": itertools.repeat,
    "gc_is_on": gc.isenabled,
    "gc_off": gc.disable,
    "gc_on": gc.enable,
    "usage": resource.getrusage,
    "cpu": process_time_ns,
    "wall": perf_counter_ns,
    "thread": thread_time_ns,
}
SLICE = """
def run(calls, {signature}):
    calls = repeat(None, calls)
    was_on = gc_is_on()
    gc_off()
    try:
        v0 = usage(0).ru_nvcsw
        d0 = delay()
        t0 = thread()
        w0 = wall()
        c0 = cpu()
        for _ in calls:
            func({arguments})
        c1 = cpu()
        w1 = wall()
        t1 = thread()
        d1 = delay()
        v1 = usage(0).ru_nvcsw
    finally:
        if was_on:
            gc_on()
    waited = d1 - d0 if d0 is not None and d1 is not None else None
    return [c1 - c0, w1 - w0, t1 - t0, waited, v1 - v0]
"""


@functools.lru_cache(maxsize=None)
def slice_code(count):
    """The code of `run` for a function of `count` arguments; compiled before the fork."""
    names = ["a%d" % i for i in range(count)]
    # Everything is a default of the function, hence local: the fastest Python can reach it.
    locals_ = names + ["func", "delay"] + list(CLOCKS)
    signature = ", ".join("%s=%s" % (name, name) for name in locals_)
    source = SLICE.format(signature=signature, arguments=", ".join(names))
    return compile(source, "<slice>", "exec")


def make_slice(func, arguments, delay):
    """A function that times `calls` calls with nothing between them but the loop, as timeit does."""
    scope = dict(CLOCKS, func=func, delay=delay)
    scope.update(("a%d" % i, argument) for i, argument in enumerate(arguments))
    exec(slice_code(len(arguments)), scope)
    return scope["run"]


def add(total, reading):
    """The sum of two readings; a run delay that is unknown once is unknown in the sum."""
    if total is None:
        return reading
    return [None if a is None or b is None else a + b for a, b in zip(total, reading)]


RAW = """
import gc, json, sys, time, timeit
try:
    import resource
    switches = lambda: resource.getrusage(0).ru_nvcsw
except ImportError:
    switches = lambda: 0
def delay():
    try:
        with open("/proc/thread-self/schedstat") as file:
            return int(file.read().split()[1])
    except (OSError, ValueError, IndexError):
        return None
class Reading(list):
    begun = False
    def __sub__(self, before):
        return [None if a is None or b is None else a - b for a, b in zip(self, before)]
def clocks():
    if not Reading.begun:
        Reading.begun = True
        v, d, t = switches(), delay(), time.thread_time_ns()
        w = time.perf_counter_ns()
        return Reading([time.process_time_ns(), w, t, d, v])
    c = time.process_time_ns()
    w = time.perf_counter_ns()
    return Reading([c, w, time.thread_time_ns(), delay(), switches()])
task = json.loads(sys.stdin.read())
result = timeit.Timer(task["stmt"], task["setup"], timer=clocks).timeit(task["number"])
with open(task["result"], "w") as file:
    json.dump(result, file)
"""


def quoted(source):
    """Source as asv passes it on: it stands in triple quotes, so its escapes are read once more."""
    source = textwrap.dedent(source)
    try:
        return ast.literal_eval('"""' + source.replace('"""', r"\"\"\"") + '"""')
    except (SyntaxError, ValueError):
        return source


def time_raw(benchmark, arguments, result):
    """One timeraw_ sample: a Python process of its own, timed inside itself."""
    statement = benchmark.func(*arguments)
    statement, setup = statement if isinstance(statement, tuple) else (statement, "")
    number = max(1, int(benchmark.number))
    task = {"stmt": quoted(statement), "setup": quoted(setup), "number": number, "result": result}
    environment = dict(os.environ)
    environment.update(getattr(benchmark, "_timeraw_env", None) or {})
    process = subprocess.Popen(
        [sys.executable, "-c", RAW], stdin=subprocess.PIPE, env=environment
    )
    process.communicate(json.dumps(task).encode("ascii"))
    if process.returncode != 0:
        raise RuntimeError("the timed process ended with %d" % process.returncode)
    with open(result, encoding="ascii") as file:
        reading = json.load(file)
    os.unlink(result)
    return [None if part is None else part // number for part in reading]


# -- An open benchmark -----------------------------------------------------------------------------


class Skipped(Exception):
    """The benchmark says that it does not apply."""


class Opened:
    """One combination of a benchmark, set up, in the process that serves it."""

    def __init__(self, suite, request, output):
        self.suite = suite
        self.output = output
        self.stage = "import"
        self.benchmark = suite.get(request["benchmark"])
        self.benchmark._redo_setup_next = True
        if self.benchmark._params:
            self.benchmark.set_param_idx(request["index"])
        self.stage = "setup_cache"
        cache = None
        if request.get("cache") is not None and self.benchmark._setup_cache is not None:
            with open(os.path.join(request["cache"], "cache.pickle"), "rb") as file:
                cache = pickle.load(file)
        self.benchmark.set_cache(cache)
        self.switches = Switches()
        self.used = False  # Whether it was called since its set-up.
        start = perf_counter_ns()
        self.set_up()
        self.setup_ns = perf_counter_ns() - start
        self.stage = "run"
        self.arguments = self.benchmark._build_params()
        kinds = {kind.__name__ for kind in type(self.benchmark).__mro__}
        self.is_raw = "TimerawBenchmark" in kinds
        self.is_timed = "TimeBenchmark" in kinds
        self.number = max(1, int(getattr(self.benchmark, "number", 0) or 0))
        self.run = make_slice(self.benchmark.func, self.arguments, self.switches.delay)

    # Hooks

    def set_up(self):
        """Runs the set-up hooks; a set-up that says the benchmark does not apply is a skip."""
        self.stage = "setup"
        reasons = []
        hooks = self.benchmark._setups
        self.benchmark._setups = [self.noting(hook, reasons) for hook in hooks]
        try:
            skip = self.benchmark.do_setup()
        finally:
            self.benchmark._setups = hooks
        if skip:
            try:
                self.benchmark.do_teardown()
            except Exception:
                traceback.print_exc()
            raise Skipped(reasons[0] if reasons else "the suite skips these parameters")
        self.used = False
        self.stage = "run"

    @staticmethod
    def noting(hook, reasons):
        def noted(*arguments):
            try:
                return hook(*arguments)
            except NotImplementedError as error:
                reasons.append(str(error) or "its set-up raises NotImplementedError")
                raise

        return noted

    def tear_down(self):
        self.stage = "teardown"
        self.benchmark.do_teardown()

    def renew(self):
        """A fresh state, if this one was used."""
        if self.used:
            self.tear_down()
            self.set_up()

    # Measuring

    def measure(self, request):
        if not self.is_timed:
            return {"value": self.value()}
        slices, cpu, wall = [], 0, 0
        while len(slices) < request["slices"]:
            reading = self.slice(request)
            slices.append(reading)
            cpu += reading[0]
            wall += reading[1]
            enough = cpu >= request["cpu_ns"] or wall >= 5 * request["cpu_ns"]
            if enough and len(slices) >= request["min_slices"]:
                break
        return {"slices": slices}

    def slice(self, request):
        loops = max(1, request["loops"])
        if self.is_raw:
            return self.raw(loops)
        if request["lead_in_ns"] > 0:
            self.lead_in(loops, request)
        if not request["fresh"]:
            self.used = True
            return self.run(loops)
        return self.fresh(loops)

    def lead_in(self, loops, request):
        start = process_time_ns()
        while process_time_ns() - start < request["lead_in_ns"]:
            if request["fresh"]:
                self.fresh(self.number)
            else:
                self.used = True
                self.run(max(1, loops // 8))

    def fresh(self, loops):
        """Calls with a set-up before each `number` of them; only the calls are timed."""
        total = None
        while loops > 0:
            self.renew()
            self.used = True
            total = add(total, self.run(min(loops, self.number)))
            loops -= self.number
        return total

    def raw(self, loops):
        total = None
        for _ in range(loops):
            self.renew()
            self.used = True
            sys.stdout.flush()
            total = add(total, time_raw(self.benchmark, self.arguments, self.output + ".raw"))
        return total

    def value(self):
        self.renew()
        self.used = True
        try:
            value = self.benchmark.do_run()
        except self.suite.skip:
            return "nan"
        return reading_of(value)

    # The state test

    def state(self, request):
        """Pairs of (first call after a set-up, call on a used state after a throw-away set-up).

        No pairs at all if the second kind can't be had: then state must be taken to matter.
        """
        order = random.Random(os.environ.get("BENCH_ACTION_RANDOM_SEED", ""))
        pairs = []
        try:
            for _ in range(request["pairs"]):
                if order.random() < 0.5:
                    first = self.first_call()
                    pairs.append([first, self.later_call()])
                else:
                    later = self.later_call()
                    pairs.append([self.first_call(), later])
        except LaterCallFailed:
            pairs = []
            self.used = True
        return {"state": pairs}

    def first_call(self):
        self.renew()
        self.used = True
        return self.run(1)[0]

    def later_call(self):
        if not self.used:
            self.run(1)
            self.used = True
        # Function, instance and module: where a set-up leaves what it makes.
        places = [vars(place) for place in self.benchmark._attr_sources]
        kept = [dict(place) for place in places]
        try:
            # A set-up heats and evicts the same caches as before a first call; what it made is
            # thrown away, so that the call meets the state that the earlier calls left.
            try:
                self.set_up()
                self.tear_down()
            finally:
                for place, content in zip(places, kept):
                    restore(place, content)
            self.stage = "run"
            self.used = True
            return self.run(1)[0]
        except Exception as error:
            raise LaterCallFailed() from error


def restore(place, content):
    """Makes a namespace what it was, without a moment in which it is empty."""
    place.update(content)
    for name in [name for name in place if name not in content]:
        del place[name]


class LaterCallFailed(Exception):
    """A used state could not be kept across another set-up."""


def reading_of(value):
    """A track_, mem_ or peakmem_ result as a reading."""
    if value is None:
        raise TypeError("it returned None instead of a value")
    if not isinstance(value, str):
        try:
            number = float(value)
        except (TypeError, ValueError, OverflowError):
            return {"text": clean(repr(value), 200)}
        if math.isnan(number):
            return "nan"
        if math.isfinite(number):
            return {"number": number}
    return {"text": clean(value, 200)}


# -- Serving ---------------------------------------------------------------------------------------


class Worker:
    """The loop of the parent, and of the child it forks for each open benchmark."""

    opened = Opened

    def __init__(self, channel, suite, seeder):
        self.channel = channel
        self.suite = suite
        self.seeder = seeder
        self.shared = Shared()
        self.last_rss = None

    def loop(self):
        while True:
            request = self.channel.receive()
            if request is None or request["op"] == "quit":
                return
            reply = self.answer(request)
            if reply is not None:
                self.channel.send(reply)

    def answer(self, request):
        """The reply; None where a child has sent it already."""
        operation = request["op"]
        if operation == "list":
            return self.list()
        if operation == "load":
            return self.load(request["benchmarks"])
        if operation == "setup-cache":
            return self.in_child(lambda: self.setup_cache(request))
        if operation == "open":
            return self.open(request)
        if operation == "close":
            return {"closed": {"max_rss_bytes": self.last_rss}}
        return refused("run", "no benchmark is open for `%s`" % operation)

    def list(self):
        """Lists in a child, again without each module whose import ends the process."""
        broken = []
        current = mmap.mmap(-1, 1 << 12)

        def progress(name):
            current[:] = name.encode("utf-8")[: 1 << 12].ljust(1 << 12, b"\0")

        while True:
            reply = self.in_child(lambda: {"list": self.suite.listing(list(broken), progress)})
            name = current[:].rstrip(b"\0").decode("utf-8", "replace")
            if reply is None or "died" not in reply or any(b["module"] == name for b in broken):
                return reply
            ended = reply["died"]
            how = "signal %s" % ended["signal"] if ended["signal"] else "code %s" % ended["code"]
            message = "importing it ended the process (%s)" % how
            broken.append({"module": name, "message": message, "details": ""})

    def load(self, names):
        for name in names:
            self.suite.load(name)
            benchmark = self.suite.found[name]
            if not isinstance(benchmark, BaseException):
                slice_code(len(benchmark._params) + (benchmark._setup_cache is not None))
        self.seeder.catch_up()
        gc.collect()
        if hasattr(gc, "freeze"):
            gc.freeze()
        return "ready"

    def setup_cache(self, request):
        stage = "import"
        try:
            benchmark = self.suite.get(request["benchmark"])
            stage = "setup_cache"
            os.chdir(request["directory"])
            cache = benchmark.do_setup_cache()
            # Absolute: a benchmark may change its directory.
            with open(os.path.join(request["directory"], "cache.pickle"), "wb") as file:
                pickle.dump(cache, file)
        except BaseException as error:
            return failed(stage, error)
        return "ready"

    # Processes

    def in_child(self, work):
        """Does `work` in a child, which sends the reply; what is left to send if it could not."""
        ended = self.fork(lambda: self.reply(work(), Shared.ENDED))
        return None if self.shared.state == Shared.ENDED else self.shared.last_words or ended

    def fork(self, work):
        """Runs `work` in a child of its own process group and waits for its end."""
        self.shared.set(Shared.BUSY)
        sys.stdout.flush()
        sys.stderr.flush()
        states = random.getstate()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            child = os.fork()
        if child == 0:
            self.child(work, states)
        try:
            os.setpgid(child, child)
        except OSError:
            pass
        _, status, usage = os.wait4(child, 0)
        try:
            os.killpg(child, signal.SIGKILL)
        except OSError:
            pass
        self.last_rss = usage.ru_maxrss * RSS_UNIT
        code = os.WEXITSTATUS(status) if os.WIFEXITED(status) else None
        number = os.WTERMSIG(status) if os.WIFSIGNALED(status) else None
        return {"died": {"code": code, "signal": number}}

    def child(self, work, states):
        code = 1
        try:
            os.setpgid(0, 0)
            random.setstate(states)  # Python reseeds it in a forked child.
            work()
            code = 0
        except ChannelGone as error:
            self.shared.set(Shared.BUSY, failed("run", error))
        except BaseException:
            try:
                traceback.print_exc()
            except BaseException:
                pass
        finally:
            flush()
            os._exit(code)

    def reply(self, reply, then):
        self.channel.send(reply)
        self.shared.set(then)

    # Opening

    def open(self, request):
        if not request["fork"]:
            self.open_here(request)
        ended = self.fork(lambda: self.serve(request))
        state = self.shared.state
        if state == Shared.ENDED:
            return None
        if state == Shared.CLOSED:
            return {"closed": {"max_rss_bytes": self.last_rss}}
        if state == Shared.BUSY:
            return self.shared.last_words or ended
        # It died between two requests, by something it had set off: the answer to the next one.
        if state == Shared.QUIT or self.channel.receive() is None:
            os._exit(0)
        return ended

    def open_here(self, request):
        """Serves a benchmark from the worker itself, which then ends."""
        self.serve(request)
        if self.shared.state == Shared.CLOSED:
            peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * RSS_UNIT
            self.channel.send({"closed": {"max_rss_bytes": peak}})
        flush()
        os._exit(0)

    def serve(self, request):
        """Serves one open benchmark until it is closed; ends in DONE if it is well closed."""
        try:
            redirect(request["output"])
            if request["core"] is not None and hasattr(os, "sched_setaffinity"):
                os.sched_setaffinity(0, {request["core"]})
            os.chdir(request["directory"])
        except OSError as error:
            return self.reply(failed("setup", error), Shared.ENDED)
        opened = self.opened.__new__(self.opened)
        try:
            opened.__init__(self.suite, request, request["output"])
        except Skipped as skip:
            return self.reply({"skipped": describe_skip(skip)}, Shared.ENDED)
        except BaseException as error:
            return self.reply(failed(opened.stage, error), Shared.ENDED)
        pid = os.getpid()
        self.reply({"opened": {"pid": pid, "setup_ns": opened.setup_ns}}, Shared.IDLE)
        while True:
            request = self.channel.receive()
            if request is None or request["op"] == "quit":
                self.shared.set(Shared.QUIT)
                return None
            self.shared.set(Shared.BUSY)
            if request["op"] == "close":
                return self.close(opened)
            self.reply(self.handle(opened, request), Shared.IDLE)

    def close(self, opened):
        try:
            opened.tear_down()
        except BaseException as error:
            return self.reply(failed("teardown", error), Shared.ENDED)
        self.shared.set(Shared.CLOSED)

    def handle(self, opened, request):
        try:
            if request["op"] == "measure":
                return opened.measure(request)
            if request["op"] == "state":
                return opened.state(request)
            return refused("run", "`%s` while a benchmark is open" % request["op"])
        except (Skipped, self.suite.skip) as skip:
            return {"skipped": describe_skip(skip)}
        except ChannelGone:
            raise
        except BaseException as error:
            return failed(opened.stage, error)


def describe_skip(skip):
    return clean(str(skip) or "the benchmark says that it does not apply", 500)


def redirect(output):
    """Sends standard output and error to a file, below Python too."""
    flush()
    fd = os.open(output, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o644)
    os.dup2(fd, 1)
    os.dup2(fd, 2)
    os.close(fd)
    try:
        faulthandler.enable()
    except (OSError, ValueError, AttributeError, RuntimeError):
        pass


def flush():
    for stream in (sys.stdout, sys.stderr):
        try:
            stream.flush()
        except BaseException:
            pass


def main():
    root, tools, index, timeout = sys.argv[-4:]
    if sys.path and sys.path[0] == os.path.dirname(os.path.abspath(__file__)):
        del sys.path[0]
    sys.argv = [__file__]
    channel, seeder = begin()
    suite = Suite(root, tools, index, float(timeout))
    try:
        Worker(channel, suite, seeder).loop()
    except (ChannelGone, BrokenPipeError, ConnectionResetError):
        pass
    flush()
    os._exit(0)


if __name__ == "__main__":
    main()
