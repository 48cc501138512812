//! What is no number, and what has another's name: missing, and two rows.

use crate::{centers, output, primary};
use bench_harness::outputs::{Reading, Status, read};

/// One row whose value is no number, and one of 2 ns or 2 instructions beside it.
const FILES: [(&str, &str); 22] = [
    (
        "jmh",
        r#"[{"benchmark": "no", "primaryMetric": {"score": "NaN", "scoreUnit": "ns/op", "rawData": [["+INF"]]}}, {"benchmark": "ok", "primaryMetric": {"score": 2, "scoreUnit": "ns/op"}}]"#,
    ),
    (
        "google-benchmark",
        r#"{"context": {"num_cpus": 2}, "benchmarks": [{"name": "no", "run_type": "iteration", "real_time": NaN, "cpu_time": Infinity, "time_unit": "ns"}, {"name": "ok", "run_type": "iteration", "real_time": 2, "cpu_time": -Infinity, "time_unit": "ns"}]}"#,
    ),
    (
        "pytest-benchmark",
        r#"{"machine_info": {}, "commit_info": {}, "benchmarks": [{"fullname": "no", "stats": {"data": [NaN], "median": Infinity}}, {"fullname": "ok", "stats": {"data": [2e-9, NaN], "median": 2e-9}}]}"#,
    ),
    (
        "asv",
        r#"{"result_columns": ["result", "params", "samples", "stats_ci_99_a"], "results": {"no.time_x": [[NaN], [], [[NaN]], [-Infinity]], "a.time_ok": [[2e-9], [], [[2e-9, NaN]], [-Infinity]]}}"#,
    ),
    (
        "julia",
        r#"[{"Julia": "1"}, [["BenchmarkGroup", {"data": {"no": ["TrialEstimate", {"time": NaN}], "ok": ["Trial", {"times": [2.0, Infinity]}]}}]]]"#,
    ),
    (
        "vitest",
        r#"{"files": [{"groups": [{"fullName": "g", "benchmarks": [{"name": "no", "mean": NaN}, {"name": "ok", "mean": 2e-6, "rme": Infinity}]}]}]}"#,
    ),
    (
        "mitata",
        r#"{"benchmarks": [{"alias": "no", "runs": [{"stats": {"p50": NaN}}]}, {"alias": "ok", "runs": [{"stats": {"p50": 2, "min": -Infinity}}]}]}"#,
    ),
    (
        "pyperf",
        r#"{"version": "1.0", "metadata": {"unit": "second"}, "benchmarks": [{"metadata": {"name": "no"}, "runs": [{"values": [NaN]}]}, {"metadata": {"name": "ok"}, "runs": [{"values": [2e-9, Infinity]}]}]}"#,
    ),
    (
        "hyperfine",
        r#"{"results": [{"command": "no", "mean": NaN, "times": [Infinity]}, {"command": "ok", "mean": 2e-9, "stddev": NaN}]}"#,
    ),
    (
        "custom",
        r#"[{"name": "no", "unit": "ns", "value": NaN}, {"name": "ok", "unit": "ns", "value": 2}]"#,
    ),
    (
        "custom",
        r#"{"no": {"latency": {"value": Infinity}}, "ok": {"latency": {"value": 2, "upper_value": NaN}}}"#,
    ),
    (
        "simple",
        r#"{"schema": "bench-action/simple/v1", "benchmarks": [{"name": "no", "unit": "ns", "value": NaN}, {"name": "ok", "unit": "ns", "samples": [2, Infinity]}]}"#,
    ),
    (
        "benchmarkdotnet",
        r#"{"Title": "t", "Benchmarks": [{"FullName": "no", "Statistics": {"Mean": NaN, "OriginalValues": ["NaN", ""]}}, {"FullName": "ok", "Statistics": {"Mean": 2, "OriginalValues": [2, "NaN"]}}]}"#,
    ),
    (
        "criterion",
        "{\"reason\":\"benchmark-complete\",\"id\":\"no\",\"unit\":\"ns\",\"typical\":{\"estimate\":NaN}}\n{\"reason\":\"benchmark-complete\",\"id\":\"ok\",\"unit\":\"ns\",\"iteration_count\":[1,1],\"measured_values\":[2,NaN]}\n",
    ),
    ("criterion", "no   time:   [NaN ns NaN ns NaN ns]\nok   time:   [1 ns 2 ns inf ns]\n"),
    (
        "gungraun",
        "{\"module_path\":\"no\",\"function_name\":\"no\",\"profiles\":[{\"summaries\":{\"total\":{\"summary\":{\"Callgrind\":{\"Ir\":{\"metrics\":{\"Left\":{\"Float\":NaN}}}}}}}}]}\n{\"module_path\":\"ok\",\"function_name\":\"ok\",\"profiles\":[{\"summaries\":{\"total\":{\"summary\":{\"Callgrind\":{\"Ir\":{\"metrics\":{\"Left\":{\"Int\":2}}},\"L1HitRate\":{\"metrics\":{\"Left\":{\"Float\":Infinity}}}}}}}}]}\n",
    ),
    ("gungraun", "a::no\n  Instructions:   inf|1 (x)\na::ok\n  Instructions:   2|inf (x)\n"),
    ("go", "BenchmarkNo 1 NaN ns/op\nBenchmarkok 10 2 ns/op +Inf MB/s\n"),
    (
        "libtest",
        "test no ... bench:  NaN ns/iter (+/- NaN)\ntest ok ... bench:  2 ns/iter (+/- inf)\n",
    ),
    (
        "divan",
        "s  fastest │ slowest │ median │ mean │ samples │ iters\n├─ no  NaN ns │ NaN ns │ NaN ns │ NaN ns │ 1 │ 1\n╰─ ok  1 ns │ inf ns │ 2 ns │ NaN ns │ 1 │ 1\n",
    ),
    (
        "catch2",
        "<Catch2TestRun><TestCase name=\"c\"><BenchmarkResults name=\"no\"><mean value=\"nan\"/></BenchmarkResults><BenchmarkResults name=\"ok\"><mean value=\"2\" upperBound=\"inf\"/></BenchmarkResults></TestCase></Catch2TestRun>",
    ),
    (
        "benchmark.js",
        "no x NaN ops/sec ±NaN% (1 run sampled)\nok x 500,000,000 ops/sec ±Infinity% (2 runs sampled)\n",
    ),
];

/// A value that is no number is missing; what is beside it is read.
#[test]
fn what_is_no_number_is_missing_in_every_harness() {
    for (harness, text) in FILES {
        let found =
            read("f", text.as_bytes(), Some(harness)).unwrap_or_else(|e| panic!("{harness}: {e}"));
        let values: Vec<(bool, f64)> = centers(&found)
            .into_iter()
            .map(|(name, value)| (name.ends_with("ok"), value))
            .collect();
        let expected = if harness == "benchmark.js" { 500_000_000.0 } else { 2.0 };
        let [(is_ok, value)] = values[..] else { panic!("{harness}: {:?}", found.readings) };
        assert!(is_ok && (value - expected).abs() < 1e-6 * expected, "{harness}: {values:?}");
        let no =
            primary(&found).iter().any(|row| row.status != Status::Ok && row.values().is_empty());
        assert!(no, "{harness}: what was not read is told: {:?}", found.readings);
        let numbers = found.readings.iter().flat_map(Reading::values);
        assert!(numbers.into_iter().all(f64::is_finite), "{harness}");
    }
    for harness in bench_harness::outputs::readable() {
        assert!(FILES.iter().any(|(tried, _)| *tried == harness), "{harness}");
    }
}

/// Other tools write them otherwise, and some numbers are too large to be any. The file is an error that
/// names it, or the value is missing; it is never a number.
#[test]
fn what_is_no_number_is_none_however_it_is_spelt() {
    for (harness, text) in FILES {
        for spelt in
            ["nan", "-NaN", "inf", "-inf", "+Inf", "-nan(ind)", "1e999", "-1e999", "1.#QNAN"]
        {
            let text = text.replace("-Infinity", "NaN").replace("+Inf ", "NaN ");
            let text = text.replace("Infinity", "NaN").replace("inf", "NaN").replace("NaN", spelt);
            let found = match read("dir/file", text.as_bytes(), Some(harness)) {
                Ok(found) => found,
                Err(error) => {
                    let error = error.to_string();
                    assert!(error.starts_with("dir/file: ") && error.len() > 30, "{error}");
                    continue;
                }
            };
            let numbers: Vec<f64> = found.readings.iter().flat_map(Reading::values).collect();
            assert!(
                numbers.iter().all(|number| number.is_finite()),
                "{harness}, {spelt}: {numbers:?}"
            );
            let is_no = |name: &str| name.ends_with("no") || name.ends_with("No");
            let no = centers(&found).into_iter().find(|(name, _)| is_no(name));
            assert_eq!(no, None, "{harness}, {spelt}: {:?}", found.readings);
        }
    }
}

/// Two packages of one repository may give one name; their rows stay two, and where the harness says which
/// is whose, so do the names, in whatever order they come.
#[test]
fn equal_names_of_two_packages_stay_two_rows() {
    let said = [
        ("go", "pkg: p\nBenchmarkA 1 2 ns/op\n", "pkg: q\nBenchmarkA 1 2 ns/op\n"),
        (
            "libtest",
            "Running benches/p.rs (target/p-0)\ntest a ... bench: 2 ns/iter (+/- 0)\n",
            "Running benches/q.rs (target/q-0)\ntest a ... bench: 2 ns/iter (+/- 0)\n",
        ),
        (
            "divan",
            "p fastest │ slowest │ median │ mean\n├─ a  1 ns │ 2 ns │ 2 ns │ 2 ns │ 1 │ 1\n",
            "q fastest │ slowest │ median │ mean\n├─ a  1 ns │ 2 ns │ 2 ns │ 2 ns │ 1 │ 1\n",
        ),
        ("gungraun", "p::a\n  Instructions:   2|2 (x)\n", "q::a\n  Instructions:   2|2 (x)\n"),
    ];
    for (harness, one, other) in said {
        let names = |text: String| -> Vec<String> {
            let found = read("f", text.as_bytes(), Some(harness)).unwrap();
            let mut names: Vec<String> =
                centers(&found).iter().map(|(name, _)| (*name).to_owned()).collect();
            names.sort();
            names
        };
        let found = names(format!("{one}{other}"));
        assert_eq!(found, names(format!("{other}{one}")), "{harness}");
        assert!(found.len() == 2 && found.iter().all(|name| !name.contains('#')), "{found:?}");
    }
    // Where nothing is said of the package, the second is numbered.
    for text in crate::mutations::FILES.iter().filter(|text| text.ends_with('\n')) {
        let (once, twice) = (output(text), output(&text.repeat(2)));
        // Within a package, a repeated row of Go is one more sample.
        if once.harness == "go" {
            continue;
        }
        assert_eq!(twice.readings.len(), 2 * once.readings.len(), "{text}");
        assert_eq!(bench_names(&twice).len(), twice.readings.len(), "{text}");
    }
}

/// Everything that tells a row apart.
fn bench_names(output: &bench_harness::outputs::Output) -> std::collections::BTreeSet<String> {
    let identity = |row: &Reading| format!("{:?}", (&row.name, &row.params, &row.metric.name));
    output.readings.iter().map(identity).collect()
}
