//! Launches as CSV: what is written is read as it was, and what cannot be read says where and why.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

#[path = "../../history/tests/results_file/mod.rs"]
mod results_file;

use bench_results::{
    Block, Caps, Measured, Param, ReadError, Results, Row, Sample, SideName, read, write_launches,
};
use proptest::collection::vec;
use proptest::prelude::{Just, Strategy, any, prop_assert, prop_assert_eq, prop_oneof, proptest};
use serde_json::json;

/// Every finite number there is, the smallest and the largest among them.
fn number() -> impl Strategy<Value = f64> {
    use proptest::num::f64::{NEGATIVE, NORMAL, POSITIVE, SUBNORMAL, ZERO};
    NORMAL | SUBNORMAL | ZERO | POSITIVE | NEGATIVE
}

fn absent<T: std::fmt::Debug + Clone>(
    of: impl Strategy<Value = T>,
) -> impl Strategy<Value = Option<T>> {
    proptest::option::of(of)
}

/// Names as benchmarks have them, and as nobody would call one.
fn name() -> impl Strategy<Value = String> {
    prop_oneof![
        "[a-z.]{1,8}",
        any::<String>(),
        Just("=cmd(\"a,b\")\r\n;\u{feff}".to_owned()),
        Just(String::new())
    ]
}

fn block(index: u32) -> impl Strategy<Value = Block> {
    let rest = (any::<bool>(), absent(number()), absent(number()), any::<bool>());
    (any::<u64>(), absent(any::<u32>()), rest, absent(number())).prop_map(
        move |(started_ms, core, (is_base, d, corrected, counted), load)| Block {
            index,
            // Blocks of other benchmarks come between.
            order: index * 3 + 1,
            started_ms,
            core,
            coin: if is_base { SideName::Base } else { SideName::Head },
            d,
            corrected,
            counted,
            load,
        },
    )
}

/// The launches of a side: in order, some blocks left out, some with several, some of no block.
fn side(blocks: u32) -> impl Strategy<Value = Measured> {
    let sample = (any::<bool>(), absent(number()), any::<[u64; 3]>(), absent(any::<u64>()));
    let samples = vec((0..blocks + 2, sample, absent(any::<u64>())), 0..6);
    (absent(number()), absent(number()), samples).prop_map(|(center, wall, samples)| {
        let mut samples: Vec<Sample> = samples
            .into_iter()
            .map(|(block, (first, value, [cpu_ns, wall_ns, loops], rss), switches)| Sample {
                block,
                first,
                value,
                cpu_ns,
                wall_ns,
                loops,
                max_rss_bytes: rss,
                voluntary_switches: switches,
            })
            .collect();
        samples.sort_by_key(|sample| sample.block);
        Measured { center, wall, samples }
    })
}

fn row() -> impl Strategy<Value = Row> {
    let params = vec((name(), name()), 0..3);
    (0_u32..5, name(), name(), params).prop_flat_map(|(blocks, name, comparison, params)| {
        let blocks_of: Vec<_> = (0..blocks).map(block).collect();
        (blocks_of, absent(side(blocks)), absent(side(blocks)), absent(number())).prop_map(
            move |(blocks, base, head, cost)| {
                let row = results_file::row(&name, "lower", &[]);
                let row: Row = serde_json::from_value(row).unwrap();
                let params = params.iter().map(|(name, value)| Param::new(name, value)).collect();
                let cost_s = cost.unwrap_or(1.0);
                Row { comparison: comparison.clone(), params, blocks, base, head, cost_s, ..row }
            },
        )
    })
}

fn results(benchmarks: Vec<Row>, sentinel: Vec<Row>) -> Results {
    let frame: Results = serde_json::from_value(results_file::file(&[])).unwrap();
    Results { benchmarks, sentinel, ..frame }
}

fn written(results: &Results) -> String {
    let mut bytes = Vec::new();
    write_launches(results, &mut bytes).unwrap();
    String::from_utf8(bytes).unwrap()
}

fn back(csv: &str) -> Result<Results, ReadError> {
    read(csv.as_bytes(), "x.csv", Caps::default())
}

proptest! {
    #[test]
    fn what_is_written_is_read_exactly(rows in vec(row(), 0..4), sentinel in vec(row(), 0..2)) {
        let results = results(rows, sentinel);
        let csv = written(&results);
        let is = back(&csv).unwrap();
        prop_assert_eq!(&is, &results);
        // Equal is not yet the same: 0 equals −0.
        prop_assert!(bench_results::to_json(&is) == bench_results::to_json(&results));
        prop_assert_eq!(written(&is), csv);
    }

    #[test]
    fn the_order_of_lines_says_nothing(rows in vec(row(), 1..4), seed in any::<u64>()) {
        let results = results(rows, Vec::new());
        let csv = written(&results);
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let mut lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let count = lines.len() as u64;
        lines.sort_by_cached_key(|line| {
            let at = line.position().unwrap().line();
            (at.wrapping_mul(seed | 1) % (count + 7), at)
        });
        let mut shuffled = csv::Writer::from_writer(Vec::new());
        shuffled.write_record(reader.headers().unwrap()).unwrap();
        lines.iter().for_each(|line| shuffled.write_record(line).unwrap());
        let shuffled = String::from_utf8(shuffled.into_inner().unwrap()).unwrap();
        prop_assert_eq!(back(&shuffled).unwrap(), results);
    }

    #[test]
    fn a_cell_with_something_else_is_an_answer_or_an_error_with_its_line(
        at in any::<proptest::sample::Index>(),
        column in any::<proptest::sample::Index>(),
        text in name(),
    ) {
        let csv = written(&sample());
        let mut reader = csv::Reader::from_reader(csv.as_bytes());
        let header = reader.headers().unwrap().clone();
        let mut lines: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
        let (at, column) = (at.index(lines.len()), column.index(header.len()));
        let cells = lines[at].iter().enumerate();
        lines[at] = cells.map(|(i, cell)| if i == column { text.as_str() } else { cell }).collect();
        let mut changed = csv::Writer::from_writer(Vec::new());
        changed.write_record(&header).unwrap();
        lines.iter().for_each(|line| changed.write_record(line).unwrap());
        let changed = String::from_utf8(changed.into_inner().unwrap()).unwrap();
        if let Err(error) = back(&changed) {
            prop_assert!(error.to_string().starts_with("x.csv:"), "{}", error);
        }
    }
}

/// One row, two blocks, both sides, all cells filled.
fn sample() -> Results {
    let mut row = results_file::row("sum", "lower", &[0.25, 0.5]);
    for side in ["base", "head"] {
        let launch = |block: u32| {
            json!({"block": block, "first": (side == "base"), "value": 1.5, "cpu_ns": 3,
                "wall_ns": 4, "loops": 2, "max_rss_bytes": 5, "voluntary_switches": 6})
        };
        row[side]["samples"] = json!([launch(0), launch(1)]);
    }
    serde_json::from_value(results_file::file(&[row])).unwrap()
}

/// The sample with the cell of a column changed, on a line that counts from 2.
fn with_cell(line: usize, column: &str, text: &str) -> String {
    let csv = written(&sample());
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let header = reader.headers().unwrap().clone();
    let mut changed = csv::Writer::from_writer(Vec::new());
    changed.write_record(&header).unwrap();
    for (at, record) in reader.records().enumerate() {
        let record = record.unwrap();
        let is_meant = |title: &str| at + 2 == line && title == column;
        let cells = header.iter().zip(&record);
        changed.write_record(cells.map(|(h, c)| if is_meant(h) { text } else { c })).unwrap();
    }
    String::from_utf8(changed.into_inner().unwrap()).unwrap()
}

#[test]
fn errors_name_line_column_and_remedy() {
    let cases = [
        (2, "value", "fast", "x.csv:2, column `value`: `fast` is no finite number"),
        (3, "value", "inf", "x.csv:3, column `value`: `inf` is no finite number"),
        (4, "d", "NaN", "x.csv:4, column `d`: `NaN` is no finite number"),
        (3, "loops", "2.0", "x.csv:3, column `loops`: `2.0` is no whole number"),
        (3, "cpu_ns", "-1", "x.csv:3, column `cpu_ns`: `-1` is no whole number"),
        (3, "first", "yes", "x.csv:3, column `first`: `yes` is neither `TRUE` nor `FALSE`"),
        (5, "side", "left", "x.csv:5, column `side`: `left` is neither `base` nor `head`"),
        (5, "coin", "", "x.csv:5, column `coin`: `` is neither `base` nor `head`"),
        (5, "wall_ns", "", "x.csv:5, column `wall_ns`: the cell is empty: fill it"),
        (5, "side", "", "x.csv:5, column `side`: there is a `first` of no side: fill in"),
        (5, "order", "", "x.csv:5, column `order`: the block on this line has none: fill it in"),
        (
            3,
            "d",
            "0.3",
            "x.csv:3, column `d`: `0.3` is not what another line of the same block has",
        ),
        (
            3,
            "id",
            "other",
            "x.csv:3, column `id`: `other` is another id than that of the same row on line 2",
        ),
        (3, "row", "", "x.csv:3, column `row`: the cell is empty"),
        (3, "role", "x", "x.csv:3, column `role`: `x` is neither `benchmark` nor `sentinel`"),
        (3, "launch", "1", "x.csv:5, column `launch`: `1` is there twice"),
        (2, "row_details", "{", "x.csv:2, column `row_details`: it is not what was written"),
        (2, "row_details", "", "x.csv:2, column `row_details`: no line of row `asv/sum` has them"),
        (2, "run_details", "", "x.csv:2, column `run_details`: no line has them"),
        (2, "run_details", "{}", "x.csv:2, column `run_details`:1:2: not a results file"),
    ];
    for (line, column, text, words) in cases {
        let said = back(&with_cell(line, column, text)).unwrap_err().to_string();
        assert!(said.starts_with(words), "{words}\n{said}");
    }
}

#[test]
fn a_file_that_is_cut_off_or_has_lost_a_column_says_so() {
    let csv = written(&sample());
    let cut = csv.trim_end().rsplit_once(',').unwrap().0;
    let said = back(cut).unwrap_err().to_string();
    assert!(said.starts_with("x.csv:5, column `number ") && said.contains("cut off"), "{said}");
    let said = back(&csv.replacen(",cpu_ns,", ",cpu,", 1)).unwrap_err().to_string();
    assert!(said.starts_with("x.csv:1, column `cpu_ns`: it is missing"), "{said}");
    let said = back(&csv.replacen(",cpu_ns,", ",loops,", 1)).unwrap_err().to_string();
    assert!(said.contains("x.csv:1, column"), "{said}");
    let said = back(&csv.replace(',', ";")).unwrap_err().to_string();
    assert!(said.contains("commas between them"), "{said}");
    let mut bytes = csv.into_bytes();
    bytes.push(0xff);
    let said = read(&bytes, "x.csv", Caps::default()).unwrap_err().to_string();
    assert!(said.starts_with("x.csv:6, column"), "{said}");
}

#[test]
fn columns_of_ones_own_and_a_byte_order_mark_are_passed_by() {
    let csv = written(&sample());
    let mut lines = csv.lines();
    let mut more = format!("\u{feff}mine,{}\n", lines.next().unwrap());
    for line in lines {
        more.push_str(&format!("7,{line}\n"));
    }
    assert_eq!(back(&more).unwrap(), sample());
}

#[test]
fn rows_and_texts_have_limits() {
    let caps = Caps { rows: 0, ..Caps::default() };
    let csv = written(&sample());
    let said = read(csv.as_bytes(), "x.csv", caps).unwrap_err().to_string();
    assert!(said.contains("number of rows is over the limit of 0 rows"), "{said}");
    let caps = Caps { text: 3, ..Caps::default() };
    let said = read(csv.as_bytes(), "x.csv", caps).unwrap_err().to_string();
    assert!(said.contains("row 0: the id is over the limit of 3 bytes"), "{said}");
}
