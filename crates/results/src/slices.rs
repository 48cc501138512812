//! Every slice as tidy CSV, for pandas and R: one line per slice of a launch.

use crate::BlockSlices;
use crate::table::number;
use std::io;

const COLUMNS: [&str; 9] = [
    "benchmark",
    "comparison",
    "block",
    "side",
    "slice",
    "loops",
    "cpu_ns",
    "wall_ns",
    "reported_ns",
];

/// Writes one line per slice, header first; `slice` counts from 0 in run order. The first four columns
/// are those of [`crate::write_launches`] and find a slice's launch there. A program that measured
/// itself has one slice, its process, and a line for each time it reported.
///
/// # Errors
/// Those of the writer.
pub fn write_slices(launches: &[BlockSlices], out: impl io::Write) -> io::Result<()> {
    let mut writer = csv::Writer::from_writer(out);
    writer.write_record(COLUMNS)?;
    for launch in launches {
        let slices = launch.cpu_ns.len().max(launch.wall_ns.len()).max(launch.reported_ns.len());
        for at in 0..slices {
            let whole = |of: &[u64]| of.get(at).map(u64::to_string).unwrap_or_default();
            writer.write_record([
                launch.benchmark.clone(),
                launch.comparison.clone(),
                launch.block.to_string(),
                launch.side.to_string(),
                at.to_string(),
                launch.loops.to_string(),
                whole(&launch.cpu_ns),
                whole(&launch.wall_ns),
                number(launch.reported_ns.get(at).copied()),
            ])?;
        }
    }
    writer.flush()
}
