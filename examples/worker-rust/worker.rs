//! A worker for bench-action in one file, without dependencies: copy it and change `BENCHMARKS`.
//! The protocol is told in docs/worker.md of bench-action.

use std::fs::{self, File};
use std::hint::black_box;
use std::io::{self, BufRead, BufReader, Write};
use std::os::fd::FromRawFd;
use std::time::Instant;

mod kernels;

/// Name, and what one call does.
const BENCHMARKS: [(&str, fn()); 4] = [
    ("sum of squares", || drop(black_box(kernels::slower(black_box(7))))),
    ("hash/\"fnv\" [a.b*]", || drop(black_box(kernels::faster(black_box(7))))),
    ("straße", || drop(black_box(kernels::same(black_box(7))))),
    ("fails", || panic!("on purpose")),
];

fn main() -> io::Result<()> {
    let number = std::env::var("BENCH_ACTION_CHANNEL").ok().and_then(|text| text.parse().ok());
    let Some(number) = number else { panic!("started by bench-action, not by hand") };
    // SAFETY: the descriptor was opened for this program, and nothing else here uses it.
    let channel = unsafe { File::from_raw_fd(number) };
    let mut answers = channel.try_clone()?;
    let mut opened = None;
    for request in BufReader::new(channel).lines() {
        let request = request?;
        let answer = match text(&request, "op") {
            "list" => list(),
            "open" => {
                opened = BENCHMARKS.get(value(&request, "index") as usize);
                r#"{"opened":{}}"#.to_owned()
            }
            "measure" => match opened {
                Some((_, call)) => measure(call, &request),
                None => failed("no benchmark is open"),
            },
            "close" => r#"{"closed":{}}"#.to_owned(),
            "quit" => break,
            _ => failed("unknown request"),
        };
        answers.write_all(answer.as_bytes())?;
        answers.write_all(b"\n")?;
    }
    Ok(())
}

fn list() -> String {
    let quoted = |name: &str| name.replace('\\', "\\\\").replace('"', "\\\"");
    let row = |(index, (name, _)): (usize, &(&str, fn()))| {
        format!(r#"{{"name":"{}","index":{index}}}"#, quoted(name))
    };
    let rows: Vec<String> = BENCHMARKS.iter().enumerate().map(row).collect();
    format!(r#"{{"list":{{"protocol":1,"benchmarks":[{}]}}}}"#, rows.join(","))
}

/// Slices of `loops` calls until there are enough of them.
fn measure(call: &fn(), request: &str) -> String {
    let wanted = |key| value(request, key);
    let (mut slices, mut spent) = (Vec::new(), 0);
    while (slices.len() as u64) < wanted("slices") {
        if let Some(message) = lead_in(call, wanted("lead_in_ns")) {
            return failed(message);
        }
        let loops = wanted("loops");
        // The clocks that count are read last and first: nothing of ours is between them.
        let (delay, switches) = (run_delay(), switches_so_far());
        let (wall, thread, cpu) = (Instant::now(), clock(THREAD), clock(PROCESS));
        for _ in 0..loops {
            call();
        }
        let (cpu, thread) = (clock(PROCESS) - cpu, clock(THREAD) - thread);
        let (wall, switches) = (wall.elapsed().as_nanos(), switches_so_far() - switches);
        let delay = delay.zip(run_delay()).map(|(before, after)| (after - before).to_string());
        let delay = delay.unwrap_or("null".to_owned());
        slices.push(format!("[{cpu},{wall},{thread},{delay},{switches}]"));
        spent += cpu;
        if slices.len() as u64 >= wanted("min_slices") && spent >= wanted("cpu_ns") {
            break;
        }
    }
    format!(r#"{{"slices":[{}]}}"#, slices.join(","))
}

/// Untimed calls; a panic is told once, here, and not in timed code.
fn lead_in(call: &fn(), nanoseconds: u64) -> Option<&'static str> {
    let start = clock(PROCESS);
    loop {
        if std::panic::catch_unwind(|| call()).is_err() {
            return Some("it panicked");
        }
        if clock(PROCESS) - start >= nanoseconds {
            return None;
        }
    }
}

fn failed(message: &str) -> String {
    format!(r#"{{"failed":{{"stage":"run","message":"{message}"}}}}"#)
}

// -- Requests are flat objects: a key is found where it stands, because quotes in names are escaped.

fn after<'a>(request: &'a str, key: &str) -> &'a str {
    request.split_once(&format!("\"{key}\":")).map_or("", |(_, rest)| rest)
}

fn value(request: &str, key: &str) -> u64 {
    let rest = after(request, key);
    let end = rest.find(|letter: char| !letter.is_ascii_digit()).unwrap_or(rest.len());
    rest[..end].parse().unwrap_or(0)
}

fn text<'a>(request: &'a str, key: &str) -> &'a str {
    after(request, key).split('"').nth(1).unwrap_or("")
}

// -- What the system knows of this process

const PROCESS: i32 = if cfg!(target_os = "macos") { 12 } else { 2 };
const THREAD: i32 = if cfg!(target_os = "macos") { 16 } else { 3 };

#[repr(C)]
struct Time {
    seconds: i64,
    nanoseconds: i64,
}

unsafe extern "C" {
    fn clock_gettime(clock: i32, time: *mut Time) -> i32;
}

/// CPU time, nanoseconds.
fn clock(which: i32) -> u64 {
    let mut time = Time { seconds: 0, nanoseconds: 0 };
    // SAFETY: `time` can be written to, and has the layout of a 64-bit system's `timespec`.
    unsafe { clock_gettime(which, &mut time) };
    (time.seconds * 1_000_000_000 + time.nanoseconds) as u64
}

/// Nanoseconds that this thread was ready to run and had to wait for a core (Linux).
fn run_delay() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split_whitespace().nth(1)?.parse().ok()
}

/// How often this thread gave up its core: it waits for something (Linux).
fn switches_so_far() -> u64 {
    let status = fs::read_to_string("/proc/thread-self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("voluntary_ctxt_switches:"));
    line.and_then(|count| count.trim().parse().ok()).unwrap_or(0)
}
