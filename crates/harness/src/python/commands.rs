//! Build, install and uninstall commands by asv's rules: placeholders, prefixes, no shell.

use std::collections::BTreeMap;

/// A command ready to be run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Command {
    pub(crate) words: Vec<String>,
    pub(crate) variables: BTreeMap<String, String>,
    /// Exit codes that count as success; none = all do.
    pub(crate) codes: Option<Vec<i32>>,
    pub(crate) directory: Option<String>,
}

impl Command {
    /// Splits a line as a POSIX shell would, fills in placeholders, takes off prefixes.
    ///
    /// # Errors
    /// One line that says what is wrong with the command and what is available.
    pub(crate) fn parse(
        line: &str,
        placeholders: &BTreeMap<String, String>,
    ) -> Result<Self, String> {
        let words = shlex::split(line)
            .ok_or_else(|| format!("`{line}` ends in the middle of a quotation"))?;
        let mut words = words
            .iter()
            .map(|word| fill(word, placeholders).map_err(|why| format!("`{line}`: {why}")))
            .collect::<Result<Vec<_>, _>>()?;
        let mut command =
            Self { words: Vec::new(), variables: BTreeMap::new(), codes: None, directory: None };
        let mut codes = None;
        let prefixes = words
            .iter()
            .map(|word| command.prefix(word, &mut codes).map_err(|why| format!("`{line}`: {why}")))
            .take_while(|taken| !matches!(taken, Ok(false)))
            .collect::<Result<Vec<_>, _>>()?
            .len();
        command.words = words.split_off(prefixes);
        command.codes = codes.unwrap_or_else(|| Some(vec![0]));
        if command.words.is_empty() {
            return Err(format!("`{line}` names no program"));
        }
        Ok(command)
    }

    /// Takes a word that is a prefix; false if the command itself begins here.
    fn prefix(&mut self, word: &str, codes: &mut Option<Option<Vec<i32>>>) -> Result<bool, String> {
        let Some((name, value)) = word.split_once('=') else { return Ok(false) };
        match name {
            "return-code" if codes.is_some() => Err("`return-code=` stands twice".into()),
            "return-code" => {
                *codes = Some(exit_codes(value)?);
                Ok(true)
            }
            "in-dir" if self.directory.is_some() => Err("`in-dir=` stands twice".into()),
            "in-dir" => {
                self.directory = Some(value.to_owned());
                Ok(true)
            }
            name if is_variable(name) => {
                self.variables.insert(name.to_owned(), value.to_owned());
                Ok(true)
            }
            _ => Ok(false),
        }
    }

    /// Whether an exit code counts as success.
    pub(crate) fn accepts(&self, code: i32) -> bool {
        self.codes.as_ref().is_none_or(|codes| codes.contains(&code))
    }
}

/// Whether what these commands install goes on depending on the directory it was built in.
pub(crate) fn depends_on_checkout(lines: &[String]) -> bool {
    let editable = |word: &str| {
        matches!(word, "-e" | "--editable" | "develop" | "--inplace" | "-i")
            || word.starts_with("--editable=")
    };
    lines
        .iter()
        .any(|line| shlex::split(line).is_some_and(|words| words.iter().any(|word| editable(word))))
}

fn exit_codes(value: &str) -> Result<Option<Vec<i32>>, String> {
    if value == "any" {
        return Ok(None);
    }
    let codes: Result<Vec<i32>, _> = value.split(',').map(str::parse).collect();
    codes.map(Some).map_err(|_| format!("`return-code={value}` should be numbers or `any`"))
}

fn is_variable(name: &str) -> bool {
    let mut letters = name.chars();
    letters.next().is_some_and(|first| first.is_ascii_alphabetic() || first == '_')
        && letters.all(|letter| letter.is_ascii_alphanumeric() || letter == '_')
}

/// Replaces `{name}`; `{{` and `}}` stand for braces, as in Python's `str.format`.
fn fill(word: &str, placeholders: &BTreeMap<String, String>) -> Result<String, String> {
    let mut filled = String::new();
    let mut rest = word;
    while let Some(at) = rest.find(['{', '}']) {
        filled.push_str(&rest[..at]);
        let (brace, after) = rest[at..].split_at(1);
        if let Some(after) = after.strip_prefix(brace) {
            filled.push_str(brace);
            rest = after;
            continue;
        }
        let name = after.split_once('}').filter(|_| brace == "{");
        let (name, after) =
            name.ok_or_else(|| format!("a lone `{brace}`; write `{brace}{brace}`"))?;
        let value = placeholders.get(name).ok_or_else(|| unknown(name, placeholders))?;
        filled.push_str(value);
        rest = after;
    }
    filled.push_str(rest);
    Ok(filled)
}

fn unknown(name: &str, placeholders: &BTreeMap<String, String>) -> String {
    let known: Vec<_> = placeholders.keys().map(|name| format!("{{{name}}}")).collect();
    let known = known.join(", ");
    if name == "wheel_file" {
        return format!(
            "there is no `{{wheel_file}}`: the build left no wheel in {{build_cache_dir}}, or several \
             (known here: {known})"
        );
    }
    format!("there is no `{{{name}}}` (known here: {known})")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(line: &str) -> Result<Command, String> {
        let known = [("build_dir", "/b d"), ("commit", "c0ffee")];
        let known = known.map(|(k, v)| (k.to_owned(), v.to_owned()));
        Command::parse(line, &BTreeMap::from(known))
    }

    #[test]
    fn placeholders_are_filled_after_splitting_so_that_blanks_in_paths_are_kept() {
        let command = parse("python -m pip wheel 'x y' {build_dir}/sub {{x}}").unwrap();
        assert_eq!(command.words, ["python", "-m", "pip", "wheel", "x y", "/b d/sub", "{x}"]);
        assert!(command.accepts(0) && !command.accepts(1));
    }

    #[test]
    fn prefixes_are_taken_off_until_the_program_begins() {
        let command = parse("A=1 in-dir={build_dir} return-code=0,3 B= make A=2").unwrap();
        assert_eq!(command.words, ["make", "A=2"]);
        assert_eq!(command.directory.as_deref(), Some("/b d"));
        assert_eq!(command.variables["A"], "1");
        assert_eq!(command.variables["B"], "");
        assert!(command.accepts(3) && !command.accepts(1));
        assert!(parse("return-code=any false").unwrap().accepts(77));
    }

    #[test]
    fn no_shell_is_involved() {
        assert_eq!(parse("a && b $HOME").unwrap().words, ["a", "&&", "b", "$HOME"]);
    }

    #[test]
    fn mistakes_say_what_is_available() {
        let table = [
            ("x {nope}", "there is no `{nope}` (known here: {build_dir}, {commit})"),
            ("x {wheel_file}", "the build left no wheel"),
            ("x {", "a lone `{`"),
            ("x 'y", "in the middle of a quotation"),
            ("A=1", "names no program"),
            ("return-code=x y", "numbers or `any`"),
            ("return-code=1 return-code=2 y", "stands twice"),
            ("in-dir=a in-dir=b y", "stands twice"),
        ];
        for (line, expected) in table {
            let error = parse(line).unwrap_err();
            assert!(error.contains(expected), "{line}: {error}");
        }
    }

    #[test]
    fn editable_installs_are_recognised() {
        let depends = |line: &str| depends_on_checkout(&[line.to_owned()]);
        assert!(depends("python -m pip install -e {build_dir}"));
        assert!(depends("python setup.py build_ext --inplace"));
        assert!(!depends("python -m pip wheel -w {build_cache_dir} {build_dir}"));
    }
}
