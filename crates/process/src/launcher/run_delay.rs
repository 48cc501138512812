//! How long a process has been ready to run without a core, by the kernel's own count.

#[cfg(target_os = "linux")]
use std::{fs::File, io::Read, path::Path};

use nix::unistd::Pid;

/// Of the calling process, nanoseconds. It neither allocates nor takes a lock, so that a process just
/// forked may ask.
#[cfg(target_os = "linux")]
pub(super) fn own() -> Option<u64> {
    read(Path::new("/proc/self/schedstat"))
}

/// Of a child that has ended and was not taken leave of yet, nanoseconds.
#[cfg(target_os = "linux")]
pub(super) fn of(child: Pid) -> Option<u64> {
    read(format!("/proc/{child}/schedstat").as_ref())
}

#[cfg(target_os = "linux")]
fn read(schedstat: &Path) -> Option<u64> {
    // Three numbers of at most 20 digits.
    let mut text = [0; 64];
    let length = File::open(schedstat).ok()?.read(&mut text).ok()?;
    let text = std::str::from_utf8(&text[..length]).ok()?;
    text.split_ascii_whitespace().nth(1)?.parse().ok()
}

#[cfg(not(target_os = "linux"))]
pub(super) fn own() -> Option<u64> {
    None
}

#[cfg(not(target_os = "linux"))]
pub(super) fn of(_child: Pid) -> Option<u64> {
    None
}
