//! A suite as large as one likes, with every launch: what the HTML report has to hold.

use super::{RowOf, results, row, unchanged};
use bench_results::*;

/// A made-up run of `n` results with 16 to 40 blocks each: a few changed, a few undecided, three
/// benchmarks along numeric parameters.
pub(crate) fn suite(n: usize) -> Results {
    use Verdict::{Improved, Inconclusive, Regressed};
    let mut rows: Vec<RowOf> = (0..8).flat_map(curves).collect();
    for (i, (verdict, ratio)) in [
        (Regressed, 1.31),
        (Regressed, 1.102),
        (Regressed, 1.051),
        (Improved, 0.52),
        (Improved, 0.93),
        (Inconclusive, 1.024),
        (Inconclusive, 0.991),
    ]
    .into_iter()
    .enumerate()
    {
        let width = if verdict == Inconclusive { 0.05 } else { 0.012 };
        let interval = (ratio, ratio * (1.0 - width), ratio * (1.0 + width));
        rows.push(row(&format!("parse.Lines.time_{i}"), verdict, 3e5 * (i + 1) as f64, interval));
    }
    let rest = n.saturating_sub(rows.len());
    rows.extend(unchanged(rest));
    rows.truncate(n);
    results(rows.into_iter().enumerate().map(|(i, row)| row.launched(i as u64)).collect())
}

/// One benchmark over four sizes and two orders, slower the larger it is.
fn curves(i: usize) -> Vec<RowOf> {
    let combination = move |(size, order): (u32, &str)| {
        let ratio = 1.0 + f64::from(size).log10() * 0.004 * (i % 3) as f64;
        let base = f64::from(size) * 11.0 * (1 + i) as f64 * if order == "rev" { 1.4 } else { 1.0 };
        let verdict = if ratio > 1.03 { Verdict::Regressed } else { Verdict::Unchanged };
        row(
            &format!("sort.Sort{i}.time_sort"),
            verdict,
            base,
            (ratio, ratio - 0.008, ratio + 0.008),
        )
        .params(&[("n", &size.to_string()), ("order", order)])
    };
    let sizes = [100, 1_000, 10_000, 100_000];
    sizes.into_iter().flat_map(|n| [(n, "rev"), (n, "rand")]).map(combination).collect()
}

/// Uniform numbers from 0 to 1, the same in every run (Knuth's MMIX generator).
struct Stream(u64);

impl Stream {
    fn next(&mut self) -> f64 {
        self.0 =
            self.0.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.0 >> 11) as f64 / (1_u64 << 53) as f64
    }

    /// Nearly normal: Irwin and Hall's sum of twelve, minus six.
    fn normal(&mut self) -> f64 {
        (0..12).map(|_| self.next()).sum::<f64>() - 6.0
    }
}

impl RowOf {
    /// Blocks and launches that fit the row's change, with noise of about 1 %.
    pub(crate) fn launched(mut self, seed: u64) -> Self {
        let mut stream = Stream(seed.wrapping_mul(2_654_435_761).wrapping_add(99));
        let blocks = 16 + (stream.next() * 24.0) as u32;
        let row = &mut self.0;
        let change = row.change.map_or(1.0, |change| change.ratio);
        let (Some(base), Some(head)) = (&mut row.base, &mut row.head) else { return self };
        let center = base.center.unwrap_or(1.0);
        for block in 0..blocks {
            let drift = 1.0 + 0.01 * (f64::from(block) / 6.0).sin() + 0.004 * stream.normal();
            let d = change.ln() + 0.008 * stream.normal();
            let value = center * drift;
            let first = stream.next() < 0.5;
            base.samples.push(sample(block, first, value));
            head.samples.push(sample(block, !first, value * d.exp()));
            row.blocks.push(Block {
                index: block,
                order: block,
                started_ms: u64::from(block) * 400,
                core: Some(1),
                coin: if first { SideName::Base } else { SideName::Head },
                d: Some(d),
                corrected: Some(d),
                counted: true,
                load: Some(0.8),
            });
        }
        row.blocks_used = blocks;
        self
    }
}

fn sample(block: u32, first: bool, value: f64) -> Sample {
    Sample {
        block,
        first,
        value: Some(value),
        cpu_ns: 60_000_000,
        wall_ns: 61_000_000,
        loops: 100,
        max_rss_bytes: Some(9 << 20),
        voluntary_switches: Some(1),
    }
}
