//! What makes this machine noisy, and what would help: facts are read ([`Facts`]), judged
//! ([`findings`], pure), and the machine's own noise is measured ([`measure`]). Nothing is ever changed.

mod conditions;
mod facts;
mod findings;
mod measure;
mod sight;

pub use facts::{Counters, Facts, Power};
pub use findings::{Finding, Status, findings};
pub use measure::{DoctorError, KERNEL, Length, Noise, Step, measure};
pub use sight::{Sight, Trust, sights, trust};

#[cfg(test)]
mod tests;
