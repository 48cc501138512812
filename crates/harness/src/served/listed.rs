//! What a worker that nobody knows has listed, before anything hangs on it.

use crate::{Benchmark, Discovery, HowMeasured, Listing, PROTOCOL};
use bench_results::Param;
use std::collections::BTreeSet;

/// The longest that one set-up or slice may be given, seconds.
const LONGEST_S: f64 = 86_400.0;

/// The listing of a worker that speaks this protocol and can be told what it has listed.
///
/// # Errors
/// In words: what is wrong, and what should be there.
pub(super) fn checked(listing: Listing) -> Result<Discovery, String> {
    match listing.protocol {
        Some(PROTOCOL) => {}
        Some(other) => {
            return Err(format!(
                "it speaks version {other} of the worker protocol, this program version {PROTOCOL}"
            ));
        }
        None => {
            return Err(format!(
                "it does not say which version of the worker protocol it speaks: \
                 {{\"list\":{{\"protocol\":{PROTOCOL},\"benchmarks\":[…]}}}}"
            ));
        }
    }
    let mut found = listing.found;
    let mut known = BTreeSet::new();
    for benchmark in &mut found.benchmarks {
        let params = std::mem::take(&mut benchmark.params).into_iter();
        benchmark.params = params.map(|param| Param::new(param.name, param.value)).collect();
        if let Some(wrong) = mistake(benchmark) {
            return Err(format!("its benchmark `{}` {wrong}", benchmark.name));
        }
        let values: Vec<String> = benchmark.params.iter().map(|p| p.value.clone()).collect();
        if !known.insert((benchmark.name.clone(), values)) {
            return Err(format!(
                "it lists `{}` twice with the same parameters; give each a name of its own",
                benchmark.name
            ));
        }
    }
    Ok(found)
}

fn mistake(benchmark: &Benchmark) -> Option<String> {
    if benchmark.name.trim().is_empty() {
        return Some("has an empty name".to_owned());
    }
    if benchmark.metrics.is_empty() {
        return Some("has an empty list of `metrics`; leave it out for time".to_owned());
    }
    let timeout = benchmark.timeout_s;
    if !(timeout > 0.0 && timeout <= LONGEST_S) {
        return Some(format!("has a `timeout_s` of {timeout}; it must be in (0, {LONGEST_S}]"));
    }
    match benchmark.how {
        HowMeasured::Opaque | HowMeasured::Reported { .. } => Some(
            "cannot be measured that way by a worker; `how` is `stepped` or `value`".to_owned(),
        ),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn listed(text: &str) -> Result<Discovery, String> {
        checked(serde_json::from_str(text).map_err(|error| error.to_string())?)
    }

    #[test]
    fn a_name_is_enough() {
        let found = listed(r#"{"protocol": 1, "benchmarks": [{"name": "a"}]}"#).unwrap_or_default();
        let [benchmark] = &found.benchmarks[..] else { panic!("{found:?}") };
        assert_eq!(benchmark.how, HowMeasured::Stepped { hooks: false, number: None });
        assert!(benchmark.metrics[0].metric.is_time() && benchmark.metrics[0].gated);
    }

    #[test]
    fn another_version_is_told_in_both_numbers() {
        let told = listed(r#"{"protocol": 2, "benchmarks": []}"#).unwrap_err();
        assert!(told.contains("version 2") && told.contains("version 1"), "{told}");
        assert!(listed(r#"{"benchmarks": []}"#).unwrap_err().contains("which version"));
    }

    #[test]
    fn what_could_not_be_measured_is_refused_by_name() {
        let with = |rest: &str| {
            listed(&format!(r#"{{"protocol": 1, "benchmarks": [{{"name": "a", {rest}}}]}}"#))
                .unwrap_err()
        };
        assert!(with(r#""timeout_s": 1e300"#).contains("timeout_s"));
        assert!(with(r#""timeout_s": -1"#).contains("timeout_s"));
        assert!(with(r#""metrics": []"#).contains("metrics"));
        assert!(with(r#""how": "opaque""#).contains("`a`"));
        let twice = r#"{"protocol": 1, "benchmarks": [{"name": "a"}, {"name": "a", "index": 1}]}"#;
        assert!(listed(twice).unwrap_err().contains("twice"));
    }
}
