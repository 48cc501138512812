//! What the tests of the binary share: repositories made on the spot, runs of the binary, and looks
//! at what is left of them.

pub(crate) mod processes;
pub(crate) mod repository;
pub(crate) mod results;
pub(crate) mod run;

use std::time::{Duration, Instant};

/// Longer than anything takes on a machine that does much else, the wait for other measurements on
/// it included.
pub(crate) const DEADLINE: Duration = Duration::from_secs(600);

/// Waits until `condition` holds; gives up after `patience`.
pub(crate) fn wait_until(patience: Duration, mut condition: impl FnMut() -> bool) -> bool {
    let deadline = Instant::now() + patience;
    loop {
        if condition() {
            return true;
        }
        if Instant::now() > deadline {
            return false;
        }
        std::thread::sleep(Duration::from_millis(20));
    }
}
