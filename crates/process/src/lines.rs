//! A line at a time over a Unix socket, with a deadline and a bound: the other end is not trusted.

use std::io::{self, Read, Write};
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::time::Instant;

use nix::poll::PollFlags;
use serde::Serialize;
use serde::de::DeserializeOwned;

use crate::interrupt::{Interrupt, Signal};
use crate::wait::{Ready, Watch, wait_for};

/// Longest line accepted unless told otherwise: 64 MiB.
const DEFAULT_LIMIT: usize = 64 << 20;
const CHUNK: usize = 64 << 10;

/// Why a line could not be sent or received.
#[derive(Debug, thiserror::Error)]
pub enum LineError {
    /// The other end has closed its side; a line begun and not ended is lost.
    #[error("the other end closed the connection")]
    Closed,
    /// The deadline passed.
    #[error("no complete message before the deadline")]
    TimedOut,
    /// A signal arrived.
    #[error("interrupted while waiting for a message")]
    Interrupted(Signal),
    /// More bytes than allowed came without an end of line.
    #[error("a message of more than {0} bytes")]
    TooLong(usize),
    /// The line is no text.
    #[error("a message that is not UTF-8")]
    NotUtf8,
    /// The line is not the JSON that was expected.
    #[error("a message that is not what was expected, `{line}`: {source}")]
    Unexpected {
        /// Its beginning.
        line: String,
        /// What the parser says.
        source: serde_json::Error,
    },
    /// The system's own errors.
    #[error("the connection failed: {0}")]
    Io(#[from] io::Error),
}

/// Sends and receives lines. Partial reads and writes are put together; nothing blocks past its
/// deadline. After any error but `TimedOut` and `Interrupted` the connection is of no more use.
#[derive(Debug)]
pub struct Lines {
    stream: UnixStream,
    buffer: Vec<u8>,
    /// So many bytes of `buffer` are known to hold no end of line.
    scanned: usize,
    limit: usize,
    closed: bool,
}

impl Lines {
    /// Takes over `stream`, with lines of at most 64 MiB.
    ///
    /// # Errors
    /// If the socket cannot be made non-blocking.
    pub fn new(stream: UnixStream) -> io::Result<Self> {
        stream.set_nonblocking(true)?;
        Ok(Self { stream, buffer: Vec::new(), scanned: 0, limit: DEFAULT_LIMIT, closed: false })
    }

    /// The same with lines of at most `bytes`.
    #[must_use]
    pub fn with_limit(mut self, bytes: usize) -> Self {
        self.limit = bytes;
        self
    }

    /// Sends `value` as one line of JSON.
    ///
    /// # Errors
    /// `Closed`, `TimedOut` (part of it may have been sent), `Interrupted`, `Io`.
    pub fn send<T: Serialize>(
        &mut self,
        value: &T,
        deadline: Option<Instant>,
        interrupt: &Interrupt,
    ) -> Result<(), LineError> {
        let line = serde_json::to_string(value).map_err(io::Error::from)?;
        self.send_line(&line, deadline, interrupt)
    }

    /// Sends `line`, which must not contain an end of line, and ends it.
    ///
    /// # Errors
    /// As [`Lines::send`].
    pub fn send_line(
        &mut self,
        line: &str,
        deadline: Option<Instant>,
        interrupt: &Interrupt,
    ) -> Result<(), LineError> {
        let mut bytes = Vec::with_capacity(line.len() + 1);
        bytes.extend_from_slice(line.as_bytes());
        bytes.push(b'\n');
        let mut rest = bytes.as_slice();
        while !rest.is_empty() {
            match self.stream.write(rest) {
                Ok(written) => rest = &rest[written..],
                Err(error) => match error.kind() {
                    io::ErrorKind::Interrupted => {}
                    io::ErrorKind::WouldBlock => {
                        self.block(PollFlags::POLLOUT, deadline, interrupt)?
                    }
                    io::ErrorKind::BrokenPipe | io::ErrorKind::ConnectionReset => {
                        return Err(LineError::Closed);
                    }
                    _ => return Err(error.into()),
                },
            }
        }
        Ok(())
    }

    /// Receives one line and reads it as JSON.
    ///
    /// # Errors
    /// Any [`LineError`].
    pub fn receive<T: DeserializeOwned>(
        &mut self,
        deadline: Option<Instant>,
        interrupt: &Interrupt,
    ) -> Result<T, LineError> {
        parse(&self.receive_line(deadline, interrupt)?)
    }

    /// Receives one line, without its end.
    ///
    /// # Errors
    /// All but `Unexpected`. After `TimedOut` and `Interrupted` what has come so far is kept.
    pub fn receive_line(
        &mut self,
        deadline: Option<Instant>,
        interrupt: &Interrupt,
    ) -> Result<String, LineError> {
        loop {
            if let Some(line) = self.try_receive_line()? {
                return Ok(line);
            }
            self.block(PollFlags::POLLIN, deadline, interrupt)?;
        }
    }

    /// Receives one line if a complete one is there; never blocks.
    ///
    /// # Errors
    /// `Closed`, `TooLong`, `NotUtf8`, `Io`.
    pub fn try_receive_line(&mut self) -> Result<Option<String>, LineError> {
        loop {
            if let Some(line) = self.take_line()? {
                return Ok(Some(line));
            }
            if self.closed {
                return Err(LineError::Closed);
            }
            if !self.fill()? {
                return Ok(None);
            }
        }
    }

    pub(crate) fn try_receive<T: DeserializeOwned>(&mut self) -> Result<Option<T>, LineError> {
        self.try_receive_line()?.map(|line| parse(&line)).transpose()
    }

    fn take_line(&mut self) -> Result<Option<String>, LineError> {
        let end = self.buffer[self.scanned..].iter().position(|&byte| byte == b'\n');
        let length = end.map_or(self.buffer.len(), |end| self.scanned + end);
        if length > self.limit {
            return Err(LineError::TooLong(self.limit));
        }
        if end.is_none() {
            self.scanned = length;
            return Ok(None);
        }
        let rest = self.buffer.split_off(length + 1);
        let mut line = std::mem::replace(&mut self.buffer, rest);
        self.scanned = 0;
        line.truncate(length);
        String::from_utf8(line).map(Some).map_err(|_| LineError::NotUtf8)
    }

    /// Reads once; false if nothing is there now.
    fn fill(&mut self) -> Result<bool, LineError> {
        let length = self.buffer.len();
        self.buffer.resize(length + CHUNK, 0);
        let read = self.stream.read(&mut self.buffer[length..]);
        self.buffer.truncate(length + read.as_ref().map_or(0, |&bytes| bytes));
        match read {
            Ok(bytes) => self.closed = bytes == 0,
            Err(error) => match error.kind() {
                io::ErrorKind::Interrupted => {}
                io::ErrorKind::WouldBlock => return Ok(false),
                io::ErrorKind::ConnectionReset => self.closed = true,
                _ => return Err(error.into()),
            },
        }
        Ok(true)
    }

    fn block(
        &self,
        events: PollFlags,
        deadline: Option<Instant>,
        interrupt: &Interrupt,
    ) -> Result<(), LineError> {
        match wait_for(&[(self.stream.as_fd(), events)], deadline, interrupt)? {
            Ready::At(_) => Ok(()),
            Ready::TimedOut => Err(LineError::TimedOut),
            Ready::Interrupted(signal) => Err(LineError::Interrupted(signal)),
        }
    }
}

impl Watch for Lines {
    fn descriptor(&self) -> BorrowedFd<'_> {
        self.stream.as_fd()
    }

    fn has_news(&self) -> bool {
        self.closed || self.buffer[self.scanned..].contains(&b'\n')
    }
}

fn parse<T: DeserializeOwned>(line: &str) -> Result<T, LineError> {
    serde_json::from_str(line).map_err(|source| LineError::Unexpected {
        line: crate::capture::clean(line).chars().take(200).collect(),
        source,
    })
}

#[cfg(test)]
mod tests {
    use std::thread;
    use std::time::Duration;

    use super::*;

    fn pair() -> (Lines, UnixStream) {
        let (ours, theirs) = UnixStream::pair().unwrap();
        (Lines::new(ours).unwrap(), theirs)
    }

    fn soon() -> Option<Instant> {
        Some(Instant::now() + Duration::from_millis(5))
    }

    #[test]
    fn a_line_sent_in_pieces_arrives_whole() {
        let (mut lines, mut sender) = pair();
        let never = Interrupt::never();
        sender.write_all("{\"a\": \"hal".as_bytes()).unwrap();
        assert!(matches!(lines.receive_line(soon(), &never), Err(LineError::TimedOut)));
        sender.write_all("b\"}\nnext".as_bytes()).unwrap();
        assert_eq!(lines.receive_line(None, &never).unwrap(), "{\"a\": \"halb\"}");
        assert!(matches!(lines.receive_line(soon(), &never), Err(LineError::TimedOut)));
    }

    #[test]
    fn a_line_larger_than_the_sockets_buffer_passes_both_ways() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (mut ours, mut theirs) = (Lines::new(ours).unwrap(), Lines::new(theirs).unwrap());
        let long = "x".repeat(5 << 20);
        let expected = long.clone();
        let sender = thread::spawn(move || ours.send(&long, None, &Interrupt::never()).unwrap());
        assert_eq!(theirs.receive::<String>(None, &Interrupt::never()).unwrap(), expected);
        sender.join().unwrap();
    }

    #[test]
    fn a_reader_that_never_reads_does_not_hold_the_sender() {
        let (mut lines, _keep) = pair();
        let long = "x".repeat(5 << 20);
        assert!(matches!(
            lines.send_line(&long, soon(), &Interrupt::never()),
            Err(LineError::TimedOut)
        ));
    }

    #[test]
    fn an_end_in_the_middle_of_a_line_is_a_close() {
        let (mut lines, mut sender) = pair();
        sender.write_all(b"whole\nhalf").unwrap();
        drop(sender);
        let never = Interrupt::never();
        assert_eq!(lines.receive_line(None, &never).unwrap(), "whole");
        assert!(matches!(lines.receive_line(None, &never), Err(LineError::Closed)));
        assert!(matches!(lines.send_line("x", None, &never), Err(LineError::Closed)));
    }

    #[test]
    fn rubbish_is_named_and_not_taken_for_a_message() {
        let (lines, mut sender) = pair();
        let mut lines = lines.with_limit(10);
        let never = Interrupt::never();
        sender.write_all(b"\xff\xfe\n\x1b[1mhi\n").unwrap();
        assert!(matches!(lines.receive_line(None, &never), Err(LineError::NotUtf8)));
        let error = lines.receive::<u32>(None, &never).unwrap_err();
        assert!(matches!(&error, LineError::Unexpected { line, .. } if line == "hi"), "{error}");
        sender.write_all(b"0123456789a").unwrap();
        assert!(matches!(lines.receive_line(None, &never), Err(LineError::TooLong(10))));
    }

    #[test]
    fn a_line_of_exactly_the_limit_is_accepted() {
        let (lines, mut sender) = pair();
        sender.write_all(b"0123456789\n").unwrap();
        assert_eq!(
            lines.with_limit(10).receive_line(None, &Interrupt::never()).unwrap(),
            "0123456789"
        );
    }
}
