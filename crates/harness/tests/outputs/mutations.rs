//! Whatever is cut out of a file, doubled, or replaced in it: an error or rows, never a panic.

use bench_harness::outputs::{read, readable};

/// A small file of each format.
pub(crate) const FILES: [&str; 23] = [
    r#"[{"benchmark": "a.B.c", "mode": "thrpt", "params": {"n": "1"}, "primaryMetric": {"score": 3.0, "scoreError": "NaN", "scoreUnit": "ops/ms", "rawData": [[1.0, 2.0], [4.0]], "rawDataHistogram": [[[[1.0, 1]]]]}}]"#,
    r#"{"context": {"num_cpus": 2}, "benchmarks": [{"name": "BM_a", "run_type": "iteration", "real_time": 2.0, "cpu_time": NaN, "time_unit": "us", "rate": -Infinity}]}"#,
    r#"{"machine_info": {}, "commit_info": {}, "benchmarks": [{"fullname": "a::b[1]", "params": {"n": 1}, "stats": {"data": [1e-6], "median": 2e-6}}]}"#,
    r#"{"result_columns": ["result", "params", "samples"], "results": {"a.time_x": [[0.001, null], [["1", "2"]], [[0.001], null]]}}"#,
    r#"[{"Julia": "1"}, [["BenchmarkGroup", {"data": {"s": ["Trial", {"times": [1.0], "memory": 16}]}}]]]"#,
    r#"{"files": [{"groups": [{"fullName": "g", "benchmarks": [{"name": "ok", "mean": 2.0, "samples": [1.0]}]}]}]}"#,
    r#"{"layout": [{"name": "g"}], "benchmarks": [{"alias": "f", "group": 0, "runs": [{"args": {"n": 1}, "stats": {"p50": 8.0}}]}]}"#,
    "goos: linux\npkg: p\nBenchmarkA/x-1 \t 10 \t 5 ns/op \t 64 MB/s\n--- FAIL: BenchmarkC-8\n",
    "Benchmarking a: b: Collecting 50 samples in estimated 5 s\na: b   time:   [1.0 µs 2.0 µs 3.0 µs]\n",
    "s  fastest │ slowest │ median │ mean │ samples │ iters\n├─ a      │ │ │ │ │\n│  ╰─ µ  1 µs │ 2 µs │ 1.5 µs │ 1 µs │ 100 │ 100\n",
    "test a ... bench:  13,967.30 ns/iter (+/- 266.64) = 5 MB/s\ntest b ... FAILED\n",
    "<?xml version=\"1.0\"?>\n<Catch2TestRun name=\"t\"><TestCase name=\"a &amp; b\"><BenchmarkResults name=\"x\" samples=\"3\"><mean value=\"2e3\"/></BenchmarkResults></TestCase></Catch2TestRun>\n",
    "\u{1b}[32ma::b\u{1b}[0m c:1\n  Instructions:     1734|N/A   (***)\n  L1 Hits:   2|1 (x)\n",
    "a x b x 3,841,725 ops/sec ±9.88% (33 runs sampled)\n",
    r#"{"version": "1.0", "metadata": {"unit": "second"}, "benchmarks": [{"metadata": {"name": "a"}, "runs": [{"warmups": [[1, 0.5]]}, {"values": [1e-3, NaN]}]}]}"#,
    r#"{"results": [{"command": "a b", "mean": 1.0, "stddev": null, "median": NaN, "times": [1.0, Infinity], "exit_codes": [0, 0], "parameters": {"n": "1"}}]}"#,
    r#"[{"name": "a", "unit": "ns", "value": 1.5}, {"name": "a", "unit": "ops/sec", "value": NaN}]"#,
    r#"{"a": {"latency": {"value": 1.5, "lower_value": -Infinity}, "size": {"value": 2}}}"#,
    r#"{"schema": "bench-action/simple/v1", "benchmarks": [{"name": "a", "unit": "ms", "samples": [1, NaN, 2]}, {"name": "b", "status": "skipped"}]}"#,
    r#"{"Title": "t", "Benchmarks": [{"FullName": "A.B(n: 1)", "DisplayInfo": "A.B: Job-X [n=1]", "Statistics": {"Mean": 2.0, "OriginalValues": [1.0, NaN]}}, {"FullName": "A.C", "Statistics": null}]}"#,
    "{\"reason\":\"group-complete\"}\n{\"reason\":\"benchmark-complete\",\"id\":\"a/b\",\"unit\":\"ns\",\"iteration_count\":[1,2],\"measured_values\":[1.0,NaN],\"typical\":{\"estimate\":1.5}}\n",
    "{\"version\":\"6\",\"module_path\":\"a::b\",\"function_name\":\"c\",\"id\":\"d\",\"profiles\":[{\"tool\":\"Callgrind\",\"summaries\":{\"total\":{\"summary\":{\"Callgrind\":{\"Ir\":{\"metrics\":{\"Left\":{\"Int\":7}}}}}}}}]}\n",
    r#"{"testResults": [{"name": "/x/a.bench.ts", "assertionResults": [{"fullName": "g t", "benchmarks": [{"name": "b", "latency": {"mean": 1.0, "sd": NaN}}]}]}]}"#,
];

/// SplitMix64: the same files every time.
struct Source(u64);

impl Source {
    fn below(&mut self, limit: usize) -> usize {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        (bits ^ (bits >> 31)) as usize % limit.max(1)
    }
}

fn mutated(text: &str, source: &mut Source) -> Vec<u8> {
    let mut bytes = text.as_bytes().to_vec();
    for _ in 0..=source.below(4) {
        let (from, length) = (source.below(bytes.len()), source.below(12));
        let to = (from + length).min(bytes.len());
        match source.below(5) {
            0 => drop(bytes.drain(from..to)),
            1 => {
                let piece = bytes[from..to].to_vec();
                bytes.splice(from..from, piece);
            }
            2 => bytes.truncate(from.max(1)),
            3 => {
                let junk: [&[u8]; 6] =
                    [b"null", b"[]", b"1e999", b"\xff\xc2", b"\x1b[", "\u{10ffff}".as_bytes()];
                bytes.splice(from..to, junk[source.below(6)].iter().copied());
            }
            _ => {
                if let Some(byte) = bytes.get_mut(from) {
                    *byte = source.below(256) as u8;
                }
            }
        }
        if bytes.is_empty() {
            return bytes;
        }
    }
    bytes
}

#[test]
fn nothing_that_can_be_in_a_file_makes_a_panic() {
    let mut source = Source(7);
    let mut read_well = 0;
    for text in FILES {
        assert!(read("f", text.as_bytes(), None).is_ok(), "{text}");
        for _ in 0..1500 {
            let bytes = mutated(text, &mut source);
            read_well += usize::from(read("f", &bytes, None).is_ok());
        }
    }
    assert!(read_well > 1000, "{read_well}: most of these files should still be files");
}

#[test]
fn a_file_can_be_read_as_any_harness_and_is_then_refused_in_words() {
    for harness in readable() {
        for text in FILES {
            if let Err(error) = read("f", text.as_bytes(), Some(harness)) {
                assert!(error.message.len() > 10, "{harness}: {error}");
            }
        }
    }
}
