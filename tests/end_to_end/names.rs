//! Names as people give them, of harnesses whose benchmarks a worker serves: each is listed, chosen by
//! a filter, run by itself and shown as it is; also where two packages have one name.

use crate::native::names::{NO_VARIABLE, are_told_apart, awkward};
use crate::scripts::{BENCHMARK_JS, MITATA, TINYBENCH, VITEST, has_node, wants_all};
use crate::support::repository::Repository;
use crate::support::results::ResultsFile;

/// A list that JavaScript and Python read alike.
fn list(names: &[String]) -> String {
    serde_json::to_string(names).unwrap()
}

/// The awkward names in a file of package `a`, and one in each of both.
fn scripts(example: &[(&str, &str)], kernels: &str, file: &str, suite: &str, text: &str) {
    let names = awkward();
    let (odd, plain) =
        (text.replace("NAMES", &list(&names)), text.replace("NAMES", "[\"prefix\"]"));
    let harness = format!("[[suite]]\nname = \"{suite}\"\nharness = \"{suite}\"\n");
    let programs = format!("programs = [\"a/{file}\", \"b/{file}\"]\n");
    // vitest knows by itself which files are its own.
    let configuration = if suite == "vitest" { harness } else { harness + &programs };
    let (a, b) = (format!("a/{file}"), format!("b/{file}"));
    let shared = [kernels, "package.json", "package-lock.json"];
    let mut files: Vec<(&str, &str)> =
        example.iter().copied().filter(|(name, _)| shared.contains(name)).collect();
    files.extend([(&*a, &*odd), (&*b, &*plain), ("bench-action.toml", &*configuration)]);
    let before = files.iter().find(|(name, _)| *name == kernels).map(|(_, text)| *text).unwrap();
    let head = before.replace("slower: 1000", "slower: 1001");
    assert_ne!(before, head);
    let repository = Repository::new(&files, &[(kernels, &head)]);
    let mut ids: Vec<String> = names.iter().map(|name| format!("{a}::{name}")).collect();
    ids.push(format!("{b}::prefix"));
    are_told_apart(&repository, suite, &ids, NO_VARIABLE);
}

#[test]
fn tinybench_names() {
    let text = "import { Bench } from 'tinybench';\nimport { units, work } from '../kernels.mjs';\n\
        const bench = new Bench();\n\
        for (const name of NAMES) bench.add(name, () => work(units.slower));\nawait bench.run();\n";
    if has_node() && wants_all() {
        scripts(TINYBENCH, "kernels.mjs", "odd.mjs", "tinybench", text);
    }
}

#[test]
fn mitata_names() {
    let text = "import { bench, run } from 'mitata';\nimport { units, work } from '../kernels.mjs';\n\
        for (const name of NAMES) bench(name, () => work(units.slower));\nawait run();\n";
    if has_node() && wants_all() {
        scripts(MITATA, "kernels.mjs", "odd.mjs", "mitata", text);
    }
}

#[test]
fn benchmark_js_names() {
    let text = "const { Suite } = require('benchmark');\n\
        const { units, work } = require('../kernels');\nconst suite = new Suite();\n\
        for (const name of NAMES) suite.add(name, () => work(units.slower));\nsuite.run();\n";
    if has_node() && wants_all() {
        scripts(BENCHMARK_JS, "kernels.js", "odd.js", "benchmark.js", text);
    }
}

#[test]
fn vitest_names() {
    let text = "import { bench } from 'vitest';\nimport { units, work } from '../kernels';\n\
        for (const name of NAMES) bench(name, () => { work(units.slower); });\n";
    if has_node() && wants_all() {
        scripts(VITEST, "kernels.ts", "odd.bench.ts", "vitest", text);
    }
}

/// Nothing is configured: each package of the workspace is a suite of its own, whose benchmarks are
/// called alike.
#[test]
fn names_of_two_packages_of_an_npm_workspace() {
    if !has_node() || !wants_all() {
        return;
    }
    let repository = Repository::empty();
    repository.git(&["init", "--quiet", "--initial-branch=main", "."]);
    let kernels = VITEST.iter().find(|(name, _)| *name == "kernels.ts").unwrap().1;
    let bench = "import { bench } from 'vitest';\nimport { units, work } from '../kernels';\n\
        bench('one name', () => { work(units.slower); });\n";
    for package in ["a", "b"] {
        let manifest = format!(
            "{{\"name\": \"{package}\", \"version\": \"1.0.0\", \"type\": \"module\", \
             \"devDependencies\": {{\"vitest\": \"3.2.7\"}}}}"
        );
        repository.write(&[
            (&format!("packages/{package}/package.json"), &manifest),
            (&format!("packages/{package}/kernels.ts"), kernels),
            (&format!("packages/{package}/bench/speed.bench.ts"), bench),
        ]);
    }
    repository.write(&[
        ("package.json", "{\"private\": true, \"workspaces\": [\"packages/*\"]}"),
        (".gitignore", "node_modules/\n"),
    ]);
    let mut lock = std::process::Command::new("npm");
    lock.args(["install", "--package-lock-only"]).current_dir(repository.root());
    assert!(lock.status().unwrap().success(), "npm writes its lockfile");
    repository.commit("base");
    repository.write(&[("packages/a/kernels.ts", &format!("{kernels}\n// head\n"))]);
    repository.commit("head");
    let ids = ["a", "b"].map(|p| format!("vitest-packages-{p}/bench/speed.bench.ts::one name"));
    let listed = repository.bench_action(&["list"]).expect(0);
    for id in &ids {
        assert_eq!(listed.stdout.matches(id.as_str()).count(), 1, "{listed}");
    }
    let measured = |filter: &str| -> Vec<String> {
        let only = ["--repeat", "1", "--time-budget", "9m", "--fail-on", "never"];
        let finished = repository.run(&only).args(&["--filter", filter]).expect(0);
        let results = ResultsFile::read(&repository.last());
        let measured = results.rows().iter().filter(|row| row["blocks_used"] != 0);
        let found = measured.map(|row| row["benchmark"].as_str().unwrap().to_owned()).collect();
        assert_eq!(results.counted(&ids[1]), 1, "{finished}");
        found
    };
    assert_eq!(measured("one name$"), ids);
    let page = std::fs::read_to_string(repository.last().join("report.html")).unwrap();
    for id in &ids {
        assert!(page.contains(&format!(">{id}<")), "{id} is shown by its whole name");
    }
    assert_eq!(measured(&format!("^{}$", regex::escape(&ids[1]))), ids[1..]);
}

#[test]
fn worker_names() {
    if !wants_all() {
        return;
    }
    let names = awkward();
    let worker = format!(
        r#"
import json, os, time

channel = int(os.environ["BENCH_ACTION_CHANNEL"])
lines = os.fdopen(os.dup(channel), "rb")
names = {}

def measure(request):
    slices = []
    while len(slices) < request["slices"]:
        cpu = time.process_time_ns()
        sum(range(request["loops"] * 300))
        cpu = time.process_time_ns() - cpu
        slices.append([cpu, cpu, cpu, None, 0])
        if len(slices) >= request["min_slices"] and sum(s[0] for s in slices) >= request["cpu_ns"]:
            break
    return slices

for line in lines:
    request = json.loads(line)
    replies = {{
        "list": lambda: {{"list": {{"protocol": 1, "benchmarks": [{{"name": name}} for name in names]}}}},
        "open": lambda: {{"opened": {{}}}} if request["benchmark"] in names else {{"failed": {{"stage": "setup", "message": "unknown"}}}},
        "measure": lambda: {{"slices": measure(request)}},
        "close": lambda: {{"closed": {{}}}},
    }}
    if request["op"] == "quit":
        break
    os.write(channel, json.dumps(replies[request["op"]]()).encode() + b"\n")
"#,
        list(&names)
    );
    let suite = |name: &str| {
        format!("[[suite]]\nname = \"{name}\"\nharness = \"worker\"\nrun = \"python3 worker.py\"\n")
    };
    // Two suites have all names.
    let configuration = suite("one") + &suite("two");
    let head = format!("{worker}# another\n");
    let files = [("bench-action.toml", &*configuration), ("worker.py", &*worker)];
    let repository = Repository::new(&files, &[("worker.py", &head)]);
    for suite in ["one", "two"] {
        are_told_apart(&repository, suite, &names, NO_VARIABLE);
    }
}

/// Text as Python shows it.
fn repr(text: &str) -> String {
    let text = text.replace('\\', "\\\\");
    match (text.contains('\''), text.contains('"')) {
        (true, false) => format!("\"{text}\""),
        _ => format!("'{}'", text.replace('\'', "\\'")),
    }
}

#[test]
fn pytest_names() {
    if !wants_all() {
        return;
    }
    let names = awkward();
    let test = |names: &[String]| {
        format!(
            "import pytest\nfrom kernel import SIDE\n\n\n@pytest.mark.parametrize(\"name\", {})\n\
             def test_odd(benchmark, name):\n    benchmark(lambda: sum(range(2000)))\n",
            list(names)
        )
    };
    let (odd, plain) = (test(&names), test(&["prefix".to_owned()]));
    let files = [
        ("requirements-dev.txt", "pytest-benchmark==5.3.1\n"),
        ("bench-action.toml", "[[suite]]\nharness = \"pytest-benchmark\"\ndirectory = \"tests\"\n"),
        // As packages, the two may have one name.
        ("tests/a/__init__.py", ""),
        ("tests/b/__init__.py", ""),
        ("tests/a/test_x.py", &odd),
        ("tests/b/test_x.py", &plain),
    ];
    let repository = Repository::new(&files, &[]);
    let shown = |name: &String| format!("tests/a/test_x.py::test_odd(name={})", repr(name));
    let mut ids: Vec<String> = names.iter().map(shown).collect();
    ids.push("tests/b/test_x.py::test_odd(name='prefix')".to_owned());
    are_told_apart(&repository, "pytest-benchmark", &ids, NO_VARIABLE);
}

#[test]
fn asv_names() {
    if !wants_all() {
        return;
    }
    let names = awkward();
    let suite = |names: &[String]| {
        format!(
            "from kernel import SIDE\n\n\nclass Odd:\n    params = [{}]\n    param_names = [\"name\"]\n\n    \
             def time_odd(self, name):\n        sum(range(2000))\n",
            list(names)
        )
    };
    let (odd, plain) = (suite(&names), suite(&["prefix".to_owned()]));
    let files = [("benchmarks/a.py", &*odd), ("benchmarks/b.py", &*plain)];
    let repository = Repository::new(&files, &[]);
    let shown = |name: &String| format!("a.Odd.time_odd(name={})", repr(name));
    let mut ids: Vec<String> = names.iter().map(shown).collect();
    ids.push("b.Odd.time_odd(name='prefix')".to_owned());
    are_told_apart(&repository, "asv", &ids, NO_VARIABLE);
}
