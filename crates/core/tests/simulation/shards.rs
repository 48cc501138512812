//! Shards that are merged say what one run over the same samples says, and what does not belong
//! together is not merged.

use super::bench::{Bench, Fault, Values};
use super::noise::Noise;
use super::run::Ask;
use super::world::World;
use bench_core::judge;
use bench_core::merge::{MergeError, Refusal, together};
use bench_core::shard::{Costs, Partition, Shard};
use bench_results::{
    EnvironmentInfo, MachineInfo, Pairing, Results, RunFailure, ShardInfo, SideInfo, SideName,
    StoppedBy, Verdict, WholeVerdict,
};

/// A bit of everything, with a few that change.
fn suite() -> Vec<Bench> {
    let name = |nth: usize| format!("f{nth}");
    let mut suite: Vec<Bench> = (0..24).map(|nth| Bench::timed(&name(nth))).collect();
    suite[2] = suite[2].clone().slower(1.10);
    suite[5] = suite[5].clone().slower(0.90);
    suite[7] = suite[7].clone().noisy(Noise::Heavy);
    suite[9] = suite[9].clone().with(Fault::BlocksFrom(SideName::Head, 0));
    suite[11] = suite[11].clone().slower(1.05).noisy(Noise::Order);
    suite.push(Bench::command("cli").slower(1.2));
    suite.push(Bench::value("size", Values::Exact([100.0, 110.0])));
    suite
}

/// One run over the whole suite, unjudged, as its machine would have recorded it.
fn recorded() -> Results {
    let mut results =
        Ask { sentinels: true, ..Ask::default() }.run(World::new(7, suite())).unjudged();
    results.plan.digest = "plan".to_owned();
    results.plan.found = 26;
    results.finished = Some("2026-12-01T10:00:00Z".to_owned());
    results.sides = SideName::BOTH.map(side).to_vec();
    results.machines = vec![machine()];
    results.command = ["bench-action", "run", "--shard", "1/2"].map(str::to_owned).to_vec();
    results.summary.time.measure_s = 10.0;
    results.benchmarks.sort_by(|a, b| a.id.cmp(&b.id));
    results
}

fn side(name: SideName) -> SideInfo {
    let text = serde_json::json!({
        "id": name.word(), "label": name.word(), "revision": name.word(), "commit": "c0ffee".repeat(6),
        "dirty": false, "diff_digest": null, "environment": "", "kind": "built", "artifacts": [],
        "prepare_s": 2.0, "cached": true,
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

/// The part of a run that a shard would have recorded, judged by itself.
fn part(whole: &Results, shard: &Shard) -> Results {
    let ids = whole.benchmarks.iter().map(|row| row.benchmark.as_str());
    let partition = Partition::new(Some(shard), ids);
    let mut part = whole.clone();
    for rows in [&mut part.benchmarks, &mut part.sentinel] {
        rows.retain(|row| partition.is_ours(&row.benchmark));
    }
    part.shard = Some(ShardInfo { index: shard.index, count: shard.count, missing: Vec::new() });
    judge::judge(&mut part);
    part
}

fn parts(whole: &Results, count: u32) -> Vec<Results> {
    (1..=count).map(|index| part(whole, &Shard { index, count, costs: Costs::default() })).collect()
}

/// The same on the machine of the one run, in the one run's words.
fn as_one(mut merged: Results) -> Results {
    for row in merged.benchmarks.iter_mut().chain(&mut merged.sentinel) {
        row.machine = "simulated".to_owned();
    }
    merged.sentinel.sort_by(|a, b| a.id.cmp(&b.id));
    merged
}

#[test]
fn two_and_eight_shards_merged_say_what_one_run_over_the_same_samples_says() {
    let recorded = recorded();
    let mut one = recorded.clone();
    judge::judge(&mut one);
    one.sentinel.sort_by(|a, b| a.id.cmp(&b.id));
    let verdicts: std::collections::BTreeSet<_> =
        one.benchmarks.iter().filter_map(|row| row.verdict.map(Verdict::word)).collect();
    assert!(["failed", "improved", "regressed", "unchanged"].iter().all(|v| verdicts.contains(v)));
    for count in [1, 2, 8] {
        let merged = as_one(together(parts(&recorded, count)).expect("shards of one run"));
        assert_eq!(merged.benchmarks, one.benchmarks, "{count} shards: rows, e-values and all");
        assert_eq!(merged.sentinel, one.sentinel);
        assert_eq!(merged.plan, one.plan);
        assert_eq!(merged.trust, one.trust);
        assert_eq!(merged.summary.verdict, one.summary.verdict);
        assert_eq!(merged.summary.counts, one.summary.counts);
    }
}

#[test]
fn the_verdicts_of_each_shard_are_those_of_the_merge_because_all_judge_with_one_k() {
    let parts = parts(&recorded(), 8);
    let merged = as_one(together(parts.clone()).expect("shards of one run"));
    let of_parts: usize = parts.iter().map(|part| part.benchmarks.len()).sum();
    assert_eq!(of_parts, merged.benchmarks.len());
    for row in parts.iter().flat_map(|part| &part.benchmarks) {
        let same = merged.benchmarks.iter().find(|merged| merged.id == row.id);
        assert_eq!(same.map(|same| same.verdict), Some(row.verdict), "{}", row.id);
    }
}

#[test]
fn costs_divide_a_suite_in_another_way_and_to_the_same_verdicts() {
    let recorded = recorded();
    let costs = Costs::of(&recorded);
    assert!(!costs.is_empty());
    let by_cost: Vec<Results> = (1..=3)
        .map(|index| part(&recorded, &Shard { index, count: 3, costs: costs.clone() }))
        .collect();
    let spent = |part: &Results| part.benchmarks.iter().map(|row| row.cost_s).sum::<f64>();
    let (least, most) = by_cost
        .iter()
        .map(spent)
        .fold((f64::MAX, 0.0), |(least, most), cost| (f64::min(least, cost), f64::max(most, cost)));
    assert!(most < 1.5 * least, "{least} s to {most} s");
    let merged = as_one(together(by_cost).expect("shards of one run"));
    let mut one = recorded;
    judge::judge(&mut one);
    assert_eq!(merged.benchmarks, one.benchmarks);
}

#[test]
fn a_merge_keeps_every_machine_and_adds_up_what_was_spent() {
    let mut parts = parts(&recorded(), 2);
    parts[1].machines[0].cpu = Some("another".to_owned());
    parts[1].settings.time_budget_s = 5.0;
    parts[0].settings.time_budget_s = 7.0;
    parts[0].created = "2026-12-01T09:30:00Z".to_owned();
    parts[1].finished = Some("2026-12-01T11:00:00Z".to_owned());
    parts.reverse();
    let merged = together(parts).expect("shards of one run");
    let machines: Vec<_> =
        merged.machines.iter().map(|m| (m.id.as_str(), m.cpu.as_deref())).collect();
    assert_eq!(machines, [("simulated-1", None), ("simulated-2", Some("another"))]);
    let rows = merged.benchmarks.iter().chain(&merged.sentinel);
    assert!(rows.map(|row| row.machine.as_str()).all(|id| id.starts_with("simulated-")));
    assert_eq!((merged.summary.time.measure_s, merged.sides[0].prepare_s), (20.0, 4.0));
    assert_eq!(merged.settings.time_budget_s, 7.0, "each shard has a budget of its own");
    assert_eq!(merged.created, "2026-11-30T00:00:00Z");
    assert_eq!(merged.finished.as_deref(), Some("2026-12-01T11:00:00Z"));
    assert_eq!(merged.command, ["bench-action", "run"], "which measures the whole");
    let shard = ShardInfo { index: 0, count: 2, missing: Vec::new() };
    assert_eq!((merged.shard, merged.warnings), (Some(shard), Vec::new()));
}

#[test]
fn a_lost_shard_is_named_and_the_rest_reported() {
    let recorded = recorded();
    let mut parts = parts(&recorded, 4);
    let lost = parts.remove(1);
    let kept: usize = parts.iter().map(|part| part.benchmarks.len()).sum();
    let merged = together(parts).expect("shards of one run");
    assert_eq!(merged.shard.unwrap().missing, [2]);
    assert_eq!(
        (merged.benchmarks.len(), kept + lost.benchmarks.len()),
        (kept, recorded.benchmarks.len())
    );
    assert_eq!(merged.summary.verdict, WholeVerdict::Failed, "never green");
}

#[test]
fn a_shard_that_was_stopped_before_it_had_anything_is_as_good_as_lost() {
    let mut parts = parts(&recorded(), 3);
    parts[2] = Results {
        benchmarks: Vec::new(),
        sentinel: Vec::new(),
        stopped_by: StoppedBy::Signal,
        plan: bench_results::PlanInfo {
            digest: String::new(),
            family_size: 0,
            planned: 0,
            screened: 0,
            found: 0,
        },
        ..parts[2].clone()
    };
    let merged = together(parts).expect("shards of one run");
    assert_eq!(merged.shard.unwrap().missing, [3]);
    assert_eq!(merged.stopped_by, StoppedBy::Signal);
    assert_eq!(merged.warnings, ["shard 3 of 3 was stopped before it had measured anything"]);
}

/// A shard on which head could not be built.
fn unbuilt(part: &Results) -> Results {
    let failure = RunFailure {
        side: SideName::Head,
        stage: "build".to_owned(),
        message: "cc is not there".to_owned(),
        stderr_tail: "cc: not found".to_owned(),
    };
    let plan = bench_results::PlanInfo {
        digest: String::new(),
        family_size: 0,
        planned: 0,
        screened: 0,
        found: 0,
    };
    let none = Vec::new;
    Results { benchmarks: none(), sentinel: none(), failure: Some(failure), plan, ..part.clone() }
}

#[test]
fn a_side_that_failed_in_one_shard_is_told_with_it_and_the_rest_reported() {
    let mut parts = parts(&recorded(), 3);
    (parts[0], parts[2]) = (unbuilt(&parts[0]), unbuilt(&parts[2]));
    let merged = together(parts.clone()).expect("shards of one run");
    let failure = merged.failure.unwrap();
    assert_eq!(failure.message, "shard 1 of 3: cc is not there");
    assert_eq!(
        merged.warnings,
        ["head could not be prepared (build): shard 3 of 3: cc is not there"]
    );
    assert_eq!(merged.benchmarks.len(), parts[1].benchmarks.len());
    assert_eq!(merged.plan, parts[1].plan, "K is that of a shard that got so far");
    assert_eq!(merged.summary.verdict, WholeVerdict::Failed);
    let all = parts.iter().map(unbuilt).collect();
    assert!(together(all).unwrap().failure.is_some());
}

#[test]
fn a_shard_with_nothing_to_do_merges_like_any_other() {
    let recorded = recorded();
    let mut parts = parts(&recorded, 64);
    let empty = parts.iter_mut().filter(|part| part.benchmarks.is_empty());
    empty.for_each(|part| part.warnings = vec!["nothing for shard 9/64".to_owned()]);
    let merged = together(parts).expect("shards of one run");
    assert_eq!(merged.benchmarks.len(), recorded.benchmarks.len());
    assert_eq!((merged.shard.unwrap().missing, merged.warnings), (Vec::new(), Vec::new()));
}

#[test]
fn the_alarm_of_one_machine_takes_nothing_from_the_others() {
    let quiet = recorded();
    // A sentinel needs fourteen blocks for an alarm.
    let twins = Ask { sentinels: true, repeat: Some(14), ..Ask::default() }
        .run(World { twin: 1.3, ..World::new(7, suite()) })
        .unjudged();
    let mut parts = parts(&quiet, 2);
    parts[1].sentinel = twins.sentinel;
    judge::judge(&mut parts[1]);
    let merged = together(parts.clone()).expect("shards of one run");
    assert_eq!(merged.summary.verdict, WholeVerdict::Untrustworthy);
    let reason = merged.trust.reason.unwrap();
    assert!(reason.ends_with("nothing found on machine simulated-2 can be believed"), "{reason}");
    for row in parts.iter().flat_map(|part| &part.benchmarks) {
        let same = merged.benchmarks.iter().find(|merged| merged.id == row.id).unwrap();
        assert_eq!(same.verdict, row.verdict, "{}", row.id);
    }
    let believed = |machine: &str| {
        let rows = merged.benchmarks.iter().filter(|row| row.machine == machine);
        // What repeats exactly needs no trust.
        let rows = rows.filter(|row| row.pairing == Pairing::Paired);
        rows.filter(|row| row.verdict == Some(Verdict::Unchanged)).count()
    };
    assert!(believed("simulated-1") > 0);
    assert_eq!(believed("simulated-2"), 0);
}

#[test]
fn an_environment_that_differs_between_machines_is_told() {
    let mut parts = parts(&recorded(), 2);
    for (part, numpy) in parts.iter_mut().zip(["numpy==2.2.1", "numpy==2.2.2"]) {
        part.environments = vec![EnvironmentInfo {
            name: "default".to_owned(),
            python: Some("3.12.1".to_owned()),
            packages: vec![numpy.to_owned()],
            variables: std::collections::BTreeMap::new(),
        }];
    }
    let merged = together(parts).expect("shards of one run");
    assert_eq!(
        merged.warnings,
        ["environment default is not the same on shard 2 of 2: numpy==2.2.2; pin its packages"]
    );
}

#[test]
fn why_a_regression_is_accepted_survives_the_merge() {
    let mut parts = parts(&recorded(), 2);
    let rows = parts.iter_mut().flat_map(|part| &mut part.benchmarks);
    for row in rows.filter(|row| row.verdict == Some(Verdict::Regressed)) {
        row.labels.push("accepted".to_owned());
        row.reason = Some("safer parsing, #123".to_owned());
    }
    let merged = together(parts).expect("shards of one run");
    let accepted = merged.benchmarks.iter().filter(|row| row.verdict == Some(Verdict::Regressed));
    assert!(accepted.clone().count() > 0);
    assert!(accepted.clone().all(|row| row.reason.as_deref() == Some("safer parsing, #123")));
    assert_eq!(merged.summary.counts.accepted as usize, accepted.count());
}

fn refusal(parts: Vec<Results>) -> MergeError {
    together(parts).expect_err("these do not belong together")
}

/// Makes of a good shard one that does not fit.
type Change<'a> = &'a dyn Fn(&mut Results);

#[test]
fn what_is_no_shard_of_the_same_run_is_refused_with_its_place() {
    let good = || parts(&recorded(), 2);
    let changed = |change: Change<'_>| {
        let mut parts = good();
        change(&mut parts[1]);
        refusal(parts)
    };
    assert_eq!(refusal(Vec::new()).why, Refusal::Nothing);
    let cases: [(Change<'_>, &str); 10] = [
        (&|r| r.shard = None, "b.json: not the results of one shard"),
        (&|r| r.shard = shard(0, 2), "b.json: not the results of one shard"),
        (&|r| r.shard = shard(9, 2), "b.json: says that it is shard 9 of 2, which there cannot be"),
        (&|r| r.shard = shard(1, 2), "a.json and b.json: both are shard 1 of 2"),
        (&|r| r.shard = shard(2, 4), "a.json and b.json: one is of 2 shards and the other of 4"),
        (&|r| r.tool.version = "9".into(), "a.json and b.json: made by bench-action 0 and by"),
        (&|r| r.settings.threshold = 0.5, "a.json and b.json: they ran with different settings"),
        (&|r| r.seed = "other".into(), "a.json and b.json: their seeds are `run` and `other`"),
        (
            &|r| r.sides[1].commit = Some("decade".into()),
            "a.json and b.json: one compares c0ffeec0ffeec0ffeec0ffeec0ffeec0ffee → \
             c0ffeec0ffeec0ffeec0ffeec0ffeec0ffee, the other c0ffeec0ffeec0ffeec0ffeec0ffeec0ffee → decade",
        ),
        (&|r| r.plan.family_size += 1, "a.json and b.json: their plans differ (K = 27 and K = 28)"),
    ];
    let names = ["a.json", "b.json"].map(str::to_owned);
    for (change, words) in cases {
        let told = changed(change).named(&names);
        assert!(told.starts_with(words), "{told}");
    }
    let mut twice = good();
    let row = twice[0].benchmarks[0].clone();
    twice[1].benchmarks.push(row.clone());
    assert_eq!(refusal(twice).why, Refusal::Row { id: row.id });
}

fn shard(index: u32, count: u32) -> Option<ShardInfo> {
    Some(ShardInfo { index, count, missing: Vec::new() })
}

#[test]
fn a_file_cannot_make_a_merge_large() {
    let mut parts = parts(&recorded(), 2);
    parts.truncate(1);
    parts[0].shard = shard(1, u32::MAX);
    assert_eq!(refusal(parts).why, Refusal::TooMany { count: u32::MAX });
}
