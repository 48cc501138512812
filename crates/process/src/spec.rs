//! What to start: the complete description that travels from the parent to the launcher.
//!
//! It travels as JSON on a private socket, not in arguments or variables, because an environment
//! may be large and may hold what other processes of the machine must not read.

use std::ffi::OsString;
use std::path::PathBuf;

use serde::{Deserialize, Serialize};

use crate::environment::Environment;
use crate::os_text;

/// A program with everything it is given. Nothing is inherited.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub struct Spec {
    /// A path, relative to [`directory`](Self::directory) unless absolute; a bare name is looked up
    /// in the `PATH` of [`environment`](Self::environment).
    #[serde(with = "os_text")]
    pub program: PathBuf,
    /// Its arguments, without the program itself.
    #[serde(with = "os_text::list")]
    pub arguments: Vec<OsString>,
    /// All its variables.
    pub environment: Environment,
    /// Its working directory.
    #[serde(with = "os_text")]
    pub directory: PathBuf,
    /// Where it reads from.
    pub stdin: Input,
    /// Where its output goes.
    pub stdout: Output,
    /// Where its messages go.
    pub stderr: Output,
    /// The cores it may run on, itself and its children; `None` leaves it free.
    /// Where the system has no affinity (see [`crate::Capabilities`]) the launch is refused.
    pub cores: Option<Vec<usize>>,
    /// Whether it starts at once.
    pub start: Start,
    /// What it may use.
    pub limits: Limits,
    /// Whether it gets a socket to talk to us on.
    pub channel: Channel,
    /// Where its memory begins.
    pub addresses: Addresses,
}

impl Spec {
    /// `program` in `directory`, with empty input, its output thrown away, free to run on any core,
    /// unbounded, started at once.
    pub fn new(
        program: impl Into<PathBuf>,
        directory: impl Into<PathBuf>,
        environment: Environment,
    ) -> Self {
        Self {
            program: program.into(),
            arguments: Vec::new(),
            environment,
            directory: directory.into(),
            stdin: Input::Null,
            stdout: Output::Null,
            stderr: Output::Null,
            cores: None,
            start: Start::AtOnce,
            limits: Limits::default(),
            channel: Channel::None,
            addresses: Addresses::Random,
        }
    }

    /// The same with these arguments added.
    #[must_use]
    pub fn with_arguments<A: Into<OsString>>(
        mut self,
        arguments: impl IntoIterator<Item = A>,
    ) -> Self {
        self.arguments.extend(arguments.into_iter().map(Into::into));
        self
    }
}

/// What a program reads on standard input. A relative path is relative to the parent's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Input {
    /// Nothing.
    Null,
    /// A file, from its beginning.
    File(#[serde(with = "os_text")] PathBuf),
}

/// Where a program writes. A relative path is relative to the parent's directory.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
pub enum Output {
    /// Nowhere.
    Null,
    /// A file, made or emptied first.
    File(#[serde(with = "os_text")] PathBuf),
    /// The end of a file, made if it is not there: several commands, one log.
    Append(#[serde(with = "os_text")] PathBuf),
    /// For standard error: the very file of standard output, in order of writing.
    /// For standard output it means the same as `Null`.
    SameAsStdout,
}

/// When the program starts.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Start {
    /// As soon as the launcher is ready.
    AtOnce,
    /// The launcher opens the files, goes to its core and waits for [`crate::Process::release`]:
    /// two programs can then be set off within microseconds of each other, in a chosen order.
    OnRelease,
}

/// Bounds on what each process of the program may use. Core dumps are always off.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Limits {
    /// Bytes of address space.
    pub address_space: Option<u64>,
    /// Bytes in any one file it writes.
    pub file_size: Option<u64>,
}

/// Where the memory of a program begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Addresses {
    /// Wherever the system has it.
    Random,
    /// Where it begins in every program of this kind, so that two that do the same have the same
    /// layout. Where the system refuses it, as in some containers, it is random all the same.
    Fixed,
}

/// Whether the program gets a private socket to its parent.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize)]
pub enum Channel {
    /// It gets none.
    None,
    /// It inherits one end of a Unix stream socket, whose number it finds in
    /// [`crate::CHANNEL_VARIABLE`]; the other is [`crate::Process::take_channel`].
    Socket,
}

#[cfg(test)]
mod tests {
    use std::os::unix::ffi::OsStringExt;

    use super::*;

    #[test]
    fn a_spec_with_bytes_that_are_no_text_survives_the_journey() {
        let odd = OsString::from_vec(vec![b'a', 0xff, b'/']);
        let mut spec = Spec::new(&odd, "/", Environment::empty().with("ODD", &odd))
            .with_arguments([odd.clone(), "plain".into()]);
        spec.stdin = Input::File(odd.clone().into());
        spec.stdout = Output::Append(odd.into());
        let json = serde_json::to_string(&spec).unwrap();
        assert_eq!(serde_json::from_str::<Spec>(&json).unwrap(), spec);
    }
}
