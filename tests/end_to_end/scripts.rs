//! Scripts of pyperf, tinybench, mitata and benchmark.js: the examples, with the real packages.

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;

/// An example's files, as they are in this repository.
macro_rules! example {
    ($directory:literal, $($file:literal),+) => {
        &[$(($file, include_str!(concat!("../../examples/", $directory, "/", $file)))),+]
    };
}

const PYPERF: &[(&str, &str)] = example!(
    "pyperf",
    "bench/speed.py",
    "kernels/__init__.py",
    "pyproject.toml",
    "bench-action.toml"
);
pub(crate) const TINYBENCH: &[(&str, &str)] = example!(
    "tinybench",
    "bench/speed.mjs",
    "bench/other.mjs",
    "kernels.mjs",
    "package.json",
    "package-lock.json",
    "bench-action.toml"
);
pub(crate) const MITATA: &[(&str, &str)] = example!(
    "mitata",
    "bench/speed.mjs",
    "kernels.mjs",
    "package.json",
    "package-lock.json",
    "bench-action.toml"
);
pub(crate) const BENCHMARK_JS: &[(&str, &str)] = example!(
    "benchmark-js",
    "bench/speed.js",
    "kernels.js",
    "package.json",
    "package-lock.json",
    "bench-action.toml"
);

pub(crate) const VITEST: &[(&str, &str)] = example!(
    "vitest",
    "bench/speed.bench.ts",
    "bench/other.bench.ts",
    "kernels.ts",
    "package.json",
    "package-lock.json"
);

const ODD: &str = "faster/[x] (a.b*) \"q\" 's' ü";

/// Whether npm and a Node.js that is new enough are there; says so where they are not.
pub(crate) fn has_node() -> bool {
    let node = std::process::Command::new("node").arg("--version").output();
    let version = node.map(|node| String::from_utf8_lossy(&node.stdout).into_owned());
    let major = version.unwrap_or_default();
    let major = major.trim_start_matches('v').split('.').next().unwrap_or("").parse::<u32>();
    let has = major.is_ok_and(|major| major >= 20)
        && std::process::Command::new("npm").arg("--version").output().is_ok();
    if !has {
        eprintln!("skipped: npm and Node.js 20 or later are not installed");
    }
    has
}

/// Whether tests that take a minute are wanted; says so where they are not.
pub(crate) fn wants_all() -> bool {
    let wants = std::env::var_os("BENCH_ACTION_TEST_ALL").is_some();
    if !wants {
        eprintln!("skipped: it measures for a minute; `cargo xtask test --all` runs it");
    }
    wants
}

/// Head does a tenth more of one thing and a tenth less of another.
fn changed(files: &[(&str, &str)], kernels: &str) -> Repository {
    let text = files.iter().find(|(name, _)| *name == kernels).map(|(_, text)| *text).unwrap();
    let changed = text
        .replace("slower: 1000, faster: 1000", "slower: 1100, faster: 900")
        .replace("\"slower\": 1000, \"faster\": 1000", "\"slower\": 1100, \"faster\": 900");
    assert_ne!(text, changed);
    Repository::new(files, &[(kernels, &changed)])
}

/// Everything is found, measured once, and told apart.
fn is_measured(repository: &Repository, ids: &[&str]) {
    // A busy machine takes longer than the budget that one block is given by itself.
    let once = ["--repeat", "1", "--time-budget", "9m", "--fail-on", "never"];
    let finished = repository.run(&once).expect(0);
    let results = ResultsFile::read(&repository.last());
    let mut sorted = ids.to_vec();
    sorted.sort_unstable();
    assert_eq!(results.ids(), sorted, "{finished}");
    for id in ids {
        match id.ends_with("fails") {
            true => {
                let failure = &results.row(id)["failure"];
                assert_eq!(failure["message"], "Error: on purpose", "{finished}");
                let trace = failure["stderr_tail"].as_str().unwrap();
                assert!(trace.contains("speed") && !trace.contains("worker.mjs"), "{trace}");
            }
            false => assert_eq!(results.counted(id), 1, "{id}: {finished}"),
        }
    }
}

fn verdicts_are(repository: &Repository, expected: &[(&str, &str)]) {
    let filter = ["--filter", "slower|faster|same", "--seed", "scripts", "--time-budget", "10m"];
    let finished = repository.run(&filter).finish();
    let results = ResultsFile::read(&repository.last());
    for (name, verdict) in expected {
        assert_eq!(results.verdict(&format!("speed/bench/{name}")), *verdict, "{name}: {finished}");
    }
    let row = results.row(&format!("speed/bench/{}", expected[0].0));
    assert_eq!((&row["schedule"], &row["clock"]), (&"alternate".into(), &"cpu".into()));
}

#[test]
fn scripts_of_pyperf_are_measured_as_they_are() {
    let ids = ["slower", ODD, "same", "async", "timed", "timeit", &"n".repeat(300)]
        .map(|name| format!("speed/bench/speed.py::{name}"));
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    is_measured(&changed(PYPERF, "kernels/__init__.py"), &ids);
}

#[test]
fn scripts_of_pyperf_find_the_true_changes() {
    if !wants_all() {
        return;
    }
    let faster = format!("speed.py::{ODD}");
    let expected = [
        ("speed.py::slower", "regressed"),
        (faster.as_str(), "improved"),
        ("speed.py::same", "unchanged"),
    ];
    verdicts_are(&changed(PYPERF, "kernels/__init__.py"), &expected);
}

#[test]
fn a_script_of_pyperf_that_fails_is_told_and_hides_no_other() {
    let broken = ("bench/broken.py", "import pyperf\nimport nothing_of_that_name\n");
    let second = "import pyperf\npyperf.Runner().bench_func('same', lambda: sum(range(500)))\n";
    let others = [broken, ("bench/a.py", second)];
    let files: Vec<(&str, &str)> = PYPERF.iter().copied().chain(others).collect();
    let repository = changed(&files, "kernels/__init__.py");
    let only = ["--filter", "::same", "--repeat", "1", "--time-budget", "9m", "--fail-on", "never"];
    let finished = repository.run(&only).expect(0);
    let results = ResultsFile::read(&repository.last());
    for script in ["speed", "a"] {
        let id = format!("speed/bench/{script}.py::same");
        assert_eq!(results.counted(&id), 1, "{finished}");
    }
    assert!(results.0.to_string().contains("nothing_of_that_name"), "{finished}");
}

#[test]
fn scripts_of_tinybench_are_measured_as_they_are() {
    if !has_node() {
        return;
    }
    let long = "n".repeat(300);
    let names = ["slower", ODD, "same", "async", "hooks", "fails", &long];
    let mut ids: Vec<String> =
        names.iter().map(|name| format!("speed/bench/speed.mjs::{name}")).collect();
    ids.push("speed/bench/other.mjs::group > same".to_owned());
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    is_measured(&changed(TINYBENCH, "kernels.mjs"), &ids);
}

#[test]
fn scripts_of_tinybench_find_the_true_changes() {
    if !wants_all() || !has_node() {
        return;
    }
    let faster = format!("speed.mjs::{ODD}");
    let expected = [
        ("speed.mjs::slower", "regressed"),
        (faster.as_str(), "improved"),
        ("speed.mjs::same", "unchanged"),
        ("other.mjs::group > same", "unchanged"),
    ];
    verdicts_are(&changed(TINYBENCH, "kernels.mjs"), &expected);
}

#[test]
fn scripts_of_mitata_are_measured_as_they_are() {
    if !has_node() {
        return;
    }
    let grouped = ["same", "size 1", "size 2"].map(|name| format!("{ODD} > {name}"));
    let names = ["slower", "same", "async"].map(ToOwned::to_owned).into_iter().chain(grouped);
    let names = names.chain(["fresh", "fails"].map(ToOwned::to_owned));
    let ids: Vec<String> = names.map(|name| format!("speed/bench/speed.mjs::{name}")).collect();
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    is_measured(&changed(MITATA, "kernels.mjs"), &ids);
}

#[test]
fn scripts_of_mitata_find_the_true_changes() {
    if !wants_all() || !has_node() {
        return;
    }
    let faster = format!("speed.mjs::{ODD} > size 2");
    let expected = [
        ("speed.mjs::slower", "regressed"),
        (faster.as_str(), "improved"),
        ("speed.mjs::same", "unchanged"),
    ];
    verdicts_are(&changed(MITATA, "kernels.mjs"), &expected);
}

#[test]
fn scripts_of_benchmark_js_are_measured_as_they_are() {
    if !has_node() {
        return;
    }
    let names = ["slower", ODD, "same", "deferred", "shared set-up", "fails"];
    let ids = names.map(|name| format!("speed/bench/speed.js::kernels > {name}"));
    let ids: Vec<&str> = ids.iter().map(String::as_str).collect();
    is_measured(&changed(BENCHMARK_JS, "kernels.js"), &ids);
}

#[test]
fn scripts_of_benchmark_js_find_the_true_changes() {
    if !wants_all() || !has_node() {
        return;
    }
    let faster = format!("speed.js::kernels > {ODD}");
    let expected = [
        ("speed.js::kernels > slower", "regressed"),
        (faster.as_str(), "improved"),
        ("speed.js::kernels > same", "unchanged"),
    ];
    verdicts_are(&changed(BENCHMARK_JS, "kernels.js"), &expected);
}

#[test]
fn a_script_that_cannot_be_loaded_is_told_with_the_reason() {
    if !has_node() {
        return;
    }
    let broken = [
        ("bench/a.mjs", "import { nothing } from './gone.mjs';\n"),
        ("bench/b.mjs", "import { Bench } from 'tinybench';\nnew Bench();\nprocess.exit(0);\n"),
    ];
    let files: Vec<(&str, &str)> = TINYBENCH.iter().copied().chain(broken).collect();
    let repository = changed(&files, "kernels.mjs");
    let only =
        ["--filter", "group > same", "--repeat", "1", "--time-budget", "9m", "--fail-on", "never"];
    let finished = repository.run(&only).expect(0);
    let told = ResultsFile::read(&repository.last()).0.to_string();
    assert!(told.contains("gone.mjs"), "{finished}");
    assert!(told.contains("bench/b.mjs runs no benchmarks of tinybench"), "{finished}");
}

#[test]
fn benchmarks_of_vitest_are_found_and_measured_as_they_are() {
    if !has_node() {
        return;
    }
    let names = [
        "speed.bench.ts::slower",
        "speed.bench.ts::group (odd) [x.y] > faster/* \"q\" 's' ü",
        "speed.bench.ts::group (odd) [x.y] > same",
        "speed.bench.ts::async with set-up",
        "speed.bench.ts::fails",
        "other.bench.ts::group (odd) [x.y] > same",
    ];
    let repository = changed(VITEST, "kernels.ts");
    let finished = repository
        .run(&["--suite", "vitest", "--repeat", "1", "--time-budget", "9m", "--fail-on", "never"])
        .expect(0);
    let results = ResultsFile::read(&repository.last());
    for name in names {
        let id = format!("vitest/bench/{name}");
        match name.ends_with("fails") {
            true => assert_eq!(results.row(&id)["failure"]["message"], "Error: on purpose"),
            false => assert_eq!(results.counted(&id), 1, "{id}: {finished}"),
        }
    }
    let skipped = results.row("vitest/bench/speed.bench.ts::later");
    assert_eq!(skipped["reason"], "marked `skip`", "{finished}");
}

#[test]
fn benchmarks_of_vitest_find_the_true_changes() {
    if !wants_all() || !has_node() {
        return;
    }
    let repository = changed(VITEST, "kernels.ts");
    let filter = ["--suite", "vitest", "--filter", "slower|faster|same", "--time-budget", "10m"];
    let finished = repository.run(&[&filter[..], &["--seed", "vitest"]].concat()).finish();
    let results = ResultsFile::read(&repository.last());
    for (name, verdict) in [
        ("speed.bench.ts::slower", "regressed"),
        ("speed.bench.ts::group (odd) [x.y] > faster/* \"q\" 's' ü", "improved"),
        ("speed.bench.ts::group (odd) [x.y] > same", "unchanged"),
        ("other.bench.ts::group (odd) [x.y] > same", "unchanged"),
    ] {
        assert_eq!(results.verdict(&format!("vitest/bench/{name}")), verdict, "{name}: {finished}");
    }
}

/// Benchmarks of vitest 5, in which a test is given `bench`.
const VITEST_5: &str = r#"
import { expect, test } from "vitest";
import { units, work } from "../kernels";

test("compares", async ({ bench }) => {
  const results = await bench.compare(
    bench("slower", () => work(units.slower)),
    bench("hooks", { beforeEach() {} }, () => work(units.faster)),
  );
  expect(results.get("slower").latency.mean).toBeGreaterThan(1e9);
});

test("alone", async ({ bench }) => {
  await bench("fails", () => { throw new Error("on purpose"); }).run();
});
"#;

#[test]
fn benchmarks_of_vitest_5_are_met_within_their_tests() {
    if !has_node() {
        return;
    }
    let newest = "{\"type\": \"module\", \"devDependencies\": {\"vitest\": \"5.1.2\"}}";
    let files = [
        ("bench/speed.bench.ts", VITEST_5),
        VITEST.iter().copied().find(|(name, _)| *name == "kernels.ts").unwrap(),
        ("package.json", newest),
    ];
    let repository = changed(&files, "kernels.ts");
    let only = ["--suite", "vitest", "--repeat", "1", "--time-budget", "9m", "--fail-on", "never"];
    let finished = repository.run(&only).finish();
    let results = ResultsFile::read(&repository.last());
    let id = |name: &str| format!("vitest/bench/speed.bench.ts::{name}");
    for name in ["compares > slower", "compares > hooks"] {
        assert_eq!(results.counted(&id(name)), 1, "{name}: {finished}");
    }
    let failure = &results.row(&id("alone > fails"))["failure"];
    assert_eq!(failure["message"], "Error: on purpose", "{finished}");
    assert!(finished.to_string().contains("no lockfile"), "{finished}");
}

/// A `PATH` with the other package managers in it, from npm; they are kept below `target`.
fn path_with_package_managers() -> Option<String> {
    let kept = std::path::Path::new(env!("CARGO_TARGET_TMPDIR")).join("package-managers");
    let programs = kept.join("node_modules/.bin");
    if !programs.join("bun").exists() {
        let words = ["install", "--silent", "--no-audit", "--no-fund", "--prefix"];
        let mut npm = std::process::Command::new("npm");
        npm.args(words).arg(&kept).args(["pnpm@10", "yarn@1", "bun@1"]);
        if !npm.status().is_ok_and(|status| status.success()) {
            eprintln!("skipped: npm does not bring pnpm, yarn and bun");
            return None;
        }
    }
    Some(format!("{}:{}", programs.display(), std::env::var("PATH").unwrap()))
}

#[test]
fn a_workspace_of_pnpm_yarn_or_bun_is_installed_by_its_own_tool() {
    if !wants_all() || !has_node() {
        return;
    }
    let Some(path) = path_with_package_managers() else { return };
    for tool in ["pnpm", "yarn", "bun"] {
        let repository = Repository::empty();
        repository.git(&["init", "--quiet", "--initial-branch=main", "."]);
        let example = TINYBENCH.iter().filter(|(name, _)| name.ends_with(".mjs"));
        for (name, text) in example {
            repository.write(&[(&format!("packages/a/{name}"), text)]);
        }
        repository.write(&[
            ("package.json", "{\"private\": true, \"workspaces\": [\"packages/*\"]}"),
            ("pnpm-workspace.yaml", "packages:\n  - packages/*\n"),
            (
                "packages/a/package.json",
                "{\"name\": \"a\", \"version\": \"1.0.0\", \"devDependencies\": {\"tinybench\": \"6.2.5\"}}",
            ),
            (
                "bench-action.toml",
                "[[suite]]\nname = \"speed\"\nharness = \"tinybench\"\ndirectory = \"packages/a\"\nprograms = [\"bench/other.mjs\"]\n",
            ),
            (".gitignore", "node_modules/\n"),
        ]);
        let mut install = std::process::Command::new(tool);
        install.arg("install").env("PATH", &path).current_dir(repository.root());
        assert!(install.status().unwrap().success(), "{tool} writes its lockfile");
        repository.commit("base");
        repository.write(&[("packages/a/kernels.mjs", &format!("{}\n", TINYBENCH[2].1))]);
        repository.commit("head");
        let only = [
            "--repeat",
            "1",
            "--time-budget",
            "9m",
            "--fail-on",
            "never",
            "--filter",
            "group > same",
        ];
        let finished = repository.run(&only).env("PATH", &path).expect(0);
        let results = ResultsFile::read(&repository.last());
        let id = "speed/bench/other.mjs::group > same";
        assert_eq!(results.counted(id), 1, "{tool}: {finished}");
        // Where the tool is missing, it is named with the file that asks for it.
        if std::process::Command::new(tool).arg("--version").output().is_err() {
            repository.git(&["clean", "-dffxq"]);
            let finished = repository.run(&only).finish().to_string();
            assert!(finished.contains(tool) && finished.contains("asks for"), "{finished}");
        }
    }
}
