//! What there is to say about a run, in the order and the words that every format shares.

mod across;
mod changes;
mod headline;
mod labels;
mod line;
mod method;
mod notices;
mod reproduce;
mod sides;
mod suite;
mod table;
mod unverified;

use crate::{Options, text::Text};
use bench_results::{Results, Row, Verdict};
use std::{collections::HashMap, hash::Hash};

pub(crate) use across::{Across, Part, Spread};
pub(crate) use headline::headline;
pub(crate) use line::{Directions, FailedGroup, Kind, Line, Mark, NOT_KNOWN, Names};
pub(crate) use notices::outdated;
pub(crate) use suite::{Entry, Folded, Group};
pub(crate) use table::{Listed, Section, facts as row_facts, table};

/// A report before it has a format. Lists are ordered, most important first.
#[derive(Clone, Debug)]
pub(crate) struct View {
    /// One sentence: what happened.
    pub(crate) headline: Text,
    /// What must be known before the numbers are read.
    pub(crate) notices: Vec<Text>,
    /// Why nothing was measured.
    pub(crate) failure: Option<Unprepared>,
    /// The two sides of each comparison.
    pub(crate) compared: Vec<Compared>,
    /// How much was measured, how long it took, how far to trust it.
    pub(crate) facts: Vec<Text>,
    /// What failed, equal failures together.
    pub(crate) failed: Vec<FailedGroup>,
    /// Each comparison, where there are several.
    pub(crate) parts: Vec<Part>,
    /// Where they differ.
    pub(crate) across: Across,
    /// What changed: worse before better, largest first.
    pub(crate) changed: Vec<Line>,
    /// What could not be decided.
    pub(crate) undecided: Undecided,
    /// Added, removed and skipped benchmarks, one line each kind.
    pub(crate) others: Vec<Other>,
    /// Every row, by class and parameters.
    pub(crate) full: Full,
    /// The labels that occur above, explained.
    pub(crate) labels: Vec<(String, &'static str)>,
    /// What the run itself warns of.
    pub(crate) warnings: Vec<String>,
    /// How it was measured, on what.
    pub(crate) method: Vec<Fact>,
    /// The command that measures the same again.
    pub(crate) reproduce: Option<String>,
}

/// A side that could not be prepared: what, where, what to do.
#[derive(Clone, Debug)]
pub(crate) struct Unprepared {
    /// What happened.
    pub(crate) what: Text,
    /// To which revision, and what was said.
    pub(crate) place: Text,
    /// The end of what was printed.
    pub(crate) output: String,
    /// What to do.
    pub(crate) remedy: Text,
}

/// Two sides, described.
#[derive(Clone, Debug)]
pub(crate) struct Compared {
    pub(crate) base: Side,
    pub(crate) head: Side,
}

/// One side, described.
#[derive(Clone, Debug)]
pub(crate) struct Side {
    /// What a person calls it, and its commit.
    pub(crate) name: Text,
    /// How it was made ready.
    pub(crate) prepared: Text,
}

/// What could not be decided.
#[derive(Clone, Debug)]
pub(crate) struct Undecided {
    /// How many, and what could have been seen.
    pub(crate) summary: Text,
    /// The largest estimates first.
    pub(crate) lines: Vec<Line>,
    /// What would decide more.
    pub(crate) advice: Text,
}

/// Benchmarks that have no verdict of their own, for one reason.
#[derive(Clone, Debug)]
pub(crate) struct Other {
    /// How many, and why.
    pub(crate) what: Text,
    /// Which.
    pub(crate) names: Vec<String>,
}

/// The full list.
#[derive(Clone, Debug)]
pub(crate) struct Full {
    /// What it holds.
    pub(crate) summary: Text,
    /// By class.
    pub(crate) groups: Vec<Group>,
}

impl Full {
    /// How many entries there are in all groups.
    pub(crate) fn entries(&self) -> usize {
        self.groups.iter().map(|group| group.entries.len()).sum()
    }
}

/// One line of provenance.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Fact {
    pub(crate) name: &'static str,
    pub(crate) text: Text,
}

impl View {
    /// Everything there is to say.
    pub(crate) fn new(results: &Results, options: &Options) -> Self {
        let names = line::Names::new(results);
        let changed = changes::changed(results, &names);
        let failed = changes::failed(results, &names);
        let undecided = changes::undecided(results, &names);
        let full = suite::full(results, &names);
        let shown = results.benchmarks.iter().filter(|row| is_shown(row));
        Self {
            headline: headline::headline(results, options),
            notices: notices::notices(results, options),
            failure: results.failure.as_ref().map(|f| sides::unprepared(results, f)),
            compared: sides::compared(results, options),
            facts: headline::facts(results, options),
            labels: labels::explained(shown),
            warnings: {
                let told = usize::from(headline::quotes_a_warning(results, options));
                results.warnings.iter().skip(told).cloned().collect()
            },
            method: method::method(results),
            reproduce: reproduce::reproduce(results),
            others: changes::others(results, &names),
            parts: across::parts(results, options),
            across: across::across(results, &names),
            failed,
            changed,
            undecided,
            full,
        }
    }
}

/// A commit by the beginning of its id, which leads to GitHub where the address is known.
pub(crate) fn commit(id: &str, repository: Option<&str>) -> Text {
    if !sides::is_commit(id) {
        return Text::default().code(id);
    }
    let address = repository.map(|url| format!("{}/commit/{id}", url.trim_end_matches('/')));
    Text::default().link(sides::short(id), address.as_deref())
}

/// Whether a row stands above the fold, where its labels are seen.
fn is_shown(row: &Row) -> bool {
    matches!(row.verdict, Some(Verdict::Regressed | Verdict::Improved | Verdict::Inconclusive))
}

/// Rows of one verdict.
fn with(results: &Results, verdict: Verdict) -> impl Iterator<Item = &Row> {
    results.benchmarks.iter().filter(move |row| row.verdict == Some(verdict))
}

/// Items by key, keys in order of appearance.
pub(crate) fn grouped<K: Hash + Eq + Clone, V>(
    items: impl Iterator<Item = (K, V)>,
) -> Vec<(K, Vec<V>)> {
    let mut places: HashMap<K, usize> = HashMap::new();
    let mut groups: Vec<(K, Vec<V>)> = Vec::new();
    for (key, item) in items {
        let place = *places.entry(key.clone()).or_insert(groups.len());
        match groups.get_mut(place) {
            Some((_, items)) => items.push(item),
            None => groups.push((key, vec![item])),
        }
    }
    groups
}
