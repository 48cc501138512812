//! Suites of commands: whole programs, timed from their start to their end.

use crate::support::processes;
use crate::support::repository::Repository;
use crate::support::results::ResultsFile;

const CONFIGURATION: &str = r#"
[[suite]]
name = "cli"
harness = "command"
build = ["sh build.sh"]

[[suite.benchmark]]
name = "reads"
run = ["./tool", "3"]
stdin = "input.txt"
expect-exit = 3
metrics = ["time", "peak-memory"]

[[suite.benchmark]]
name = "wrong-exit"
run = "./tool 4"
stdin = "input.txt"

[[suite.benchmark]]
name = "hangs"
run = "sh -c 'sleep 900 & sleep 901'"
timeout = "1s"

[[suite.benchmark]]
name = "aborts"
run = "kill -ABRT $$"
shell = true

[[suite.benchmark]]
name = "prepared"
prepare = "sh -c 'echo made > made.txt'"
run = ["sh", "-c", "test $KNOB = 5 && grep -q made made.txt && rm made.txt"]
variables = { KNOB = "5" }
"#;

/// The build leaves a program that checks its input and ends as it is told.
const BUILD: &str = r#"
cat > tool <<'END'
#!/bin/sh
read line
echo "read: $line" >&2
test "$line" = "forty-two" || exit 99
exit "$1"
END
chmod +x tool
"#;

const FILES: &[(&str, &str)] =
    &[("bench-action.toml", CONFIGURATION), ("build.sh", BUILD), ("input.txt", "forty-two\n")];

#[test]
fn commands_are_built_prepared_fed_and_judged_by_their_exit() {
    let repository = Repository::new(FILES, &[]);
    let finished = repository.run(&["--suite", "cli", "--repeat", "2"]).expect(0);
    processes::assert_none_left(repository.mark());
    let results = ResultsFile::read(&repository.last());
    for id in ["cli/reads", "cli/reads [peak-memory]", "cli/prepared"] {
        assert_eq!(results.counted(id), 2, "{id}: {finished}");
    }
    let peak = &results.row("cli/reads [peak-memory]")["head"]["samples"][0];
    assert!(peak["value"].as_f64().unwrap() > 100e3, "{peak}");
    for (id, stage, words) in [
        ("cli/wrong-exit", "exit", "exit code 4"),
        ("cli/hangs", "timeout", "its timeout of 1 s"),
        ("cli/aborts", "exit", "SIGABRT"),
    ] {
        let row = results.row(id);
        assert_eq!((&row["verdict"], &row["failure"]["stage"]), (&"failed".into(), &stage.into()));
        let message = row["failure"]["message"].as_str().unwrap();
        assert!(message.contains(words), "{id}: {message}");
    }
    let tail = &results.row("cli/wrong-exit")["failure"]["stderr_tail"];
    assert!(tail.as_str().unwrap().contains("read: forty-two"), "{tail}");
}

#[test]
fn a_program_that_the_build_does_not_leave_is_named() {
    let repository = Repository::new(FILES, &[("build.sh", "true\n")]);
    let finished = repository.run(&["--suite", "cli"]).expect(21);
    assert!(finished.stdout.contains("`./tool`"), "{finished}");
}

#[test]
fn each_side_builds_into_its_own_directory_whatever_the_environment_says() {
    let build = "mkdir -p \"$CARGO_TARGET_DIR\"\ncat side.txt >> \"$CARGO_TARGET_DIR/built\"\n\
                 printf '#!/bin/sh\\ntest \"$(cat '\"$CARGO_TARGET_DIR\"'/built)\" = %s\\n' \
                 \"$(cat side.txt)\" > tool\nchmod +x tool\n";
    let configuration = "[[suite]]\nname = \"cli\"\nharness = \"command\"\nbuild = [\"sh build.sh\"]\n\
                         [[suite.benchmark]]\nname = \"own\"\nrun = \"./tool\"\n";
    let base = &[("bench-action.toml", configuration), ("build.sh", build), ("side.txt", "base")];
    let repository = Repository::new(base, &[("side.txt", "head")]);
    let shared = repository.beside("shared-target");
    let run = repository.run(&["--suite", "cli", "--repeat", "1"]);
    let told = run.env("CARGO_TARGET_DIR", shared.to_str().unwrap()).expect(0).stderr;
    assert!(told.contains("--repeat 1 is too small for any change to be called"), "{told}");
    assert_eq!(ResultsFile::read(&repository.last()).counted("cli/own"), 1);
    assert!(!shared.exists());
}
