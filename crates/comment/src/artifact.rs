//! The results in an artifact, which is whatever the run's author wanted it to be: bounded, unzipped
//! in memory, one file of one name, parsed strictly.

use bench_results::{Caps, ReadError, Results, read};
use std::io::{Cursor, Read as _};
use zip::result::ZipError;

/// Most bytes of an artifact.
pub const MOST_PACKED_BYTES: u64 = 8 << 20;

/// Most bytes of the results in it.
pub const MOST_UNPACKED_BYTES: u64 = 64 << 20;

/// The one file.
const ENTRY: &str = "results.json";

/// Limits inside the file. A name of more than a few kilobytes is no name.
const CAPS: Caps = Caps { bytes: MOST_UNPACKED_BYTES, rows: 50_000, text: 16 << 10 };

/// An artifact that is not taken.
#[derive(Debug, thiserror::Error)]
pub enum ArtifactError {
    /// Too large.
    #[error(
        "artifact `{name}`: more than {} MiB; upload {ENTRY} alone: the reports belong in an artifact of their own",
        MOST_PACKED_BYTES >> 20
    )]
    Packed {
        /// The artifact.
        name: String,
    },
    /// Too large inside.
    #[error("artifact `{name}`: {ENTRY} unpacks to more than {} MiB", MOST_UNPACKED_BYTES >> 20)]
    Unpacked {
        /// The artifact.
        name: String,
    },
    /// Not one file of the right name.
    #[error("artifact `{name}`: must hold {ENTRY} and nothing else, and holds {found}")]
    Entries {
        /// The artifact.
        name: String,
        /// What it holds.
        found: String,
    },
    /// No zip file.
    #[error(
        "artifact `{name}`: not a zip file that can be read: {}; upload {ENTRY} with actions/upload-artifact",
        found(error)
    )]
    Zip {
        /// The artifact.
        name: String,
        /// The cause.
        error: ZipError,
    },
    /// Not results.
    #[error(transparent)]
    Results(#[from] ReadError),
}

/// What is wrong with an archive.
fn found(error: &ZipError) -> String {
    match error {
        ZipError::Io(error) => format!("{error}"),
        ZipError::UnsupportedArchive(_) => "it is packed in a way that no artifact is".to_owned(),
        _ => "it is empty, cut off, or something else".to_owned(),
    }
}

/// The results in the bytes of the artifact `name`.
///
/// # Errors
/// See [`ArtifactError`].
pub fn results_of(name: &str, bytes: &[u8]) -> Result<Results, ArtifactError> {
    let owned = || name.to_owned();
    if bytes.len() as u64 > MOST_PACKED_BYTES {
        return Err(ArtifactError::Packed { name: owned() });
    }
    let json = only_entry(name, bytes)?;
    Ok(read(&json, &format!("artifact `{name}`: {ENTRY}"), CAPS)?)
}

fn only_entry(name: &str, bytes: &[u8]) -> Result<Vec<u8>, ArtifactError> {
    let owned = || name.to_owned();
    let zip = |error| ArtifactError::Zip { name: owned(), error };
    let entries = |found: String| ArtifactError::Entries { name: owned(), found };
    let mut archive = zip::ZipArchive::new(Cursor::new(bytes)).map_err(zip)?;
    // The archive knows its entries by name: of two with one name it keeps one.
    let count = entries_listed(bytes, archive.central_directory_start()).max(archive.len());
    if count != 1 {
        return Err(entries(format!("{count} files")));
    }
    let entry = archive.by_index(0).map_err(zip)?;
    if entry.name_raw() != ENTRY.as_bytes() || !entry.is_file() || is_link(entry.unix_mode()) {
        let shown: String = entry.name().escape_debug().take(100).collect();
        return Err(entries(format!("`{shown}`")));
    }
    let mut json = Vec::new();
    // The size that the archive states is the author's word; what comes out is counted.
    let mut unpacked = entry.take(MOST_UNPACKED_BYTES + 1);
    unpacked.read_to_end(&mut json).map_err(|error| zip(ZipError::Io(error)))?;
    if json.len() as u64 > MOST_UNPACKED_BYTES {
        return Err(ArtifactError::Unpacked { name: owned() });
    }
    Ok(json)
}

/// How many entries the directory that begins here lists, those of one name each by itself.
fn entries_listed(bytes: &[u8], start: u64) -> usize {
    const HEADER: usize = 46;
    let mut rest = usize::try_from(start).ok().and_then(|at| bytes.get(at..)).unwrap_or_default();
    let mut count = 0;
    while let Some(header) = rest.get(..HEADER).filter(|it| it.starts_with(b"PK\x01\x02")) {
        // The lengths of name, extra field and comment.
        let length = |at: usize| usize::from(u16::from_le_bytes([header[at], header[at + 1]]));
        let whole = HEADER + length(28) + length(30) + length(32);
        rest = rest.get(whole..).unwrap_or_default();
        count += 1;
    }
    count
}

/// Whether the entry is anything but a plain file.
fn is_link(mode: Option<u32>) -> bool {
    const KIND: u32 = 0o170_000;
    const PLAIN: u32 = 0o100_000;
    mode.is_some_and(|mode| !matches!(mode & KIND, 0 | PLAIN))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Write as _;
    use zip::write::SimpleFileOptions;

    fn packed(files: &[(&str, &[u8])]) -> Vec<u8> {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        for (name, bytes) in files {
            writer.start_file(*name, SimpleFileOptions::default()).unwrap();
            writer.write_all(bytes).unwrap();
        }
        writer.finish().unwrap().into_inner()
    }

    fn refusal(bytes: &[u8]) -> String {
        results_of("bench-result", bytes).unwrap_err().to_string()
    }

    #[test]
    fn one_file_of_the_right_name_is_unpacked_to_the_byte() {
        let bytes = packed(&[("results.json", b"{\"a\": 1}")]);
        assert_eq!(only_entry("x", &bytes).unwrap(), b"{\"a\": 1}");
    }

    #[test]
    fn any_other_content_is_refused_and_named() {
        for (files, named) in [
            (&[("results.json", &b"{}"[..]), ("extra", b"")][..], "2 files"),
            (&[("../results.json", b"{}")], "../results.json"),
            (&[("/results.json", b"{}")], "/results.json"),
            (&[("a/results.json", b"{}")], "a/results.json"),
            (&[("RESULTS.JSON", b"{}")], "RESULTS.JSON"),
            (&[("results.json\n::error::", b"{}")], "results.json\\n::error::"),
            (&[], "0 files"),
        ] {
            let message = refusal(&packed(files));
            assert!(message.contains(named), "{message}");
            assert!(!message.contains('\n'), "{message}");
        }
    }

    #[test]
    fn two_entries_of_one_name_are_two() {
        let mut bytes = packed(&[("results.json", b"{}"), ("results.jsom", b"{}")]);
        while let Some(at) = bytes.windows(12).position(|name| name == b"results.jsom") {
            bytes[at + 11] = b'n';
        }
        assert!(refusal(&bytes).contains("holds 2 files"), "{}", refusal(&bytes));
    }

    #[test]
    fn a_link_is_no_file() {
        let mut writer = zip::ZipWriter::new(Cursor::new(Vec::new()));
        writer.add_symlink("results.json", "/etc/passwd", SimpleFileOptions::default()).unwrap();
        let bytes = writer.finish().unwrap().into_inner();
        assert!(refusal(&bytes).contains("nothing else"));
    }

    #[test]
    fn a_bomb_goes_off_in_a_box() {
        let bomb = vec![b' '; usize::try_from(MOST_UNPACKED_BYTES).unwrap() + 1];
        let bytes = packed(&[("results.json", &bomb)]);
        assert!(bytes.len() < 1 << 20);
        assert!(refusal(&bytes).contains("more than 64 MiB"));
        let large = vec![0; usize::try_from(MOST_PACKED_BYTES).unwrap() + 1];
        assert!(refusal(&large).contains("more than 8 MiB"));
    }

    #[test]
    fn what_is_no_zip_and_no_results_file_is_refused() {
        assert!(refusal(b"PK\x03\x04 not really").contains("not a zip file"));
        let cut = packed(&[("results.json", &[b'x'; 4000])]);
        assert!(refusal(&cut[..cut.len() / 2]).contains("not a zip file"));
        assert!(refusal(&packed(&[("results.json", b"{}")])).contains("schema"));
        let nested = "[".repeat(100_000);
        assert!(refusal(&packed(&[("results.json", nested.as_bytes())])).contains("results.json"));
        let not_a_number = br#"{"schema": "bench-action/results/v1", "settings": {"alpha": NaN}}"#;
        assert!(refusal(&packed(&[("results.json", not_a_number)])).contains("not a results file"));
    }
}
