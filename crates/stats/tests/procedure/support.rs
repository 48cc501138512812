//! What the test programs of this crate share: the recorded noise, a seeded source of coins, and the usual rule.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use bench_stats::{Coin, Rule, median};

/// The default rule of a family of `family`.
pub(crate) fn rule(family: usize) -> Rule {
    Rule {
        alpha: 0.05,
        family,
        tolerance: 1.01_f64.ln(),
        threshold: 1.03_f64.ln(),
        alpha_unchanged: 0.05,
        min_blocks: 6,
        scale: 1.0,
    }
}

/// SplitMix64 (Steele, Lea and Flood 2014): enough for coins, and the same on every machine.
pub(crate) struct Source(pub(crate) u64);

impl Source {
    pub(crate) fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut bits = self.0;
        bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        bits ^ (bits >> 31)
    }

    pub(crate) fn coin(&mut self) -> Coin {
        if self.next() >> 63 == 0 { Coin::Heads } else { Coin::Tails }
    }

    pub(crate) fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit as u64) as usize
    }

    /// Standard normal, by Box and Muller.
    pub(crate) fn normal(&mut self) -> f64 {
        let mut uniform = || ((self.next() >> 11) as f64 + 0.5) / 9_007_199_254_740_992.0;
        let (radius, angle) = (uniform(), uniform());
        (-2.0 * radius.ln()).sqrt() * (std::f64::consts::TAU * angle).cos()
    }
}

/// The folder of recorded noise, or `None` with a line saying so: it is not part of this repository.
#[expect(clippy::print_stderr, reason = "a skipped test must say that it was")]
pub(crate) fn noise_folder() -> Option<PathBuf> {
    let shared = match std::env::var_os("BENCH_SHARED") {
        Some(named) => Some(PathBuf::from(named)),
        None => Path::new(env!("CARGO_MANIFEST_DIR"))
            .ancestors()
            .map(|dir| dir.join("shared"))
            .find(|dir| dir.is_dir()),
    };
    let folder =
        shared.map(|shared| shared.join("fixtures/noise")).filter(|folder| folder.is_dir());
    if folder.is_none() {
        eprintln!(
            "skipped: no recorded noise here (set BENCH_SHARED to a folder with fixtures/noise)"
        );
    }
    folder
}

/// For each kernel of one mode: how much slower the later of a pair was, pair by pair, as `ln(later / earlier)`.
///
/// Both are the same program. `clock` is `w` or `c`; a sample is the median of its four scored stretches. A file may be cut
/// inside its last row, which is left out.
pub(crate) fn later_over_earlier(
    path: &Path,
    mode: &str,
    clock: char,
) -> BTreeMap<String, Vec<f64>> {
    let file = std::fs::File::open(path).expect("a recorded file opens");
    let mut reader = csv::Reader::from_reader(flate2::read::GzDecoder::new(file));
    let headers = reader.headers().expect("a recorded file has a header").clone();
    let column = |name: &str| headers.iter().position(|header| header == name).expect("a column");
    let [mode_at, bench, visit, block, position] =
        ["mode", "bench", "visit", "block", "pos"].map(column);
    let stretches = [1, 2, 3, 4].map(|index| column(&format!("{clock}{index}")));

    let mut pairs: BTreeMap<(String, usize, usize), [Option<f64>; 2]> = BTreeMap::new();
    for row in reader.records().map_while(Result::ok).filter(|row| &row[mode_at] == mode) {
        let key = (row[bench].to_owned(), number(&row[visit]), number(&row[block]));
        let sample = median(&stretches.map(|stretch| number(&row[stretch])));
        pairs.entry(key).or_default()[number::<usize>(&row[position])] = sample;
    }
    let mut sequences: BTreeMap<String, Vec<f64>> = BTreeMap::new();
    for ((bench, _, _), pair) in pairs {
        if let [Some(earlier), Some(later)] = pair {
            sequences.entry(bench).or_default().push((later / earlier).ln());
        }
    }
    sequences
}

fn number<T: std::str::FromStr>(cell: &str) -> T {
    cell.parse().ok().expect("a recorded number is one")
}
