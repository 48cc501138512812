//! What the short labels of rows mean.

use bench_results::Row;

const EXPLANATIONS: [(&str, &str); 8] = [
    ("accepted", "a regression that the configuration knows and allows; it never fails the job"),
    (
        "cache-sensitive",
        "its time depends on how warm the processor's caches are, so each turn starts with an \
         untimed lead-in",
    ),
    (
        "demoted",
        "it began to wait or to use threads while it was measured, so it is timed by the wall clock \
         from then on",
    ),
    ("exact", "a value that repeats exactly, so a few runs decide"),
    (
        "layout-sensitive",
        "its time depends on where code and data happen to lie in memory, so more processes with \
         other layouts were measured",
    ),
    ("small change", "a change that is probably real, but may be smaller than the threshold"),
    (
        "state-matters",
        "the first call after its set-up takes another time than later ones, so each call gets a \
         fresh set-up",
    ),
    (
        "order-sensitive",
        "the side that ran second was at a constant disadvantage, which is taken off",
    ),
];

/// What a label means, where it is one of ours.
pub(crate) fn explanation(label: &str) -> Option<&'static str> {
    EXPLANATIONS.into_iter().find(|(known, _)| *known == label).map(|(_, meaning)| meaning)
}

/// The known labels of some rows, in alphabetical order.
pub(super) fn explained<'a>(rows: impl Iterator<Item = &'a Row>) -> Vec<(String, &'static str)> {
    let mut labels: Vec<&String> = rows.flat_map(|row| &row.labels).collect();
    labels.sort_unstable();
    labels.dedup();
    labels.into_iter().filter_map(|l| Some((l.clone(), explanation(l)?))).collect()
}
