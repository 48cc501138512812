//! The command harness from outside: real builds, real programs.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

use bench_harness::{
    BenchmarksFrom, CommandLine, CommandSettings, EnvironmentKind, EnvironmentSettings, Harness,
    Launch, Opaque, Ready, Site, Subject, SuiteSettings, Wish,
};
use bench_process::{Exit, Interrupt, Launcher, Output, Status, run};
use bench_results::{Failure, SideName};
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

#[test]
#[ignore = "not a test: what a launcher runs"]
#[expect(clippy::exit, reason = "the launcher's exit code is the program's")]
fn launcher_of_this_program() {
    std::process::exit(bench_process::launch_main());
}

fn launcher() -> Launcher {
    let exe = std::env::current_exe().unwrap();
    let arguments = ["launcher_of_this_program", "--exact", "--ignored", "--nocapture"];
    Launcher { exe, arguments: arguments.map(Into::into).into() }
}

/// A place with a checkout for each side, of equal length as in a run.
struct Ground {
    place: tempfile::TempDir,
    suite: SuiteSettings,
    environment: EnvironmentSettings,
}

impl Ground {
    fn new(commands: Vec<CommandSettings>) -> Self {
        let place = tempfile::tempdir().unwrap();
        for side in ["base", "head"] {
            let checkout = place.path().join(side);
            std::fs::create_dir_all(place.path().join("work").join(side)).unwrap();
            std::fs::create_dir(&checkout).unwrap();
        }
        let suite = SuiteSettings {
            name: "cli".into(),
            harness: "command".into(),
            directory: PathBuf::new(),
            config: None,
            benchmarks_from: BenchmarksFrom::Each,
            environment: EnvironmentKind::Own,
            arguments: Vec::new(),
            build: Vec::new(),
            commands,
            run: None,
            programs: Vec::new(),
            snippet: None,
        };
        let environment =
            EnvironmentSettings { name: "default".into(), ..EnvironmentSettings::default() };
        Self { place, suite, environment }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.place.path().join(name)
    }

    /// The same file on both sides; a script where it starts with `#!`.
    fn file(self, name: &str, text: &str) -> Self {
        self.file_on("base", name, text).file_on("head", name, text)
    }

    fn file_on(self, side: &str, name: &str, text: &str) -> Self {
        let path = self.path(side).join(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(&path, text).unwrap();
        if text.starts_with("#!") {
            std::fs::set_permissions(path, PermissionsExt::from_mode(0o755)).unwrap();
        }
        self
    }

    fn build(mut self, words: &[&str]) -> Self {
        self.suite.build.push(CommandLine::Words(words.iter().map(ToString::to_string).collect()));
        self
    }

    fn committed(self) -> Self {
        for side in ["base", "head"] {
            for words in [
                &["init", "-q"][..],
                &["add", "-A"],
                &["-c", "user.name=t", "-c", "user.email=t", "commit", "-q", "-m", "x"],
            ] {
                let git = std::process::Command::new("git");
                let status = { git }.args(words).current_dir(self.path(side)).status();
                assert!(status.unwrap().success());
            }
        }
        self
    }

    fn ready(&self, side: SideName) -> Result<Box<dyn Ready>, Failure> {
        let checkout = self.path(side.word());
        self.ready_as(side, &Subject::Commit { commit: "c".repeat(40), checkout })
    }

    fn ready_as(&self, side: SideName, subject: &Subject) -> Result<Box<dyn Ready>, Failure> {
        let harness: &dyn Harness = bench_harness::by_name(&self.suite.harness).unwrap();
        harness.prepare(&Site {
            side,
            subject,
            suite_root: &self.path(side.word()),
            suite_commit: None,
            suite: &self.suite,
            environment: &self.environment,
            cache: &self.path("cache"),
            work: &self.path("work").join(side.word()),
            log: &self.log(),
            launcher: &launcher(),
            interrupt: &Interrupt::never(),
            timeout: Duration::from_secs(120),
            has_clock: false,
        })
    }

    fn log(&self) -> PathBuf {
        self.path("build.log")
    }

    /// Launches the first benchmark of a side as a run does; its exit and what it printed.
    fn launch(&self, side: SideName) -> (Exit, String) {
        let ready = self.ready(side).unwrap();
        launch(ready.as_ref(), &self.path("out"))
    }
}

fn opaque(ready: &dyn Ready) -> Opaque {
    let discovery = ready.discover(&launcher(), &Interrupt::never()).unwrap();
    let wish = Wish { left: Path::new("/"), samples: 1, sample_ns: 0, call_ns: 0.0, clock: None };
    match ready.launch(&discovery.benchmarks[0], &wish) {
        Launch::Opaque(opaque) => opaque,
        Launch::Stepped => panic!("a command runs by itself"),
    }
}

fn launch(ready: &dyn Ready, out: &Path) -> (Exit, String) {
    let opaque = opaque(ready);
    let end = |spec| run(&launcher(), spec, Some(opaque.timeout), &Interrupt::never()).unwrap();
    if let Some(prepare) = &opaque.prepare {
        assert!(end(prepare).success());
    }
    let mut spec = opaque.run;
    spec.stdout = Output::File(out.to_path_buf());
    (end(&spec), std::fs::read_to_string(out).unwrap().trim().to_owned())
}

fn command(name: &str, words: &[&str]) -> CommandSettings {
    CommandSettings {
        run_on_base: None,
        name: name.into(),
        run: CommandLine::Words(words.iter().map(ToString::to_string).collect()),
        prepare: None,
        metrics: vec!["time".into()],
        stdin: None,
        expect_exit: 0,
        timeout_s: 20,
        variables: Default::default(),
        directory: PathBuf::new(),
    }
}

#[test]
fn each_side_runs_its_own_program_in_its_own_directory() {
    let ground = Ground::new(vec![CommandSettings {
        directory: "sub".into(),
        stdin: Some("in.txt".into()),
        variables: [("LEVEL".into(), "9".into())].into(),
        prepare: Some(CommandLine::Shell("printf prepared > mark".into())),
        ..command("show", &["./show", "a b"])
    }])
    .file_on("base", "sub/show", "#!/bin/sh\necho base $1 $LEVEL $WIDE $(cat) $(cat mark)")
    .file_on("head", "sub/show", "#!/bin/sh\necho head $1 $LEVEL $WIDE $(cat) $(cat mark)")
    .file("sub/in.txt", "input");
    let ground = Ground {
        environment: EnvironmentSettings {
            variables: [("WIDE".into(), "yes".into())].into(),
            prefix: vec!["env".into(), "LEVEL=7".into()],
            ..ground.environment
        },
        ..ground
    };
    assert_eq!(ground.launch(SideName::Base).1, "base a b 7 yes input prepared");
    assert_eq!(ground.launch(SideName::Head).1, "head a b 7 yes input prepared");
}

#[test]
fn a_shared_cargo_target_directory_does_not_make_head_a_copy_of_base() {
    let manifest = "[package]\nname = 'tool'\nversion = '1.0.0'\nedition = '2021'\n[workspace]\n";
    let main = |side: &str| format!("fn main() {{ println!(\"{side}\") }}");
    let mut ground = Ground::new(vec![command("tool", &["target/debug/tool"])])
        .file("Cargo.toml", manifest)
        .file_on("base", "src/main.rs", &main("base"))
        .file_on("head", "src/main.rs", &main("head"))
        .build(&["cargo", "build", "--offline"]);
    let shared = ground.path("shared");
    // Both ways in which a user may share one: a variable, and cargo's own configuration.
    let variable = ("CARGO_TARGET_DIR".to_owned(), shared.display().to_string());
    ground.environment.variables.extend([variable]);
    let config = format!("[build]\ntarget-dir = '{}'\n", shared.display());
    let ground = ground.file(".cargo/config.toml", &config);
    assert_eq!(ground.launch(SideName::Base).1, "base");
    assert_eq!(ground.launch(SideName::Head).1, "head");
    assert!(!shared.exists());
}

#[test]
fn a_workspace_member_is_built_where_cargo_would_have_built_it() {
    let ground = Ground::new(vec![CommandSettings {
        directory: "crates/tool".into(),
        ..command("where", &["./where"])
    }])
    .file("Cargo.toml", "[workspace]\nmembers = ['crates/*']")
    .file("crates/tool/Cargo.toml", "[package]\nname = 'tool'")
    .build(&[
        "sh",
        "-c",
        "printf '#!/bin/sh\necho %s' \"$CARGO_TARGET_DIR\" > where; chmod +x where",
    ]);
    let ground = Ground {
        suite: SuiteSettings { directory: "crates/tool".into(), ..ground.suite.clone() },
        ..ground
    };
    let target = ground.path("head/target").display().to_string();
    assert_eq!(ground.launch(SideName::Head).1, target);
}

#[test]
fn what_is_installed_is_found_by_its_side_alone() {
    let ground = Ground::new(vec![command("hello", &["hello-of-this-test"])])
        .file("hello", "#!/bin/sh\necho installed")
        .build(&["sh", "-c", "mkdir -p $GOBIN && cp hello $GOBIN/hello-of-this-test"]);
    assert_eq!(ground.launch(SideName::Head).1, "installed");
}

#[test]
fn a_build_that_fails_names_the_command_and_shows_its_end() {
    let ground =
        Ground::new(vec![command("a", &["true"])]).build(&["sh", "-c", "echo broken >&2; exit 3"]);
    let failure = ground.ready(SideName::Base).err().unwrap();
    assert_eq!((failure.stage.as_str(), failure.side), ("build", Some(SideName::Base)));
    assert_eq!(failure.message, "`sh -c 'echo broken >&2; exit 3'` ended with exit code 3");
    assert_eq!(failure.stderr_tail, "broken");
}

#[test]
fn a_program_that_is_not_there_is_told_on_head_and_is_new_where_only_base_lacks_it() {
    let ground = Ground::new(vec![command("new", &["./new"]), command("old", &["true"])]);
    let failure = ground.ready(SideName::Head).err().unwrap();
    let head = ground.path("head");
    assert_eq!(
        failure.message,
        format!(
            "suite cli, benchmark `new`: there is no `./new` in {}; install it, or name it as it is called",
            head.display()
        )
    );
    let ground = ground.file_on("head", "new", "#!/bin/sh\n");
    assert!(ground.ready(SideName::Head).is_ok());
    let base = ground.ready(SideName::Base).unwrap();
    let found = base.discover(&launcher(), &Interrupt::never()).unwrap();
    let names: Vec<&str> = found.benchmarks.iter().map(|b| b.name.as_str()).collect();
    assert_eq!(names, ["old"]);
    assert_eq!(found.warnings.len(), 1);
}

/// What is named for base alone is no addition of head's: a typing error there compares nothing.
#[test]
fn a_program_named_for_base_alone_must_be_there_on_base() {
    let named = CommandLine::Words(vec!["no-such-program-anywhere".into()]);
    let settings = CommandSettings { run_on_base: Some(named), ..command("a", &["true"]) };
    let ground = Ground::new(vec![settings]);
    assert!(ground.ready(SideName::Head).is_ok());
    let failure = ground.ready(SideName::Base).err().unwrap();
    assert_eq!(failure.stage, "discover");
    assert!(failure.message.contains("no program `no-such-program-anywhere`"), "{failure:?}");
}

#[test]
fn a_program_that_the_build_does_not_make_is_told_with_the_build() {
    let ground = Ground::new(vec![command("a", &["./made"])]).build(&["true"]);
    let failure = ground.ready(SideName::Head).err().unwrap();
    assert_eq!(failure.stage, "discover");
    assert!(failure.message.ends_with("name it in `run` as it is after `build`"), "{failure:?}");
}

#[test]
fn what_is_missing_is_told_by_its_kind() {
    let table = [
        (
            command("a", &["no-such-program-anywhere"]),
            "there is no program `no-such-program-anywhere` on the PATH",
        ),
        (command("a", &["./plain"]), "/head/plain is not executable"),
        (
            CommandSettings { directory: "none".into(), ..command("a", &["true"]) },
            "/head/none is no directory",
        ),
        (CommandSettings { stdin: Some("none".into()), ..command("a", &["true"]) }, "its input "),
    ];
    for (settings, message) in table {
        let ground = Ground::new(vec![settings]).file("plain", "text");
        let failure = ground.ready(SideName::Head).err().unwrap();
        assert!(failure.message.contains(message), "{}", failure.message);
    }
}

#[test]
fn only_the_metrics_named_are_judged_and_the_first_is_primary() {
    let metrics = |named: &[&str]| {
        let named = named.iter().map(ToString::to_string).collect();
        let ground =
            Ground::new(vec![CommandSettings { metrics: named, ..command("a", &["true"]) }]);
        let ready = ground.ready(SideName::Head).unwrap();
        let found = ready.discover(&launcher(), &Interrupt::never()).unwrap();
        let plans = found.benchmarks[0].metrics.clone();
        plans.into_iter().map(|plan| (plan.metric.name, plan.gated)).collect::<Vec<_>>()
    };
    let (time, memory) = ("time".to_owned(), "peak-memory".to_owned());
    assert_eq!(metrics(&["time"]), [(time.clone(), true), (memory.clone(), false)]);
    assert_eq!(metrics(&["peak-memory"]), [(memory.clone(), true), (time.clone(), false)]);
    assert_eq!(metrics(&["peak-memory", "time"]), [(memory, true), (time, true)]);
}

#[test]
fn a_shell_is_used_only_where_it_was_asked_for() {
    let plain = Ground::new(vec![command("a", &["echo", "$HOME", "|", "cat"])]);
    assert_eq!(plain.launch(SideName::Head).1, "$HOME | cat");
    let line = CommandLine::Shell("echo a | tr a b; exit 4".into());
    let shell =
        Ground::new(vec![CommandSettings { run: line, expect_exit: 4, ..command("a", &[]) }]);
    let (exit, printed) = shell.launch(SideName::Head);
    assert_eq!((exit.status, printed.as_str()), (Status::Code(4), "b"));
    assert_eq!(opaque(shell.ready(SideName::Head).unwrap().as_ref()).expect_exit, 4);
}

#[test]
fn sides_are_identical_only_with_equal_files_and_equal_programs() {
    let artifacts = |ground: &Ground, side| ground.ready(side).unwrap().facts().artifacts.clone();
    let both = |ground: &Ground| SideName::BOTH.map(|side| artifacts(ground, side));

    let same = Ground::new(vec![command("a", &["./a"])]).file("a", "#!/bin/sh\n").committed();
    let [base, head] = both(&same);
    assert_eq!((base.len(), &base), (2, &head));

    let other_data = Ground::new(vec![command("a", &["./a"])])
        .file("a", "#!/bin/sh\n")
        .file_on("head", "data", "more")
        .committed();
    let [base, head] = both(&other_data);
    assert!(base[0] != head[0] && base[1] == head[1]);

    let other_program = Ground::new(vec![command("a", &["./b"])])
        .file("a", "")
        .committed()
        .file_on("base", "b", "#!/bin/sh\n")
        .file_on("head", "b", "#!/bin/sh\n#");
    let [base, head] = both(&other_program);
    assert!(base[0] == head[0] && base[1] != head[1]);

    let uncommitted = Ground::new(vec![command("a", &["true"])]);
    assert!(
        artifacts(&uncommitted, SideName::Head).is_empty(),
        "nothing is known, so not identical"
    );
}

/// A program of benchmarks reads data, and loads libraries, that its own bytes say nothing of.
#[test]
fn equal_programs_of_benchmarks_are_identical_only_with_equal_files() {
    for harness in ["google-benchmark", "catch2"] {
        let ground = |head: &str| {
            let mut ground = Ground::new(Vec::new());
            ground.suite.harness = harness.into();
            ground.suite.programs = vec!["speed".into()];
            let ground = ground.file("speed", "#!/bin/sh\nwc -c data\n");
            ground.file_on("base", "data", "1").file_on("head", "data", head)
        };
        let both = |ground: &Ground| {
            SideName::BOTH.map(|side| ground.ready(side).unwrap().facts().artifacts.clone())
        };
        let [base, head] = both(&ground("1").committed());
        assert_eq!((base.len(), &base), (2, &head), "{harness}");
        let [base, head] = both(&ground("2").committed());
        assert!(base != head && base[1] == head[1], "{harness}: {base:?} {head:?}");
        assert_eq!(both(&ground("2")), [vec![], vec![]], "{harness}: nothing is known of them");
    }
}

#[test]
fn existing_builds_are_found_first_and_not_built() {
    let ground = Ground::new(vec![command("a", &["tool-of-this-test"])])
        .file("bin/tool-of-this-test", "#!/bin/sh\necho $PYTHONPATH")
        .build(&["false"]);
    let python = Subject::Python { interpreter: ground.path("head/bin/python") };
    let ready = ground.ready_as(SideName::Head, &python).unwrap();
    // `false` would have failed.
    assert!(launch(ready.as_ref(), &ground.path("out")).0.success());

    let ground = Ground::new(vec![CommandSettings {
        run: CommandLine::Shell("echo $PYTHONPATH".into()),
        ..command("a", &[])
    }]);
    let path = Subject::Path { directory: ground.path("build-dir") };
    let ready = ground.ready_as(SideName::Head, &path).unwrap();
    let printed = launch(ready.as_ref(), &ground.path("out")).1;
    assert!(printed.starts_with(&ground.path("build-dir").display().to_string()), "{printed}");
}

#[test]
fn settings_that_commands_do_not_use_are_told() {
    let mut ground = Ground::new(vec![command("a", &["true"])]);
    ground.environment.python = Some("3.12".into());
    ground.suite.arguments = vec!["--fast".into()];
    assert_eq!(
        ground.ready(SideName::Head).unwrap().facts().warnings,
        [
            "suite cli: commands do not use `python`; say it in `build`",
            "suite cli: commands do not use `arguments`; say it in `build`"
        ]
    );
}
