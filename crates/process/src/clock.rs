//! The clock that is preloaded into programs which time themselves.

use crate::Environment;
use std::io::{self, Read as _, Seek as _};
use std::path::{Path, PathBuf};

/// The library, compiled by this crate's build script; empty where it has no use or could not be
/// built.
const LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/clock.so"));

/// The dynamic linker's list of libraries that come before all others.
const PRELOAD: &str = "LD_PRELOAD";

/// A clock that answers with the calling thread's CPU time wherever a program asks the C library
/// for a monotonic one (Linux; x86-64 and arm64).
///
/// It reaches programs that are linked dynamically with glibc or musl and are started directly. It
/// takes itself out of the environment when it is loaded: what they start in turn is not reached. It
/// does not reach static programs, nor those that make the system call themselves (Go).
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CpuClock {
    library: PathBuf,
}

impl CpuClock {
    /// Puts the library into a directory; none where this program carries none, or where its path
    /// cannot stand in a list.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn install(directory: &Path) -> io::Result<Option<Self>> {
        let library = directory.join("clock.so");
        let can_be_listed =
            !library.as_os_str().as_encoded_bytes().iter().any(|b| b" :".contains(b));
        if LIBRARY.is_empty() || !can_be_listed {
            return Ok(None);
        }
        std::fs::create_dir_all(directory)?;
        std::fs::write(&library, LIBRARY)?;
        Ok(Some(Self { library }))
    }

    /// Whether a program is one that a preloaded clock reaches: it asks for the dynamic linker (ELF,
    /// 64 bit). What is no such file, or cannot be read, is not reached.
    #[must_use]
    pub fn reaches(program: &Path) -> bool {
        cfg!(target_os = "linux") && asks_for_a_linker(program).unwrap_or(false)
    }

    /// The variable that makes the dynamic linker load the clock, before whatever else an environment
    /// wants preloaded: `LD_PRELOAD=…`, as its name and value.
    #[must_use]
    pub fn variable(&self, environment: &Environment) -> (&'static str, std::ffi::OsString) {
        let mut list = self.library.clone().into_os_string();
        if let Some(others) = environment.get(PRELOAD).filter(|others| !others.is_empty()) {
            list.push(":");
            list.push(others);
        }
        (PRELOAD, list)
    }
}

/// Looks for the program header that names the dynamic linker; its format is that of elf(5).
fn asks_for_a_linker(program: &Path) -> io::Result<bool> {
    const MAGIC: &[u8] = b"\x7fELF\x02\x01";
    const HEADER_BYTES: usize = 64;
    const INTERPRETER: u32 = 3;
    let mut file = std::fs::File::open(program)?;
    let mut header = [0; HEADER_BYTES];
    file.read_exact(&mut header)?;
    if !header.starts_with(MAGIC) {
        return Ok(false);
    }
    let table = u64::from_le_bytes(array(&header[32..40]));
    let size = u16::from_le_bytes(array(&header[54..56]));
    let count = u16::from_le_bytes(array(&header[56..58]));
    let mut entries = vec![0; usize::from(size) * usize::from(count)];
    file.seek(io::SeekFrom::Start(table))?;
    file.read_exact(&mut entries)?;
    let kinds = entries.chunks_exact(usize::from(size).max(4));
    Ok(kinds.map(|entry| u32::from_le_bytes(array(&entry[..4]))).any(|kind| kind == INTERPRETER))
}

/// A slice of a known length as an array; zeros where it is shorter.
fn array<const N: usize>(bytes: &[u8]) -> [u8; N] {
    let mut array = [0; N];
    array.iter_mut().zip(bytes).for_each(|(to, from)| *to = *from);
    array
}

#[cfg(test)]
mod tests {
    use super::*;

    #[cfg(target_os = "linux")]
    #[test]
    fn only_programs_with_a_dynamic_linker_are_reached() -> io::Result<()> {
        let place = tempfile::tempdir()?;
        let text = place.path().join("script");
        std::fs::write(&text, "#!/bin/sh\n")?;
        assert!(CpuClock::reaches(&std::env::current_exe()?));
        assert!(!CpuClock::reaches(&text));
        assert!(!CpuClock::reaches(&place.path().join("nothing")));
        Ok(())
    }

    #[test]
    fn what_a_user_preloads_stays_behind_the_clock() {
        let clock = CpuClock { library: "/tmp/clock.so".into() };
        let of = |environment: Environment| clock.variable(&environment).1;
        assert_eq!(of(Environment::empty()), "/tmp/clock.so");
        assert_eq!(of(Environment::empty().with("LD_PRELOAD", "/a.so")), "/tmp/clock.so:/a.so");
    }

    #[test]
    fn a_path_that_the_dynamic_linker_would_split_is_refused() -> io::Result<()> {
        let place = tempfile::tempdir()?;
        assert_eq!(CpuClock::install(&place.path().join("a b"))?, None);
        Ok(())
    }
}
