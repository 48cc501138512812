//! Units as harnesses spell them: which are times, and in which direction they improve.

use bench_results::{Better, Metric};

/// Nanoseconds in one of a unit of time; none where it is no time.
pub(super) fn nanoseconds(unit: &str) -> Option<f64> {
    Some(match unit.trim() {
        "fs" => 1e-6,
        "ps" => 1e-3,
        "ns" | "nsec" | "nanoseconds" | "nanosecond" => 1.0,
        // Micro sign and Greek mu, and what remains of them in an old code page.
        "us" | "µs" | "μs" | "usec" | "microseconds" | "microsecond" => 1e3,
        "ms" | "msec" | "milliseconds" | "millisecond" => 1e6,
        "s" | "sec" | "secs" | "seconds" | "second" => 1e9,
        "m" | "min" | "minutes" => 60e9,
        "h" | "hr" | "hours" => 3600e9,
        _ => return None,
    })
}

/// A value of any unit as a metric: times become nanoseconds, also `us/op` and `ns/iter`; what is
/// so much a second is better when there is more of it.
pub(super) fn metric(value: f64, unit: &str) -> (Metric, f64) {
    let unit = unit.trim();
    let (of, per) = unit.split_once('/').map_or((unit, None), |(of, per)| (of, Some(per.trim())));
    let is_each = per.is_none_or(|per| matches!(per, "op" | "iter" | "iteration" | "call"));
    if let Some(factor) = nanoseconds(of).filter(|_| is_each) {
        return (Metric::time(), value * factor);
    }
    // So much in a time is so much a second, whichever time the suite has chosen.
    if let Some(time) = per.and_then(nanoseconds) {
        return (named("throughput", &format!("{}/s", of.trim())), value * 1e9 / time);
    }
    (named(if is_rate(unit) { "throughput" } else { "value" }, unit), value)
}

/// A metric of a unit that is kept as it is.
pub(super) fn named(name: &str, unit: &str) -> Metric {
    let better = if is_rate(unit) { Better::Higher } else { Better::Lower };
    Metric { name: name.to_owned(), unit: unit.to_owned(), better }
}

/// `ops/s`, `MB/s`, `items/sec`, `ops/ms`: so much in a time.
pub(super) fn is_rate(unit: &str) -> bool {
    let unit = unit.trim();
    unit.rsplit_once('/').is_some_and(|(_, per)| nanoseconds(per).is_some())
        || unit.starts_with("ops/")
        || unit.ends_with("_per_second")
        || matches!(unit, "ops" | "Hz" | "hz" | "ips" | "QPS" | "qps" | "rps")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_become_nanoseconds_and_rates_stay_what_they_are() {
        assert_eq!(metric(2.5, "us/op"), (Metric::time(), 2500.0));
        assert_eq!(metric(3.0, "µs"), (Metric::time(), 3000.0));
        let (found, value) = metric(7.0, "MS/s");
        assert_eq!((found.better, &*found.unit, value), (Better::Higher, "MS/s", 7.0));
        assert_eq!(metric(7.0, "cycles/iter").0.better, Better::Lower);
        assert_eq!(metric(7.0, "B/op").0.better, Better::Lower);
        let (found, value) = metric(7.0, "ops/ms");
        assert_eq!((found.better, &*found.unit, value), (Better::Higher, "ops/s", 7000.0));
    }
}
