//! Waits for the first of several things with one `poll(2)`: no thread, no tick.

use std::io;
use std::os::fd::BorrowedFd;
use std::time::Instant;

use nix::errno::Errno;
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};

use crate::interrupt::{Interrupt, Signal};

/// Something that can have news: a [`crate::Process`] or a [`crate::Lines`].
pub trait Watch {
    /// Readable when there is news.
    fn descriptor(&self) -> BorrowedFd<'_>;
    /// True where news has been read already and waits in memory.
    fn has_news(&self) -> bool;
}

/// What came first.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Ready {
    /// The source at this index has news, and none before it has. News may be an end.
    At(usize),
    /// The deadline passed.
    TimedOut,
    /// A signal arrived. It goes before all else, so that busy sources cannot hide it.
    Interrupted(Signal),
}

/// Blocks until one of `sources` has news, `deadline` passes or `interrupt` fires.
///
/// # Errors
/// What `poll(2)` reports; in practice, no memory.
pub fn wait_any(
    sources: &[&dyn Watch],
    deadline: Option<Instant>,
    interrupt: &Interrupt,
) -> io::Result<Ready> {
    if let Some(signal) = interrupt.received() {
        return Ok(Ready::Interrupted(signal));
    }
    if let Some(index) = sources.iter().position(|source| source.has_news()) {
        return Ok(Ready::At(index));
    }
    let awaited: Vec<_> = sources.iter().map(|s| (s.descriptor(), PollFlags::POLLIN)).collect();
    wait_for(&awaited, deadline, interrupt)
}

/// The same on bare descriptors, each with the events it is waited for.
pub(crate) fn wait_for(
    awaited: &[(BorrowedFd<'_>, PollFlags)],
    deadline: Option<Instant>,
    interrupt: &Interrupt,
) -> io::Result<Ready> {
    let mut polled: Vec<_> = awaited.iter().map(|&(fd, events)| PollFd::new(fd, events)).collect();
    polled.extend(interrupt.fd().map(|fd| PollFd::new(fd, PollFlags::POLLIN)));
    loop {
        match poll(&mut polled, timeout(deadline)) {
            Ok(_) | Err(Errno::EINTR) => {}
            Err(error) => return Err(error.into()),
        }
        if let Some(signal) = interrupt.received() {
            return Ok(Ready::Interrupted(signal));
        }
        // Errors and hang-ups count as news too: reading then tells what they are.
        let first = polled[..awaited.len()].iter().position(|fd| fd.any() == Some(true));
        if let Some(index) = first {
            return Ok(Ready::At(index));
        }
        if deadline.is_some_and(|deadline| Instant::now() >= deadline) {
            return Ok(Ready::TimedOut);
        }
    }
}

/// Rounded up, lest the last millisecond be spent spinning.
fn timeout(deadline: Option<Instant>) -> PollTimeout {
    let Some(deadline) = deadline else { return PollTimeout::NONE };
    let left = deadline.saturating_duration_since(Instant::now());
    let millis = left.as_nanos().div_ceil(1_000_000);
    PollTimeout::try_from(millis).unwrap_or(PollTimeout::MAX)
}

#[cfg(test)]
mod tests {
    use std::io::Write;
    use std::os::unix::net::UnixStream;
    use std::time::Duration;

    use super::*;
    use crate::lines::Lines;

    #[test]
    fn the_first_source_with_news_is_named_and_a_silent_one_times_out() {
        let (silent, _keep) = UnixStream::pair().unwrap();
        let (other, mut sender) = UnixStream::pair().unwrap();
        let (silent, other) = (Lines::new(silent).unwrap(), Lines::new(other).unwrap());
        let never = Interrupt::never();
        let soon = Some(Instant::now() + Duration::from_millis(5));
        assert_eq!(wait_any(&[&silent, &other], soon, &never).unwrap(), Ready::TimedOut);
        sender.write_all(b"x\n").unwrap();
        assert_eq!(wait_any(&[&silent, &other], None, &never).unwrap(), Ready::At(1));
    }

    #[test]
    fn a_line_that_was_read_along_with_another_is_news() {
        let (stream, mut sender) = UnixStream::pair().unwrap();
        let mut lines = Lines::new(stream).unwrap();
        let never = Interrupt::never();
        sender.write_all(b"one\ntwo\n").unwrap();
        assert_eq!(lines.receive_line(None, &never).unwrap(), "one");
        assert_eq!(wait_any(&[&lines], None, &never).unwrap(), Ready::At(0));
        assert_eq!(lines.receive_line(None, &never).unwrap(), "two");
    }

    #[test]
    fn a_closed_source_is_news() {
        let (stream, sender) = UnixStream::pair().unwrap();
        let lines = Lines::new(stream).unwrap();
        drop(sender);
        assert_eq!(wait_any(&[&lines], None, &Interrupt::never()).unwrap(), Ready::At(0));
    }
}
