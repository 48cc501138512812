//! `samples.jsonl.gz`: every slice of every launch, one block and side a line.

use crate::{Caps, SideName};
use flate2::{Compression, read::MultiGzDecoder, write::GzEncoder};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use sha2::{Digest as _, Sha256};
use std::fs::File;
use std::io::{self, BufRead as _, BufReader, Read as _, Write as _};
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

/// Reads the file back. What it unpacks to is bounded as a results file is: a small file can unpack to
/// more than any memory holds.
///
/// # Errors
/// When it cannot be read, is no gzip file, unpacks to more than [`Caps::bytes`] of the defaults, or a
/// line does not parse.
pub fn read_samples(path: &Path) -> io::Result<Vec<BlockSlices>> {
    read_within(path, Caps::default().bytes)
}

fn read_within(path: &Path, most: u64) -> io::Result<Vec<BlockSlices>> {
    // The files of shards are joined by writing one after the other.
    let mut reader = BufReader::new(MultiGzDecoder::new(File::open(path)?)).take(most + 1);
    let (mut launches, mut line) = (Vec::new(), Vec::new());
    while reader.read_until(b'\n', &mut line)? > 0 {
        if reader.limit() == 0 {
            return Err(io::Error::new(
                io::ErrorKind::FileTooLarge,
                format!(
                    "it unpacks to more than {most} bytes, the limit on what is read; read it line by \
                     line with another program (`gzip --decompress --stdout`)"
                ),
            ));
        }
        launches.push(serde_json::from_slice(&line)?);
        line.clear();
    }
    Ok(launches)
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

#[cfg(test)]
mod tests {
    use super::*;

    fn launch(block: u32) -> BlockSlices {
        BlockSlices {
            benchmark: "s/b".into(),
            comparison: "default".into(),
            block,
            side: SideName::Head,
            loops: 3,
            cpu_ns: vec![0; 1000],
            wall_ns: vec![0; 1000],
            reported_ns: Vec::new(),
        }
    }

    #[test]
    fn what_unpacks_to_more_than_the_limit_is_refused_and_the_limit_itself_is_not() {
        let place = tempfile::tempdir().unwrap();
        let file = place.path().join("samples.jsonl.gz");
        let launches: Vec<BlockSlices> = (0..100).map(launch).collect();
        let mut writer = SamplesWriter::create(&file).unwrap();
        launches.iter().for_each(|launch| writer.append(launch).unwrap());
        writer.finish().unwrap();
        let line = |launch: &BlockSlices| serde_json::to_string(launch).unwrap().len() as u64 + 1;
        let whole: u64 = launches.iter().map(line).sum();
        assert!(file.metadata().unwrap().len() < whole / 20, "it is packed");
        assert!(read_within(&file, whole).unwrap() == launches);
        assert!(read_samples(&file).unwrap() == launches);
        for most in [whole - 1, whole / 2, 1] {
            let error = read_within(&file, most).unwrap_err();
            assert_eq!(error.kind(), io::ErrorKind::FileTooLarge);
            assert!(error.to_string().contains(&format!("more than {most} bytes")), "{error}");
        }
    }
}
