//! What is built in one environment is not what another measures.

use super::tools::has_go;
use crate::support::repository::Repository;
use crate::support::results::{ResultsFile, blocks};

/// Every program asks itself, each time it runs, whether it was built in the environment it runs in.
const FILE: &str = r#"
[[environment]]
name = "plain"
variables = { VARIANT = "plain" }
build-variables = { GOFLAGS = "-ldflags=-X=example.org/kernels.variant=plain" }

[[environment]]
name = "tuned"
variables = { VARIANT = "tuned" }
build-variables = { GOFLAGS = "-ldflags=-X=example.org/kernels.variant=tuned" }
"#;

const CARGO: &str = "[[suite]]\nharness = \"libtest\"\n";
const MANIFEST: (&str, &str) =
    ("Cargo.toml", "[package]\nname = \"kernels\"\nversion = \"0.1.0\"\nedition = \"2021\"\n");
const BENCHES: (&str, &str) = (
    "benches/kernels.rs",
    "#![feature(test)]\nextern crate test;\n\
     #[bench]\nfn own_build(bencher: &mut test::Bencher) {\n\
     \x20   let runs_in = std::env::var(\"VARIANT\").unwrap();\n\
     \x20   assert_eq!(option_env!(\"VARIANT\"), Some(runs_in.as_str()));\n\
     \x20   bencher.iter(|| (0..test::black_box(1000u64)).fold(0, |sum, i| sum ^ (i * sum + i)));\n}\n",
);

const COMMANDS: &str = r#"
[[suite]]
name = "cli"
harness = "command"
build = ["sh build.sh"]

[[suite.benchmark]]
name = "own-build"
run = "./tool"
"#;
const BUILD: (&str, &str) =
    ("build.sh", "printf '#!/bin/sh\\ntest $VARIANT = %s\\n' $VARIANT > tool\nchmod +x tool\n");

const GO: &str = "[[suite]]\nharness = \"go\"\n";
const MODULE: (&str, &str) = ("go.mod", "module example.org/kernels\n\ngo 1.19\n");
const GO_SUITE: (&str, &str) = (
    "kernels_test.go",
    "package kernels\nimport (\"os\"; \"testing\")\nvar variant string\n\
     func BenchmarkOwnBuild(b *testing.B) {\n\
     \tif variant != os.Getenv(\"VARIANT\") { b.Fatal(\"built as \" + variant) }\n\
     \tfor i := 0; i < b.N; i++ { variant = variant[:5] }\n}\n",
);

/// The one benchmark is measured in both environments, and fails in none.
fn each_measures_its_own(suite: &str, files: &[(&str, &str)]) {
    let file = format!("{FILE}{suite}");
    let repository = Repository::new(files, &[("bench-action.toml", &file)]);
    repository.write(&[("changed.txt", "by head")]);
    repository.commit("what is compared");
    let arguments = ["--environment", "all", "--repeat", "2", "--measure-identical"];
    let finished = repository.run(&arguments).expect(0);
    let results = ResultsFile::read(&repository.last());
    for environment in ["plain", "tuned"] {
        let rows = || results.rows().iter().filter(|row| row["comparison"] == environment);
        assert!(rows().any(|row| blocks(row).len() == 2), "{environment}: {finished}");
        for row in rows() {
            assert!(row["failure"].is_null(), "{environment}: {} in {finished}", row["failure"]);
        }
    }
}

#[test]
fn programs_that_cargo_builds() {
    each_measures_its_own(CARGO, &[MANIFEST, BENCHES, ("src/lib.rs", "")]);
}

#[test]
fn programs_that_the_suites_own_commands_build_in_its_tree() {
    each_measures_its_own(COMMANDS, &[BUILD]);
}

#[test]
fn programs_that_go_builds() {
    if has_go() {
        each_measures_its_own(GO, &[MODULE, GO_SUITE]);
    }
}

/// The user's own directory is there once, for both sides and every environment.
#[test]
fn nothing_is_built_in_a_directory_that_exists() {
    let suite = CARGO.replace("libtest\"", "libtest\"\nbuild = [\"touch built\"]");
    let file = format!("{FILE}{suite}");
    let files = [MANIFEST, BENCHES, ("src/lib.rs", ""), ("bench-action.toml", &file)];
    let repository = Repository::new(&files, &[("changed.txt", "by head")]);
    let mut arguments = vec!["run", "--environment", "all", "--repeat", "2", "--measure-identical"];
    arguments.extend(["--base-path", ".", "--head-path", "."]);
    let finished = repository.bench_action(&arguments).expect(0);
    assert!(!repository.root().join("built").exists());
    let told = "existing builds are not built, so that `build` was not run";
    assert!(finished.to_string().contains(told), "{finished}");
    let results = ResultsFile::read(&repository.last());
    for row in results.rows() {
        assert!(row["failure"].is_null(), "{} in {finished}", row["failure"]);
    }
}
