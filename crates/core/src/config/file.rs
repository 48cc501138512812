//! The second layer: exactly what `bench-action.toml` says, and where it says it.

use super::lines::Lines;
use super::mistakes::{ConfigError, Mistake};
use super::scalar::{CommandText, Scalar, Words};
use super::suggest::hint;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::Value;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use toml::de::{DeTable, DeValue};

/// The name under which the file is looked for at the root.
pub const FILE_NAME: &str = "bench-action.toml";

/// What the file says; everything is optional but what names a thing.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct File {
    /// What is compared, and when a difference counts.
    pub(crate) compare: CompareTable,
    /// Regressions that are known and wanted.
    pub(crate) accept: Vec<AcceptTable>,
    /// The suites; without any they are looked for.
    pub(crate) suite: Vec<SuiteTable>,
    /// Named settings a side is built and run in.
    pub(crate) environment: Vec<EnvironmentTable>,
}

/// What is compared, and when a difference counts.
#[derive(Clone, Debug, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case", default)]
pub(crate) struct CompareTable {
    /// `merge-base` (default), `tip`, or any revision.
    pub(crate) base: Option<String>,
    /// Smallest change that matters, such as `3%`, for every metric; by default 3 %, and 5 % for peak
    /// memory.
    pub(crate) threshold: Option<Scalar>,
    /// Bias that is forgiven, such as `1%`.
    pub(crate) tolerance: Option<Scalar>,
    /// Chance of any false alarm in a run, such as 0.05.
    pub(crate) alpha: Option<Scalar>,
    /// What measuring may take, such as `10m`.
    pub(crate) time_budget: Option<Scalar>,
    /// What preparing a side may take, such as `1h`.
    pub(crate) prepare_timeout: Option<Scalar>,
    /// What fails the run: `regression`, `failure`, `inconclusive`; or `never`.
    pub(crate) fail_on: Option<Words>,
    /// A regression fails only from here on, such as `10%`.
    pub(crate) fail_threshold: Option<Scalar>,
    /// A change of time below this never counts, such as `1us`.
    pub(crate) threshold_absolute: Option<Scalar>,
    /// Files whose changes cannot matter, as globs.
    pub(crate) ignore_paths: Vec<String>,
}

/// A regression that is known and wanted.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct AcceptTable {
    /// Regular expression on benchmark ids, which are `suite/name`.
    pub(crate) r#match: String,
    /// The largest change accepted, such as `20%`; without it any.
    pub(crate) up_to: Option<Scalar>,
    /// Why.
    pub(crate) reason: String,
    /// The last day on which it holds, such as `2027-03-01`.
    pub(crate) until: Option<Scalar>,
}

/// One harness in one directory.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct SuiteTable {
    /// Unique; the harness's name by default.
    pub(crate) name: Option<String>,
    /// The framework the benchmarks are written for.
    pub(crate) harness: String,
    /// Relative to the repository's root, which is the default.
    pub(crate) directory: Option<PathBuf>,
    /// The harness's own configuration file, relative to `directory`.
    pub(crate) config: Option<PathBuf>,
    /// Whose benchmark code both sides run: `head`, `base`, `each` or `path`.
    pub(crate) benchmarks_from: Option<String>,
    /// With `benchmarks-from = "path"`: the directory.
    pub(crate) path: Option<PathBuf>,
    /// `own` or `current`.
    pub(crate) environment: Option<String>,
    /// Names of the environments it is run in; by default those the harness asks for.
    #[serde(default)]
    pub(crate) environments: Vec<String>,
    /// Untracked paths that each side gets.
    #[serde(default)]
    pub(crate) links: Vec<PathBuf>,
    /// Whether files in Git LFS are fetched.
    #[serde(default)]
    pub(crate) lfs: bool,
    /// For the harness's own build, list and run commands.
    #[serde(default)]
    pub(crate) arguments: Vec<String>,
    /// Commands, run in each side's checkout, instead of the harness's own way.
    #[serde(default)]
    pub(crate) build: Vec<CommandText>,
    /// With `harness = "worker"`: the program that serves the benchmarks, started in `directory`;
    /// words, split like a shell but without one, or an array.
    pub(crate) run: Option<CommandText>,
    /// For harnesses whose suites are programs (`google-benchmark`, `catch2`, `pyperf`, `tinybench`, ...):
    /// the files, relative to `directory`, as they are after `build`. A file's name may hold `*` and `?`.
    #[serde(default)]
    pub(crate) programs: Vec<String>,
    /// Regular expression on benchmark ids, which are `suite/name`.
    pub(crate) filter: Option<String>,
    /// `auto`, `duet`, `alternate` or `sequential`.
    pub(crate) schedule: Option<String>,
    /// `auto`, `cpu` or `wall`.
    pub(crate) clock: Option<String>,
    /// Smallest change that matters here, such as `5%`.
    pub(crate) threshold: Option<Scalar>,
    /// Exceptions for some benchmarks; the last that matches wins.
    #[serde(default)]
    pub(crate) r#override: Vec<OverrideTable>,
    /// The benchmarks of a `command` suite.
    #[serde(default)]
    pub(crate) benchmark: Vec<BenchmarkTable>,
}

/// An exception for some benchmarks.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct OverrideTable {
    /// Regular expression on benchmark ids, which are `suite/name`.
    pub(crate) r#match: String,
    /// `auto`, `duet`, `alternate` or `sequential`.
    pub(crate) schedule: Option<String>,
    /// `auto`, `cpu` or `wall`.
    pub(crate) clock: Option<String>,
    /// Smallest change that matters, such as `5%`.
    pub(crate) threshold: Option<Scalar>,
}

/// A command that is timed as a whole process.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct BenchmarkTable {
    /// Unique in its suite.
    pub(crate) name: String,
    /// What is timed: words, split like a shell but without one, or an array.
    pub(crate) run: CommandText,
    /// Untimed, before each launch.
    pub(crate) prepare: Option<CommandText>,
    /// Whether `run` and `prepare` are lines for `sh -c`.
    #[serde(default)]
    pub(crate) shell: bool,
    /// What is judged: `time` (default), `peak-memory`.
    pub(crate) metrics: Option<Vec<String>>,
    /// A file given as standard input, relative to `directory`.
    pub(crate) stdin: Option<PathBuf>,
    /// The exit status that counts as success; 0 by default.
    #[serde(default)]
    pub(crate) expect_exit: i32,
    /// What one launch may take, such as `60s`, which is the default.
    pub(crate) timeout: Option<Scalar>,
    /// Environment variables for this command.
    #[serde(default)]
    pub(crate) variables: BTreeMap<String, Scalar>,
    /// Working directory, relative to the suite's.
    pub(crate) directory: Option<PathBuf>,
}

/// Named settings a side is built and run in.
#[derive(Clone, Debug, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub(crate) struct EnvironmentTable {
    /// Unique.
    pub(crate) name: String,
    /// Python's version, or the path of an interpreter.
    pub(crate) python: Option<Scalar>,
    /// Packages to install, as pip takes them.
    #[serde(default)]
    pub(crate) requirements: Vec<String>,
    /// Variables for the benchmarks and builds.
    #[serde(default)]
    pub(crate) variables: BTreeMap<String, Scalar>,
    /// Variables for builds only.
    #[serde(default)]
    pub(crate) build_variables: BTreeMap<String, Scalar>,
    /// Arguments for the build.
    #[serde(default)]
    pub(crate) build_arguments: Vec<String>,
    /// Words put before every measured command.
    #[serde(default)]
    pub(crate) prefix: Vec<String>,
    /// The environment whose settings this one adds to.
    pub(crate) extends: Option<String>,
}

/// The file with the lines of its keys.
#[derive(Clone, Debug, Default)]
pub(crate) struct Document {
    pub(crate) file: File,
    pub(crate) lines: Lines,
}

impl Document {
    /// Reads the file that was asked for, else the one at the root, else nothing.
    pub(crate) fn load(asked: Option<&Path>, root: &Path) -> Result<Self, ConfigError> {
        let path = asked.map_or_else(|| root.join(FILE_NAME), Path::to_path_buf);
        let name = path.strip_prefix(root).unwrap_or(&path).display().to_string();
        match std::fs::read_to_string(&path) {
            Ok(text) => Self::parse(&text, &name),
            Err(error) if asked.is_none() && error.kind() == std::io::ErrorKind::NotFound => {
                Ok(Self { file: File::default(), lines: Lines::of_text(&name, "") })
            }
            Err(error) => Err(ConfigError::one(name, format!("cannot be read: {error}"))),
        }
    }

    /// Parses the file's text; `name` is how the file is called in messages.
    pub(crate) fn parse(text: &str, name: &str) -> Result<Self, ConfigError> {
        let mut lines = Lines::of_text(name, text);
        let table = DeTable::parse(text).map_err(|error| {
            let offset = error.span().map_or(0, |span| span.start);
            ConfigError::one(lines.at(offset), error.message())
        })?;
        lines.note("", table.get_ref());
        check_brackets(table.get_ref(), &lines)?;
        let file = deserialize(text, &lines)?;
        Ok(Self { file, lines })
    }
}

/// Tables of which there can be several, and those that each suite can have several of.
const LISTS: [&str; 3] = ["accept", "suite", "environment"];
const LISTS_OF_A_SUITE: [&str; 2] = ["override", "benchmark"];

/// One pair of brackets where two belong, or the reverse: what comes of it fits no key, and the
/// words of the parser for it help nobody.
fn check_brackets(table: &DeTable<'_>, lines: &Lines) -> Result<(), ConfigError> {
    let mut mistakes = Vec::new();
    let mut several = |place: &str, name: &str| {
        let message =
            format!("write `[[{name}]]`: there can be several, so each has double brackets");
        mistakes.push(Mistake { place: lines.place(place), message });
    };
    for name in LISTS.iter().filter(|name| is_table(table.get(**name))) {
        several(name, name);
    }
    let suites = table.get("suite").and_then(|suites| suites.get_ref().as_array());
    for (at, suite) in suites.into_iter().flatten().enumerate() {
        let Some(suite) = suite.get_ref().as_table() else { continue };
        for name in LISTS_OF_A_SUITE.iter().filter(|name| is_table(suite.get(**name))) {
            several(&format!("suite.{at}.{name}"), &format!("suite.{name}"));
        }
    }
    if table.get("compare").is_some_and(|value| value.get_ref().is_array()) {
        let message = "write `[compare]`: there is only one".to_owned();
        mistakes.push(Mistake { place: lines.place("compare"), message });
    }
    if mistakes.is_empty() { Ok(()) } else { Err(ConfigError(mistakes)) }
}

fn is_table(value: Option<&toml::Spanned<DeValue<'_>>>) -> bool {
    value.is_some_and(|value| value.get_ref().is_table())
}

/// The file's values; unknown keys are mistakes, all of them named.
fn deserialize(text: &str, lines: &Lines) -> Result<File, ConfigError> {
    let mut unknown = Vec::new();
    let mut track = serde_path_to_error::Track::new();
    let parsed = toml::Deserializer::parse(text)
        .map_err(|error| ConfigError::one(lines.file.clone(), error.message()))?;
    let parsed = serde_path_to_error::Deserializer::new(parsed, &mut track);
    let file = serde_ignored::deserialize(parsed, |path| unknown.push(path.to_string()));
    let file: File = file.map_err(|error| wrong_type(lines, &error, &track.path()))?;
    if unknown.is_empty() {
        return Ok(file);
    }
    unknown.sort_by_key(|key| lines.of.get(&plain(key)).copied());
    let schema = inlined_schema();
    Err(ConfigError(unknown.iter().map(|key| unknown_key(&plain(key), &schema, lines)).collect()))
}

/// A value of the wrong type, or a key that is missing.
fn wrong_type(
    lines: &Lines,
    error: &toml::de::Error,
    path: &serde_path_to_error::Path,
) -> ConfigError {
    let key = path.to_string().replace('[', ".").replace(']', "");
    let place = match error.span() {
        Some(span) => lines.at(span.start),
        None => lines.place(&key),
    };
    let name = key.rsplit('.').next().filter(|name| name.parse::<usize>().is_err());
    let message = match (error.message().strip_prefix("missing field "), name) {
        (Some(field), _) => format!("{field} is missing here"),
        (None, Some(name)) => format!("{name}: {}", error.message()),
        (None, None) => error.message().to_owned(),
    };
    ConfigError::one(place, message)
}

/// The path of an ignored key without the marks of optional values.
fn plain(path: &str) -> String {
    path.split('.').filter(|part| *part != "?").collect::<Vec<_>>().join(".")
}

fn unknown_key(path: &str, schema: &Value, lines: &Lines) -> Mistake {
    let (table, key) = path.rsplit_once('.').unwrap_or(("", path));
    let hint = hint(key, known_keys(schema, table));
    Mistake { place: lines.place(path), message: format!("unknown key `{key}`{hint}") }
}

/// The keys that may stand in a table, read from the schema so that there is one list of them.
fn known_keys<'a>(schema: &'a Value, table: &str) -> impl Iterator<Item = &'a str> {
    let parts = table.split('.').filter(|part| !part.is_empty());
    let schema = parts.fold(schema, |schema, part| match part.parse::<usize>() {
        Ok(_) => &schema["items"],
        Err(_) => &schema["properties"][part],
    });
    schema["properties"].as_object().into_iter().flat_map(|keys| keys.keys().map(String::as_str))
}

/// The schema with every table where it stands, instead of by reference.
fn inlined_schema() -> Value {
    let settings = schemars::generate::SchemaSettings::draft2020_12();
    let inline = settings.with(|settings| settings.inline_subschemas = true);
    inline.into_generator().into_root_schema_for::<File>().to_value()
}

/// The JSON schema of the file.
#[must_use]
pub fn schema() -> Value {
    let mut schema = schemars::schema_for!(File);
    schema.insert("title".to_owned(), FILE_NAME.into());
    schema.to_value()
}
