//! Workers in any language: the examples, and some that misbehave.

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;
use crate::support::run::Finished;

/// An example's files, as they are in this repository.
macro_rules! example {
    ($directory:literal, $($file:literal),+) => {
        [$(($file, include_str!(concat!("../../examples/", $directory, "/", $file)))),+]
    };
}

/// Whether a tool of this name can be started; says so where it cannot.
fn has(tool: &str, argument: &str) -> bool {
    let has = std::process::Command::new(tool).arg(argument).output().is_ok();
    if !has {
        eprintln!("skipped: {tool} is not installed");
    }
    has
}

const NAMES: [&str; 3] = ["speed/sum of squares", "speed/hash/\"fnv\" [a.b*]", "speed/straße"];

/// Head does a tenth more of one thing and a tenth less of another.
fn finds_the_true_changes(files: &[(&str, &str)], kernels: &str) {
    let text = files.iter().find(|(name, _)| *name == kernels).map(|(_, text)| *text).unwrap();
    let changed = text.replace("1000, 1000, 1000", "1100, 900, 1000");
    assert_ne!(text, changed);
    let repository = Repository::new(files, &[(kernels, &changed)]);
    let finished = repository.run(&["--seed", "worker"]).finish();
    let results = ResultsFile::read(&repository.last());
    for (name, verdict) in NAMES.iter().zip(["regressed", "improved", "unchanged"]) {
        assert_eq!(results.verdict(name), verdict, "{name}: {finished}");
    }
    let row = results.row(NAMES[0]);
    assert_eq!((&row["schedule"], &row["clock"]), (&"alternate".into(), &"cpu".into()));
    let failed = results.row("speed/fails");
    assert_eq!(failed["verdict"], "failed", "{finished}");
}

#[test]
fn a_worker_in_rust_finds_the_true_changes() {
    let files = example!("worker-rust", "worker.rs", "kernels.rs", "bench-action.toml");
    if has("rustc", "--version") {
        finds_the_true_changes(&files, "kernels.rs");
    }
}

#[test]
fn a_worker_in_javascript_finds_the_true_changes() {
    let files = example!("worker-javascript", "worker.mjs", "kernels.mjs", "bench-action.toml");
    if has("node", "--version") {
        finds_the_true_changes(&files, "kernels.mjs");
    }
}

#[test]
fn a_worker_in_go_finds_the_true_changes() {
    let files = example!("worker-go", "worker.go", "kernels.go", "go.mod", "bench-action.toml");
    if has("go", "version") {
        finds_the_true_changes(&files, "kernels.go");
    }
}

/// A small worker in Python that does as it should, and on head what `BEHAVIOUR` says.
const WORKER: &str = r#"
import json, os, sys, time

channel = int(os.environ["BENCH_ACTION_CHANNEL"])
lines = os.fdopen(os.dup(channel), "rb")

def send(reply):
    data = reply if isinstance(reply, bytes) else json.dumps(reply).encode()
    os.write(channel, data + b"\n")

def measure(request):
    slices = []
    while len(slices) < request["slices"]:
        cpu, wall = time.process_time_ns(), time.perf_counter_ns()
        for _ in range(request["loops"] * 300):
            pass
        cpu, wall = time.process_time_ns() - cpu, time.perf_counter_ns() - wall
        slices.append([cpu, wall, cpu, None, 0])
        if len(slices) >= request["min_slices"] and sum(s[0] for s in slices) >= request["cpu_ns"]:
            break
    return {"slices": slices}

print("a worker may print what it likes", flush=True)
for line in lines:
    request = json.loads(line)
    op = request["op"]
    BEHAVIOUR
    if op == "list":
        send({"list": {"protocol": 1, "benchmarks": [{"name": "a", "timeout_s": 2}]}})
    elif op == "open":
        send({"opened": {}})
    elif op == "measure":
        send(measure(request))
    elif op == "close":
        send({"closed": {}})
    elif op == "quit":
        break
"#;

/// What comes of a worker whose head does this with a request.
fn misbehaves(behaviour: &str) -> (Repository, Finished) {
    let configuration = "[[suite]]\nharness = \"worker\"\nrun = \"python3 worker.py\"\n";
    let base = WORKER.replace("BEHAVIOUR", "pass");
    let head = WORKER.replace("BEHAVIOUR", behaviour);
    let files = [("bench-action.toml", configuration), ("worker.py", &base)];
    let repository = Repository::new(&files, &[("worker.py", &head)]);
    let only = ["--repeat", "2", "--fail-on", "never", "--seed", "misbehaves"];
    let finished = repository.run(&only).finish();
    (repository, finished)
}

/// A machine that is busy for a moment can make a probe look as if it waited; what waits does so again.
#[test]
fn what_seems_to_wait_in_one_probe_alone_keeps_the_cpu_clock() {
    let is_probe = "if op == 'measure' and request['slices'] > 10**9";
    let waits =
        "send({'slices': [[c, 2 * c, c, 0, 9] for c, *_ in measure(request)['slices']]}); continue";
    let once = format!("{is_probe} and 'seen' not in globals(): seen = True; {waits}");
    let always = format!("{is_probe}: {waits}");
    for (behaviour, clock, schedule) in
        [(&once, "cpu", "alternate"), (&always, "wall", "sequential")]
    {
        let (repository, finished) = misbehaves(behaviour);
        let row = ResultsFile::read(&repository.last()).row("worker/a").clone();
        let route = (&row["clock"], &row["schedule"]);
        assert_eq!(route, (&clock.into(), &schedule.into()), "{behaviour}: {finished}");
    }
}

#[test]
fn what_a_worker_does_wrong_while_it_measures_is_told_in_words() {
    let cases = [
        ("if op == 'measure': send(b'rubbish'); continue", "protocol", "rubbish"),
        ("if op == 'measure': send({'closed': {}}); continue", "protocol", "answered Closed"),
        ("if op == 'measure': send({'slices': []}); continue", "protocol", "0 slices"),
        ("if op == 'measure': send({'slices': [[1, 2]]}); continue", "protocol", "read"),
        ("if op == 'measure': send({'slices': [[-5, 5, 5, None, 0]]}); continue", "protocol", "-5"),
        ("if op == 'measure': send({'slices': [[float('nan')] * 5]}); continue", "protocol", "NaN"),
        (
            "if op == 'measure': send({'slices': [[0] * 5] * request['min_slices']}); continue",
            "protocol",
            "took no time",
        ),
        ("if op == 'measure': os._exit(3)", "exit", "exit code 3"),
        ("if op == 'measure': os.kill(os.getpid(), 11)", "exit", "SIGSEGV"),
        ("if op == 'measure': time.sleep(60)", "timeout", "timeout of 2 s"),
        ("if op == 'open': os.close(channel); lines.close(); time.sleep(60)", "exit", "the worker"),
        (
            "if op == 'open': print('no such file', flush=True); send({'failed': {'stage': 'setup', 'message': 'broken'}}); continue",
            "setup",
            "broken",
        ),
    ];
    for (behaviour, stage, words) in cases {
        let (repository, finished) = misbehaves(behaviour);
        let results = ResultsFile::read(&repository.last());
        let row = results.row("worker/a");
        assert_eq!(row["verdict"], "failed", "{behaviour}: {finished}");
        assert_eq!(row["failure"]["stage"], stage, "{behaviour}: {row}");
        assert_eq!(row["failure"]["side"], "head", "{behaviour}: {row}");
        let message = row["failure"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{behaviour}: {message}");
        crate::support::processes::assert_none_left(repository.mark());
    }
}

#[test]
fn what_a_worker_prints_goes_with_its_failure_and_does_no_harm() {
    let (repository, finished) =
        misbehaves("if op == 'measure': print('out of paper', flush=True); os._exit(1)");
    let results = ResultsFile::read(&repository.last());
    let tail = results.row("worker/a")["failure"]["stderr_tail"].as_str().unwrap();
    assert!(tail.contains("out of paper"), "{finished}");
    let (repository, finished) = misbehaves("print('{\"op\": rubbish', flush=True)");
    assert_eq!(ResultsFile::read(&repository.last()).counted("worker/a"), 2, "{finished}");
}

#[test]
fn a_worker_that_cannot_list_fails_its_side_with_the_reason() {
    let cases = [
        (
            "if op == 'list': send({'list': {'protocol': 7, 'benchmarks': []}}); continue",
            "version 7",
        ),
        ("if op == 'list': send({'list': {'benchmarks': []}}); continue", "which version"),
        ("if op == 'list': send(b'[rubbish'); continue", "rubbish"),
        ("if op == 'list': raise SystemExit('no data')", "exit code 1"),
        (
            "if op == 'list': send({'list': {'protocol': 1, 'benchmarks': [{'name': 'a'}] * 2}}); continue",
            "twice",
        ),
    ];
    for (behaviour, words) in cases {
        let (_, finished) = misbehaves(behaviour);
        assert_eq!(finished.exit, Some(21), "{behaviour}: {finished}");
        let told = finished.to_string();
        assert!(told.contains(words) && told.contains("python3 worker.py"), "{behaviour}: {told}");
    }
}

#[test]
fn a_worker_that_only_head_has_is_new() {
    let configuration = "[[suite]]\nharness = \"worker\"\nrun = \"./serve\"\n";
    let worker = format!("#!/usr/bin/env python3\n{}", WORKER.replace("BEHAVIOUR", "pass"));
    let repository =
        Repository::new(&[], &[("bench-action.toml", configuration), ("serve", &worker)]);
    let finished = repository.run(&[]).expect(21);
    let told = finished.stdout.split_whitespace().collect::<Vec<_>>().join(" ");
    assert!(told.contains("is not executable"), "{finished}");
    let serve = repository.root().join("serve");
    std::fs::set_permissions(serve, std::os::unix::fs::PermissionsExt::from_mode(0o755)).unwrap();
    repository.git(&["commit", "--quiet", "--all", "--amend", "--no-edit"]);
    let finished = repository.run(&[]).finish();
    let results = ResultsFile::read(&repository.last());
    assert_eq!(results.verdict("worker/a"), "added", "{finished}");
}
