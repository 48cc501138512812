//! What this system lets us do: schedules that need a missing piece fall back, and say so.

use std::io;

use crate::cores::{Pinned, allowed_cores};

/// What can be relied on here.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Capabilities {
    /// Programs can be bound to a core. Without it there is no duet and no pinning.
    pub affinity: bool,
    /// Descendants that detach themselves come to the launcher and are killed. Without it only the
    /// program's own process group is.
    pub adoption: bool,
    /// The time spent ready but without a core is known ([`crate::Usage::run_delay_ns`]).
    pub run_delay: bool,
}

impl Capabilities {
    /// Tries each on this very process.
    #[must_use]
    pub fn of_this_system() -> Self {
        Self {
            affinity: can_pin().is_ok(),
            adoption: cfg!(target_os = "linux"),
            run_delay: std::fs::read_to_string("/proc/self/schedstat").is_ok(),
        }
    }

    /// What is missing, each with what it means for the user.
    #[must_use]
    pub fn missing(self) -> Vec<&'static str> {
        let lacks = [
            (
                self.affinity,
                "programs cannot be bound to a core: both sides run unpinned, one after the other or in turns",
            ),
            (
                self.adoption,
                "processes that detach themselves from a benchmark cannot be found and killed",
            ),
            (self.run_delay, "time spent waiting for a core cannot be told from other waiting"),
        ];
        lacks.into_iter().filter(|(has, _)| !has).map(|(_, lack)| lack).collect()
    }
}

fn can_pin() -> io::Result<()> {
    Pinned::to(&allowed_cores()).map(drop)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_missing_piece_is_named_once() {
        let all = Capabilities { affinity: true, adoption: true, run_delay: true };
        assert!(all.missing().is_empty());
        let none = Capabilities { affinity: false, adoption: false, run_delay: false };
        assert_eq!(none.missing().len(), 3);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn linux_adopts_orphans() {
        assert!(Capabilities::of_this_system().adoption);
    }
}
