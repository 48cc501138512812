//! Every kind of mistake with its exact message, every default, and which layer wins.

use super::file::Document;
use super::resolve::resolve;
use super::*;
use bench_harness::{
    BenchmarksFrom, CommandLine, Defaults, Detected, EnvironmentKind, EnvironmentSettings, Harness,
    HarnessError, Need, Ready, Site, SuiteSettings, Tree,
};
use bench_results::{Clock, Failure, Schedule};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Duration;

/// A harness that only has a name, its defaults, and suites to find.
struct Fake(&'static str, Defaults, &'static [(&'static str, &'static str)]);

impl Harness for Fake {
    fn name(&self) -> &'static str {
        self.0
    }
    fn defaults(&self) -> Defaults {
        self.1.clone()
    }
    fn detect(&self, _: &dyn Tree) -> Vec<Detected> {
        let detected = |(directory, config): &(&str, &str)| Detected {
            directory: directory.into(),
            config: Some(config.into()),
            evidence: format!("{directory}/{config}"),
        };
        self.2.iter().map(detected).collect()
    }
    fn environments(
        &self,
        _: &dyn Tree,
        _: &SuiteSettings,
    ) -> Result<Vec<EnvironmentSettings>, HarnessError> {
        Ok(Vec::new())
    }
    fn prepare(&self, _: &Site<'_>) -> Result<Box<dyn Ready>, Failure> {
        unreachable!("configuration prepares nothing")
    }
}

struct NoTree;

impl Tree for NoTree {
    fn files(&self) -> &[String] {
        &[]
    }
    fn read(&self, _: &str) -> Option<Vec<u8>> {
        None
    }
}

fn asv(found: &'static [(&'static str, &'static str)]) -> Fake {
    Fake("asv", Defaults::default(), found)
}

fn command() -> Fake {
    let defaults = Defaults {
        benchmarks_from: BenchmarksFrom::Each,
        environment: EnvironmentKind::Own,
        commands: Need::Required,
        programs: Need::Unused,
        run: Need::Unused,
    };
    Fake("command", defaults, &[])
}

fn worker() -> Fake {
    Fake("worker", Defaults { run: Need::Required, ..Defaults::compiled() }, &[])
}

fn config_of(flags: &Flags, text: &str) -> Result<Config, ConfigError> {
    let document = Document::parse(text, "bench-action.toml")?;
    let today = jiff::civil::date(2026, 11, 30);
    resolve(flags, &document, &[&asv(&[]), &command(), &worker()], today)
}

fn of_file(text: &str) -> Config {
    config_of(&Flags::default(), text).unwrap()
}

fn mistakes_in(text: &str) -> String {
    config_of(&Flags::default(), text).unwrap_err().to_string()
}

fn mistakes_of(flags: &Flags) -> String {
    config_of(flags, "").unwrap_err().to_string()
}

#[test]
fn without_flags_and_file_every_default_is_filled_in() {
    let Config { compare, suites, .. } = of_file("");
    assert_eq!(compare.base, BaseRule::MergeBase);
    assert_eq!(compare.head, HeadRule::Revision("HEAD".into()));
    assert_eq!(compare.subjects, Subjects::Commits);
    assert_eq!((compare.threshold, compare.tolerance, compare.alpha), (0.03, 0.01, 0.05));
    assert_eq!((compare.fail_threshold, compare.threshold_absolute_ns), (0.03, 0.0));
    assert_eq!(compare.fail_on, BTreeSet::from([FailOn::Failure]));
    assert_eq!((compare.max_blocks, compare.repeat, compare.time_budget), (60, None, None));
    assert_eq!((compare.schedule, compare.clock), (Choice::Auto, Choice::Auto));
    assert_eq!((compare.coverage, compare.identical), (Coverage::Budgeted, Identical::Skip));
    assert!(suites.is_empty());
}

#[test]
fn the_whole_contract_is_read() {
    let config = of_file(include_str!("example.toml"));
    let compare = &config.compare;
    assert_eq!(compare.base, BaseRule::Tip);
    assert_eq!((compare.threshold, compare.fail_threshold), (0.04, 0.1));
    assert_eq!(compare.time_budget, Some(Duration::from_secs(600)));
    assert_eq!(compare.threshold_absolute_ns, 1000.0);
    assert!(compare.ignore_paths.ignores("docs/a/b.py") && compare.ignore_paths.ignores("a/b.md"));
    assert!(!compare.ignore_paths.ignores("src/docs.py"));
    assert_eq!(config.accepts[0].up_to, Some(0.2));

    let [asv, cli] = config.suites.as_slice() else { panic!("two suites") };
    assert_eq!(asv.settings.name, "kernels");
    assert_eq!(asv.settings.config, Some(PathBuf::from("asv.ci.conf.json")));
    assert_eq!(
        asv.settings.benchmarks_from,
        BenchmarksFrom::Path("../astropy-benchmarks/benchmarks".into())
    );
    assert_eq!(asv.settings.environment, EnvironmentKind::Current);
    assert_eq!(asv.links, [PathBuf::from("data")]);
    assert_eq!((asv.lfs, asv.schedule), (Lfs::Fetch, Choice::Fixed(Schedule::Duet)));

    let parse = &cli.settings.commands[0];
    let words = ["target/release/tool", "parse", "big file.txt"].map(String::from).to_vec();
    assert_eq!(parse.run, CommandLine::Words(words));
    assert_eq!(parse.prepare, Some(CommandLine::Words(vec!["sync".into()])));
    assert_eq!(parse.metrics, ["time", "peak-memory"]);
    assert_eq!((parse.expect_exit, parse.timeout_s), (3, 90));
    assert_eq!(parse.variables["LEVEL"], "9");
    assert_eq!(parse.directory, PathBuf::from("sub"));
    assert_eq!(cli.settings.commands[1].run, CommandLine::Shell("a | b".into()));
    assert_eq!(cli.settings.commands[1].metrics, ["time"]);
    assert_eq!(cli.settings.benchmarks_from, BenchmarksFrom::Each);

    let fast = config.environment("fast").unwrap();
    assert_eq!(fast.python.as_deref(), Some("3.12"));
    assert_eq!(fast.requirements, ["numpy==2.2", "more"]);
    assert_eq!(fast.variables["OPENBLAS_NUM_THREADS"], "2");
    assert_eq!(fast.prefix, ["numactl", "--cpunodebind=0"]);
}

/// A file and its mistakes.
const MISTAKES: &[(&str, &str)] = &[
    ("a = [", "bench-action.toml:1: unclosed array, expected `]`"),
    (
        "[compare]\n\nthresold = '3%'",
        "bench-action.toml:3: unknown key `thresold`, did you mean `threshold`?",
    ),
    (
        "[comparison]",
        "bench-action.toml:1: unknown key `comparison` (there are `compare`, `accept`, `suite`, `environment`)",
    ),
    (
        "[[suite]]\nharness = 'asv'\n[[suite.override]]\nmatch = 'x'\nclok = 'cpu'",
        "bench-action.toml:5: unknown key `clok`, did you mean `clock`?",
    ),
    (
        "[compare]\nthreshold = 3",
        "bench-action.toml:2: threshold: `3` is no percentage, write it like `3%`",
    ),
    (
        "[compare]\nthreshold = 0.03",
        "bench-action.toml:2: threshold: `0.03` is no percentage, write it like `3%`",
    ),
    ("[compare]\nthreshold = '0%'", "bench-action.toml:2: threshold: `0%` must be above 0%"),
    (
        "[compare]\nthreshold = '300%'",
        "bench-action.toml:2: threshold: `300%` must be at least 0% and below 100%",
    ),
    (
        "[compare]\ntolerance = '3%'",
        "bench-action.toml:2: tolerance: 3% must be below the threshold of 3%",
    ),
    (
        "[compare]\nalpha = 0.5",
        "bench-action.toml:2: alpha: `0.5` must be a number above 0 and below 0.5, such as 0.05",
    ),
    (
        "[compare]\ntime-budget = 600",
        "bench-action.toml:2: time-budget: `600` is no duration, write it like `90s`, `10m` or `500ms`",
    ),
    (
        "[compare]\nthreshold-absolute = '1 year'",
        "bench-action.toml:2: threshold-absolute: `1 year` is no time, write it like `1us` or `250ns`",
    ),
    (
        "[compare]\nfail-on = ['failure', 'regresion']",
        "bench-action.toml:2: fail-on: `regresion` is unknown, did you mean `regression`?",
    ),
    ("[compare]\nfail-on = 3", "bench-action.toml:2: fail-on: expected text or an array of texts"),
    (
        "[compare]\nbase = 'worktree'",
        "bench-action.toml:2: base: `worktree` is a word for head only; a branch of that name is `refs/heads/worktree`",
    ),
    (
        "[[accept]]\nmatch = '('\nreason = ''\nuntil = 'soon'",
        "bench-action.toml:2: match: `(` is no regular expression: unclosed group\n\
             bench-action.toml:4: until: `soon` is no date, write it like `2027-03-01`",
    ),
    ("[[accept]]\nmatch = 'x'", "bench-action.toml:1: `reason` is missing here"),
    ("[[suite]]\nname = 'x'", "bench-action.toml:1: `harness` is missing here"),
    (
        "[[suite]]\nharness = 'asw'",
        "bench-action.toml:2: harness: `asw` is unknown, did you mean `asv`?",
    ),
    (
        "[[suite]]\nharness = 'asv'\n[[suite]]\nharness = 'asv'",
        "bench-action.toml:3: name: `asv` is taken, give each suite its own",
    ),
    (
        "[[suite]]\nharness = 'asv'\ndirectory = '../up'",
        "bench-action.toml:3: directory: `../up` must be relative and stay inside the repository",
    ),
    (
        "[[suite]]\nharness = 'asv'\nbenchmarks-from = 'path'",
        "bench-action.toml:3: benchmarks-from: `path` needs the key `path` with the directory",
    ),
    (
        "[[suite]]\nharness = 'asv'\nthreshold = '1%'",
        "bench-action.toml:3: threshold: 1% must be above the tolerance of 1%",
    ),
    (
        "[[suite]]\nharness = 'asv'\nenvironments = ['fast']",
        "bench-action.toml:3: there is no [[environment]] called `fast`",
    ),
    (
        "[[suite]]\nharness = 'asv'\n[[suite.benchmark]]\nname = 'a'\nrun = 'b'",
        "bench-action.toml:3: the harness `asv` finds its benchmarks itself",
    ),
    (
        "[[suite]]\nharness = 'asv'\nrun = 'node worker.mjs'",
        "bench-action.toml:3: run: the harness `asv` has no `run`; commands have theirs in [[suite.benchmark]]",
    ),
    (
        "[[suite]]\nharness = 'worker'",
        "bench-action.toml:1: this suite needs `run`, the program that serves its benchmarks, such as \"node worker.mjs\"",
    ),
    ("[[suite]]\nharness = 'worker'\nrun = []", "bench-action.toml:3: run: the command is empty"),
    (
        "[[suite]]\nharness = 'command'",
        "bench-action.toml:1: this suite has no [[suite.benchmark]]",
    ),
    (
        "[[suite]]\nharness = 'command'\n[[suite.benchmark]]\nname = 'a'\nrun = 'say \"hi'",
        "bench-action.toml:5: run: `say \"hi` has a quote that is never closed",
    ),
    (
        "[[suite]]\nharness = 'command'\n[[suite.benchmark]]\nname = 'a'\nrun = 'b'\nmetrics = ['tim']",
        "bench-action.toml:6: metrics: `tim` is unknown, did you mean `time`?",
    ),
    (
        "[[environment]]\nname = 'a'\nextends = 'b'\n[[environment]]\nname = 'b'\nextends = 'a'",
        "bench-action.toml:3: extends: goes round in a circle: a → b → a\n\
             bench-action.toml:6: extends: goes round in a circle: b → a → b",
    ),
    (
        "[[environment]]\nname = 'a'\n[[environment]]\nname = 'a'",
        "bench-action.toml:4: name: `a` is taken",
    ),
    (
        "[compare]\nthreshold = '0.5%'",
        "bench-action.toml:2: threshold: 0.5% must be above the tolerance of 1%",
    ),
    (
        "[suite]\nharness = 'asv'",
        "bench-action.toml:1: write `[[suite]]`: there can be several, so each has double brackets",
    ),
    (
        "\n[accept]\nmatch = 'x'\n[environment]\nname = 'x'",
        "bench-action.toml:2: write `[[accept]]`: there can be several, so each has double brackets\n\
         bench-action.toml:4: write `[[environment]]`: there can be several, so each has double brackets",
    ),
    (
        "[[suite]]\nharness = 'command'\n[suite.benchmark]\nname = 'x'\n[suite.override]",
        "bench-action.toml:5: write `[[suite.override]]`: there can be several, so each has double brackets\n\
         bench-action.toml:3: write `[[suite.benchmark]]`: there can be several, so each has double brackets",
    ),
    ("[[compare]]\nbase = 'x'", "bench-action.toml:1: write `[compare]`: there is only one"),
];

#[test]
fn each_mistake_in_the_file_is_named_with_its_line_and_the_remedy() {
    for (text, message) in MISTAKES {
        assert_eq!(mistakes_in(text), *message, "{text}");
    }
}

#[test]
fn all_mistakes_are_told_at_once() {
    let text = "[compare]\nthreshold = 3\nalpha = 2\n[[suite]]\nharness = 'x'";
    assert_eq!(mistakes_in(text).lines().count(), 3);
    let text = "[compare]\nb = 3\na = 2\n";
    assert!(mistakes_in(text).starts_with("bench-action.toml:2: unknown key `b`"));
    assert_eq!(mistakes_in(text).lines().count(), 2);
}

/// Flags and the mistake in them.
#[expect(clippy::too_many_lines, reason = "a table")]
fn mistaken_flags() -> Vec<(Flags, &'static str)> {
    let given = |text: &str| Some(text.to_owned());
    let none = Flags::default;
    vec![
        (
            Flags { threshold: given("3"), ..none() },
            "--threshold: `3` is no percentage, write it like `3%`",
        ),
        (
            Flags { head: given("tip"), ..none() },
            "--head: `tip` is a word for base only; a branch of that name is `refs/heads/tip`",
        ),
        (
            Flags { shard: given("0/4"), ..none() },
            "--shard: `0/4` is no shard: they are numbered from 1, such as `1/4` to `4/4`",
        ),
        (Flags { shard: given("x"), ..none() }, "--shard: `x` is no shard, write it like `1/4`"),
        (
            Flags { shard: given("1/4000000000"), ..none() },
            "--shard: `1/4000000000`: there can be at most 1000 shards",
        ),
        (
            Flags { shard_costs: Some("nowhere.json".into()), ..none() },
            "--shard-costs: nowhere.json: No such file or directory (os error 2); every shard needs the same \
             file, or none\n--shard-costs: needs --shard beside it",
        ),
        (
            Flags { cpu_list: given("3-1"), ..none() },
            "--cpu-list: `3-1` is no list of cores, write it like `0,2-5`",
        ),
        (
            Flags { schedule: given("dual"), ..none() },
            "--schedule: `dual` is unknown (there are `auto`, `duet`, `alternate`, `sequential`)",
        ),
        (
            Flags { fail_on: given("never,failure"), ..none() },
            "--fail-on: `never` must stand alone",
        ),
        (
            Flags { filters: vec!["[".into()], ..none() },
            "--filter: `[` is no regular expression: unclosed character class",
        ),
        (
            Flags { base_variables: vec!["X".into()], ..none() },
            "--base-var: `X` is no variable, write it like `NAME=VALUE`",
        ),
        (
            Flags { base_environment: given("x"), ..none() },
            "--base-env: there is no [[environment]] called `x`",
        ),
        (
            Flags { base_python: Some("p".into()), ..none() },
            "--base-python: needs --head-python beside it",
        ),
        (
            Flags {
                base_path: Some("p".into()),
                head_path: Some("q".into()),
                base: given("x"),
                ..none()
            },
            "--base: names a commit, but the sides are existing builds; leave it out",
        ),
        (
            Flags { repeat: Some(3), max_blocks: Some(4), ..none() },
            "--repeat: fixes the number of blocks, so --max-blocks cannot bound it",
        ),
        (Flags { repeat: Some(0), ..none() }, "--repeat: must be at least 1"),
        (
            Flags { seed: given(""), ..none() },
            "--seed: is empty: give any text, or leave the flag out",
        ),
        (
            Flags { threshold: given("1%"), ..none() },
            "--threshold: 1% must be above the tolerance of 1%",
        ),
    ]
}

#[test]
fn each_mistake_in_a_flag_is_named_with_the_flag() {
    for (flags, message) in mistaken_flags() {
        assert_eq!(mistakes_of(&flags), message);
    }
}

#[test]
fn a_flag_wins_over_the_file_and_the_file_over_the_default() {
    let text = "[compare]\nthreshold = '4%'\nfail-on = 'regression'\nbase = 'v1'";
    let flags = Flags {
        threshold: Some("5%".into()),
        fail_on: Some("never".into()),
        base: Some("merge-base".into()),
        ..Flags::default()
    };
    let config = config_of(&flags, text).unwrap();
    assert_eq!(config.compare.threshold, 0.05);
    assert!(config.compare.fail_on.is_empty());
    assert_eq!(config.compare.base, BaseRule::MergeBase);
    let config = of_file(text);
    assert_eq!(config.compare.fail_threshold, 0.04, "the fail threshold follows the threshold");
    assert_eq!(config.compare.base, BaseRule::Revision("v1".into()));
}

#[test]
fn an_expired_acceptance_is_left_out_with_a_warning() {
    let accept = |until: &str| format!("[[accept]]\nmatch = 'x'\nreason = 'r'\nuntil = {until}");
    let config = of_file(&accept("2026-11-29"));
    assert!(config.accepts.is_empty());
    assert_eq!(
        config.warnings,
        [
            "bench-action.toml:1: the accepted regression `x` expired on 2026-11-29 and no longer counts"
        ]
    );
    assert_eq!(of_file(&accept("'2026-11-30'")).accepts.len(), 1, "the last day counts");
}

#[test]
fn a_fail_threshold_below_the_threshold_is_raised_with_a_warning() {
    let config = of_file("[compare]\nfail-threshold = '2%'");
    assert_eq!(config.compare.fail_threshold, 0.03);
    assert_eq!(
        config.warnings,
        ["fail-threshold 2% is below the threshold of 3%, which holds instead"]
    );
}

#[test]
fn the_last_matching_exception_of_a_suite_wins_key_by_key() {
    let config = of_file(
        "[[suite]]\nharness = 'asv'\nclock = 'wall'\nthreshold = '5%'\n\
         [[suite.override]]\nmatch = 'io'\nthreshold = '20%'\nschedule = 'sequential'\n\
         [[suite.override]]\nmatch = 'io.slow'\nthreshold = '30%'\nclock = 'auto'",
    );
    let rules = |id| config.suites[0].rules(id, &config.compare);
    assert_eq!(
        rules("asv/cpu"),
        Rules {
            schedule: Choice::Auto,
            clock: Choice::Fixed(Clock::Wall),
            threshold: 0.05,
            memory_threshold: 0.05
        }
    );
    let sequential = Choice::Fixed(Schedule::Sequential);
    assert_eq!(
        rules("asv/io.slow"),
        Rules { schedule: sequential, clock: Choice::Auto, threshold: 0.3, memory_threshold: 0.3 }
    );
}

#[test]
fn a_threshold_that_is_given_holds_for_memory_too() {
    let thresholds = |flags: &Flags, text: &str| {
        let config = config_of(flags, text).unwrap();
        let rules = config.suites[0].rules("asv/x", &config.compare);
        (rules.threshold, rules.memory_threshold)
    };
    let suite = "[[suite]]\nharness = 'asv'\n";
    let none = Flags::default();
    assert_eq!(thresholds(&none, suite), (0.03, 0.05));
    let flags = Flags { threshold: Some("2%".into()), ..Flags::default() };
    assert_eq!(thresholds(&flags, suite), (0.02, 0.02));
    let text = format!("[compare]\nthreshold = '4%'\n{suite}");
    assert_eq!(thresholds(&none, &text), (0.04, 0.04));
    assert_eq!(thresholds(&none, &format!("{suite}threshold = '2%'")), (0.02, 0.02));
}

#[test]
fn a_core_that_is_not_there_is_named_with_those_that_are() {
    let wants = |list: &str| {
        let flags = Flags { cpu_list: Some(list.into()), ..Flags::default() };
        config_of(&flags, "").unwrap()
    };
    assert_eq!(wants("0-1").check_cores(&[0, 1]), Ok(()));
    assert_eq!(wants("7").check_cores(&[]), Ok(()), "the system does not say");
    let told = |list, allowed: &[usize]| wants(list).check_cores(allowed).unwrap_err().to_string();
    assert_eq!(
        told("7", &[0, 1]),
        "--cpu-list: there is no core 7 for this program, which may use 0-1"
    );
    assert_eq!(
        told("1,7-9", &[0, 1, 3]),
        "--cpu-list: there are no cores 7-9 for this program, which may use 0-1,3"
    );
}

#[test]
fn suites_are_detected_only_where_the_file_names_none() {
    let found = asv(&[
        ("", "asv.conf.json"),
        ("bench/x", "asv.conf.json"),
        ("bench/x", "asv.ci.conf.json"),
    ]);
    let mut config = of_file("");
    config.detect(&NoTree, &[&found]).unwrap();
    let names: Vec<&str> = config.suites.iter().map(|s| s.settings.name.as_str()).collect();
    assert_eq!(names, ["asv", "asv-bench-x", "asv-bench-x-asv.ci.conf"]);

    let mut config =
        of_file("[[suite]]\nharness = 'command'\n[[suite.benchmark]]\nname = 'a'\nrun = 'b'");
    config.detect(&NoTree, &[&found]).unwrap();
    assert_eq!(config.suites.len(), 1);
}

#[test]
fn a_suite_asked_for_by_name_must_exist() {
    let flags = Flags { suites: vec!["kernel".into()], ..Flags::default() };
    let text = "[[suite]]\nharness = 'asv'\nname = 'kernels'\n[[suite]]\nharness = 'asv'";
    assert_eq!(
        config_of(&flags, text).unwrap_err().to_string(),
        "--suite: there is no suite `kernel`, did you mean `kernels`?"
    );
    let mut config = config_of(&flags, "").unwrap();
    let error = config.detect(&NoTree, &[&asv(&[("", "asv.conf.json")])]).unwrap_err();
    assert_eq!(error.to_string(), "--suite: there is no suite `kernel` (there is only `asv`)");
    let flags = Flags { suites: vec!["kernels".into()], ..Flags::default() };
    assert_eq!(config_of(&flags, text).unwrap().suites.len(), 1);
}

#[test]
fn the_digest_tells_configurations_apart_and_nothing_else() {
    let text = include_str!("example.toml");
    assert_eq!(of_file(text).digest(), of_file(text).digest());
    assert_eq!(of_file(text).digest(), of_file(&format!("# a remark\n{text}")).digest());
    assert_ne!(of_file(text).digest(), of_file("").digest());
    assert_eq!(of_file("").digest().len(), 64);
}

#[test]
fn a_file_that_was_asked_for_must_be_there_and_a_missing_default_is_no_mistake() {
    let root = tempfile::tempdir().unwrap();
    let today = jiff::civil::date(2026, 11, 30);
    assert!(Config::load(&Flags::default(), root.path(), &[], today).is_ok());
    let flags = Flags { config: Some(root.path().join("x.toml")), ..Flags::default() };
    let error = Config::load(&flags, root.path(), &[], today).unwrap_err().to_string();
    assert!(error.starts_with("x.toml: cannot be read: "), "{error}");
}

#[test]
fn the_schema_knows_every_table_of_the_contract() {
    let schema = schema();
    let tables: Vec<&String> = schema["properties"].as_object().unwrap().keys().collect();
    assert_eq!(tables, ["compare", "accept", "suite", "environment"]);
    assert!(schema["$defs"]["SuiteTable"]["properties"]["benchmarks-from"].is_object());
    assert!(schema["$defs"]["CompareTable"]["properties"]["ignore-paths"].is_object());
}
