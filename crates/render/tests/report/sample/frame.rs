//! A run around made-up rows.

use super::{RowOf, row};
use bench_results::*;
use std::collections::BTreeMap;

/// A run with these rows, summed up.
pub(crate) fn results(rows: Vec<RowOf>) -> Results {
    let rows: Vec<Row> = rows.into_iter().map(|row| row.0).collect();
    let n = rows.len() as u64;
    Results {
        schema: SCHEMA.into(),
        tool: ToolInfo { name: "bench-action".into(), version: "1.0.0".into(), commit: None },
        created: "2026-11-30T20:41:07Z".into(),
        command: ["bench-action", "run", "--base", "merge-base"].map(str::to_owned).to_vec(),
        config: ConfigInfo { digest: "c0ffee".repeat(10) },
        seed: "19876543210:1".into(),
        settings: settings(),
        plan: PlanInfo {
            digest: "5eed1234".repeat(8),
            family_size: n,
            planned: n,
            screened: 0,
            found: n,
        },
        shard: None,
        sides: vec![side("base", "main", "92f72a2"), side("head", "faster-hashing", "a82b2ce")],
        comparisons: vec![comparison()],
        environments: vec![environment()],
        harnesses: vec![harness()],
        machines: vec![machine()],
        summary: Summary { verdict: whole(&rows), counts: counts(&rows), time: time() },
        benchmarks: rows,
        sentinel: vec![row("json.time_a", Verdict::Unchanged, 1e6, (1.0, 0.99, 1.01)).0],
        trust: Trust { ok: true, reason: None },
        failure: None,
        finished: Some("2026-11-30T20:45:19Z".into()),
        stopped_by: StoppedBy::Done,
        samples_file: None,
        warnings: Vec::new(),
    }
}

fn settings() -> Settings {
    Settings {
        alpha: 0.05,
        alpha_unchanged: 0.05,
        threshold: 0.03,
        tolerance: 0.01,
        fail_threshold: 0.03,
        threshold_absolute_ns: 0.0,
        max_blocks: 60,
        repeat: None,
        time_budget_s: 600.0,
    }
}

fn side(name: &str, label: &str, commit: &str) -> SideInfo {
    SideInfo {
        id: name.into(),
        label: label.into(),
        revision: label.into(),
        commit: Some(commit.repeat(8)[..40].into()),
        subject: None,
        version: Some("2.4.1".into()),
        dirty: false,
        diff_digest: None,
        environment: "default".into(),
        kind: SideKind::Built,
        artifacts: Vec::new(),
        details: Default::default(),
        prepare_s: 3.1,
        cached: name == "base",
    }
}

fn comparison() -> ComparisonInfo {
    ComparisonInfo { id: "default".into(), base: "base".into(), head: "head".into(), machine: None }
}

fn environment() -> EnvironmentInfo {
    EnvironmentInfo {
        name: "default".into(),
        python: Some("3.11.7".into()),
        packages: vec!["numpy==2.2.6".into(), "packaging==24.2".into()],
        variables: BTreeMap::new(),
    }
}

fn harness() -> HarnessInfo {
    HarnessInfo {
        name: "asv".into(),
        version: Some("0.2.1".into()),
        suite_commit: Some("a82b2ce".repeat(8)[..40].into()),
    }
}

fn machine() -> MachineInfo {
    MachineInfo {
        id: "m".into(),
        name: None,
        cpu: Some("Intel(R) Xeon(R) Platinum 8370C CPU @ 2.80GHz".into()),
        cores: 2,
        memory: Some(7 << 30),
        os: "Ubuntu 24.04".into(),
        kernel: Some("6.8.0-1021-azure".into()),
        virtualization: Some("microsoft".into()),
        governor: None,
        turbo: None,
        load: Some(0.72),
        limits: Vec::new(),
        runner: Some("ubuntu-24.04".into()),
    }
}

fn time() -> TimeSpent {
    TimeSpent { prepare_s: 5.5, measure_s: 246.5, sliced_s: 171.0 }
}

fn counts(rows: &[Row]) -> Counts {
    let count = |verdict| {
        u32::try_from(rows.iter().filter(|row| row.verdict == Some(verdict)).count()).unwrap_or(0)
    };
    Counts {
        regressed: count(Verdict::Regressed),
        improved: count(Verdict::Improved),
        unchanged: count(Verdict::Unchanged),
        inconclusive: count(Verdict::Inconclusive),
        added: count(Verdict::Added),
        removed: count(Verdict::Removed),
        failed: count(Verdict::Failed),
        skipped: count(Verdict::Skipped),
        accepted: 0,
    }
}

/// The verdict of a run by the order of precedence.
fn whole(rows: &[Row]) -> WholeVerdict {
    let any = |verdict| rows.iter().any(|row| row.verdict == Some(verdict));
    [
        (Verdict::Failed, WholeVerdict::Failed),
        (Verdict::Regressed, WholeVerdict::Regressed),
        (Verdict::Inconclusive, WholeVerdict::Inconclusive),
        (Verdict::Improved, WholeVerdict::Improved),
        (Verdict::Unchanged, WholeVerdict::Unchanged),
    ]
    .into_iter()
    .find(|(verdict, _)| any(*verdict))
    .map_or(WholeVerdict::Empty, |(_, whole)| whole)
}
