//! Whatever the bytes are, a megabyte of them is read within a second. What counts is the thread's
//! CPU time, for fuzzing shares a machine, and the best of three attempts.

use nix::time::{ClockId, clock_gettime};
use std::time::Duration;

/// Time that any input may take, be it empty.
const AT_LEAST: Duration = Duration::from_millis(30);

/// How much slower all is with sanitizers and counters than in the binary, at the least.
const INSTRUMENTS: f64 = 4.0;

/// What an input is repeated to, now and then: what takes the square of its length shows only when
/// it is long, and a fuzzer thinks in short inputs.
const LONG: usize = 1 << 20;

/// One in so many inputs is.
const EVERY: u64 = 2048;

/// Does it, and fails where it takes too long.
pub(crate) fn hold(bytes: &[u8], work: impl Fn(&[u8])) {
    within(bytes, &work);
    if !bytes.is_empty() && hash(bytes) % EVERY == 0 {
        within(&bytes.repeat(LONG / bytes.len()), &work);
    }
}

fn within(bytes: &[u8], work: impl Fn(&[u8])) {
    let budget = AT_LEAST + Duration::from_secs_f64(INSTRUMENTS * bytes.len() as f64 / 1e6);
    let attempt = || {
        let start = now();
        work(bytes);
        now() - start
    };
    let is_slow = (0..3).all(|_| attempt() > budget);
    assert!(!is_slow, "{} bytes take more than {budget:?}", bytes.len());
}

fn now() -> Duration {
    clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID).map(Duration::from).expect("a clock")
}

/// FNV-1a: the same inputs are repeated each time.
fn hash(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}
