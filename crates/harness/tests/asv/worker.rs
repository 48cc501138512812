//! Real suites in a real interpreter: what is found, how hooks run, what is timed, and that no
//! benchmark, however hostile, breaks the protocol.

use crate::support::{Ground, Talk, python, tree};
use bench_harness::{
    Benchmark, HowMeasured, Measure, Reply, Request, Subject, ValueReading, WorkerError,
};
use std::fs;
use std::path::Path;

const CONF: (&str, &str) = ("asv.conf.json", "{version: 1, project: 'toy'}");
const INIT: (&str, &str) = ("benchmarks/__init__.py", "");

fn suite(module: &str) -> (tempfile::TempDir, Ground) {
    let tree = tree(&[CONF, INIT, ("benchmarks/b.py", module)]);
    let ground = Ground::new(tree.path(), Subject::Python { interpreter: python() });
    (tree, ground)
}

/// A worker with one benchmark module loaded.
fn talk(module: &str) -> (tempfile::TempDir, Ground, Talk) {
    let (tree, ground) = suite(module);
    let ready = ground.ready();
    let talk = ground.worker(ready.as_ref());
    (tree, ground, talk)
}

fn once() -> Measure {
    Measure { loops: 1, fresh: false, lead_in_ns: 0, slices: 1, min_slices: 1, cpu_ns: 1 << 40 }
}

fn value(talk: &mut Talk, benchmark: &str) -> Reply {
    talk.opened(benchmark, 0);
    let reply = talk.ask(&Request::Measure(once()));
    assert!(matches!(talk.ask(&Request::Close), Reply::Closed(_)));
    reply
}

fn failure(reply: &Reply) -> (&str, &str) {
    match reply {
        Reply::Failed(failure) => (&failure.stage, &failure.message),
        other => panic!("{other:?}"),
    }
}

// Finding

const MANY: &str = r#"
from asv_runner.benchmarks.mark import skip_for_params, skip_benchmark, parameterize

def square(x): return x * x
def cube(x): return x ** 3

class _Mixin:
    params = [[1, 2], ["a", "b"]]
    param_names = ["n"]
    timeout = 7
    def setup(self, n, s): pass
    def time_mixed(self, n, s): pass

class First(_Mixin): pass
class Second(_Mixin):
    number = 5
    def track_it(self, n, s): return n
    track_it.unit = "widgets"

class Functions:
    params = [square, cube, lambda x: x]
    def time_call(self, f): f(3)

class Skips:
    params = [1, 2, 3]
    @skip_for_params([(2,)])
    def time_some(self, n): pass

class Cached:
    def setup_cache(self): return [1]
    setup_cache.timeout = 7
    def time_use(self, cache): pass

@skip_benchmark
def time_never(): pass
@parameterize({"a": [1.5]})
def time_decorated(a): pass
def time_plain(): pass
time_plain.pretty_name = "Plain and simple"
time_plain.version = "v1"
def time_renamed(): pass
time_renamed.benchmark_name = "other.time_name"
def timeraw_start(): return "pass"
def mem_list(): return [0]
def peakmem_list(): return [0]
def not_a_benchmark(): pass
"#;

fn names(benchmarks: &[Benchmark]) -> Vec<String> {
    let mut names: Vec<_> = benchmarks.iter().map(|b| b.name.clone()).collect();
    names.dedup();
    names.sort();
    names
}

#[test]
fn a_suite_is_listed_as_asv_lists_it() {
    let (_tree, ground) = suite(MANY);
    let ready = ground.ready();
    let found = ground.discover(ready.as_ref());
    assert_eq!(found.broken, []);
    let expected = [
        "b.Cached.time_use",
        "b.First.time_mixed",
        "b.Functions.time_call",
        "b.Second.time_mixed",
        "b.Second.track_it",
        "b.Skips.time_some",
        "b.mem_list",
        "b.peakmem_list",
        "b.time_decorated",
        "b.time_plain",
        "b.timeraw_start",
        "other.time_name",
    ];
    assert_eq!(names(&found.benchmarks), expected);
    let of = |name: &str| -> Vec<&Benchmark> {
        found.benchmarks.iter().filter(|b| b.name == name).collect()
    };
    let mixed = of("b.First.time_mixed");
    let texts: Vec<_> = mixed
        .iter()
        .map(|b| b.params.iter().map(|p| format!("{}={}", p.name, p.value)).collect::<Vec<_>>())
        .collect();
    let combinations = [
        ["n=1", "param2='a'"],
        ["n=1", "param2='b'"],
        ["n=2", "param2='a'"],
        ["n=2", "param2='b'"],
    ];
    assert_eq!(texts, combinations);
    assert_eq!(mixed.iter().map(|b| b.index).collect::<Vec<_>>(), [0, 1, 2, 3]);
    assert_eq!((mixed[0].timeout_s, mixed[0].params[0].number), (7.0, Some(1.0)));
    assert_eq!(mixed[0].how, HowMeasured::Stepped { hooks: true, number: None });
    let second = of("b.Second.time_mixed")[0];
    assert_eq!(second.how, HowMeasured::Stepped { hooks: true, number: Some(5) });
    assert_eq!(of("b.Second.track_it")[0].metrics[0].metric.unit, "widgets");
    let functions = of("b.Functions.time_call");
    assert_eq!(functions[0].params[0].value, "<function square>");
    let skips: Vec<_> = of("b.Skips.time_some").iter().map(|b| b.skip.is_some()).collect();
    assert_eq!(skips, [false, true, false]);
    let plain = of("b.time_plain")[0];
    assert_eq!(plain.pretty_name.as_deref(), Some("Plain and simple"));
    assert_eq!(plain.version.as_deref(), Some("v1"));
    assert_eq!(plain.how, HowMeasured::Stepped { hooks: false, number: None });
    assert!(of("b.Cached.time_use")[0].cache_key.as_deref().unwrap().starts_with("b:"));
    assert_eq!(of("b.Cached.time_use")[0].cache_timeout_s, Some(7.0));
    assert_eq!(of("b.timeraw_start")[0].how, HowMeasured::SteppedProcess);
    assert_eq!(of("b.mem_list")[0].metrics[0].metric.name, "memory");
    assert_eq!(of("b.peakmem_list")[0].how, HowMeasured::FreshValue);
    assert!(found.suite_digest.is_some());
}

#[test]
fn broken_modules_are_reported_and_hide_nothing() {
    let tree = tree(&[
        CONF,
        INIT,
        ("benchmarks/a_missing.py", "import no_such_module_anywhere\ndef time_x(): pass"),
        ("benchmarks/b_exit.py", "import sys\nsys.exit('no')"),
        ("benchmarks/c_dies.py", "import os\nos._exit(3)"),
        ("benchmarks/d_class.py", "class Bad:\n def __init__(self): 1/0\n def time_x(self): pass"),
        ("benchmarks/e/__init__.py", ""),
        ("benchmarks/e/good.py", "def time_x(): pass"),
    ]);
    let ground = Ground::new(tree.path(), Subject::Python { interpreter: python() });
    let found = ground.discover(ground.ready().as_ref());
    assert_eq!(names(&found.benchmarks), ["e.good.time_x"]);
    let broken: Vec<_> =
        found.broken.iter().map(|b| (b.module.as_str(), b.message.as_str())).collect();
    let mut broken = broken;
    broken.sort_unstable();
    assert_eq!(
        broken,
        [
            ("a_missing", "ModuleNotFoundError: No module named 'no_such_module_anywhere'"),
            ("b_exit", "SystemExit: no"),
            ("c_dies", "importing it ended the process (code 3)"),
            ("d_class.Bad", "ZeroDivisionError: division by zero"),
        ]
    );
}

#[test]
fn a_suite_of_which_nothing_can_be_imported_is_a_failure_that_says_why() {
    let tree = tree(&[CONF, ("benchmarks/__init__.py", "raise RuntimeError('not today')")]);
    let ground = Ground::new(tree.path(), Subject::Python { interpreter: python() });
    let ready = ground.ready();
    let failure = ready.discover(&ground.launcher, &ground.interrupt).unwrap_err();
    assert_eq!(failure.stage, "import");
    assert!(failure.message.contains("RuntimeError: not today"), "{}", failure.message);
    assert!(failure.stderr_tail.contains("Traceback"), "{}", failure.stderr_tail);
}

// Hooks

const HOOKS: &str = r#"
log = []
def setup(*args): log.append("module+")
def teardown(*args): log.append("module-")
class Hooked:
    params = [3]
    def setup(self, n): log.append("class+")
    def teardown(self, n): log.append("class-")
    def time_it(self, n): log.append("call")
    def track_log(self, n): return " ".join(log)
def hook(n): log.append("function+")
Hooked.time_it.setup = hook
Hooked.track_log.setup = hook
"#;

#[test]
fn set_ups_run_from_module_to_function_and_fresh_calls_get_one_each() {
    let (_tree, _ground, mut talk) = talk(&format!(
        "{HOOKS}\n    \nimport atexit\nclass Told(Hooked):\n    def teardown(self, n):\n        \
         log.append('class-')\n        open('told', 'w').write(' '.join(log))\n"
    ));
    talk.load("b.Told.time_it");
    talk.opened("b.Told.time_it", 0);
    let measure = Measure { loops: 2, fresh: true, ..once() };
    assert!(matches!(talk.ask(&Request::Measure(measure)), Reply::Slices(_)));
    assert!(matches!(talk.ask(&Request::Close), Reply::Closed(_)));
    let told = fs::read_to_string(talk.directory.path().join("told")).unwrap();
    let cycle = "module+ class+ function+ call class- module-";
    // The last teardown hook, the module's, runs after the file is written.
    assert_eq!(told, format!("{cycle} {}", cycle.trim_end_matches(" module-")));
    assert_eq!(
        value(&mut talk, "b.Told.track_log"),
        Reply::Value(ValueReading::Text("module+ class+ function+".into()))
    );
}

#[test]
fn a_demanded_number_of_calls_shares_a_set_up() {
    let module = "class N:\n    number = 3\n    def setup(self):\n        self.calls = 0\n        \
                  open('ups', 'a').write('u')\n    def time_it(self):\n        self.calls += 1\n        \
                  open('ups', 'a').write(str(self.calls))\n";
    let (_tree, _ground, mut talk) = talk(module);
    talk.opened("b.N.time_it", 0);
    let measure = Measure { loops: 6, fresh: true, ..once() };
    talk.ask(&Request::Measure(measure));
    talk.ask(&Request::Close);
    let ups = fs::read_to_string(talk.directory.path().join("ups")).unwrap();
    assert_eq!(ups, "u123u123");
}

#[test]
fn a_set_up_that_does_not_apply_is_a_skip_with_its_reason() {
    let module = "from asv_runner.benchmarks.mark import SkipNotImplemented\n\
        def setup_x(): raise NotImplementedError('needs the moon')\n\
        def time_up(): pass\ntime_up.setup = setup_x\n\
        def time_body(): raise SkipNotImplemented('not here')\n\
        def track_body(): raise SkipNotImplemented('not here')\n";
    let (_tree, _ground, mut talk) = talk(module);
    assert_eq!(talk.open("b.time_up", 0), Reply::Skipped("needs the moon".into()));
    assert_eq!(value(&mut talk, "b.time_body"), Reply::Skipped("not here".into()));
    assert_eq!(value(&mut talk, "b.track_body"), Reply::Value(ValueReading::Nan));
}

#[test]
fn a_prepared_cache_is_the_first_argument_of_all_that_share_it() {
    let module = "class C:\n    params = [1, 2]\n    def setup_cache(self):\n        \
        open('beside', 'w').write('x')\n        return {'k': 40}\n    \
        def setup(self, cache, n):\n        self.sum = cache['k'] + n\n    \
        def track_sum(self, cache, n):\n        return self.sum + len(open('beside').read())\n\
        class Bad:\n    def setup_cache(self): return 1 / 0\n    def track_x(self, cache): return 1\n";
    let (_tree, _ground, mut talk) = talk(module);
    let directory = talk.directory.path().to_owned();
    let ask = |talk: &mut Talk, benchmark: &str| {
        let benchmark = benchmark.to_owned();
        talk.ask(&Request::SetupCache { benchmark, directory: directory.clone() })
    };
    assert_eq!(ask(&mut talk, "b.C.track_sum"), Reply::Ready);
    let mut open = talk.open_request("b.C.track_sum", 1);
    open.cache = Some(directory.clone());
    assert!(matches!(talk.ask(&Request::Open(open)), Reply::Opened(_)));
    let reply = talk.ask(&Request::Measure(once()));
    assert_eq!(reply, Reply::Value(ValueReading::Number(43.0)));
    talk.ask(&Request::Close);
    let reply = ask(&mut talk, "b.Bad.track_x");
    assert_eq!(failure(&reply), ("setup_cache", "ZeroDivisionError: division by zero"));
}

// Measuring

#[test]
fn slices_stop_where_they_are_asked_to() {
    let (_tree, _ground, mut talk) = talk("def time_x(): sum(range(20000))");
    talk.opened("b.time_x", 0);
    let mut count = |measure: Measure| match talk.ask(&Request::Measure(measure)) {
        Reply::Slices(slices) => {
            assert!(slices.iter().all(|slice| slice.0 > 0 && slice.1 >= slice.2 / 2));
            slices.len()
        }
        other => panic!("{other:?}"),
    };
    assert_eq!(count(Measure { slices: 4, ..once() }), 4);
    assert_eq!(count(Measure { slices: 9, min_slices: 3, cpu_ns: 1, ..once() }), 3);
    let some = count(Measure { loops: 4, slices: 60, cpu_ns: 5_000_000, ..once() });
    assert!((1..60).contains(&some), "{some}");
}

#[test]
fn values_of_every_kind_have_a_reading() {
    let (_tree, _ground, mut talk) = talk(
        "def track_number(): return 3\ndef track_nan(): return float('nan')\n\
         def track_inf(): return float('inf')\ndef track_text(): return 'a\\udc80b'\n\
         def track_dict(): return {'a': 1}\ndef track_none(): return None\n\
         def mem_list(): return [0] * 1000\n",
    );
    let table = [
        ("b.track_number", ValueReading::Number(3.0)),
        ("b.track_nan", ValueReading::Nan),
        ("b.track_inf", ValueReading::Text("inf".into())),
        ("b.track_text", ValueReading::Text("a\\udc80b".into())),
        ("b.track_dict", ValueReading::Text("{'a': 1}".into())),
    ];
    for (name, reading) in table {
        assert_eq!(value(&mut talk, name), Reply::Value(reading), "{name}");
    }
    let none = value(&mut talk, "b.track_none");
    assert_eq!(failure(&none), ("run", "TypeError: it returned None instead of a value"));
    let Reply::Value(ValueReading::Number(bytes)) = value(&mut talk, "b.mem_list") else {
        panic!()
    };
    assert!((8000.0..9000.0).contains(&bytes), "{bytes}");
}

#[test]
fn peak_memory_is_measured_in_the_worker_itself_which_then_ends() {
    let (_tree, _ground, mut talk) = talk("def peakmem_x(): return b'x' * (200 << 20)");
    let mut open = talk.open_request("b.peakmem_x", 0);
    open.fork = false;
    assert!(matches!(talk.ask(&Request::Open(open)), Reply::Opened(_)));
    let Reply::Value(ValueReading::Number(bytes)) = talk.ask(&Request::Measure(once())) else {
        panic!()
    };
    assert!(bytes > f64::from(200 << 20), "{bytes}");
    let Reply::Closed(closed) = talk.ask(&Request::Close) else { panic!() };
    assert!(closed.max_rss_bytes.unwrap() > 200 << 20);
    assert!(matches!(talk.try_ask(&Request::List, 5.0), Err(WorkerError::Ended(_))));
}

#[test]
fn raw_statements_are_timed_inside_a_process_of_their_own() {
    let (_tree, _ground, mut talk) = talk(
        "def timeraw_x():\n    return 'total = sum(range(n))', 'n = 200000'\n\
         timeraw_x.number = 2\n\
         def timeraw_bad(): return 'import sys; sys.exit(9)'\n",
    );
    talk.opened("b.timeraw_x", 0);
    let Reply::Slices(slices) = talk.ask(&Request::Measure(once())) else { panic!() };
    // Not the ten and more milliseconds that starting the process takes.
    assert!(slices[0].0 > 100_000, "{slices:?}");
    talk.ask(&Request::Close);
    let bad = value(&mut talk, "b.timeraw_bad");
    assert_eq!(failure(&bad), ("run", "RuntimeError: the timed process ended with 9"));
}

const STATE: &str = r#"
def burn():
    sum(range(3000))
class Wears:
    def setup(self): self.done = False
    def time_it(self):
        if not self.done: burn(); burn(); burn(); burn()
        self.done = True
class Keeps:
    def setup(self): self.list = [1]
    def time_it(self): burn()
state = None
def setup_function():
    global state
    state = []
def time_function():
    if not state: burn(); burn(); burn(); burn()
    state.append(1)
time_function.setup = setup_function
"#;

#[test]
fn the_state_test_tells_what_wears_out_from_what_does_not() {
    let (_tree, _ground, mut talk) = talk(STATE);
    let mut ratio = |name: &str| {
        talk.opened(name, 0);
        let Reply::State(pairs) = talk.ask(&Request::State { pairs: 15 }) else { panic!() };
        talk.ask(&Request::Close);
        assert_eq!(pairs.len(), 15);
        let mut ratios: Vec<f64> = pairs.iter().map(|p| p.0 as f64 / p.1 as f64).collect();
        ratios.sort_by(f64::total_cmp);
        ratios[7]
    };
    assert!(ratio("b.Wears.time_it") > 4.0);
    assert!(ratio("b.time_function") > 4.0);
    assert!((0.5..2.0).contains(&ratio("b.Keeps.time_it")));
}

#[test]
fn random_numbers_are_equal_in_every_worker_and_every_child() {
    let module = "import random\nseed = random.random()\n\
                  def track_import(): return seed\ndef track_call(): return random.random()\n";
    let (_tree, ground, mut first) = talk(module);
    first.load("b.track_import");
    let ready = ground.ready();
    let mut second = ground.worker(ready.as_ref());
    second.load("b.track_import");
    for name in ["b.track_import", "b.track_call"] {
        let reading = value(&mut first, name);
        assert!(matches!(reading, Reply::Value(ValueReading::Number(_))), "{reading:?}");
        assert_eq!(value(&mut first, name), reading);
        assert_eq!(value(&mut second, name), reading);
    }
}

// Hostility

const HOSTILE: &str = r#"
import os, signal, subprocess, sys, time
def time_exit(): sys.exit(3)
def time_hard_exit(): os._exit(7)
def time_hard_zero(): os._exit(0)
def time_segfault(): os.kill(os.getpid(), signal.SIGSEGV)
def time_closes(): os.closerange(0, 4096)
def time_rubbish():
    os.write(1, b'\xff\x00{"closed":{}}\n' * 1000)
    os.write(2, b'{"died":{"code":0}}\n')
def time_moves(): os.chdir("/")
def time_hangs(): time.sleep(1000)
def setup_hangs(): time.sleep(1000)
def time_setup_hangs(): pass
time_setup_hangs.setup = setup_hangs
def time_children(): subprocess.Popen(["sleep", "1000"])
def setup_raises(): raise KeyError("missing")
def time_setup_raises(): pass
time_setup_raises.setup = setup_raises
def teardown_raises(): raise OSError("busy")
def time_teardown_raises(): pass
time_teardown_raises.teardown = teardown_raises
def teardown_exits(): os._exit(5)
def time_teardown_exits(): pass
time_teardown_exits.teardown = teardown_exits
class Unprintable(Exception):
    def __str__(self): raise RuntimeError("no")
def time_unprintable(): raise Unprintable()
def time_replaces():
    import json, time
    json.dumps = json.loads = os.write = os.read = None
    sys.stdout = None
def track_fine(): return 1
"#;

/// After whatever happened the worker serves the next benchmark.
fn serves(talk: &mut Talk) {
    assert_eq!(value(talk, "b.track_fine"), Reply::Value(ValueReading::Number(1.0)));
}

#[test]
fn exits_and_signals_and_exceptions_each_have_their_reply() {
    let (_tree, _ground, mut talk) = talk(HOSTILE);
    let died = |code, signal| Reply::Died(bench_harness::Died { code, signal });
    let mut measured = |name: &str| {
        talk.opened(name, 0);
        let reply = talk.ask(&Request::Measure(once()));
        assert!(matches!(talk.ask(&Request::Close), Reply::Closed(_)), "{name}");
        serves(&mut talk);
        reply
    };
    assert_eq!(failure(&measured("b.time_exit")), ("run", "SystemExit: 3"));
    assert_eq!(measured("b.time_hard_exit"), died(Some(7), None));
    assert_eq!(measured("b.time_hard_zero"), died(Some(0), None));
    assert_eq!(measured("b.time_segfault"), died(None, Some(11)));
    let closes = measured("b.time_closes");
    assert!(failure(&closes).1.contains("closed descriptors that are not its own"), "{closes:?}");
    assert!(failure(&measured("b.time_unprintable")).1.starts_with("Unprintable"));
    for name in ["b.time_rubbish", "b.time_moves", "b.time_replaces"] {
        let reply = measured(name);
        assert!(matches!(reply, Reply::Slices(_)), "{name}: {reply:?}");
    }
}

#[test]
fn hooks_that_fail_have_their_stage_and_nothing_stays_open() {
    let (_tree, _ground, mut talk) = talk(HOSTILE);
    let reply = talk.open("b.time_setup_raises", 0);
    assert_eq!(failure(&reply), ("setup", "KeyError: 'missing'"));
    let Reply::Failed(details) = &reply else { panic!() };
    assert!(details.details.contains("in setup_raises"), "{}", details.details);
    assert!(!details.details.contains("worker.py"), "{}", details.details);
    serves(&mut talk);
    talk.opened("b.time_teardown_raises", 0);
    let reply = talk.ask(&Request::Close);
    assert_eq!(failure(&reply), ("teardown", "OSError: busy"));
    serves(&mut talk);
    talk.opened("b.time_teardown_exits", 0);
    let reply = talk.ask(&Request::Close);
    assert_eq!(reply, Reply::Died(bench_harness::Died { code: Some(5), signal: None }));
    serves(&mut talk);
    let reply = talk.open("b.time_no_such", 0);
    assert_eq!(failure(&reply).0, "import");
    serves(&mut talk);
}

#[test]
fn what_hangs_is_killed_and_the_worker_goes_on() {
    let (_tree, _ground, mut talk) = talk(HOSTILE);
    talk.load("b.time_hangs");
    talk.opened("b.time_hangs", 0);
    let error = talk.try_ask(&Request::Measure(once()), 0.3).unwrap_err();
    assert!(matches!(error, WorkerError::TimedOut { usable: true, .. }), "{error}");
    serves(&mut talk);
    let open = Request::Open(talk.open_request("b.time_setup_hangs", 0));
    let error = talk.try_ask(&open, 0.5).unwrap_err();
    if cfg!(target_os = "linux") {
        assert!(matches!(error, WorkerError::TimedOut { usable: true, .. }), "{error}");
        serves(&mut talk);
    }
}

#[test]
fn children_left_behind_end_with_the_benchmark() {
    let (_tree, _ground, mut talk) = talk(HOSTILE);
    let group = talk.opened("b.time_children", 0);
    talk.ask(&Request::Measure(once()));
    assert!(matches!(talk.ask(&Request::Close), Reply::Closed(_)));
    let alive = |process: &Path| {
        let stat = fs::read_to_string(process.join("stat")).unwrap_or_default();
        let after = stat.rsplit(')').next().unwrap_or_default();
        let fields: Vec<&str> = after.split_whitespace().collect();
        fields.first().is_some_and(|state| *state != "Z")
            && fields.get(2).is_some_and(|pgrp| *pgrp == group.to_string())
    };
    // SIGKILL has been sent; the processes may take a moment to be gone.
    for _ in 0..100 {
        let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
        if !processes.map(|entry| entry.path()).any(|path| alive(&path)) {
            return;
        }
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    panic!("the group {group} is still there");
}

#[test]
fn what_a_benchmark_prints_goes_to_its_file() {
    let (_tree, _ground, mut talk) = talk(
        "import os\ndef time_x():\n    print('from python')\n    os.system('echo from below')",
    );
    talk.opened("b.time_x", 0);
    talk.ask(&Request::Measure(once()));
    talk.ask(&Request::Close);
    let output = fs::read_to_string(talk.output()).unwrap();
    assert!(output.contains("from python") && output.contains("from below"), "{output}");
}
