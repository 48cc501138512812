//! Names as people give them: each is listed, chosen by a filter, run by itself and shown as it is.

use super::examples::{changed, directory, files, repository};
use super::tools::{
    catch2_main, has_catch2, has_go, has_google_benchmark, path_with_gungraun, wants_all,
};
use crate::support::repository::Repository;
use crate::support::results::ResultsFile;
use std::collections::BTreeSet;

type Files = Vec<(String, String)>;

/// Names that have meant something to somebody: to a filter, a shell, a table, a path, a terminal.
pub(crate) fn awkward() -> Vec<String> {
    let mut names: Vec<String> = [
        "with a space",
        "a/b",
        "[x] (y) {z}, w",
        r"^re.*+?|\d$",
        "\"two\" 'one' `back`",
        "<b>&amp;</b>|_*_~",
        "größe 测试 🚀",
        "-leading",
        "prefix",
        "prefix and more",
    ]
    .map(ToOwned::to_owned)
    .to_vec();
    names.push("long ".repeat(60));
    names.last_mut().unwrap().push('.');
    names
}

/// A literal that Rust, C++ and Go read alike.
fn literal(name: &str) -> String {
    format!("\"{}\"", name.replace('\\', "\\\\").replace('"', "\\\""))
}

/// Everything that is found is listed, measured by itself, and chosen by a filter of its own.
pub(crate) fn are_told_apart(
    repository: &Repository,
    suite: &str,
    names: &[String],
    env: (&str, &str),
) {
    let ids: BTreeSet<String> = names.iter().map(|name| format!("{suite}/{name}")).collect();
    let listed = repository.bench_action(&["list", "--suite", suite]).env(env.0, env.1).expect(0);
    for id in &ids {
        assert!(listed.stdout.contains(id.as_str()), "{id} in {listed}");
    }
    let all = ["--suite", suite, "--repeat", "1", "--all", "--time-budget", "9m"];
    let finished = repository.run(&all).env(env.0, env.1).finish();
    let results = ResultsFile::read(&repository.last());
    let primary: BTreeSet<String> = results
        .rows()
        .iter()
        .filter(|row| row["id"] == row["benchmark"])
        .map(|row| row["id"].as_str().unwrap().to_owned())
        .collect();
    assert_eq!(primary, ids, "{finished}");
    for id in &ids {
        assert_eq!(results.counted(id), 1, "{id}: {finished}");
    }
    let chosen = ids.iter().find(|id| id.contains('[')).or(ids.first()).unwrap();
    let filter = format!("^{}$", regex::escape(chosen));
    let one = ["--suite", suite, "--repeat", "1", "--time-budget", "9m", "--filter", &filter];
    let ran = repository.run(&one);
    let finished = ran.env(env.0, env.1).finish();
    let results = ResultsFile::read(&repository.last());
    let found = results.rows().iter().filter(|row| row["blocks_used"] != 0);
    let found: BTreeSet<&str> = found.map(|row| row["benchmark"].as_str().unwrap()).collect();
    assert_eq!(found, BTreeSet::from([chosen.as_str()]), "{finished}");
}

pub(crate) const NO_VARIABLE: (&str, &str) = ("BENCH_ACTION_NAMES", "1");

/// Two packages with a bench target of the same name, and one with odd names besides.
fn workspace(harness: &str, odd: &str) -> (Files, Files) {
    let example = files(harness);
    let mut base: Files = vec![
        (
            "Cargo.toml".into(),
            "[workspace]\nmembers = [\"one\", \"two\"]\nresolver = \"2\"\n".into(),
        ),
        ("bench-action.toml".into(), format!("[[suite]]\nharness = \"{harness}\"\n")),
    ];
    for package in ["one", "two"] {
        let here = |(path, text): &(String, String)| {
            let text = text.replace(&format!("{harness}-example"), package);
            (format!("{package}/{path}"), text.replace(&format!("{harness}_example"), package))
        };
        base.extend(example.iter().map(here));
    }
    let target = match harness {
        "libtest" => "",
        _ => "\n[[bench]]\nname = \"odd\"\nharness = false\n",
    };
    let manifest = base.iter_mut().find(|(path, _)| path == "two/Cargo.toml").unwrap();
    manifest.1.push_str(target);
    base.push(("two/benches/odd.rs".into(), odd.into()));
    let head = changed(&base);
    (base, head)
}

/// The names of an example's three benchmarks in each of two packages.
fn of_both(names: [&str; 3]) -> Vec<String> {
    let of = |package| names.map(|name| format!("{package}/speed::{name}"));
    ["one", "two"].into_iter().flat_map(of).collect()
}

#[test]
fn criterion_names() {
    if !wants_all() {
        return;
    }
    let bench = |name: &String| {
        format!("    criterion.bench_function({}, |b| b.iter(two::same));\n", literal(name))
    };
    let mut names = awkward();
    // Its list cuts them where they are still alike.
    names.extend(["one", "two"].map(|end| "l".repeat(110) + end));
    // It takes a name twice, and runs both by it.
    let twice = ["twice".to_owned(), "twice".to_owned()];
    let benches: String = names.iter().chain(&twice).map(bench).collect();
    let odd = format!(
        "use criterion::{{criterion_group, criterion_main, Criterion}};\n\n\
         fn all(criterion: &mut Criterion) {{\n{benches}}}\n\n\
         criterion_group!(benches, all);\ncriterion_main!(benches);\n"
    );
    let (base, head) = workspace("criterion", &odd);
    let names = [of_both(["slower", "faster", "same/10"]), names, twice[..1].to_vec()].concat();
    are_told_apart(&repository(&base, &head), "criterion", &names, NO_VARIABLE);
}

#[test]
fn divan_names() {
    if !wants_all() {
        return;
    }
    let bench = |(at, name): (usize, &String)| {
        format!(
            "#[divan::bench(name = {})]\nfn f{at}() -> u64 {{\n    two::same()\n}}\n\n",
            literal(name)
        )
    };
    let benches: String = awkward().iter().enumerate().map(bench).collect();
    let odd = format!("fn main() {{\n    divan::main();\n}}\n\n{benches}");
    let (base, head) = workspace("divan", &odd);
    let of = |package: &str| {
        ["slower", "faster", "same::10"].map(|name| format!("{package}/speed::speed::{name}"))
    };
    let odd = awkward().into_iter().map(|name| format!("odd::{name}"));
    let names: Vec<String> = of("one").into_iter().chain(of("two")).chain(odd).collect();
    are_told_apart(&repository(&base, &head), "divan", &names, NO_VARIABLE);
}

/// Identifiers: letters of any script, and as many as one likes.
fn identifiers() -> [String; 3] {
    ["größe".to_owned(), "l".repeat(300), "prefix".to_owned()]
}

#[test]
fn libtest_names() {
    if !wants_all() {
        return;
    }
    let bench = |name: &String| {
        format!(
            "#[bench]\nfn {name}(bencher: &mut test::Bencher) {{\n    bencher.iter(two::same);\n}}\n\n"
        )
    };
    let benches: String = identifiers().iter().map(bench).collect();
    let odd = format!("#![feature(test)]\n\nextern crate test;\n\n{benches}");
    let (base, head) = workspace("libtest", &odd);
    let names = [of_both(["slower", "faster", "same"]), identifiers().to_vec()].concat();
    are_told_apart(&repository(&base, &head), "libtest", &names, NO_VARIABLE);
}

#[test]
fn gungraun_names() {
    if !wants_all() {
        return;
    }
    let Some(path) = path_with_gungraun() else { return };
    let bench = |name: &String| {
        format!("#[library_benchmark]\nfn {name}() -> u64 {{\n    two::same()\n}}\n\n")
    };
    let names = identifiers();
    let benches: String = names.iter().map(bench).collect();
    let odd = format!(
        "use gungraun::{{library_benchmark, library_benchmark_group, main}};\n\n{benches}\
         library_benchmark_group!(name = all, benchmarks = [{}]);\n\
         main!(library_benchmark_groups = all);\n",
        names.join(", ")
    );
    let (base, head) = workspace("gungraun", &odd);
    let of = |package: &str| {
        ["slower", "faster", "same::ten"].map(|name| format!("{package}/speed::speed::all::{name}"))
    };
    let odd = names.iter().map(|name| format!("odd::all::{name}"));
    let names: Vec<String> = of("one").into_iter().chain(of("two")).chain(odd).collect();
    are_told_apart(&repository(&base, &head), "gungraun", &names, ("PATH", &path));
}

#[test]
fn google_benchmark_names() {
    if !has_google_benchmark() {
        return;
    }
    let register =
        |name: &String| format!("  benchmark::RegisterBenchmark({}, run);\n", literal(name));
    let registered: String = awkward().iter().map(register).collect();
    let program = format!(
        "#include \"kernels.hpp\"\n#include <benchmark/benchmark.h>\n\n\
         static void run(benchmark::State &state) {{\n  for (auto _ : state)\n    \
         benchmark::DoNotOptimize(slower());\n}}\n\n\
         int main(int count, char **words) {{\n  benchmark::Initialize(&count, words);\n{registered}  \
         benchmark::RunSpecifiedBenchmarks();\n}}\n"
    );
    let configuration = "[[suite]]\nharness = \"google-benchmark\"\n\
        build = [\"mkdir -p a b\", \"c++ -O2 -o a/odd odd.cpp -lbenchmark -lpthread\", \
        \"c++ -O2 -o a/speed kernels_bench.cpp -lbenchmark -lpthread\", \"cp a/speed b/speed\"]\n\
        programs = [\"a/*\", \"b/speed\"]\n";
    let mut base = files("google-benchmark");
    base.retain(|(path, _)| path != "bench-action.toml");
    base.push(("bench-action.toml".into(), configuration.into()));
    base.push(("odd.cpp".into(), program));
    let of =
        |place| ["slower", "faster", "same/10"].map(|name| format!("{place}/speed::BM_{name}"));
    let names: Vec<String> = of("a").into_iter().chain(of("b")).chain(awkward()).collect();
    let repository = repository(&base, &changed(&base));
    are_told_apart(&repository, "google-benchmark", &names, NO_VARIABLE);
}

#[test]
fn catch2_names() {
    if !has_catch2() || !wants_all() {
        return;
    }
    let case = |name: &String| {
        format!(
            "TEST_CASE({0}, \"[!benchmark]\") {{\n  BENCHMARK({0}) {{ return slower(); }};\n}}\n\n",
            literal(name)
        )
    };
    let cases: String = awkward().iter().map(case).collect();
    let program = format!(
        "#define CATCH_CONFIG_ENABLE_BENCHMARKING\n#include \"kernels.hpp\"\n#include <catch2/catch.hpp>\n\n{cases}"
    );
    let mut base = files("catch2");
    base.retain(|(path, _)| path != "kernels_bench.cpp");
    base.push(("kernels_bench.cpp".into(), program));
    let main = catch2_main(&directory("catch2").join("main.cpp"));
    let names: Vec<String> = awkward().iter().map(|name| format!("{name}/{name}")).collect();
    let repository = repository(&base, &changed(&base));
    are_told_apart(&repository, "catch2", &names, ("CATCH_MAIN", main.to_str().unwrap()));
}

#[test]
fn go_names() {
    if !has_go() {
        return;
    }
    let bench = |name: &String| {
        format!(
            "\tb.Run({}, func(b *testing.B) {{\n\t\tfor i := 0; i < b.N; i++ {{\n\t\t\tSlower()\n\t\t}}\n\t}})\n",
            literal(name)
        )
    };
    let benches: String = awkward().iter().map(bench).collect();
    let odd = format!(
        "package kernels\n\nimport \"testing\"\n\nfunc BenchmarkOdd(b *testing.B) {{\n{benches}}}\n"
    );
    let mut base = files("go");
    let other: Files = base
        .iter()
        .filter(|(path, _)| path.ends_with(".go"))
        .map(|(path, text)| (format!("other/{path}"), text.clone()))
        .collect();
    base.extend(other);
    base.push(("odd_test.go".into(), odd));
    let of = |package| {
        ["Slower", "Faster", "Same/times=10"]
            .map(|name| format!("example.org/{package}.Benchmark{name}"))
    };
    // Go writes its own underscore for a space.
    let odd = awkward().into_iter().map(|name| name.replace(' ', "_"));
    let odd = odd.map(|name| format!("example.org/kernels.BenchmarkOdd/{name}"));
    let names: Vec<String> =
        of("kernels").into_iter().chain(of("kernels/other")).chain(odd).collect();
    are_told_apart(&repository(&base, &changed(&base)), "go", &names, NO_VARIABLE);
}

#[test]
fn command_names() {
    let mut base = files("command");
    let configuration = base.iter_mut().find(|(path, _)| path == "bench-action.toml").unwrap();
    let command = |name: &String| {
        format!("\n[[suite.benchmark]]\nname = {}\nrun = \"./tool same\"\n", literal(name))
    };
    configuration.1.extend(awkward().iter().map(command));
    let names = [["slower", "faster", "same"].map(ToOwned::to_owned).to_vec(), awkward()].concat();
    are_told_apart(&repository(&base, &changed(&base)), "tool", &names, NO_VARIABLE);
}
