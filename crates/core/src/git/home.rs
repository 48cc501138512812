//! The directory that holds everything of ours in a project.

use std::io;
use std::path::{Path, PathBuf};

/// Its name, at the root of the project.
pub const HOME: &str = ".bench-action";

/// Makes `.bench-action` under `root`. It ignores itself, so that it never shows in `git status`
/// and the project needs no entry for it.
///
/// # Errors
/// Where it cannot be written.
pub fn home(root: &Path) -> io::Result<PathBuf> {
    let home = root.join(HOME);
    std::fs::create_dir_all(&home)?;
    let ignore = home.join(".gitignore");
    if !ignore.exists() {
        std::fs::write(ignore, "*\n")?;
    }
    Ok(home)
}
