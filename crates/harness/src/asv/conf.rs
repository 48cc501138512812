//! `asv.conf.json`: every key asv knows, read as asv reads it (JSON5), with lines in its mistakes.

use super::matrix::{Kind, Matrix, Rule};
use crate::HarnessError;
use jsonc_parser::ast::{Object, ObjectProp, Value};
use jsonc_parser::common::Ranged;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use std::path::PathBuf;

/// What an asv suite configures, with asv's defaults filled in. Keys that only matter to asv's own
/// storage and web pages are known and passed over.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Conf {
    pub(crate) project: String,
    pub(crate) repo_subdir: PathBuf,
    pub(crate) environment_type: Option<String>,
    /// `3.12`, `pypy3.10`, `same`; empty = the one on the PATH.
    pub(crate) pythons: Vec<String>,
    pub(crate) matrix: Matrix,
    pub(crate) exclude: Vec<Rule>,
    pub(crate) include: Vec<Rule>,
    /// Relative to the configuration file, as are the others.
    pub(crate) benchmark_dir: PathBuf,
    pub(crate) env_dir: PathBuf,
    pub(crate) results_dir: PathBuf,
    pub(crate) html_dir: PathBuf,
    /// None = asv's own way; empty = nothing is done.
    pub(crate) build_command: Option<Vec<String>>,
    pub(crate) install_command: Option<Vec<String>>,
    pub(crate) uninstall_command: Option<Vec<String>>,
    /// Seconds each build or install command may take.
    pub(crate) install_timeout: f64,
    /// Seconds a benchmark may take that says nothing else.
    pub(crate) default_benchmark_timeout: f64,
    pub(crate) warnings: Vec<String>,
}

impl Default for Conf {
    fn default() -> Self {
        Self {
            project: "project".into(),
            repo_subdir: PathBuf::new(),
            environment_type: None,
            pythons: Vec::new(),
            matrix: Matrix::default(),
            exclude: Vec::new(),
            include: Vec::new(),
            benchmark_dir: "benchmarks".into(),
            env_dir: "env".into(),
            results_dir: "results".into(),
            html_dir: "html".into(),
            build_command: None,
            install_command: None,
            uninstall_command: None,
            install_timeout: 600.0,
            default_benchmark_timeout: 60.0,
            warnings: Vec::new(),
        }
    }
}

/// Known to asv, without meaning for a comparison of two commits.
const PASSED_OVER: [&str; 17] = [
    "repo",
    "project_url",
    "show_commit_url",
    "dvcs",
    "branches",
    "hash_length",
    "conda_channels",
    "conda_environment_file",
    "build_cache_size",
    "wheel_cache_size",
    "regressions_first_commits",
    "regressions_thresholds",
    "launch_method",
    "plugins",
    "version",
    "$schema",
    "//",
];

const READ: [&str; 15] = [
    "project",
    "repo_subdir",
    "environment_type",
    "pythons",
    "matrix",
    "exclude",
    "include",
    "benchmark_dir",
    "env_dir",
    "results_dir",
    "html_dir",
    "build_command",
    "install_command",
    "uninstall_command",
    "install_timeout",
];

impl Conf {
    /// Reads the text of a configuration file called `name`.
    ///
    /// # Errors
    /// Where it is no JSON5 or a value is of the wrong kind, with its line.
    pub(crate) fn parse(name: &str, text: &str) -> Result<Self, HarnessError> {
        let reader = Reader { name, text };
        let options = ParseOptions { allow_missing_commas: false, ..ParseOptions::default() };
        let parsed = parse_to_ast(text, &CollectOptions::default(), &options).map_err(|error| {
            let (line, column) = (error.line_display(), error.column_display());
            HarnessError {
                place: format!("{name}:{line}:{column}"),
                message: format!("this is not JSON as asv reads it: {}", error.kind()),
            }
        })?;
        match &parsed.value {
            Some(Value::Object(object)) => reader.conf(object),
            Some(other) => Err(reader.wrong(other, "an object `{…}`")),
            None => Err(HarnessError {
                place: name.to_owned(),
                message: "the file is empty; asv needs at least {\"version\": 1}".into(),
            }),
        }
    }
}

/// Reads values and knows where they stand.
struct Reader<'a> {
    name: &'a str,
    text: &'a str,
}

impl Reader<'_> {
    fn conf(&self, object: &Object<'_>) -> Result<Conf, HarnessError> {
        let mut conf = Conf::default();
        for property in &object.properties {
            self.property(&mut conf, property)?;
        }
        if object.get("version").is_none() {
            let warning = format!("{}: `version` is missing; asv itself asks for 1", self.name);
            conf.warnings.push(warning);
        }
        Ok(conf)
    }

    fn property(&self, conf: &mut Conf, property: &ObjectProp<'_>) -> Result<(), HarnessError> {
        let value = &property.value;
        match property.name.as_str() {
            "project" => conf.project = self.string(value)?,
            "repo_subdir" => conf.repo_subdir = self.path(value)?,
            "environment_type" => conf.environment_type = self.optional(value, Self::string)?,
            "pythons" => conf.pythons = self.strings(value)?,
            "matrix" => conf.matrix = self.matrix(value)?,
            "exclude" => conf.exclude = self.rules(value)?,
            "include" => conf.include = self.includes(value)?,
            "benchmark_dir" => conf.benchmark_dir = self.path(value)?,
            "env_dir" => conf.env_dir = self.path(value)?,
            "results_dir" => conf.results_dir = self.path(value)?,
            "html_dir" => conf.html_dir = self.path(value)?,
            "build_command" => conf.build_command = self.optional(value, Self::strings)?,
            "install_command" => conf.install_command = self.optional(value, Self::strings)?,
            "uninstall_command" => conf.uninstall_command = self.optional(value, Self::strings)?,
            "install_timeout" => conf.install_timeout = self.seconds(value)?,
            "default_benchmark_timeout" => conf.default_benchmark_timeout = self.seconds(value)?,
            "version" => self.version(value)?,
            name => conf.warnings.extend(self.remark(name, property)),
        }
        Ok(())
    }

    fn version(&self, value: &Value<'_>) -> Result<(), HarnessError> {
        match value {
            Value::NumberLit(number) if number.value == "1" => Ok(()),
            _ => Err(self.wrong(value, "1, the only version of this format there is")),
        }
    }

    /// What to say of a key that is not read: nothing, where asv knows it.
    fn remark(&self, key: &str, property: &ObjectProp<'_>) -> Option<String> {
        let place = self.place(property);
        if key == "plugins" && property.value.as_array().is_some_and(|a| !a.elements.is_empty()) {
            return Some(format!(
                "{place}: `plugins` are asv's own and are not loaded; benchmark types of installed \
                 `asv_bench*` packages are"
            ));
        }
        if PASSED_OVER.contains(&key) {
            return None;
        }
        let known = READ.iter().chain(&PASSED_OVER).chain(&["default_benchmark_timeout"]);
        let nearest = known
            .map(|known| (strsim::damerau_levenshtein(known, key), *known))
            .min()
            .filter(|(distance, _)| *distance <= 3);
        let advice = nearest.map_or(String::new(), |(_, known)| format!("; is `{known}` meant?"));
        Some(format!("{place}: asv knows no key `{key}` and ignores it{advice}"))
    }

    // Values

    fn string(&self, value: &Value<'_>) -> Result<String, HarnessError> {
        match value {
            Value::StringLit(text) => Ok(text.value.to_string()),
            _ => Err(self.wrong(value, "a text")),
        }
    }

    fn path(&self, value: &Value<'_>) -> Result<PathBuf, HarnessError> {
        self.string(value).map(PathBuf::from)
    }

    fn seconds(&self, value: &Value<'_>) -> Result<f64, HarnessError> {
        let number = match value {
            Value::NumberLit(number) => number.value.parse::<f64>().ok(),
            _ => None,
        };
        number
            .filter(|seconds| seconds.is_finite() && *seconds > 0.0)
            .ok_or_else(|| self.wrong(value, "a number of seconds above 0"))
    }

    fn optional<T>(
        &self,
        value: &Value<'_>,
        read: impl Fn(&Self, &Value<'_>) -> Result<T, HarnessError>,
    ) -> Result<Option<T>, HarnessError> {
        if matches!(value, Value::NullKeyword(_)) { Ok(None) } else { read(self, value).map(Some) }
    }

    /// A list of texts, or one text standing for a list of one, as asv takes commands.
    fn strings(&self, value: &Value<'_>) -> Result<Vec<String>, HarnessError> {
        match value {
            Value::Array(array) => array.elements.iter().map(|item| self.string(item)).collect(),
            Value::StringLit(text) => Ok(vec![text.value.to_string()]),
            _ => Err(self.wrong(value, "a list of texts")),
        }
    }

    /// A text, a number written as one would a version, or null.
    fn choice(&self, value: &Value<'_>) -> Result<Option<String>, HarnessError> {
        match value {
            Value::NullKeyword(_) => Ok(None),
            Value::StringLit(text) => Ok(Some(text.value.to_string())),
            Value::NumberLit(number) => Ok(Some(number.value.to_owned())),
            _ => Err(self.wrong(value, "a text, or null for `absent`")),
        }
    }

    // The matrix

    fn matrix(&self, value: &Value<'_>) -> Result<Matrix, HarnessError> {
        let mut axes = Vec::new();
        for (kind, property) in self.entries(value, false)? {
            axes.push((kind, property.name.as_str().to_owned(), self.axis(&property.value)?));
        }
        Ok(Matrix { axes })
    }

    fn axis(&self, value: &Value<'_>) -> Result<Vec<Option<String>>, HarnessError> {
        let Value::Array(array) = value else { return Ok(vec![self.choice(value)?]) };
        if array.elements.is_empty() {
            return Ok(vec![Some(String::new())]);
        }
        array.elements.iter().map(|item| self.choice(item)).collect()
    }

    fn rules(&self, value: &Value<'_>) -> Result<Vec<Rule>, HarnessError> {
        let Value::Array(array) = value else { return Err(self.wrong(value, "a list of rules")) };
        array.elements.iter().map(|rule| self.rule(rule)).collect()
    }

    fn includes(&self, value: &Value<'_>) -> Result<Vec<Rule>, HarnessError> {
        let rules = self.rules(value)?;
        let elements = value.as_array().map_or(&[][..], |array| &array.elements);
        match rules.iter().position(|rule| rule.get(Kind::Python, "").flatten().is_none()) {
            Some(index) => Err(self.wrong(&elements[index], "a rule that names its `python`")),
            None => Ok(rules),
        }
    }

    fn rule(&self, value: &Value<'_>) -> Result<Rule, HarnessError> {
        let mut parts = Vec::new();
        for (kind, property) in self.entries(value, true)? {
            let name = if kind.is_bare() { "" } else { property.name.as_str() };
            parts.push((kind, name.to_owned(), self.choice(&property.value)?));
        }
        Ok(Rule { place: self.place(value), parts })
    }

    /// The entries of a matrix or rule with their kinds: those of `req`, `env` and `env_nobuild`,
    /// or, in the old flat form, requirements all.
    fn entries<'v>(
        &self,
        value: &'v Value<'v>,
        is_rule: bool,
    ) -> Result<Vec<(Kind, &'v ObjectProp<'v>)>, HarnessError> {
        let Value::Object(object) = value else {
            return Err(self.wrong(value, "an object `{…}`"));
        };
        let bare =
            |property: &ObjectProp<'_>| Kind::bare(property.name.as_str()).filter(|_| is_rule);
        let mut entries: Vec<_> =
            object.properties.iter().filter_map(|p| bare(p).map(|kind| (kind, p))).collect();
        let rest = || object.properties.iter().filter(|p| bare(p).is_none());
        if !rest().any(|property| Kind::table(property.name.as_str()).is_some()) {
            entries.extend(rest().map(|property| (Kind::Requirement, property)));
            return Ok(entries);
        }
        if let Some(spurious) = rest().find(|p| Kind::table(p.name.as_str()).is_none()) {
            let message = format!(
                "`{}` stands beside `req`, `env` or `env_nobuild`, where asv takes nothing else; \
                 move it into one of them",
                spurious.name.as_str()
            );
            return Err(HarnessError { place: self.place(spurious), message });
        }
        for kind in Kind::TABLES {
            for property in rest().filter(|p| Kind::table(p.name.as_str()) == Some(kind)) {
                let Value::Object(table) = &property.value else {
                    return Err(self.wrong(&property.value, "an object `{…}`"));
                };
                entries.extend(table.properties.iter().map(|property| (kind, property)));
            }
        }
        Ok(entries)
    }

    // Mistakes

    fn place(&self, thing: &impl Ranged) -> String {
        let before = self.text.get(..thing.range().start).unwrap_or(self.text);
        format!("{}:{}", self.name, before.matches('\n').count() + 1)
    }

    fn wrong(&self, value: &Value<'_>, wanted: &str) -> HarnessError {
        let found = value.text(self.text);
        let found: String = found.chars().take(40).collect();
        HarnessError {
            place: self.place(value),
            message: format!("`{}` should be {wanted}", found.replace('\n', " ")),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Result<Conf, HarnessError> {
        Conf::parse("asv.conf.json", text)
    }

    #[test]
    fn comments_single_quotes_trailing_commas_and_bare_keys_are_read() {
        let conf = parse(
            "// The version\n{ version: 1, /* c */ 'project': 'it\\'s', \"pythons\": [\"3.12\",],\n\
             build_command: ['a {build_dir}', \"b\"], install_command: null, install_timeout: 900,\n}",
        )
        .unwrap();
        assert_eq!(conf.project, "it's");
        assert_eq!(conf.pythons, ["3.12"]);
        assert_eq!(conf.build_command.unwrap(), ["a {build_dir}", "b"]);
        assert_eq!((conf.install_command, conf.install_timeout), (None, 900.0));
        assert_eq!(conf.warnings, Vec::<String>::new());
    }

    #[test]
    fn mistakes_are_named_with_their_line() {
        let table = [
            ("{\n\"version\": 1,\n\"pythons\": 3\n}", "asv.conf.json:3", "`3` should be a list"),
            ("{\n\"version\": 2}", "asv.conf.json:2", "the only version"),
            ("{\"version\": 1\n\n\"repo\": \".\"}", "asv.conf.json:1", "not JSON as asv reads it"),
            ("[1]", "asv.conf.json:1", "`[1]` should be an object"),
            ("", "asv.conf.json", "the file is empty"),
            (
                "{\"matrix\": {\"req\": {},\n\"numpy\": []}}",
                "asv.conf.json:2",
                "`numpy` stands beside",
            ),
            ("{\n\"include\": [\n{\"numpy\": \"1\"}]}", "asv.conf.json:3", "names its `python`"),
            ("{\"matrix\": {\"env\": {\"A\": [\ntrue]}}}", "asv.conf.json:2", "null for `absent`"),
            ("{\"install_timeout\": -1}", "asv.conf.json:1", "seconds above 0"),
        ];
        for (text, place, message) in table {
            let error = parse(text).unwrap_err();
            assert!(error.place.starts_with(place), "{text}: {error}");
            assert!(error.message.contains(message), "{text}: {error}");
        }
    }

    #[test]
    fn an_unknown_key_is_a_warning_with_a_suggestion_because_asv_accepts_it() {
        let text = "{\"version\": 1,\n\"regression_thresholds\": {}, \"branches\": [\"x\"]}";
        let warnings = parse(text).unwrap().warnings;
        assert_eq!(warnings.len(), 1);
        assert!(warnings[0].starts_with("asv.conf.json:2: "), "{warnings:?}");
        assert!(warnings[0].contains("is `regressions_thresholds` meant?"), "{warnings:?}");
    }
}
