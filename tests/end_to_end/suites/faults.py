"""Benchmarks with every fault there is, among some without."""

import ctypes
import os
import signal
import subprocess
import sys
import time

from kernel import SIDE

IDLE = [sys.executable, "-c", "import time; time.sleep(900)"]


def work():
    return sum(n * n for n in range(3000))


def time_good():
    work()


def track_good():
    return 42


# What a benchmark may do without being told off.


def time_prints_rubbish():
    os.write(1, bytes(range(256)))
    os.write(2, b'\xff\xfe{"slices": [[1, 1, 1, 1, 1]]}\n')
    print("\x1b[2J")
    work()


def time_closes_its_descriptors():
    os.closerange(0, 3)
    work()


def time_changes_directory():
    os.chdir("/")
    work()


class LeavesChildren:
    def setup(self):
        self.idle = subprocess.Popen([*IDLE, os.getcwd()], start_new_session=True)
        if os.fork() == 0:
            # A grandchild that no longer knows its parent, nor the variables it was started with.
            os.setsid()
            subprocess.Popen([*IDLE, os.getcwd()], env={}, cwd="/")
            os._exit(0)

    def time_it(self):
        work()


# What fails.


def time_hangs():
    time.sleep(900)


time_hangs.timeout = 1


def time_spins():
    while True:
        pass


time_spins.timeout = 1


def time_hangs_on_deaf_ears():
    for number in (signal.SIGTERM, signal.SIGINT, signal.SIGALRM):
        signal.signal(number, signal.SIG_IGN)
    time.sleep(900)


time_hangs_on_deaf_ears.timeout = 1


def time_aborts():
    print("about to abort", file=sys.stderr, flush=True)
    os.abort()


def time_segfaults():
    ctypes.string_at(0)


def time_is_killed():
    os.kill(os.getpid(), signal.SIGKILL)


def time_exits():
    sys.exit(3)


def time_exits_at_once():
    os._exit(0)


def time_closes_everything():
    os.closerange(0, 4096)
    work()


def time_raises():
    raise ValueError("the body is broken")


class RaisesInSetup:
    def setup(self):
        raise ValueError("the setup is broken")

    def time_it(self):
        work()


class RaisesInTeardown:
    def teardown(self):
        raise ValueError("the teardown is broken")

    def time_it(self):
        work()


class RaisesInSetupCache:
    def setup_cache(self):
        raise ValueError("the cache is broken")

    def time_it(self, cache):
        work()


class HangsInSetupCache:
    def setup_cache(self):
        time.sleep(3600)

    setup_cache.timeout = 2

    def time_it(self, cache):
        work()


def track_not_a_number():
    return float("nan")


def track_a_text():
    return "forty-two"


def time_fails_on_head():
    if SIDE == "head":
        raise ValueError("head is broken")
    work()


def time_fails_on_base():
    if SIDE == "base":
        raise ValueError("base is broken")
    work()


if SIDE == "head":

    def time_added():
        work()

else:

    def time_removed():
        work()
