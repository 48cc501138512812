//! Where the numbers come from, as tables: sides, machines, environments.

use crate::{
    escape::{Html, Pen as _},
    number,
};
use bench_results::{EnvironmentInfo, MachineInfo, Results, SideInfo, SideKind};
use serde::Serialize;

/// Lines of the shared provenance that the tables tell in full.
pub(super) const TOLD: [&str; 5] = ["Machine", "Environment", "Base", "Head", "Libraries"];

/// A table whose columns are things of one kind and whose rows are facts about them.
#[derive(Debug, Serialize)]
pub(super) struct OriginPage {
    title: &'static str,
    heads: Vec<String>,
    rows: Vec<FactsPage>,
}

#[derive(Debug, Serialize)]
struct FactsPage {
    name: &'static str,
    /// One for each column; empty where it is not known.
    cells: Vec<String>,
}

/// One line of such a table.
type Fact<T> = (&'static str, fn(&T) -> String);

/// The tables that have anything to say.
pub(super) fn origins(results: &Results) -> Vec<OriginPage> {
    let sides: Vec<(String, &SideInfo)> = results.sides.iter().map(|s| (s.id.clone(), s)).collect();
    let machine = |i: usize| format!("machine {}", i + 1);
    let machines = results.machines.iter().enumerate();
    let machines = machines.map(|(i, m)| (m.name.clone().unwrap_or_else(|| machine(i)), m));
    let machines: Vec<(String, &MachineInfo)> = machines.collect();
    let environments = results.environments.iter().map(|e| (e.name.clone(), e));
    let environments: Vec<(String, &EnvironmentInfo)> = environments.collect();
    [
        origin("What was compared", &sides, &SIDE),
        origin("Where it was measured", &machines, &MACHINE),
        origin("In which environment", &environments, &ENVIRONMENT),
    ]
    .into_iter()
    .filter(|page| !page.rows.is_empty())
    .collect()
}

fn origin<T>(title: &'static str, things: &[(String, &T)], facts: &[Fact<T>]) -> OriginPage {
    let row = |(name, fact): &Fact<T>| FactsPage {
        name,
        cells: things.iter().map(|(_, thing)| fact(thing)).collect(),
    };
    let is_known = |row: &FactsPage| row.cells.iter().any(|cell| !cell.is_empty());
    OriginPage {
        title,
        rows: facts.iter().map(row).filter(is_known).collect(),
        heads: things.iter().map(|(head, _)| Html.prose(head)).collect(),
    }
}

const SIDE: [Fact<SideInfo>; 10] = [
    ("label", |side| Html.code(&side.label)),
    ("commit", |side| code(side.commit.as_deref())),
    ("subject", |side| prose(side.subject.as_deref())),
    ("asked for as", |side| Html.code(&side.revision)),
    ("uncommitted changes", |side| match (&side.diff_digest, side.dirty) {
        (Some(digest), _) => format!("yes, with digest {}", code(Some(digest))),
        (None, true) => "yes".into(),
        (None, false) => String::new(),
    }),
    ("made", |side| made(side)),
    ("version", |side| prose(side.version.as_deref())),
    ("environment", |side| Html.prose(&side.environment)),
    ("artifacts", |side| {
        let artifact = |a: &bench_results::Artifact| {
            let digest: String = a.sha256.chars().take(16).collect();
            format!("{} {}", Html.code(&a.name), Html.code(&digest))
        };
        list(side.artifacts.iter().map(artifact))
    }),
    ("libraries", |side| {
        let detail = |(name, value): (&String, &String)| {
            format!("{}: {}", Html.prose(name), Html.prose(value))
        };
        list(side.details.iter().map(detail))
    }),
];

fn made(side: &SideInfo) -> String {
    let time = number::duration(side.prepare_s);
    match (side.kind, side.cached) {
        (SideKind::Existing, _) => "an existing build".into(),
        (SideKind::File, _) => "a file of a harness".into(),
        (SideKind::Worktree, _) => format!("from the working tree, in {time}"),
        (SideKind::Built, true) => format!("from the commit, in {time} (cached)"),
        (SideKind::Built, false) => format!("from the commit, in {time}"),
    }
}

const MACHINE: [Fact<MachineInfo>; 11] = [
    ("processor", |m| prose(m.cpu.as_deref())),
    ("cores", |m| m.cores.to_string()),
    ("memory", |m| {
        #[expect(clippy::cast_precision_loss, reason = "shown with three digits")]
        m.memory.map_or(String::new(), |bytes| number::quantity(bytes as f64, "bytes"))
    }),
    ("system", |m| Html.prose(&m.os)),
    ("kernel", |m| prose(m.kernel.as_deref())),
    ("virtualization", |m| prose(m.virtualization.as_deref())),
    ("governor", |m| prose(m.governor.as_deref())),
    ("turbo", |m| m.turbo.map_or(String::new(), |on| if on { "on" } else { "off" }.into())),
    ("load at the start", |m| m.load.map_or(String::new(), |load| format!("{load:.2}"))),
    ("limits", |m| list(m.limits.iter().map(|limit| Html.prose(limit)))),
    ("runner", |m| prose(m.runner.as_deref())),
];

const ENVIRONMENT: [Fact<EnvironmentInfo>; 3] = [
    ("Python", |e| prose(e.python.as_deref())),
    ("packages", |e| {
        let mut packages: Vec<&String> = e.packages.iter().collect();
        packages.sort_unstable();
        packages
            .iter()
            .map(|p| Html.prose(&p.replacen("==", "\u{a0}", 1)))
            .collect::<Vec<_>>()
            .join(", ")
    }),
    ("variables", |e| {
        list(e.variables.iter().map(|(name, value)| Html.code(&format!("{name}={value}"))))
    }),
];

fn code(data: Option<&str>) -> String {
    data.map_or(String::new(), |data| Html.code(data))
}

fn prose(data: Option<&str>) -> String {
    data.map_or(String::new(), |data| Html.prose(data))
}

fn list(items: impl Iterator<Item = String>) -> String {
    items.collect::<Vec<_>>().join("<br>")
}
