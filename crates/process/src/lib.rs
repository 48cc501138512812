//! Starts a program, pins it, bounds it, accounts for it, and leaves nothing behind.
//!
//! Every launch goes through a small process of ours, the launcher (`bench-action launch`, hidden).
//! It leads its own session, adopts orphans (Linux), sets cores and limits, starts the program,
//! reports how it ended and what it used, and kills what is left. It does so as well when its
//! parent dies, because it notices that their socket closed. The program's peak memory is then its
//! own and not that of the large process that wanted it started.
//!
//! The parent's side is [`Launcher`] → [`Process`] → [`Exit`]; [`wait_any`] blocks on any number of
//! processes and [`Lines`] channels, a deadline and the user's signals with a single `poll(2)`.
//! Nothing here starts a thread.
#![cfg(unix)]

mod capabilities;
pub mod capture;
mod cgroup;
mod client;
mod clock;
mod cores;
mod environment;
mod error;
mod idle_watch;
mod interrupt;
mod kernel;
mod launcher;
mod lines;
mod lock;
mod machine;
#[cfg(test)]
mod made_up;
mod os_text;
mod protocol;
mod run;
mod spec;
mod table;
mod wait;

pub use capabilities::Capabilities;
pub use cgroup::{Limits as CgroupLimits, Throttling, throttling, throttling_under};
pub use client::{Exit, Launcher, Process};
pub use clock::CpuClock;
pub use cores::{Pinned, allowed_cores, pin_process, pin_self, thread_siblings};
pub use environment::Environment;
pub use error::{LaunchError, WaitError};
pub use idle_watch::IdleWatch;
pub use interrupt::{Interrupt, Signal};
pub use kernel::{KernelRequest, KernelSlice, kernel_main};
pub use launcher::launch_main;
pub use lines::{LineError, Lines};
pub use lock::{Holder, LockError, MachineLock, Wait, machine_lock_path};
pub use machine::{Machine, host_name, load1, steal_ticks, steal_ticks_under};
pub use protocol::{Failure, Stage, Status, Usage};
pub use run::run;
pub use spec::{Addresses, Channel, Input, Limits, Output, Spec, Start};
pub use wait::{Ready, Watch, wait_any};

/// The variable that tells a program the number of the descriptor it talks to us on
/// ([`Channel::Socket`]): one end of a Unix stream socket.
pub const CHANNEL_VARIABLE: &str = "BENCH_ACTION_CHANNEL";
