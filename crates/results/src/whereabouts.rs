//! Keeps out of files whose machine it was: home directory, user name, host name.

use std::borrow::Cow;

/// What stands in place of the home directory: a shell reads it as the reader's own.
const HOME: &str = "~";
const USER: &str = "[user]";
const HOST: &str = "[host]";

const HOME_VARIABLES: [&str; 2] = ["HOME", "USERPROFILE"];
const USER_VARIABLES: [&str; 3] = ["USER", "LOGNAME", "USERNAME"];
const HOST_VARIABLES: [&str; 3] = ["HOSTNAME", "HOST", "COMPUTERNAME"];

/// Shorter names are found in words they have nothing to do with.
const SHORTEST_NAME: usize = 3;

/// Names that say nothing of anybody, and are words as well.
const NOBODY: [&str; 14] = [
    "root",
    "user",
    "runner",
    "runneradmin",
    "admin",
    "administrator",
    "ubuntu",
    "debian",
    "build",
    "builder",
    "test",
    "nobody",
    "localhost",
    "default",
];

/// What is known of the machine's user.
#[derive(Clone, Debug, Default)]
pub(crate) struct Whereabouts {
    /// Longest first.
    homes: Vec<String>,
    names: Vec<(String, &'static str)>,
}

/// Where names are looked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum In {
    /// Sentences, and what programs print: names as words of their own.
    Prose,
    /// Arguments, paths, labels, whose words mean something: names as parts of paths and addresses.
    Paths,
}

impl Whereabouts {
    /// Learns from environment variables.
    pub(crate) fn from_variables<'a>(
        variables: impl IntoIterator<Item = (&'a str, &'a str)>,
    ) -> Self {
        let mut known = Self::default();
        for (name, value) in variables {
            if HOME_VARIABLES.contains(&name) {
                known.add_home(value);
            } else if USER_VARIABLES.contains(&name) {
                known.add_name(value, USER);
            } else if HOST_VARIABLES.contains(&name) {
                known.add_host(value);
            }
        }
        known
    }

    /// Learns a host name, with and without its domain.
    pub(crate) fn add_host(&mut self, name: &str) {
        self.add_name(name, HOST);
        if let Some((first, _)) = name.split_once('.') {
            self.add_name(first, HOST);
        }
    }

    fn add_home(&mut self, path: &str) {
        let path = path.trim_end_matches(['/', '\\']);
        if !path.is_empty() {
            self.homes.push(path.to_owned());
            self.homes.sort_by_key(|home| std::cmp::Reverse(home.len()));
        }
    }

    fn add_name(&mut self, name: &str, shown: &'static str) {
        let is_word = NOBODY.contains(&name.to_ascii_lowercase().as_str());
        if name.len() >= SHORTEST_NAME && !is_word {
            self.names.push((name.to_owned(), shown));
            self.names.sort_by_key(|(name, _)| std::cmp::Reverse(name.len()));
        }
    }

    /// The text without any of it.
    pub(crate) fn hide<'a>(&self, text: Cow<'a, str>, place: In) -> Cow<'a, str> {
        let mut text = text;
        for home in &self.homes {
            text = replaced(text, home, HOME, is_path_end);
        }
        for (name, shown) in &self.names {
            text = replaced(text, name, shown, |before, after| match place {
                In::Prose => is_word(before, after),
                In::Paths => is_word(before, after) && is_in_path(before, after),
            });
        }
        text
    }
}

/// Replaces `wanted` where the characters around it say that it is what it seems.
fn replaced<'a>(
    text: Cow<'a, str>,
    wanted: &str,
    shown: &str,
    is_it: impl Fn(Option<char>, Option<char>) -> bool,
) -> Cow<'a, str> {
    if !text.contains(wanted) {
        return text;
    }
    let mut out = String::with_capacity(text.len());
    let mut rest = &*text;
    while let Some(at) = rest.find(wanted) {
        let (before, found) = rest.split_at(at);
        let after = &found[wanted.len()..];
        out.push_str(before);
        let fits = is_it(out.chars().next_back(), after.chars().next());
        out.push_str(if fits { shown } else { wanted });
        rest = after;
    }
    out.push_str(rest);
    Cow::Owned(out)
}

/// A path begins and ends there, or goes on below.
fn is_path_end(before: Option<char>, after: Option<char>) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-' | '.');
    !before.is_some_and(is_name) && !after.is_some_and(is_name)
}

fn is_word(before: Option<char>, after: Option<char>) -> bool {
    let goes_on = |c: char| c.is_alphanumeric() || c == '_';
    !before.is_some_and(goes_on) && !after.is_some_and(goes_on)
}

/// Beside a separator of paths or addresses.
fn is_in_path(before: Option<char>, after: Option<char>) -> bool {
    let separates = |c: char| matches!(c, '/' | '\\' | '@' | ':');
    before.is_some_and(separates) || after.is_some_and(separates)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn known() -> Whereabouts {
        let variables =
            [("HOME", "/home/alice/"), ("USER", "alice"), ("HOSTNAME", "castle.example")];
        Whereabouts::from_variables(variables)
    }

    fn hidden(text: &str, place: In) -> String {
        known().hide(text.into(), place).into_owned()
    }

    #[test]
    fn a_home_directory_becomes_the_readers_own() {
        assert_eq!(hidden("--x=/home/alice/v/bin", In::Paths), "--x=~/v/bin");
        assert_eq!(hidden("cd /home/alice", In::Prose), "cd ~");
        assert_eq!(
            hidden("/home/alice2 /home/alice_old", In::Prose),
            "/home/alice2 /home/alice_old"
        );
    }

    #[test]
    fn names_are_hidden_in_paths_and_addresses() {
        let text = "/net/castle/scratch/alice/x alice@castle.example:/srv castle:80";
        assert_eq!(
            hidden(text, In::Paths),
            "/net/[host]/scratch/[user]/x [user]@[host]:/srv [host]:80"
        );
        assert_eq!(
            hidden("--filter alice --base castle", In::Paths),
            "--filter alice --base castle"
        );
    }

    #[test]
    fn what_programs_print_hides_names_wherever_they_stand() {
        assert_eq!(
            hidden("no rights for alice on castle", In::Prose),
            "no rights for [user] on [host]"
        );
        assert_eq!(hidden("malice, sandcastle_2", In::Prose), "malice, sandcastle_2");
    }

    #[test]
    fn names_that_are_nobodys_stay() {
        let known = Whereabouts::from_variables([("USER", "root"), ("HOST", "ci"), ("HOME", "/")]);
        assert_eq!(known.hide("/x/root/ci".into(), In::Prose), "/x/root/ci");
    }
}
