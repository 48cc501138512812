//! A program of our own to be measured: work that is the same every time, so that whatever varies is
//! the machine. It is this very executable, started by the launcher like any other.

use std::hint::black_box;
use std::io;
use std::os::fd::{FromRawFd as _, OwnedFd};
use std::os::unix::net::UnixStream;

use nix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};

use crate::CHANNEL_VARIABLE;
use crate::interrupt::Interrupt;
use crate::lines::{LineError, Lines};

/// Words that the work goes over: 16 KiB, half of what the nearest cache holds as a rule.
const WORDS: usize = 2048;

/// What to do: `slices` times `loops` rounds, each slice timed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelRequest {
    /// Rounds of work in a slice; one takes about two microseconds.
    pub loops: u64,
    /// Slices.
    pub slices: u32,
}

/// One slice: `[cpu_ns, wall_ns]`, CPU time of the process and time on the wall, nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub struct KernelSlice(
    /// CPU time.
    pub u64,
    /// Wall time.
    pub u64,
);

/// Serves requests until the other end closes the channel.
///
/// # Errors
/// If there is no channel, or it breaks.
pub fn kernel_main() -> Result<(), LineError> {
    let mut channel = Lines::new(own_channel()?)?;
    let mut memory = vec![1_u64; WORDS];
    let never = Interrupt::never();
    loop {
        let request: KernelRequest = match channel.receive(None, &never) {
            Err(LineError::Closed) => return Ok(()),
            other => other?,
        };
        let slices: Vec<KernelSlice> = (0..request.slices)
            .map(|_| slice(&mut memory, request.loops))
            .collect::<Result<_, _>>()?;
        channel.send(&slices, None, &never)?;
    }
}

fn slice(memory: &mut [u64], loops: u64) -> io::Result<KernelSlice> {
    let (cpu, wall) = (now(ClockId::CLOCK_PROCESS_CPUTIME_ID)?, now(ClockId::CLOCK_MONOTONIC)?);
    for round in 0..loops {
        work(memory, round);
    }
    black_box(&memory);
    let (cpu_end, wall_end) =
        (now(ClockId::CLOCK_PROCESS_CPUTIME_ID)?, now(ClockId::CLOCK_MONOTONIC)?);
    Ok(KernelSlice(cpu_end.saturating_sub(cpu), wall_end.saturating_sub(wall)))
}

/// Integer arithmetic over the memory, each step depending on the one before.
#[inline(never)]
fn work(memory: &mut [u64], round: u64) {
    let mut state = round | 1;
    for word in memory {
        state = state.rotate_left(5) ^ word.wrapping_mul(0x9e37_79b9_7f4a_7c15);
        *word = word.wrapping_add(state);
    }
}

fn now(clock: ClockId) -> io::Result<u64> {
    let time = std::time::Duration::from(clock_gettime(clock)?);
    Ok(u64::try_from(time.as_nanos()).unwrap_or(u64::MAX))
}

/// The socket that this process was started with.
fn own_channel() -> io::Result<UnixStream> {
    let number = std::env::var(CHANNEL_VARIABLE).ok().and_then(|text| text.parse().ok());
    let number: i32 = number.filter(|number| *number > 2).ok_or_else(|| {
        io::Error::new(
            io::ErrorKind::NotFound,
            "not started with a channel: this is no command for people",
        )
    })?;
    // SAFETY: the launcher opened it for this process alone and named it here, once.
    let channel = unsafe { OwnedFd::from_raw_fd(number) };
    Ok(channel.into())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn work_is_timed_and_more_of_it_takes_longer() {
        let mut memory = vec![1_u64; WORDS];
        let [short, long] = [10, 1000].map(|loops| slice(&mut memory, loops).unwrap());
        assert!(short.0 > 0 && short.1 > 0, "{short:?}");
        assert!(long.0 > short.0, "{long:?} after {short:?}");
    }
}
