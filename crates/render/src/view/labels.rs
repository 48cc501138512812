//! What the short labels of rows mean.

use bench_results::{Measured, Pairing, Row};

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

/// What the columns of a drifting row mean, which seem to contradict each other.
const APART: (&str, &str) = (
    "base → head",
    "each side's own median over the whole run, which follows what the machine did meanwhile; the \
     change is of both sides at the same moments",
);

/// Medians that give another change than the blocks do by more than this share need a word.
const APART_FROM: f64 = 0.01;

/// The known labels of some rows, in alphabetical order, and what else needs a word there.
pub(super) fn explained<'a>(
    rows: impl Iterator<Item = &'a Row> + Clone,
) -> Vec<(String, &'static str)> {
    let mut labels: Vec<&String> = rows.clone().flat_map(|row| &row.labels).collect();
    labels.sort_unstable();
    labels.dedup();
    let known = labels.into_iter().filter_map(|l| Some((l.clone(), explanation(l)?)));
    let apart = rows.into_iter().any(are_apart).then(|| (APART.0.to_owned(), APART.1));
    known.chain(apart).collect()
}

/// Whether base and head, as they are shown, are visibly not the change that is shown beside them.
fn are_apart(row: &Row) -> bool {
    let center = |side: &Option<Measured>| side.as_ref()?.center;
    let Some((change, (base, head))) =
        row.change.as_ref().zip(center(&row.base).zip(center(&row.head)))
    else {
        return false;
    };
    let shown = head / base;
    row.pairing == Pairing::Paired
        && shown.is_finite()
        && (shown - change.ratio).abs() > APART_FROM * change.ratio
}
