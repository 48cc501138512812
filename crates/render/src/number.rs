//! Numbers as a person reads them: three significant digits, a unit, a typographic minus, and no
//! percentage without its interval.

use bench_results::{Change, ChangeKind};

/// Keeps a number and its unit on one line.
const GAP: char = '\u{a0}';

const TIMES: [(&str, f64); 4] = [("ns", 1.0), ("µs", 1e3), ("ms", 1e6), ("s", 1e9)];
const SIZES: [(&str, f64); 5] = [
    ("B", 1.0),
    ("KiB", 1024.0),
    ("MiB", 1_048_576.0),
    ("GiB", 1_073_741_824.0),
    ("TiB", 1_099_511_627_776.0),
];
const LARGE: [(&str, f64); 4] = [("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)];

/// From here on a number is written with a power of ten: a file may hold any, and no table has room
/// for a hundred digits.
const MOST_WRITTEN_OUT: f64 = 999.5e12;

/// A value with its unit: `1.89 ms`, `4.00 KiB`, `17`, `3.20 rows/s`.
pub(crate) fn quantity(value: f64, unit: &str) -> String {
    match unit {
        "ns" => stepped(value, TIMES),
        "bytes" if value.fract() == 0.0 && value.abs() < 999.5 => {
            format!("{}{GAP}B", minus(&format!("{value:.0}")))
        }
        "bytes" => stepped(value, SIZES),
        "count" | "" => bare(value),
        _ => format!("{}{GAP}{unit}", bare(value)),
    }
}

/// A value in the smallest unit in which it takes no more than three digits.
fn stepped<const N: usize>(value: f64, units: [(&str, f64); N]) -> String {
    // 999.6 would be rounded to 1000, so it belongs to the next unit.
    let fitting = units.into_iter().find(|(_, size)| value.abs() / size < 999.5);
    let (name, size) = fitting.unwrap_or(units[N - 1]);
    format!("{}{GAP}{name}", three_digits(value / size))
}

/// A value without a unit of ours. Whole numbers are counts and keep all their digits.
fn bare(value: f64) -> String {
    let size = value.abs();
    if (99_999.5..MOST_WRITTEN_OUT).contains(&size) {
        let (name, step) = LARGE.into_iter().find(|l| size / l.1 < 999.5).unwrap_or(LARGE[3]);
        return format!("{}{name}", three_digits(value / step));
    }
    if size >= MOST_WRITTEN_OUT || (size != 0.0 && size < 1e-4) {
        return powers(value);
    }
    if value.fract() == 0.0 { minus(&format!("{value:.0}")) } else { three_digits(value) }
}

/// Three significant digits; digits before the point are never dropped.
fn three_digits(value: f64) -> String {
    if value == 0.0 {
        return "0".into();
    }
    if value.abs() >= MOST_WRITTEN_OUT {
        return powers(value);
    }
    // Scientific notation rounds first: 9.996 is seen as 1.00e1 and gets one decimal, not two.
    let rounded = format!("{value:.2e}");
    let exponent = rounded.rsplit('e').next().and_then(|e| e.parse::<i32>().ok()).unwrap_or(0);
    let decimals = usize::try_from(2 - exponent).unwrap_or(0).min(12);
    minus(&format!("{value:.decimals$}"))
}

/// Three digits and a power of ten; a number that is too large to be held is without bound.
fn powers(value: f64) -> String {
    minus(&format!("{value:.2e}")).replace("inf", "∞")
}

fn minus(text: &str) -> String {
    text.replace('-', "−")
}

/// A change in words: its size and its interval, which belong together.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct ChangeText {
    /// `+10.2 %`, `×12.4`, `÷12.4` or `+8 B`.
    pub(crate) size: String,
    /// Lower end, or `exact`.
    pub(crate) low: String,
    /// Upper end; empty where the change is exact.
    pub(crate) high: String,
}

impl ChangeText {
    /// The interval as the reports print it: `(+8.8 … +11.5)` or `(exact)`.
    pub(crate) fn interval(&self) -> String {
        if self.high.is_empty() {
            format!("({})", self.low)
        } else {
            format!("({}{GAP}…{GAP}{})", self.low, self.high)
        }
    }
}

/// How a change is best told: as a percentage, as a factor beyond ten, or as a difference.
#[derive(Clone, Copy)]
enum Scale<'a> {
    Percent,
    Times,
    DividedBy,
    Difference(&'a str),
}

impl Scale<'_> {
    fn of<'a>(change: &Change, unit: &'a str) -> Scale<'a> {
        match change.kind {
            ChangeKind::Difference => Scale::Difference(unit),
            ChangeKind::Ratio if change.ratio > 10.0 => Scale::Times,
            ChangeKind::Ratio if change.ratio < 0.1 => Scale::DividedBy,
            ChangeKind::Ratio => Scale::Percent,
        }
    }

    /// One number on this scale, without `%`.
    fn number(self, value: f64) -> String {
        match self {
            Self::Percent => percent(value),
            Self::Times => format!("×{}", three_digits(value)),
            Self::DividedBy => format!("÷{}", three_digits(1.0 / value)),
            Self::Difference(unit) if value > 0.0 => format!("+{}", quantity(value, unit)),
            Self::Difference(unit) => quantity(value, unit),
        }
    }
}

/// Words for a change of a metric in `unit`.
pub(crate) fn change(change: &Change, unit: &str) -> ChangeText {
    let scale = Scale::of(change, unit);
    let mut size = scale.number(change.ratio);
    if matches!(scale, Scale::Percent) {
        size.push(GAP);
        size.push('%');
    }
    if change.low == Some(change.ratio) && change.high == Some(change.ratio) {
        return ChangeText { size, low: "exact".into(), high: String::new() };
    }
    let mut ends = [
        change.low.map_or("−∞".to_owned(), |v| scale.number(v)),
        change.high.map_or("+∞".to_owned(), |v| scale.number(v)),
    ];
    if matches!(scale, Scale::DividedBy) {
        // Nothing is below a ratio of zero: the divisor is unbounded.
        if change.low.is_none() {
            ends[0] = "÷∞".into();
        }
    }
    let [low, high] = ends;
    ChangeText { size, low, high }
}

/// A ratio as signed percent without the sign `%`: `+10.2`, `−48.1`, `0.0`, `+912`.
pub(crate) fn percent(ratio: f64) -> String {
    let percent = (ratio - 1.0) * 100.0;
    if percent >= MOST_WRITTEN_OUT {
        return format!("+{}", powers(percent));
    }
    let decimals = usize::from(percent.abs() < 99.95);
    let text = format!("{percent:+.decimals$}");
    if text.trim_start_matches(['+', '-']).chars().all(|c| matches!(c, '0' | '.')) {
        return "0.0".into();
    }
    minus(&text)
}

/// A fraction as an unsigned percentage: `3 %`, `6.2 %`, `0.5 %`, `16 %`.
pub(crate) fn share(fraction: f64) -> String {
    let percent = fraction * 100.0;
    let text = if percent >= MOST_WRITTEN_OUT {
        powers(percent)
    } else if percent >= 9.95 {
        format!("{percent:.0}")
    } else {
        format!("{percent:.1}")
    };
    format!("{}{GAP}%", text.strip_suffix(".0").unwrap_or(&text))
}

/// The unit that a value is best told in.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Unit {
    /// Its name; empty for plain numbers and for units of a suite's own, which may be long.
    name: &'static str,
    /// One of it, in the unit of the file.
    pub(crate) size: f64,
}

impl Unit {
    /// A value named on an axis whose named values are `step` apart: with the decimals that tell it
    /// from its neighbours.
    pub(crate) fn tick(self, value: f64, step: f64) -> String {
        let (value, step) = (value / self.size, (step / self.size).abs());
        if !(1e-6..1e15).contains(&step) {
            return minus(&format!("{value:.1e}"));
        }
        let decimals = (0..6_usize).find(|n| {
            let scaled = step * 10_f64.powi(i32::try_from(*n).unwrap_or(0));
            (scaled - scaled.round()).abs() < scaled * 1e-6
        });
        let text = minus(&format!("{value:.*}", decimals.unwrap_or(6)));
        match self.name {
            "" => text,
            letter if LARGE.iter().any(|l| l.0 == letter) => format!("{text}{letter}"),
            name => format!("{text}{GAP}{name}"),
        }
    }
}

/// The unit that a value of this size is best told in.
pub(crate) fn unit_of(value: f64, unit: &str) -> Unit {
    let fitting = |units: &[(&'static str, f64)]| {
        let fits = units.iter().find(|(_, size)| value.abs() / size < 999.5);
        fits.or(units.last()).map(|(name, size)| Unit { name, size: *size })
    };
    let plain = Unit { name: "", size: 1.0 };
    match unit {
        "ns" => fitting(&TIMES),
        "bytes" => fitting(&SIZES),
        _ if value.abs() < 9_999.5 => None,
        _ => fitting(&LARGE),
    }
    .unwrap_or(plain)
}

/// A ratio named on an axis of changes: as a percentage where the named ones are `step` apart, else
/// as a factor.
pub(crate) fn change_tick(ratio: f64, step: Option<f64>) -> String {
    let plain = |x: f64| {
        let text = format!("{x:.3}");
        text.trim_end_matches('0').trim_end_matches('.').to_owned()
    };
    match step {
        Some(step) => {
            let percent = (ratio - 1.0) * 100.0;
            let number = Unit { name: "", size: 1.0 }.tick(percent.abs(), step * 100.0);
            match percent {
                _ if percent.abs() < 1e-9 => format!("0{GAP}%"),
                _ if percent > 0.0 => format!("+{number}{GAP}%"),
                _ => format!("−{number}{GAP}%"),
            }
        }
        None if (ratio - 1.0).abs() < 1e-9 => format!("0{GAP}%"),
        None if ratio > 1.0 => format!("×{}", plain(ratio)),
        None => format!("÷{}", plain(1.0 / ratio)),
    }
}

/// A duration: `0.4 s`, `12 s`, `4 min 12 s`, `1 h 5 min`.
pub(crate) fn duration(seconds: f64) -> String {
    let seconds = if seconds.is_finite() { seconds.max(0.0) } else { 0.0 };
    if seconds < 9.95 {
        return format!("{seconds:.1}{GAP}s");
    }
    // A float beyond the range saturates, which a run of 584 billion years may have to live with.
    #[expect(clippy::cast_possible_truncation, reason = "rounded and saturating")]
    #[expect(clippy::cast_sign_loss, reason = "not negative")]
    let whole = seconds.round() as u64;
    match (whole / 3600, whole / 60 % 60, whole % 60) {
        (0, 0, s) => format!("{s}{GAP}s"),
        (0, m, 0) => format!("{m}{GAP}min"),
        (0, m, s) => format!("{m}{GAP}min{GAP}{s}{GAP}s"),
        (h, 0, _) => format!("{h}{GAP}h"),
        (h, m, _) => format!("{h}{GAP}h{GAP}{m}{GAP}min"),
    }
}

/// A whole number with its thousands marked: `8,163`.
pub(crate) fn count(n: usize) -> String {
    let digits = n.to_string();
    let mut text = String::with_capacity(digits.len() + digits.len() / 3);
    for (index, digit) in digits.chars().enumerate() {
        if index > 0 && (digits.len() - index).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A number of things: `1 benchmark`, `103 benchmarks`.
pub(crate) fn plural(n: usize, thing: &str) -> String {
    format!("{}{GAP}{thing}{}", count(n), if n == 1 { "" } else { "s" })
}

/// The range of some numbers as text: `12` or `12 to 18`; nothing for none.
pub(crate) fn range<T: PartialOrd + Copy>(
    values: impl IntoIterator<Item = T>,
    print: impl Fn(T) -> String,
) -> Option<String> {
    let mut values = values.into_iter();
    let first = values.next()?;
    let (low, high) = values.fold((first, first), |(low, high), v| {
        (if v < low { v } else { low }, if v > high { v } else { high })
    });
    let (low, high) = (print(low), print(high));
    Some(if low == high { low } else { format!("{low} to {high}") })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn spaced(text: &str) -> String {
        text.replace(GAP, " ")
    }

    #[test]
    fn no_number_takes_more_room_than_a_table_has() {
        let huge = Change { high: Some(f64::MAX), ..ratio(1e300, 1.1) };
        for text in [
            change(&huge, "").size,
            change(&huge, "").low,
            change(&huge, "").high,
            change(&ratio(1e-320, 1e-320), "").size,
            percent(1e100),
            percent(f64::MAX),
            share(1e100),
        ] {
            assert!(text.chars().count() <= 10, "{text}");
        }
        assert_eq!(percent(1e100), "+1.00e102");
        assert_eq!(change(&ratio(1e-320, 1e-320), "").size, "÷∞");
    }

    fn ratio(ratio: f64, low: f64) -> Change {
        let (low, high) = (Some(low), Some(ratio));
        Change { kind: ChangeKind::Ratio, ratio, low, high, confidence: 0.95, detectable: None }
    }

    #[test]
    fn a_quantity_has_three_digits_and_the_unit_that_fits() {
        let cases = [
            (0.0, "ns", "0 ns"),
            (0.1234, "ns", "0.123 ns"),
            (999.4, "ns", "999 ns"),
            (999.6, "ns", "1.00 µs"),
            (1_890_000.0, "ns", "1.89 ms"),
            (9_996_000.0, "ns", "10.0 ms"),
            (4.2e12, "ns", "4200 s"),
            (64.0, "bytes", "64 B"),
            (1000.0, "bytes", "0.977 KiB"),
            (-1536.0, "bytes", "−1.50 KiB"),
            (17.0, "count", "17"),
            (12_345.0, "count", "12345"),
            (1_234_567.0, "count", "1.23M"),
            (12.345, "rows/s", "12.3 rows/s"),
            (0.000_012, "", "1.20e−5"),
            (-2.5e15, "x", "−2.50e15 x"),
            (1e100, "ns", "1.00e91 s"),
            (1e100, "bytes", "9.09e87 TiB"),
        ];
        for (value, unit, expected) in cases {
            assert_eq!(spaced(&quantity(value, unit)), expected);
        }
    }

    fn told(kind: ChangeKind, ratio: f64, low: Option<f64>, high: Option<f64>) -> String {
        let change = Change { kind, ratio, low, high, confidence: 0.95, detectable: None };
        let text = super::change(&change, "bytes");
        spaced(&format!("{} {}", text.size, text.interval()))
    }

    #[test]
    fn a_change_is_told_with_its_interval_on_the_scale_that_suits_it() {
        let ratio = |r, low, high| told(ChangeKind::Ratio, r, low, high);
        assert_eq!(ratio(0.519, Some(0.511), Some(0.526)), "−48.1 % (−48.9 … −47.4)");
        assert_eq!(ratio(1.0, None, Some(1.081)), "0.0 % (−∞ … +8.1)");
        assert_eq!(ratio(5.5, Some(5.4), Some(5.61)), "+450 % (+440 … +461)");
        assert_eq!(ratio(12.0, Some(11.0), None), "×12.0 (×11.0 … +∞)");
        assert_eq!(ratio(0.05, Some(0.04), Some(0.0625)), "÷20.0 (÷25.0 … ÷16.0)");
        assert_eq!(ratio(1.02, Some(1.02), Some(1.02)), "+2.0 % (exact)");
        let difference = |r, low, high| told(ChangeKind::Difference, r, low, high);
        assert_eq!(difference(1536.0, Some(-8.0), Some(2048.0)), "+1.50 KiB (−8 B … +2.00 KiB)");
    }

    #[test]
    fn small_words_for_shares_durations_counts_and_ranges() {
        assert_eq!(spaced(&share(0.03)), "3 %");
        assert_eq!(spaced(&share(0.0624)), "6.2 %");
        assert_eq!(spaced(&share(0.1638)), "16 %");
        let durations = [0.4, 12.0, 252.0, 600.0, 3900.0, 7200.0].map(|s| spaced(&duration(s)));
        assert_eq!(durations, ["0.4 s", "12 s", "4 min 12 s", "10 min", "1 h 5 min", "2 h"]);
        assert_eq!(count(1_008_163), "1,008,163");
        assert_eq!(spaced(&plural(1, "block")), "1 block");
        assert_eq!(range([18, 12, 14], |n| n.to_string()), Some("12 to 18".into()));
        assert_eq!(range([0.71, 0.72], |n| format!("{n:.1}")), Some("0.7".into()));
        assert_eq!(range([0u8; 0], |n| n.to_string()), None);
    }
}
