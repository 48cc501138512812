//! SIGINT and SIGTERM as something that `poll(2)` can wait for.

use std::io;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::net::UnixStream;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use signal_hook::SigId;
use signal_hook::consts::{SIGINT, SIGTERM};
use signal_hook::{flag, low_level};

/// A wish of the user, or of the CI service, that we stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Signal {
    /// SIGINT, Ctrl-C: exit code 130.
    Interrupt,
    /// SIGTERM: exit code 143.
    Terminate,
}

impl Signal {
    /// The number the system gives it.
    #[must_use]
    pub fn number(self) -> i32 {
        match self {
            Self::Interrupt => SIGINT,
            Self::Terminate => SIGTERM,
        }
    }
}

/// Knows whether a signal has arrived, and stays so: once interrupted, every later wait that is
/// given this value returns at once. Cleaning up waits with [`Interrupt::never`].
///
/// The second signal ends the process at once, in the system's own way. Nothing is left behind
/// then either, because the launchers notice.
#[derive(Debug)]
pub struct Interrupt {
    first: Arc<AtomicUsize>,
    /// Readable from the first signal on; never drained.
    wake: Option<UnixStream>,
    registrations: Vec<SigId>,
}

impl Interrupt {
    /// Listens from now on, in place of the default action.
    ///
    /// # Errors
    /// Where the system has no descriptors left.
    pub fn install() -> io::Result<Self> {
        let (wake, sender) = UnixStream::pair()?;
        let mut interrupt = Self::never();
        interrupt.wake = Some(wake);
        let armed = Arc::new(AtomicBool::new(false));
        for signal in [SIGINT, SIGTERM] {
            interrupt.listen(signal, &armed, sender.try_clone()?)?;
        }
        Ok(interrupt)
    }

    /// The order matters: the actions of one signal run in order of registration, so the first
    /// signal finds the default action unarmed, and whoever is woken finds the number stored.
    fn listen(
        &mut self,
        signal: i32,
        armed: &Arc<AtomicBool>,
        sender: UnixStream,
    ) -> io::Result<()> {
        let number = usize::try_from(signal).unwrap_or_default();
        let registered = &mut self.registrations;
        registered.push(flag::register_conditional_default(signal, Arc::clone(armed))?);
        registered.push(flag::register(signal, Arc::clone(armed))?);
        registered.push(flag::register_usize(signal, Arc::clone(&self.first), number)?);
        registered.push(low_level::pipe::register(signal, sender)?);
        Ok(())
    }

    /// Never interrupts.
    #[must_use]
    pub fn never() -> Self {
        Self { first: Arc::default(), wake: None, registrations: Vec::new() }
    }

    /// What has arrived, if anything.
    #[must_use]
    pub fn received(&self) -> Option<Signal> {
        match i32::try_from(self.first.load(Ordering::SeqCst)) {
            Ok(SIGINT) => Some(Signal::Interrupt),
            Ok(SIGTERM) => Some(Signal::Terminate),
            _ => None,
        }
    }

    /// A descriptor that is readable once a signal has arrived.
    #[must_use]
    pub fn fd(&self) -> Option<BorrowedFd<'_>> {
        self.wake.as_ref().map(AsFd::as_fd)
    }
}

impl Drop for Interrupt {
    fn drop(&mut self) {
        for registration in self.registrations.drain(..) {
            low_level::unregister(registration);
        }
    }
}
