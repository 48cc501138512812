//! Long inputs: what many rows share is not written out at its whole length for each of them, or the
//! rows would be as long as the square of the file. No clock: what is counted is what is there.

use bench_harness::outputs::{Output, read, readable};

/// Bytes of a name at most, be it shared by one row or by all.
const NAME: usize = 1500;

/// Bytes of what is shared, and rows that share it.
const SHARED: usize = 200_000;
const ROWS: usize = 2_000;

/// A file of each form in which rows share a name, a group, a package or parameters.
fn shared(long: &str) -> Vec<(&'static str, String)> {
    let rows = |row: &dyn Fn(usize) -> String| (0..ROWS).map(row).collect::<Vec<_>>();
    let listed = |row: &dyn Fn(usize) -> String| rows(row).join(",");
    vec![
        ("gungraun", format!("a::{long}\n  Instructions: 1|1\n{}", rows(&|n| format!("  m{n}: 1|1\n")).concat())),
        ("catch2", format!("<Catch2TestRun><TestCase name=\"{long}\">{}</TestCase></Catch2TestRun>",
            rows(&|n| format!("<BenchmarkResults name=\"{n}\"><mean value=\"1\"/></BenchmarkResults>")).concat())),
        ("catch2", format!("<Catch2TestRun><TestCase name=\"a\"><Section name=\"{long}\">{}</Section></TestCase></Catch2TestRun>",
            rows(&|n| format!("<Section name=\"{n}\"><BenchmarkResults name=\"b\"><mean value=\"1\"/></BenchmarkResults></Section>")).concat())),
        ("go", format!("pkg: {long}\n{}", rows(&|n| format!("BenchmarkA{n} 1 5 ns/op\n")).concat())),
        ("go", format!("Benchmark{long} 1{}\n", rows(&|n| format!(" 1 u{n}/op")).concat())),
        ("libtest", format!("Running {long}\ntest b1 ... bench: 1 ns/iter (+/- 0)\nRunning other\n{}",
            rows(&|n| format!("test b{} ... bench: 1 ns/iter (+/- 0)\n", n % 2)).concat())),
        ("criterion", format!("{long}\n{}", rows(&|_| "  time:   [1 ns 2 ns 3 ns]\n".into()).concat())),
        ("divan", format!("{long} fastest │ slowest │ median\n{}",
            rows(&|n| format!("├─ b{n}  1 ns │ 2 ns │ 1 ns │ 1 ns │ 1 │ 1\n")).concat())),
        ("google-benchmark", format!("{{\"benchmarks\": [{{\"name\": \"{long}\", \"real_time\": 1, {}}}]}}",
            listed(&|n| format!("\"c{n}\": 1")))),
        ("custom", format!("{{\"{long}\": {{{}}}}}", listed(&|n| format!("\"m{n}\": {{\"value\": 1}}")))),
        ("mitata", format!("{{\"layout\": [{{\"name\": \"{long}\"}}], \"benchmarks\": [{}]}}",
            listed(&|n| format!("{{\"alias\": \"b{n}\", \"group\": 0, \"runs\": [{{\"stats\": {{\"p50\": 1}}}}]}}")))),
        ("mitata", format!("{{\"benchmarks\": [{{\"alias\": \"{long}\", \"runs\": [{}]}}]}}",
            listed(&|n| format!("{{\"args\": {{\"n\": {n}}}, \"stats\": {{\"p50\": 1}}}}")))),
        ("jmh", format!("[{{\"benchmark\": \"{long}\", \"params\": {{\"p\": \"{long}\"}}, \"primaryMetric\": {{\"score\": 1}}, \"secondaryMetrics\": {{{}}}}}]",
            listed(&|n| format!("\"s{n}\": {{\"score\": 1}}")))),
        ("vitest", format!("{{\"files\": [{{\"groups\": [{{\"fullName\": \"{long}\", \"benchmarks\": [{}]}}]}}]}}",
            listed(&|n| format!("{{\"name\": \"b{n}\", \"mean\": 1}}")))),
        ("vitest", format!("{{\"testResults\": [{{\"name\": \"{long}\", \"assertionResults\": [{}]}}]}}",
            listed(&|n| format!("{{\"title\": \"t{n}\", \"benchmarks\": [{{\"name\": \"b\", \"mean\": 1}}]}}")))),
        ("pyperf", format!("{{\"version\": \"1\", \"metadata\": {{\"name\": \"{long}\"}}, \"benchmarks\": [{}]}}",
            listed(&|_| "{\"runs\": [{\"values\": [1]}]}".into()))),
        ("julia", format!("[{{\"Julia\": \"1\"}}, [[\"BenchmarkGroup\", {{\"data\": {{\"{long}\": [\"BenchmarkGroup\", {{\"data\": {{{}}}}}]}}}}]]]",
            listed(&|n| format!("\"k{n}\": [\"TrialEstimate\", {{\"time\": 1}}]")))),
        ("asv", format!("{{\"result_columns\": [\"result\", \"params\"], \"results\": {{\"{long}.time_x\": [[{}], [[\"{long}\"], [{}]]]}}}}",
            listed(&|_| "1".into()), listed(&|n| format!("\"{n}\"")))),
        ("asv", format!("{{\"result_columns\": [{}, \"result\"], \"results\": {{{}}}}}",
            listed(&|n| format!("\"c{n}\"")), listed(&|n| format!("\"time_{n}\": []")))),
        ("pytest-benchmark", format!("{{\"machine_info\": {{}}, \"commit_info\": {{}}, \"benchmarks\": [{{\"fullname\": \"a\", \"params\": {{\"p\": \"{long}\"}}, \"stats\": {{\"median\": 1}}}}]}}")),
        ("benchmarkdotnet", format!("{{\"Title\": \"t\", \"Benchmarks\": [{{\"FullName\": \"{long}\", \"Statistics\": {{\"Mean\": 1}}, \"Memory\": {{\"BytesAllocatedPerOperation\": 1}}}}]}}")),
        ("hyperfine", format!("{{\"results\": [{{\"command\": \"{long}\", \"mean\": 1}}]}}")),
        ("benchmark.js", format!("{long} x 3 ops/sec ±1% (1 run sampled)\n")),
        ("simple", format!("{{\"schema\": \"bench-action/simple/v1\", \"benchmarks\": [{{\"name\": \"{long}\", \"value\": 1, \"params\": {{{}}}}}]}}",
            listed(&|n| format!("\"p{n}\": {n}")))),
    ]
}

fn texts(output: &Output) -> impl Iterator<Item = &String> {
    output.readings.iter().flat_map(|row| {
        let params = row.params.iter().flat_map(|param| [&param.name, &param.value]);
        [&row.name, &row.metric.name].into_iter().chain(params)
    })
}

#[test]
fn what_rows_share_is_not_written_out_for_each() {
    let long = "long ".repeat(SHARED / 5);
    let files = shared(&long);
    for (harness, text) in &files {
        let output = read("f", text.as_bytes(), Some(harness)).unwrap();
        for text in texts(&output) {
            // A number that tells equal ones apart comes after.
            assert!(text.len() <= NAME + " #2000".len(), "{harness}: {} bytes", text.len());
        }
        assert!(output.readings.iter().all(|row| row.params.len() <= 32), "{harness}");
    }
    let tried: Vec<&str> = files.iter().map(|(harness, _)| *harness).collect();
    assert!(readable().iter().all(|harness| tried.contains(harness)), "{tried:?}");
}

#[test]
fn long_names_that_begin_alike_stay_two() {
    let long = "l".repeat(NAME * 2);
    let two = format!("pkg: p\nBenchmark{long}a 1 5 ns/op\nBenchmark{long}b 1 6 ns/op\n");
    let again = format!("pkg: p\nBenchmark{long}b 1 6 ns/op\nBenchmark{long}a 1 5 ns/op\n");
    let (first, second) = (crate::output(&two), crate::output(&again));
    let (mut first, mut second) = (crate::centers(&first), crate::centers(&second));
    first.sort_by(|a, b| a.1.total_cmp(&b.1));
    second.sort_by(|a, b| a.1.total_cmp(&b.1));
    assert_eq!(first, second, "the order of rows names none of them");
    assert!(first[0].0 != first[1].0 && !first[1].0.contains('#'));
}
