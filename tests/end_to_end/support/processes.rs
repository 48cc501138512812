//! What is left of a run on the machine.

use super::wait_until;
use std::fs;
use std::path::Path;
use std::time::Duration;

/// Fails if a process that belongs to a repository's runs is still there, a moment after its run.
pub(crate) fn assert_none_left(mark: &Path) {
    let mut left = Vec::new();
    let gone = wait_until(Duration::from_secs(10), || {
        left = of(mark);
        left.is_empty()
    });
    assert!(gone, "left behind: {left:#?}");
}

/// The processes with this path in their arguments, their directory or their variables.
pub(crate) fn of(mark: &Path) -> Vec<String> {
    let mark = mark.to_str().unwrap();
    let processes = fs::read_dir("/proc").into_iter().flatten().flatten();
    processes
        .filter(|entry| entry.file_name().to_str().is_some_and(|name| name.parse::<u32>().is_ok()))
        .filter_map(|entry| {
            let read = |name: &str| fs::read(entry.path().join(name)).unwrap_or_default();
            let text = |name: &str| String::from_utf8_lossy(&read(name)).replace('\0', " ");
            let (arguments, variables) = (text("cmdline"), text("environ"));
            let directory = fs::read_link(entry.path().join("cwd")).unwrap_or_default();
            let is_ours =
                arguments.contains(mark) || variables.contains(mark) || directory.starts_with(mark);
            is_ours.then(|| format!("{} {arguments}", entry.file_name().to_string_lossy()))
        })
        .collect()
}
