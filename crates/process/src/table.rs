//! The table of running processes, as far as killing a whole family needs it. Linux; elsewhere empty.

use std::collections::{HashMap, HashSet};

use nix::errno::Errno;
use nix::sys::signal::{Signal, kill, killpg};
use nix::unistd::Pid;

/// One process that still runs (zombies are not listed).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Entry {
    pub(crate) pid: i32,
    parent: i32,
    group: i32,
    session: i32,
}

/// All living descendants of `ancestor`.
pub(crate) fn descendants(ancestor: Pid) -> Vec<Entry> {
    family(processes(), ancestor, None)
}

/// The living descendants of `adopter` that are not `program`, nor its descendants.
pub(crate) fn orphans(adopter: Pid, program: Pid) -> Vec<Entry> {
    // One small file, where the kernel has it, spares the whole table in nearly every case.
    let children = std::fs::read_to_string(format!("/proc/{adopter}/task/{adopter}/children"));
    if children.is_ok_and(|children| children.trim() == program.to_string()) {
        return Vec::new();
    }
    family(processes(), adopter, Some(program))
}

/// `ancestor`'s descendants among `all`, without the branch of `except`.
fn family(all: Vec<Entry>, ancestor: Pid, except: Option<Pid>) -> Vec<Entry> {
    let mut children: HashMap<i32, Vec<Entry>> = HashMap::new();
    let except = except.map(Pid::as_raw);
    for entry in all.into_iter().filter(|entry| Some(entry.pid) != except) {
        children.entry(entry.parent).or_default().push(entry);
    }
    let mut found = Vec::new();
    let mut unvisited = vec![ancestor.as_raw()];
    while let Some(pid) = unvisited.pop() {
        let next = children.remove(&pid).unwrap_or_default();
        unvisited.extend(next.iter().map(|entry| entry.pid));
        found.extend(next);
    }
    found
}

/// Whatever still runs in the session that `leader` led.
pub(crate) fn session_of(leader: Pid) -> Vec<Entry> {
    processes().into_iter().filter(|entry| entry.session == leader.as_raw()).collect()
}

/// Signals each of `entries`, and their groups at one stroke, so that a process which keeps forking
/// and exiting cannot slip away between two looks. `own_group` is spared.
pub(crate) fn signal_all(entries: &[Entry], own_group: Pid, signal: Signal) {
    let groups: HashSet<i32> = entries.iter().map(|entry| entry.group).collect();
    for group in groups {
        if group > 1 && group != own_group.as_raw() {
            ignore_gone(killpg(Pid::from_raw(group), signal));
        }
    }
    signal_each(entries, signal);
}

/// Signals each of `entries` and nobody else.
pub(crate) fn signal_each(entries: &[Entry], signal: Signal) {
    for entry in entries {
        ignore_gone(kill(Pid::from_raw(entry.pid), signal));
    }
}

/// A process that has gone meanwhile is what was wanted; one that belongs to another user is out
/// of reach, and the caller sees that it is still there.
pub(crate) fn ignore_gone(result: Result<(), Errno>) {
    let _ = result;
}

fn processes() -> Vec<Entry> {
    let Ok(directory) = std::fs::read_dir("/proc") else { return Vec::new() };
    directory
        .flatten()
        .filter(|entry| entry.file_name().as_encoded_bytes()[0].is_ascii_digit())
        .filter_map(|entry| std::fs::read(entry.path().join("stat")).ok())
        .filter_map(|stat| parse(&stat))
        .collect()
}

/// Reads `pid (name) state ppid pgrp session …`; the name may hold blanks and parentheses.
fn parse(stat: &[u8]) -> Option<Entry> {
    let stat = String::from_utf8_lossy(stat);
    let (head, tail) = stat.rsplit_once(") ")?;
    let pid = head.split_once(" (")?.0.parse().ok()?;
    let mut fields = tail.split(' ');
    let state = fields.next()?;
    let mut number = || fields.next()?.parse::<i32>().ok();
    let entry = Entry { pid, parent: number()?, group: number()?, session: number()? };
    (!matches!(state, "Z" | "X" | "x")).then_some(entry)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_name_with_parentheses_does_not_confuse_the_parser() {
        let entry = parse(b"12 (a) S 9 (b)) S 7 8 9 0 -1 4194304").unwrap();
        assert_eq!(entry, Entry { pid: 12, parent: 7, group: 8, session: 9 });
    }

    #[test]
    fn zombies_and_rubbish_are_not_listed() {
        assert_eq!(parse(b"12 (sh) Z 7 8 9 0"), None);
        assert_eq!(parse(b"12 sh"), None);
        assert_eq!(parse(b""), None);
    }

    #[test]
    fn the_branch_of_the_program_is_no_orphans() {
        let entry = |pid, parent| Entry { pid, parent, group: pid, session: 1 };
        let all =
            vec![entry(2, 1), entry(3, 2), entry(4, 3), entry(5, 2), entry(6, 5), entry(7, 1)];
        let pids = |except: Option<i32>| {
            let family = family(all.clone(), Pid::from_raw(2), except.map(Pid::from_raw));
            let mut pids: Vec<i32> = family.iter().map(|entry| entry.pid).collect();
            pids.sort_unstable();
            pids
        };
        assert_eq!(pids(None), [3, 4, 5, 6]);
        assert_eq!(pids(Some(3)), [5, 6]);
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn a_child_of_ours_is_a_descendant_and_in_our_session() {
        let mut child = std::process::Command::new("sleep").arg("1000").spawn().unwrap();
        let id = i32::try_from(child.id()).unwrap();
        assert!(descendants(Pid::this()).iter().any(|entry| entry.pid == id));
        let session = nix::unistd::getsid(None).unwrap();
        assert!(session_of(session).iter().any(|entry| entry.pid == id));
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(!descendants(Pid::this()).iter().any(|entry| entry.pid == id));
    }
}
