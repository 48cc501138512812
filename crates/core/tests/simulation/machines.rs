//! Results of several machines stand side by side: what each found stays, and what is not of one
//! comparison is refused.

use super::bench::Bench;
use super::run::Ask;
use super::world::World;
use bench_core::judge;
use bench_core::merge::{MergeError, OfMachine, Refusal, of_machines};
use bench_results::{MachineInfo, Results, ShardInfo, SideInfo, SideName, Verdict};

/// A run of a suite on one machine; `slower` is by how much head's first benchmark is slower there.
fn recorded(seed: u64, slower: f64) -> Results {
    let mut suite: Vec<Bench> = (0..6).map(|nth| Bench::timed(&format!("f{nth}"))).collect();
    suite[0] = suite[0].clone().slower(slower);
    let mut results =
        Ask { sentinels: true, ..Ask::default() }.run(World::new(seed, suite)).unjudged();
    results.plan.digest = format!("plan {seed}");
    results.sides = SideName::BOTH.map(side).to_vec();
    results.machines = vec![machine()];
    judge::judge(&mut results);
    results
}

fn side(name: SideName) -> SideInfo {
    let text = serde_json::json!({
        "id": name.word(), "label": name.word(), "revision": name.word(), "commit": "c0ffee".repeat(6),
        "dirty": false, "diff_digest": null, "environment": "", "kind": "built", "artifacts": [],
    });
    serde_json::from_value(text).expect("a side")
}

fn machine() -> MachineInfo {
    let text = serde_json::json!({
        "id": "simulated", "cpu": null, "cores": 2, "memory": null, "os": "Linux", "kernel": null,
        "virtualization": null, "governor": null, "turbo": null, "load": 0.5, "limits": [], "runner": null,
    });
    serde_json::from_value(text).expect("a machine")
}

fn called(name: &str, results: Results) -> OfMachine {
    OfMachine { name: name.to_owned(), results }
}

fn verdicts(results: &Results, comparison: &str) -> Vec<(String, Option<Verdict>)> {
    let rows = results.benchmarks.iter().filter(|row| row.comparison == comparison);
    rows.map(|row| (row.id.clone(), row.verdict)).collect()
}

#[test]
fn what_each_machine_found_stays_and_the_bounds_add_up() {
    let (laptop, server) = (recorded(1, 1.0), recorded(2, 1.3));
    let runs = [called("laptop", laptop.clone()), called("server", server.clone())];
    let merged = of_machines(&runs).expect("one comparison");
    for (name, alone) in [("laptop", &laptop), ("server", &server)] {
        let own = &alone.comparisons[0].id;
        assert_eq!(verdicts(&merged, name), verdicts(alone, own), "{name}");
    }
    assert_eq!(merged.settings.alpha, 2.0 * laptop.settings.alpha);
    let per_row = |results: &Results, family: u64| results.settings.alpha / family as f64;
    let row = &merged.benchmarks[0];
    let before = per_row(&laptop, laptop.benchmarks[0].family);
    assert!((per_row(&merged, row.family) - before).abs() < 1e-15);
    let machines: Vec<_> = merged.machines.iter().map(|it| it.name.as_deref()).collect();
    assert_eq!(machines, [Some("laptop"), Some("server")]);
    let mut again = merged.clone();
    judge::judge(&mut again);
    assert_eq!(again, merged);
}

#[test]
fn what_is_of_another_comparison_is_refused() {
    let whole = recorded(1, 1.0);
    let refused = |change: &dyn Fn(&mut Results)| {
        let mut other = whole.clone();
        change(&mut other);
        let merged = of_machines(&[called("a", whole.clone()), called("b", other)]);
        merged.expect_err("they differ").why
    };
    let why = refused(&|it| it.sides[1].commit = Some("decaf0".repeat(6)));
    assert!(matches!(why, Refusal::OtherCommits(..)), "{why}");
    assert_eq!(refused(&|it| it.settings.threshold = 0.1), Refusal::Rules);
    let shard = |index, missing| Some(ShardInfo { index, count: 2, missing });
    assert_eq!(refused(&|it| it.shard = shard(1, Vec::new())), Refusal::NotWhole);
    assert_eq!(refused(&|it| it.shard = shard(0, vec![2])), Refusal::NotWhole);
    let twice = of_machines(&[called("a", whole.clone()), called("a", whole.clone())]);
    let expected = MergeError { at: vec![0, 1], why: Refusal::SameMachine("a".into()) };
    assert_eq!(twice, Err(expected));
    let alone = of_machines(&[called("a", whole)]);
    assert_eq!(alone.map_err(|error| error.why), Err(Refusal::OneMachine));
}

#[test]
fn one_machine_may_have_measured_longer_than_the_other() {
    let (short, mut long) = (recorded(1, 1.0), recorded(2, 1.0));
    long.settings.time_budget_s *= 10.0;
    long.settings.max_blocks *= 2;
    assert!(of_machines(&[called("short", short), called("long", long)]).is_ok());
}
