//! One format each: identities, launches, units, directions, and what did not run.

use crate::{centers, output, primary};
use bench_harness::outputs::{Reading, Status, read_criterion_directory};
use bench_results::Better;

fn params(reading: &Reading) -> Vec<String> {
    reading.params.iter().map(|p| format!("{}={}", p.name, p.value)).collect()
}

fn beside<'o>(output: &'o bench_harness::outputs::Output, metric: &str) -> &'o Reading {
    output.readings.iter().find(|row| !row.is_primary && row.metric.name == metric).unwrap()
}

#[test]
fn jmh_keeps_modes_apart_and_takes_forks_as_launches() {
    let found = output(
        r#"[{"benchmark": "a.B.c", "mode": "thrpt", "primaryMetric":
             {"score": 3.0, "scoreUnit": "ops/ms", "rawData": [[1.0, 2.0], [4.0, 5.0]]}},
            {"benchmark": "a.B.c", "mode": "sample", "primaryMetric":
             {"score": 7.0, "scoreError": "NaN", "scoreUnit": "us/op",
              "rawDataHistogram": [[[[1.0, 1], [2.0, 9]], [[3.0, 5]]]]}}]"#,
    );
    let rows = primary(&found);
    assert_eq!(
        (rows[0].metric.better, params(rows[0])),
        (Better::Higher, vec!["mode=thrpt".into()])
    );
    assert_eq!(rows[0].values(), [1500.0, 4500.0]);
    assert_eq!((rows[1].center, rows[1].values()), (Some(7000.0), vec![2500.0]));
}

#[test]
fn google_benchmark_groups_repetitions_and_never_believes_a_zero_of_an_error() {
    let found = output(
        r#"{"context": {"num_cpus": 2, "library_build_type": "debug"}, "benchmarks": [
            {"name": "BM_a/8", "run_name": "BM_a/8", "run_type": "iteration", "repetition_index": 0,
             "iterations": 10, "real_time": 2.0, "cpu_time": 1.0, "time_unit": "us", "rate": 5.0},
            {"name": "BM_a/8", "run_name": "BM_a/8", "run_type": "iteration", "repetition_index": 1,
             "iterations": 10, "real_time": 4.0, "cpu_time": 3.0, "time_unit": "us", "rate": NaN},
            {"name": "BM_a/8_cv", "run_name": "BM_a/8", "run_type": "aggregate", "aggregate_name": "cv",
             "aggregate_unit": "percentage", "real_time": 0.1, "cpu_time": 0.1},
            {"name": "BM_b", "run_name": "BM_b", "run_type": "iteration", "error_occurred": true,
             "error_message": "no", "real_time": 0, "cpu_time": 0, "time_unit": "ns"},
            {"name": "BM_c", "run_name": "BM_c", "skipped": true, "skip_message": "later"}]}"#,
    );
    assert_eq!(centers(&found), [("BM_a/8", 3000.0)]);
    assert_eq!(primary(&found)[0].launches[0].samples, [2000.0, 4000.0]);
    assert_eq!(beside(&found, "cpu-time").center, Some(2000.0));
    assert_eq!(beside(&found, "rate").launches[0].samples, [5.0]);
    assert_eq!(primary(&found)[1].status, Status::Error("no".into()));
    assert_eq!(primary(&found)[2].status, Status::Skipped("later".into()));
}

#[test]
fn google_benchmark_aggregates_alone_keep_cpu_time_and_counters() {
    let row = |kind: &str, real: f64, cpu: f64| {
        format!(
            r#"{{"name": "BM_a_{kind}", "run_name": "BM_a", "run_type": "aggregate", "repetitions": 5,
                 "aggregate_name": "{kind}", "real_time": {real}, "cpu_time": {cpu},
                 "time_unit": "us", "items_per_second": 9.0}}"#
        )
    };
    let rows = [row("mean", 5.0, 4.0), row("median", 3.0, 2.0), row("cv", 0.1, 0.1)].join(",");
    let found = output(&format!(r#"{{"context": {{"num_cpus": 2}}, "benchmarks": [{rows}]}}"#));
    assert_eq!(centers(&found), [("BM_a", 3000.0)]);
    assert_eq!(primary(&found)[0].launches[0].count, Some(5));
    assert_eq!(beside(&found, "cpu-time").center, Some(2000.0));
    assert_eq!(beside(&found, "items_per_second").center, Some(9.0));
    assert_eq!(beside(&found, "items_per_second").metric.better, Better::Higher);
}

#[test]
fn pytest_benchmark_has_its_parameters_apart() {
    let found = output(
        r#"{"machine_info": {}, "commit_info": {}, "benchmarks": [
            {"name": "test_a[3-x]", "fullname": "t/test_a.py::test_a[3-x]", "params": {"n": 3, "k": "x"},
             "stats": {"data": [1e-6, 3e-6], "median": 2e-6, "rounds": 2}},
            {"name": "test_b[odd]", "fullname": "t/test_a.py::test_b[odd]", "params": null,
             "stats": {"mean": 1e-3, "rounds": 7}}]}"#,
    );
    assert_eq!(
        centers(&found),
        [("t/test_a.py::test_a", 2000.0), ("t/test_a.py::test_b[odd]", 1e6)]
    );
    assert_eq!(params(primary(&found)[0]), ["n=3", "k=x"]);
    assert_eq!(primary(&found)[1].launches[0].count, Some(7));
}

#[test]
fn runs_of_pyperf_and_hyperfine_are_launches() {
    let pyperf = output(
        r#"{"version": "1.0", "metadata": {"name": "sort", "unit": "second"}, "benchmarks": [{"runs": [
            {"warmups": [[1, 0.5]]}, {"values": [0.001, 0.003]}, {"values": [0.005]}]}]}"#,
    );
    assert_eq!(primary(&pyperf)[0].values(), [2e6, 5e6]);
    assert_eq!(primary(&pyperf)[0].name, "sort");
    let hyperfine = output(
        r#"{"results": [{"command": "x 'a b'", "mean": 0.2, "stddev": null, "times": [0.1, 0.3],
            "parameters": {"n": "1"}, "memory_usage_byte": [100, 300]}]}"#,
    );
    assert_eq!(primary(&hyperfine)[0].values(), [1e8, 3e8]);
    assert_eq!(params(primary(&hyperfine)[0]), ["n=1"]);
    assert_eq!(beside(&hyperfine, "peak-memory").center, Some(200.0));
}

#[test]
fn asv_results_are_products_in_row_major_order() {
    let found = output(
        r#"{"version": 2, "result_columns": ["result", "params", "version", "stats_ci_99_b", "samples"],
            "results": {
             "a.time_x": [[0.001, null, 0.003, NaN], [["1", "2"], ["'p'", "'q'"]], "v", [Infinity],
                          [[0.001, 0.003], null, null, null]],
             "a.peakmem_y": [[1000], [], "v"], "a.track_z": [null, [], "v"]}}"#,
    );
    let rows = primary(&found);
    let by_name =
        |name: &str| -> Vec<&&Reading> { rows.iter().filter(|row| row.name == name).collect() };
    let times = by_name("a.time_x");
    assert_eq!(
        times.iter().map(|row| row.center).collect::<Vec<_>>(),
        [Some(2e6), None, Some(3e6), None]
    );
    assert_eq!(params(times[2]), ["param1=2", "param2='p'"]);
    assert!(matches!(times[1].status, Status::Error(_)));
    assert_eq!(by_name("a.peakmem_y")[0].metric.name, "peak-memory");
    assert!(matches!(by_name("a.track_z")[0].status, Status::Error(_)));
}

#[test]
fn julias_groups_nest() {
    let found = output(
        r#"[{"Julia": "1", "BenchmarkTools": "1"}, [["BenchmarkGroup", {"data": {"s": ["BenchmarkGroup",
            {"data": {"(1, \"a\")": ["Trial", {"times": [1.0, null, 3.0], "memory": 16, "allocs": 1}]}}]},
            "tags": []}]]]"#,
    );
    assert_eq!(centers(&found), [("s/(1, \"a\")", 2.0)]);
    assert_eq!(primary(&found)[0].launches[0].samples, [1.0, 3.0]);
    assert_eq!(beside(&found, "memory").center, Some(16.0));
}

#[test]
fn a_vitest_benchmark_that_throws_has_failed() {
    let found = output(
        r#"{"files": [{"filepath": "/x/a.bench.ts", "groups": [{"fullName": "a.bench.ts > g", "benchmarks": [
            {"name": "ok", "mean": 2.0, "samples": [1.0, 3.0], "sampleCount": 2},
            {"name": "bad", "samples": []}]}]}]}"#,
    );
    assert_eq!(centers(&found), [("a.bench.ts > g > ok", 2e6)]);
    assert!(matches!(primary(&found)[1].status, Status::Error(_)));
}

#[test]
fn mitata_tells_groups_and_arguments() {
    let found = output(
        r#"{"layout": [{"name": null}, {"name": "g"}], "benchmarks": [
            {"alias": "f", "group": 1, "runs": [
              {"name": "f", "args": {"n": 1}, "stats": {"avg": 9.0, "p50": 8.0, "samples": [7.0, 9.0]}},
              {"name": "f", "args": {"n": 2}, "error": {"message": "no"}}]}], "context": {}}"#,
    );
    assert_eq!(centers(&found), [("g > f", 8.0)]);
    assert_eq!(params(primary(&found)[1]), ["n=2"]);
    assert_eq!(primary(&found)[1].status, Status::Error("no".into()));
}

#[test]
fn benchmarkdotnet_tells_failures_and_jobs() {
    let row = |job: &str, statistics: &str| {
        format!(
            r#"{{"DisplayInfo": "B.M: {job}(X=1) [n=1]", "FullName": "N.B.M(n: 1)", "Parameters": "n=1",
                "Statistics": {statistics}, "Memory": {{"BytesAllocatedPerOperation": 32}}}}"#
        )
    };
    let ok = r#"{"OriginalValues": [1.0, 3.0], "Mean": 2.0}"#;
    let found = output(&format!(
        r#"{{"Title": "t", "Benchmarks": [{}, {}]}}"#,
        row("Job-A", ok),
        row("Job-B", "null")
    ));
    assert_eq!(centers(&found), [("N.B.M(n: 1)", 2.0)]);
    assert_eq!(params(primary(&found)[0]), ["job=Job-A(X=1)"]);
    assert!(matches!(primary(&found)[1].status, Status::Error(_)));
    assert_eq!(beside(&found, "allocated").center, Some(32.0));
}

#[test]
fn go_repetitions_are_samples_and_a_digit_of_a_name_is_kept() {
    let found = output(
        "goos: linux\npkg: p\nBenchmarkA/x-1 \t 10 \t 5 ns/op \t 64 MB/s\nBenchmarkA/x-1 \t 10 \t 7 ns/op\nBenchmarkB \t 10 \t 9 ns/op\n--- FAIL: BenchmarkC-8\n",
    );
    // One name has no suffix: all ran on one processor, and `-1` is part of a name.
    // `C` failed, whatever its name ends in.
    assert_eq!(centers(&found), [("p.BenchmarkA/x-1", 6.0), ("p.BenchmarkB", 9.0)]);
    assert_eq!(primary(&found)[0].launches[0].samples, [5.0, 7.0]);
    assert_eq!(beside(&found, "MB/s").metric.better, Better::Higher);
    assert!(matches!(primary(&found)[2].status, Status::Error(_)));
}

#[test]
fn the_events_of_test2json_are_put_together() {
    let event = |output: &str| {
        format!(
            "{{\"Time\":\"2026-01-01T00:00:00Z\",\"Action\":\"output\",\"Package\":\"p\",\"Output\":{output:?}}}\n"
        )
    };
    let text = event("BenchmarkA-4 \t")
        + &event("  100\t 12 ns/op\n")
        + "{\"Time\":\"x\",\"Action\":\"pass\"}\n";
    assert_eq!(centers(&output(&text)), [("p.BenchmarkA", 12.0)]);
}

#[test]
fn criterions_text_breaks_after_long_names() {
    let found = output(
        "Benchmarking a/b: c\nBenchmarking a/b: c: Warming up for 3.0000 s\nBenchmarking a/b: c: Collecting 50 samples in estimated 5.0 s (1M iterations)\na/b: c\n                        time:   [1.0000 µs 2.0000 µs 3.0000 µs]\n                        thrpt:  [1 2 3]\n",
    );
    assert_eq!(centers(&found), [("a/b: c", 2000.0)]);
    assert_eq!(primary(&found)[0].launches[0].count, Some(50));
}

#[test]
fn a_criterion_directory_is_read_by_its_newest_run() {
    let directory = tempfile::tempdir().unwrap();
    for (run, factor) in [("base", 100.0), ("new", 1.0)] {
        let place = directory.path().join("a_b").join(run);
        std::fs::create_dir_all(&place).unwrap();
        let benchmark = r#"{"full_id": "a/b", "group_id": "a"}"#;
        std::fs::write(place.join("benchmark.json"), benchmark).unwrap();
        let sample = format!(
            r#"{{"sampling_mode": "Linear", "iters": [1.0, 2.0], "times": [{factor}, {}]}}"#,
            6.0 * factor
        );
        std::fs::write(place.join("sample.json"), sample).unwrap();
    }
    let found = read_criterion_directory(directory.path()).unwrap().unwrap();
    assert_eq!(found.readings.len(), 1);
    assert_eq!(found.readings[0].launches[0].samples, [1.0, 3.0]);
    assert_eq!(read_criterion_directory(&directory.path().join("a_b/new")).unwrap(), None);
}

#[test]
fn messages_of_cargo_criterion_have_samples() {
    let found = output(
        "noise\n{\"reason\":\"benchmark-complete\",\"id\":\"g/f\",\"iteration_count\":[1,2],\"measured_values\":[2.0,6.0],\"unit\":\"us\",\"typical\":{\"estimate\":2.5}}\n{\"reason\":\"group-complete\"}\n",
    );
    assert_eq!(centers(&found), [("g/f", 2500.0)]);
    assert_eq!(primary(&found)[0].launches[0].samples, [2000.0, 3000.0]);
}

#[test]
fn divans_tree_has_counters_threads_and_ignored_ones() {
    let found = output(
        "Timer precision: 10 ns\nsuite         fastest       │ slowest       │ median        │ mean          │ samples │ iters\n├─ skipped    (ignored)     │               │               │               │         │\n├─ sum                      │               │               │               │         │\n│  ├─ t=1     1 ns          │ 2 ns          │ 1.5 ns        │ 1.6 ns        │ 100     │ 100\n│  │          8 GB/s        │ 9 GB/s        │ 8 GB/s        │ 8 GB/s        │         │\n│  ╰─ t=2     1 µs          │ 2 µs          │ 1.5 µs        │ 1.6 µs        │ 100     │ 100\n╰─ two words  3 ms          │ 4 ms          │ 3.5 ms        │ 3.6 ms        │ 10      │ 10\n",
    );
    assert_eq!(
        centers(&found),
        [("suite::sum::t=1", 1.5), ("suite::sum::t=2", 1500.0), ("suite::two words", 3.5e6)]
    );
    assert_eq!(primary(&found)[0].status, Status::Skipped("ignored".into()));
}

#[test]
fn catch2_tells_sections_and_failures() {
    let found = output(
        "printed before\n<?xml version=\"1.0\"?>\n<Catch2TestRun name=\"t\">\n<TestCase name=\"a &amp; b\"><Section name=\"s\"><BenchmarkResults name=\"x\" samples=\"3\"><mean value=\"2e3\"/></BenchmarkResults></Section><BenchmarkResults name=\"y\"><failed message=\"no\"/></BenchmarkResults></TestCase>\n</Catch2TestRun>\n",
    );
    assert_eq!(centers(&found), [("a & b/s/x", 2000.0)]);
    assert_eq!(primary(&found)[1].status, Status::Error("no".into()));
}

#[test]
fn a_benchmark_js_name_may_have_the_separator_in_it() {
    let found = output("a x b x 3,841,725 ops/sec ±9.88% (1 run sampled)\n");
    assert_eq!(centers(&found), [("a x b", 3_841_725.0)]);
    assert_eq!(primary(&found)[0].metric.better, Better::Higher);
}

#[test]
fn a_simple_json_says_everything_itself() {
    let found = output(
        r#"{"schema": "bench-action/simple/v1", "benchmarks": [
            {"name": "a", "unit": "ms", "launches": [[1, 3], [5]], "params": {"n": 1}},
            {"name": "b", "unit": "score", "better": "higher", "samples": [4]},
            {"name": "c", "status": "error", "message": "no"}]}"#,
    );
    assert_eq!(primary(&found)[0].values(), [2e6, 5e6]);
    assert_eq!(primary(&found)[1].metric.better, Better::Higher);
    assert_eq!(primary(&found)[2].status, Status::Error("no".into()));
}

#[test]
fn a_go_benchmark_that_fails_or_skips_is_told_under_its_own_name() {
    let found = output(
        "pkg: p\nBenchmarkA-8 100 12 ns/op\nBenchmarkB-8 100 13 ns/op\n--- FAIL: BenchmarkB-8\n--- SKIP: BenchmarkC-8\n--- FAIL: TestX (0.00s)\n",
    );
    assert_eq!(centers(&found), [("p.BenchmarkA", 12.0)]);
    let lost: Vec<(&str, &Status)> =
        primary(&found)[1..].iter().map(|row| (row.name.as_str(), &row.status)).collect();
    assert_eq!(lost[0], ("p.BenchmarkB", &Status::Error("it failed".into())));
    assert!(matches!(lost[1], ("p.BenchmarkC", Status::Skipped(_))));
}

#[test]
fn go_names_do_not_depend_on_what_else_is_in_the_file() {
    let two = "BenchmarkA/n-10 100 12 ns/op\nBenchmarkA/n-100 100 130 ns/op\n";
    let names = |text: &str| -> Vec<String> {
        primary(&output(text)).iter().map(|row| row.name.clone()).collect()
    };
    assert_eq!(names(two), ["BenchmarkA/n-10", "BenchmarkA/n-100"]);
    assert_eq!(names(&format!("{two}BenchmarkNew 100 1 ns/op\n"))[..2], names(two));
    // Without a time the first of the pairs stands for the benchmark.
    let found = output("BenchmarkB-8 100 13.0 compares 5 aaa/op\n");
    assert_eq!(
        (&*primary(&found)[0].metric.name, primary(&found)[0].center),
        ("compares", Some(13.0))
    );
}

#[test]
fn criterions_text_without_progress_has_the_name_on_the_line_before_and_a_change_is_no_result() {
    let found = output(
        "a_group/a rather long function name/1024\n                        time:   [1.0290 ms 1.2510 ms 1.5050 ms]\nshort                   time:   [26.029 ns 26.251 ns 26.505 ns]\n                 change:\n                        time:   [-2.2980% -0.7613% +0.5711%] (p = 0.34 > 0.05)\n",
    );
    assert_eq!(
        centers(&found),
        [("a_group/a rather long function name/1024", 1_251_000.0), ("short", 26.251)]
    );
    assert_eq!(found.readings.len(), 2);
}

#[test]
fn what_fails_or_cannot_be_written_down_is_not_compared_as_if_it_were() {
    let hyperfine = output(
        r#"{"results": [{"command": "a", "mean": 0.1, "times": [0.1], "exit_codes": [139]}]}"#,
    );
    assert!(matches!(&primary(&hyperfine)[0].status, Status::Error(why) if why.contains("139")));
    let pytest = output(
        r#"{"machine_info": {}, "commit_info": {}, "benchmarks": [{"fullname": "t.py::f[slow]",
            "params": {"fn": "UNSERIALIZABLE[<function slow at 0x7f00>]"}, "stats": {"median": 1.0}}]}"#,
    );
    assert_eq!(centers(&pytest), [("t.py::f[slow]", 1e9)]);
    let asv = output(
        r#"{"result_columns": ["result", "params"], "results": {"a.time_x": [null, [["1", "2"]]]}}"#,
    );
    assert_eq!(asv.readings.len(), 2);
}

#[test]
fn units_of_rates_are_made_one() {
    let jmh = |unit: &str, score: f64| {
        output(&format!(
            r#"[{{"benchmark": "a", "mode": "thrpt", "primaryMetric": {{"score": {score}, "scoreUnit": "{unit}"}}}}]"#
        ))
    };
    let (second, millisecond) = (jmh("ops/s", 2000.0), jmh("ops/ms", 2.0));
    assert_eq!(second.readings, millisecond.readings);
}

#[test]
fn measures_of_bencher_do_not_change_places_when_one_is_added() {
    let found = output(r#"{"p": {"allocs": {"value": 9}, "latency": {"value": 10}}}"#);
    assert_eq!((&*primary(&found)[0].metric.name, primary(&found)[0].center), ("time", Some(10.0)));
}

#[test]
fn two_registrations_of_google_benchmark_are_two_rows() {
    let row = |family: u32, time: f64| {
        format!(
            r#"{{"name": "a", "run_name": "a", "run_type": "iteration", "family_index": {family}, "real_time": {time}, "cpu_time": 1, "time_unit": "ns"}}"#
        )
    };
    let text = format!(
        r#"{{"context": {{"num_cpus": 1}}, "benchmarks": [{}, {}]}}"#,
        row(0, 10.0),
        row(1, 1000.0)
    );
    assert_eq!(centers(&output(&text)), [("a", 10.0), ("a #2", 1000.0)]);
}

#[test]
fn gungraun_summaries_of_either_version_have_their_instructions() {
    let six = r#"{"version":"6","module_path":"m::g::f","function_name":"f","id":"a","profiles":[{"summaries":
        {"total":{"summary":{"Callgrind":{"Dr":{"metrics":{"Left":{"Int":9}}},"Ir":{"metrics":
        {"Both":[{"Int":254},{"Int":260}]}},"D1MissRate":{"metrics":{"Left":{"Float":0.0}}}}}}}}]}"#;
    let seven = r#"{"version":"7","module_path":"m::g::f","function_name":"f","id":"a","profiles":[{"data":
        {"parts":[],"total":{"metrics":{"Dr":{"values":{"new":9}},"Ir":{"values":{"new":254,"old":260}},
        "D1MissRate":{"values":{"new":0.0}}}}}}]}"#;
    for summary in [six, seven] {
        let output = output(&summary.replace('\n', ""));
        assert_eq!(centers(&output), [("m::g::f a", 254.0)]);
        let unit = |name: &str| {
            let row = output.readings.iter().find(|row| row.metric.name == name).unwrap();
            row.metric.unit.clone()
        };
        assert_eq!(
            [unit("Ir"), unit("Dr"), unit("D1MissRate")],
            ["instructions", "count", "ratio"]
        );
    }
}
