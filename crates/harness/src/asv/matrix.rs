//! The environments of an asv suite: pythons × matrix, less what is excluded, plus what is included.

use super::conf::Conf;
use crate::{EnvironmentSettings, HarnessError};
use fancy_regex::Regex;
use std::collections::BTreeMap;

/// What an entry of a matrix or rule is about.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    Python,
    EnvironmentType,
    Platform,
    Requirement,
    Variable,
    /// A variable that builds don't see.
    RunVariable,
}

impl Kind {
    pub(crate) const TABLES: [Self; 3] = [Self::Requirement, Self::Variable, Self::RunVariable];

    /// The kind of a key that stands by itself in a rule.
    pub(crate) fn bare(key: &str) -> Option<Self> {
        match key {
            "python" => Some(Self::Python),
            "environment_type" => Some(Self::EnvironmentType),
            "sys_platform" => Some(Self::Platform),
            _ => None,
        }
    }

    /// The kind of the entries in a table of this name.
    pub(crate) fn table(key: &str) -> Option<Self> {
        match key {
            "req" => Some(Self::Requirement),
            "env" => Some(Self::Variable),
            "env_nobuild" => Some(Self::RunVariable),
            _ => None,
        }
    }

    pub(crate) fn is_bare(self) -> bool {
        matches!(self, Self::Python | Self::EnvironmentType | Self::Platform)
    }
}

/// Name and value of one entry; no value = absent.
type Entry = (Kind, String, Option<String>);

/// The axes of a matrix, in asv's order.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Matrix {
    pub(crate) axes: Vec<(Kind, String, Vec<Option<String>>)>,
}

/// A combination that is left out or put in.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Rule {
    /// File and line, for mistakes.
    pub(crate) place: String,
    pub(crate) parts: Vec<Entry>,
}

impl Rule {
    /// The value of an entry, if the rule has it.
    pub(crate) fn get(&self, kind: Kind, name: &str) -> Option<Option<&str>> {
        let found = self.parts.iter().find(|(k, n, _)| *k == kind && n == name);
        found.map(|(_, _, value)| value.as_deref())
    }

    /// Whether every part matches: an expression that spans the whole value, or null for an
    /// absent one.
    fn matches(&self, target: &[Entry]) -> Result<bool, HarnessError> {
        for (kind, name, pattern) in &self.parts {
            let found = target.iter().find(|(k, n, _)| k == kind && n == name);
            let value = found.and_then(|(_, _, value)| value.as_deref());
            let fits = match (pattern, value) {
                (None, value) => value.is_none(),
                (Some(_), None) => false,
                (Some(pattern), Some(value)) => self.spans(pattern, value)?,
            };
            if !fits {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// As Python's `re.match` whose end is the end of `value`, look-around and back-references
    /// included: asv's users write `(?!win32).*`.
    fn spans(&self, pattern: &str, value: &str) -> Result<bool, HarnessError> {
        let found = Regex::new(&format!("^(?:{pattern})")).and_then(|regex| regex.find(value));
        let found = found.map_err(|error| HarnessError {
            place: self.place.clone(),
            message: format!("the expression `{pattern}` can't be used: {error}"),
        })?;
        Ok(found.is_some_and(|found| found.end() == value.len()))
    }
}

/// The environments a configuration asks for, in asv's order.
///
/// # Errors
/// An expression in a rule that can't be used.
pub(crate) fn environments(
    conf: &Conf,
    platform: &str,
) -> Result<Vec<EnvironmentSettings>, HarnessError> {
    let own = conf.environment_type.as_deref().unwrap_or("virtualenv");
    let place = [
        (Kind::EnvironmentType, String::new(), Some(own.to_owned())),
        (Kind::Platform, String::new(), Some(platform.to_owned())),
    ];
    let mut combinations = Vec::new();
    for python in pythons(conf) {
        for combination in product(&conf.matrix.axes) {
            let mut target = vec![(Kind::Python, String::new(), python.clone())];
            target.extend(combination);
            let mut whole = target.clone();
            whole.extend(place.clone());
            if !excluded(&conf.exclude, &whole)? {
                combinations.push(target);
            }
        }
    }
    for rule in &conf.include {
        combinations.extend(included(rule, &place)?);
    }
    Ok(named(&combinations))
}

fn pythons(conf: &Conf) -> Vec<Option<String>> {
    let all: Vec<_> =
        conf.pythons.iter().map(|python| (python != "same").then(|| python.clone())).collect();
    if all.is_empty() { vec![None] } else { all }
}

fn excluded(rules: &[Rule], target: &[Entry]) -> Result<bool, HarnessError> {
    for rule in rules {
        if rule.matches(target)? {
            return Ok(true);
        }
    }
    Ok(false)
}

/// What a rule puts in, where its type and platform are these.
fn included(rule: &Rule, place: &[Entry]) -> Result<Option<Vec<Entry>>, HarnessError> {
    let (conditions, parts): (Vec<_>, Vec<_>) = rule
        .parts
        .iter()
        .cloned()
        .partition(|(kind, ..)| matches!(kind, Kind::EnvironmentType | Kind::Platform));
    let condition = Rule { place: rule.place.clone(), parts: conditions };
    Ok(condition.matches(place)?.then_some(parts))
}

/// Every choice of one value per axis, the last axis fastest.
fn product(axes: &[(Kind, String, Vec<Option<String>>)]) -> Vec<Vec<Entry>> {
    axes.iter().fold(vec![Vec::new()], |rows, (kind, name, values)| {
        let extend = |row: &Vec<Entry>| {
            let row = row.clone();
            values
                .iter()
                .map(move |value| {
                    let mut longer = row.clone();
                    longer.push((*kind, name.clone(), value.clone()));
                    longer
                })
                .collect::<Vec<_>>()
        };
        rows.iter().flat_map(extend).collect()
    })
}

/// Settings with names that tell them apart; a single one is called `default`.
fn named(combinations: &[Vec<Entry>]) -> Vec<EnvironmentSettings> {
    let mut all: Vec<_> = combinations.iter().map(|combination| settings(combination)).collect();
    if let [only] = all.as_mut_slice() {
        only.name = "default".into();
    }
    let mut seen = BTreeMap::new();
    for settings in &mut all {
        let count: &mut u32 = seen.entry(settings.name.clone()).or_default();
        *count += 1;
        if *count > 1 {
            settings.name = format!("{}-{count}", settings.name);
        }
    }
    all
}

fn settings(combination: &[Entry]) -> EnvironmentSettings {
    let mut settings = EnvironmentSettings::default();
    let mut name = Vec::new();
    for (kind, key, value) in combination {
        let Some(value) = value else { continue };
        match kind {
            Kind::Python => {
                settings.python = Some(value.clone());
                name.push(format!("py{}", value.trim_start_matches("py")));
                continue;
            }
            Kind::Requirement => settings.requirements.push(requirement(key, value)),
            Kind::Variable => {
                settings.variables.insert(key.clone(), value.clone());
            }
            Kind::RunVariable => {
                settings.run_variables.insert(key.clone(), value.clone());
            }
            Kind::EnvironmentType | Kind::Platform => continue,
        }
        name.push(format!("{key}{value}"));
    }
    settings.name = if name.is_empty() { "default".into() } else { name.join("-") };
    settings
}

/// A matrix entry as pip takes it: `six` and `1.10` are `six==1.10`.
fn requirement(key: &str, value: &str) -> String {
    let (name, value) = (key.strip_prefix("pip+").unwrap_or(key).trim(), value.trim());
    match value.chars().next() {
        None => name.to_owned(),
        Some(first) if first.is_ascii_digit() => format!("{name}=={value}"),
        Some(_) => format!("{name}{value}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(text: &str) -> Vec<String> {
        let conf = Conf::parse("asv.conf.json", text).unwrap();
        environments(&conf, "linux").unwrap().into_iter().map(|e| e.name).collect()
    }

    #[test]
    fn a_suite_without_wishes_gets_one_environment_called_default() {
        assert_eq!(names("{}"), ["default"]);
        assert_eq!(names("{pythons: ['3.12']}"), ["default"]);
    }

    #[test]
    fn pythons_times_matrix_run_with_the_last_axis_fastest() {
        let text = "{pythons: ['3.11', '3.12'], matrix: {req: {six: ['1.10', null], numpy: []}, \
                    env: {A: ['x', 'y']}, env_nobuild: {B: 'z'}}}";
        assert_eq!(
            names(text)[..4],
            [
                "py3.11-six1.10-numpy-Ax-Bz",
                "py3.11-six1.10-numpy-Ay-Bz",
                "py3.11-numpy-Ax-Bz",
                "py3.11-numpy-Ay-Bz"
            ]
        );
        let conf = Conf::parse("f", text).unwrap();
        let all = environments(&conf, "linux").unwrap();
        assert_eq!(all.len(), 8);
        assert_eq!(all[0].requirements, ["six==1.10", "numpy"]);
        assert_eq!(all[0].variables["A"], "x");
        assert_eq!(all[0].run_variables["B"], "z");
        assert_eq!(all[0].python.as_deref(), Some("3.11"));
    }

    #[test]
    fn the_old_flat_matrix_is_requirements() {
        let conf = Conf::parse("f", "{matrix: {'pip+six': '>=1.9', numpy: ['1.20', '']}}").unwrap();
        let all = environments(&conf, "linux").unwrap();
        let requirements: Vec<_> = all.into_iter().map(|e| e.requirements).collect();
        assert_eq!(requirements, [vec!["six>=1.9", "numpy==1.20"], vec!["six>=1.9", "numpy"]]);
    }

    #[test]
    fn an_exclusion_must_match_in_full_in_every_part() {
        let matrix = "pythons: ['3.1', '3.12'], matrix: {req: {six: ['1', null]}}";
        let table = [
            ("{python: '3.1'}", vec!["py3.12-six1", "py3.12"]),
            ("{python: '3.1.*'}", vec![]),
            ("{python: '3.12', req: {six: null}}", vec!["py3.1-six1", "py3.1", "py3.12-six1"]),
            ("{six: '.*'}", vec!["py3.1", "py3.12"]),
            ("{sys_platform: 'win32'}", vec!["py3.1-six1", "py3.1", "py3.12-six1", "py3.12"]),
            ("{environment_type: 'virtual.*', python: '3.1|3.12'}", vec!["py3.12-six1", "py3.12"]),
            ("{sys_platform: '(?!win32).*'}", vec![]),
            ("{python: '3\\\\.1(?!2)'}", vec!["py3.12-six1", "py3.12"]),
            ("{env: {A: '1'}}", vec!["py3.1-six1", "py3.1", "py3.12-six1", "py3.12"]),
        ];
        for (rule, expected) in table {
            let found = names(&format!("{{{matrix}, exclude: [{rule}]}}"));
            assert_eq!(found, expected, "{rule}");
        }
    }

    #[test]
    fn an_inclusion_adds_where_type_and_platform_match() {
        let found = names(
            "{pythons: ['3.12'], include: [{python: '3.11', req: {six: '1', x: null}}, \
             {python: '3.10', sys_platform: 'win32'}, \
             {python: '3.9', environment_type: 'virtualenv', env: {A: '1'}}]}",
        );
        assert_eq!(found, ["py3.12", "py3.11-six1", "py3.9-A1"]);
    }

    #[test]
    fn an_expression_that_cannot_be_used_is_named_with_its_line() {
        let conf = Conf::parse("f", "{\npythons: ['3'], exclude: [\n{python: '3('}]}").unwrap();
        let error = environments(&conf, "linux").unwrap_err();
        assert_eq!(error.place, "f:3");
        assert!(error.message.contains("`3(` can't be used"), "{error}");
    }
}
