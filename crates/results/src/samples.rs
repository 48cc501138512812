//! `samples.jsonl.gz`: every slice of every launch, one block and side a line.

use crate::SideName;
use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Write as _};
use std::path::Path;

/// The slices of one launch.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct BlockSlices {
    /// The benchmark's id.
    pub benchmark: String,
    /// The comparison's id.
    pub comparison: String,
    /// The block's index.
    pub block: u32,
    /// The side.
    pub side: SideName,
    /// Calls per slice.
    pub loops: u64,
    /// CPU nanoseconds of each slice, in run order.
    pub cpu_ns: Vec<u64>,
    /// Wall nanoseconds of each slice, in run order.
    pub wall_ns: Vec<u64>,
    /// Where the program measured itself (the slice is then its whole process): its own times per
    /// iteration, in run order, nanoseconds, by the clock that counts.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub reported_ns: Vec<f64>,
}

/// Writes the file line by line.
#[derive(Debug)]
pub struct SamplesWriter {
    encoder: GzEncoder<File>,
}

impl SamplesWriter {
    /// Starts the file.
    ///
    /// # Errors
    /// When it cannot be created.
    pub fn create(path: &Path) -> io::Result<Self> {
        Ok(Self { encoder: GzEncoder::new(File::create(path)?, Compression::fast()) })
    }

    /// Adds one launch.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn append(&mut self, slices: &BlockSlices) -> io::Result<()> {
        serde_json::to_writer(&mut self.encoder, slices)?;
        self.encoder.write_all(b"\n")
    }

    /// Ends the file.
    ///
    /// # Errors
    /// When the disk is full.
    pub fn finish(self) -> io::Result<()> {
        self.encoder.finish()?.sync_all()
    }
}

/// Reads the file back.
///
/// # Errors
/// When it cannot be read, is no gzip file, or a line does not parse.
pub fn read_samples(path: &Path) -> io::Result<Vec<BlockSlices>> {
    // The files of shards are joined by writing one after the other.
    let reader = BufReader::new(MultiGzDecoder::new(File::open(path)?));
    reader.lines().map(|line| serde_json::from_str(&line?).map_err(io::Error::from)).collect()
}

/// SHA-256 of a file, hexadecimal.
///
/// # Errors
/// When it cannot be read.
pub fn file_digest(path: &Path) -> io::Result<String> {
    let mut hasher = Sha256::new();
    io::copy(&mut File::open(path)?, &mut Hashing(&mut hasher))?;
    Ok(hex(&hasher.finalize()))
}

/// Lower-case hexadecimal.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    bytes.iter().map(|byte| format!("{byte:02x}")).collect()
}

struct Hashing<'a>(&'a mut Sha256);

impl io::Write for Hashing<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.update(bytes);
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
