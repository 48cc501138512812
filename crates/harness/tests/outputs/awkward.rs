//! What files are really like: cut short, coloured, in other encodings, with other text in between.

use crate::{centers, output, primary};
use bench_harness::outputs::{Status, read};
use std::time::Instant;

fn error(text: &str) -> String {
    read("dir/file.txt", text.as_bytes(), None).unwrap_err().to_string()
}

#[test]
fn an_error_names_the_file_and_what_was_expected() {
    assert!(error("").starts_with("dir/file.txt: the file is empty"));
    assert!(error("hello\nworld").contains("it begins with `hello`"));
    let other = error("{\"a\": 1}");
    assert!(
        other.contains("JSON of another kind") && other.contains("pytest-benchmark"),
        "{other}"
    );
    assert!(
        error("{\"context\": {\"num_cpus\": 1}, \"benchmarks\": []}")
            .contains("without a single benchmark")
    );
    assert!(error("[{\"benchmark\": \"a\", \"primaryMetric\": {\"sco").contains("cut short"));
    assert!(error("<Catch2TestRun name=\"a\">\n<TestCase name=\"b\">").contains("cut short"));
    let unknown = read("f", b"{}", Some("nose")).unwrap_err().to_string();
    assert!(unknown.contains("no reader for `nose`") && unknown.contains("jmh"), "{unknown}");
}

#[test]
fn powershell_and_ci_logs_are_undone() {
    let text = "goos: linux\r\npkg: a/b\r\nBenchmarkX-8 \t 10 \t 5.5 ns/op\r\n";
    let mut bytes = vec![0xff, 0xfe];
    bytes.extend(text.encode_utf16().flat_map(u16::to_le_bytes));
    assert_eq!(centers(&read("f", &bytes, None).unwrap()), [("a/b.BenchmarkX", 5.5)]);
    let log =
        "2026-04-12T18:35:21.1Z test a ... \u{1b}[33mbench:\u{1b}[0m   1,234.50 ns/iter (+/- 7)\n";
    assert_eq!(centers(&output(log)), [("a", 1234.5)]);
}

#[test]
fn a_result_that_something_was_printed_into_is_put_together() {
    let go = "BenchmarkA-2 \tnoise from the benchmark\nmore\n   100\t 12 ns/op\t 3 B/op\nPASS\n";
    assert_eq!(centers(&output(go)), [("BenchmarkA", 12.0)]);
    let libtest =
        "test x ... Criterion.rs ERROR: no baseline\nbench:       7,845 ns/iter (+/- 10)\n";
    assert_eq!(centers(&output(libtest)), [("x", 7845.0)]);
}

#[test]
fn what_looks_like_a_result_and_is_none_is_quoted() {
    let text = "test a ... bench:  many ns/iter (+/- 7)\ntest b ... bench:  5 ns/iter (+/- 7)\n";
    let found = output(text);
    let statuses: Vec<&Status> = primary(&found).iter().map(|row| &row.status).collect();
    assert_eq!(statuses[0], &Status::Unreadable("bench:  many ns/iter (+/- 7)".into()));
    assert_eq!(statuses[1], &Status::Ok);
}

#[test]
fn rows_of_one_name_stay_two_rows() {
    let found =
        output(r#"{"results": [{"command": "a", "mean": 1.0}, {"command": "a", "mean": 2.0}]}"#);
    assert_eq!(centers(&found), [("a", 1e9), ("a #2", 2e9)]);
    let packages = "pkg: x\nBenchmarkA 1 5 ns/op\npkg: y\nBenchmarkA 1 6 ns/op\n";
    assert_eq!(centers(&output(packages)), [("x.BenchmarkA", 5.0), ("y.BenchmarkA", 6.0)]);
    let binaries = "     Running benches/a.rs (target/release/deps/a-0123)\ntest t ... bench: 1 ns/iter (+/- 0)\n     Running benches/b.rs (target/release/deps/b-0123)\ntest t ... bench: 2 ns/iter (+/- 0)\n";
    assert_eq!(centers(&output(binaries)), [("a::t", 1.0), ("b::t", 2.0)]);
}

#[test]
fn a_file_is_read_in_linear_time() {
    let size = 2 << 20;
    let many = |piece: &str| piece.repeat(size / piece.len());
    let hostile = [
        many("BenchmarkA \t"),
        many("BenchmarkA/op\n"),
        many("test a ... bench: \n"),
        many("[{"),
        many("{\n"),
        many("NaN "),
        many("\u{1b}[1"),
        many("2026-04-12T18:35:21.1Z"),
        format!("fastest slowest │\n{}", many("├─ a │ ")),
        many("time:   [ "),
        many("Instructions:|\n"),
        many(" x ops/sec"),
        format!("<Catch2TestRun name=\"a\">{}", many("<Section name=\"s\">")),
        // As many units as a line has room for.
        format!(
            "BenchmarkA 1{}",
            (0..size / 12).map(|n| format!(" 1 u{n}/op")).collect::<String>()
        ),
    ];
    for text in &hostile {
        let start = Instant::now();
        drop(read("f", text.as_bytes(), None));
        // Far above what linear reading takes, far below what reading twice as often would.
        assert!(start.elapsed().as_secs() < 30, "{:?}", &text[..20]);
    }
}

#[test]
fn text_within_json_gives_no_other_format_away() {
    let text = r#"[{"name": "mul 3 x 3", "unit": "ns/iter", "value": 12, "extra": "83 ops/sec"}]"#;
    assert_eq!(output(text).harness, "custom");
}

#[test]
fn a_number_that_is_given_is_not_one_that_another_row_has_in_its_name() {
    let row = |name: &str| format!(r#"{{"command": "{name}", "mean": 1.0}}"#);
    let rows = [row("a"), row("a"), row("a #2"), row("a")].join(",");
    let found = output(&format!(r#"{{"results": [{rows}]}}"#));
    let names: Vec<&str> = primary(&found).iter().map(|row| row.name.as_str()).collect();
    assert_eq!(names, ["a", "a #3", "a #2", "a #4"]);
}

#[test]
fn more_combinations_than_there_is_memory_are_one_row_where_none_has_a_result() {
    let values: Vec<String> = (0..50).map(|value| format!("\"{value}\"")).collect();
    let lists = vec![format!("[{}]", values.join(",")); 12].join(",");
    let found = output(&format!(
        r#"{{"result_columns": ["result", "params"], "results": {{"a.time_x": [null, [{lists}]]}}}}"#
    ));
    assert_eq!(found.readings.len(), 1);
    assert!(matches!(found.readings[0].status, Status::Error(_)));
}

/// What happens to a file on its way from a harness to a reader, and changes nothing of what it says.
fn travelled(text: &str) -> Vec<(&'static str, Vec<u8>)> {
    let utf16 = |mark: &[u8], unit: fn(u16) -> [u8; 2]| {
        [mark.to_vec(), text.encode_utf16().flat_map(unit).collect()].concat()
    };
    let each = |line: &dyn Fn(&str) -> String| -> Vec<u8> {
        text.lines().map(line).collect::<String>().into_bytes()
    };
    vec![
        ("BOM", [b"\xef\xbb\xbf", text.as_bytes()].concat()),
        ("UTF-16, little end first", utf16(&[0xff, 0xfe], u16::to_le_bytes)),
        ("UTF-16, big end first", utf16(&[0xfe, 0xff], u16::to_be_bytes)),
        ("CRLF", each(&|line| format!("{line}\r\n"))),
        ("colours", each(&|line| format!("\u{1b}[1;32m{line}\u{1b}[0m\n"))),
        ("GitHub's log", each(&|line| format!("2026-04-12T18:35:21.1234567Z {line}\n"))),
        ("its download", each(&|line| format!("job\ta step\t2026-04-12T18:35:21.1Z {line}\n"))),
        ("GitLab's log", each(&|line| format!("2026-04-12T18:35:21.123456Z 00O {line}\n"))),
        ("a line before", [b"some tool is ready\n", text.as_bytes()].concat()),
    ]
}

#[test]
fn on_every_way_a_file_of_every_harness_says_the_same() {
    for text in crate::mutations::FILES {
        let expected = output(text);
        for (way, bytes) in travelled(text) {
            let found = read("f", &bytes, None).unwrap_or_else(|e| panic!("{way}: {e}\n{text}"));
            assert_eq!(found, expected, "{way}: {text}");
        }
    }
}

#[test]
fn a_file_without_rows_or_without_its_end_is_an_error_that_names_it() {
    let documents = crate::mutations::FILES.iter().filter(|text| text.starts_with(['{', '[']));
    // One object a line is no document.
    for text in documents.filter(|text| !text.ends_with('\n')) {
        let cut = &text[..text.len() - 2];
        assert!(error(cut).contains("cut short"), "{cut}");
    }
}

#[test]
fn every_harness_has_an_awkward_file() {
    let tried: Vec<&str> =
        crate::mutations::FILES.iter().map(|text| output(text).harness).collect();
    for harness in bench_harness::outputs::readable() {
        assert!(tried.contains(&harness), "{harness}");
    }
}

#[test]
fn log_lines_between_the_lines_of_a_text_change_nothing_of_it() {
    let texts: Vec<&&str> =
        crate::mutations::FILES.iter().filter(|text| text.ends_with('\n')).collect();
    for text in &texts {
        // What an XML's elements are on lines of their own as well.
        let lines = text.replace("><", ">\n<");
        let said = [
            "[INFO] 12:00 ready: {\"level\": 1}",
            "a < b && <c> or </d> <!-- & <e/>\n",
            "├─ tokio v1.40",
            "  indented: 1 of 2",
            "2026-04-12 INFO a::b: x",
        ];
        let expected = output(text);
        for said in said {
            let log = lines.replace('\n', &format!("\n{said}\n"));
            // An id may go on on an indented line, and a tree's next line is of the tree.
            let is_its_own = match expected.harness {
                "gungraun" => said.starts_with(' '),
                "divan" => said.starts_with('├'),
                _ => false,
            };
            if !is_its_own {
                assert_eq!(output(&log), expected, "{log}");
            }
        }
    }
    assert!(texts.len() >= 9, "{}", texts.len());
}

#[test]
fn documents_without_rows_are_errors_that_name_the_file() {
    let empty = [
        ("mitata", r#"{"benchmarks": []}"#),
        ("pyperf", r#"{"version": "1", "benchmarks": []}"#),
        ("hyperfine", r#"{"results": []}"#),
        ("pytest-benchmark", r#"{"machine_info": {}, "commit_info": {}, "benchmarks": []}"#),
        ("asv", r#"{"result_columns": [], "results": {}}"#),
        ("vitest", r#"{"files": []}"#),
        ("vitest", r#"{"testResults": []}"#),
        ("julia", r#"[{"Julia": "1"}, []]"#),
        ("jmh", "[]"),
        ("custom", "{}"),
        ("simple", r#"{"schema": "bench-action/simple/v1", "benchmarks": []}"#),
        ("benchmarkdotnet", r#"{"Title": "t", "Benchmarks": []}"#),
        ("catch2", "<Catch2TestRun name=\"a\"></Catch2TestRun>"),
        ("go", "goos: linux\nPASS\nok p 0.1s\n"),
        ("libtest", "running 0 tests\ntest result: ok.\n"),
        ("criterion", "Benchmarking a\n"),
        ("divan", "speed fastest │ slowest │ median │ mean\n"),
        ("gungraun", "a::b c:1\n"),
        ("benchmark.js", "Fastest is a\n"),
    ];
    for (harness, text) in empty {
        let error = read("dir/file", text.as_bytes(), Some(harness)).unwrap_err().to_string();
        assert!(error.starts_with("dir/file: ") && error.len() > 30, "{harness}: {error}");
    }
}

#[test]
fn two_tools_of_gungraun_are_rows_of_their_own() {
    let tool = |tool: &str, metric: &str, value: u32| {
        format!(
            r#"{{"tool":"{tool}","summaries":{{"total":{{"summary":{{"{tool}":{{"{metric}":{{"metrics":{{"Both":[{{"Int":{value}}},{{"Int":1}}]}}}}}}}}}}}}}}"#
        )
    };
    let summary = format!(
        r#"{{"module_path":"a::b","function_name":"b","profiles":[{},{}]}}"#,
        tool("Dhat", "TotalBytes", 64),
        tool("Callgrind", "Ir", 7)
    );
    let found = output(&format!("{summary}\n"));
    assert_eq!(centers(&found), [("a::b", 7.0)], "instructions stand for it, wherever they are");
    let bytes = found.readings.iter().find(|row| row.metric.name == "TotalBytes").unwrap();
    assert_eq!((bytes.center, bytes.is_primary), (Some(64.0), false));
}

#[test]
fn what_a_benchmark_prints_while_it_runs_stands_within_its_row() {
    // Each of them has written the name before.
    let divan = "s      fastest  │ slowest │ median │ mean │ samples │ iters\n\
        ├─ a   hello  world\nand more │ less\n\n1 µs  │ 2 µs │ 1.5 µs │ 1 µs │ 100 │ 100\n\
        ╰─ b   1 µs  │ 2 µs │ 2.5 µs │ 1 µs │ 100 │ 100\n";
    assert_eq!(centers(&output(divan)), [("s::a", 1500.0), ("s::b", 2500.0)]);
    let catch2 = "<Catch2TestRun name=\"t\">\n<TestCase name=\"a\">\n<BenchmarkResults name=\"x &amp; y\"\
        [INFO] {\"level\": 1, a < b}\n samples=\"3\" resamples=\"9\">\n<mean value=\"2e3\"/>\n</BenchmarkResults>\n\
        </TestCase>\n</Catch2TestRun>\n";
    let found = output(catch2);
    assert_eq!(centers(&found), [("a/x & y", 2000.0)]);
    assert_eq!(primary(&found)[0].launches[0].count, Some(3));
}

#[test]
fn two_reports_of_catch2_in_one_file_are_both_read() {
    let report = crate::mutations::FILES.iter().find(|text| text.starts_with("<?xml")).unwrap();
    let found = output(&report.repeat(2));
    assert_eq!(centers(&found), [("a & b/x", 2000.0), ("a & b/x #2", 2000.0)]);
}

#[test]
fn a_metric_of_gungraun_that_is_old_alone_is_none_and_no_part_of_the_name() {
    let text = "a::b c:1\n  Instructions:   N/A|17 (x)\n  L1 Hits:   2|1 (x)\na::d\n  Instructions:   3|3 (x)\n";
    assert_eq!(centers(&output(text)), [("a::b c:1", 2.0), ("a::d", 3.0)]);
}
