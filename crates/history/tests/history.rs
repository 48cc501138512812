//! A generated history of 200 commits, stored, read again and searched: steps of +3 % and −10 %, a slow
//! drift, changes of machine and of reference.
#![expect(clippy::unwrap_used, reason = "a test that can't go on should say where")]

mod generated;

use bench_history::acknowledge::Acknowledgement;
use bench_history::steps::Rule;
use bench_history::{Caps, Changes, Confounder, Directory, History, Timeline, detect, load};
use generated::{Benchmark, World};

const RULE: Rule = Rule { least: 0.0198 };

/// The benchmarks of the acceptance: name, steps as commit and log size, drift over all.
fn benchmarks() -> Vec<Benchmark> {
    let steps = vec![(70, 1.03_f64.ln()), (130, 0.9_f64.ln())];
    vec![
        Benchmark { name: "flat".into(), steps: vec![], drift: 0.0 },
        Benchmark { name: "drifting".into(), steps: vec![], drift: 0.06 },
        Benchmark { name: "stepping".into(), steps: steps.clone(), drift: 0.0 },
        Benchmark { name: "stepping_and_drifting".into(), steps, drift: 0.04 },
    ]
}

fn world(seed: u64) -> World {
    World {
        seed,
        commits: 200,
        noise: 0.008,
        benchmarks: benchmarks(),
        // Three machines, of which the second comes and goes; absolute values differ by half.
        machines: vec![(0, 0), (45, 1), (60, 0), (100, 2), (160, 1)],
        // Pinned again three times, each with an overlap run.
        references: vec![0, 50, 100, 150],
    }
}

/// The history as it is read from a store.
fn history(world: &World) -> History {
    load(world.files(), Caps::default()).unwrap()
}

fn find(world: &World) -> (Timeline, Changes) {
    let timeline = Timeline::new(&history(world), &[]);
    let changes = detect(&timeline, RULE, false);
    (timeline, changes)
}

#[test]
fn steps_are_found_at_their_commits_across_machines_and_references_and_nothing_else_is() {
    const SEEDS: u64 = 60;
    let (mut found, mut likely, mut false_ones) = (0, 0, Vec::new());
    for seed in 0..SEEDS {
        let world = world(seed);
        let (timeline, changes) = find(&world);
        for point in &changes.points {
            let name = timeline.series[point.series].entry.name.clone();
            let steps = &world.benchmarks.iter().find(|b| b.name == name).unwrap().steps;
            let true_one = steps.iter().find(|(at, _)| point.before < *at && *at <= point.last);
            match true_one {
                Some((at, size)) => {
                    found += 1;
                    likely += usize::from(*at == point.at);
                    assert!((point.size - size).abs() < 0.02, "{name} {point:?}");
                    assert_eq!(point.is_worse, *size > 0.0);
                    assert_eq!(point.confounder, None);
                }
                None => false_ones.push((seed, name, point.at)),
            }
        }
    }
    // Two benchmarks with two steps each.
    let all = 4 * SEEDS as usize;
    println!("{found} of {all} found, {likely} at the very commit, false: {false_ones:?}");
    assert!(found * 100 >= all * 97, "{found} of {all}");
    assert!(likely * 100 >= all * 93, "{likely} of {all}");
    assert!(false_ones.len() <= 2, "{false_ones:?}");
}

#[test]
fn a_series_goes_on_over_machines_and_references() {
    let (timeline, _) = find(&world(1));
    assert_eq!(timeline.commits.len(), 200);
    assert_eq!(timeline.machines.len(), 3);
    for series in &timeline.series {
        let [piece] = series.pieces.as_slice() else { panic!("{} pieces", series.pieces.len()) };
        assert_eq!(piece.points.len(), 200);
    }
    // The values beside it are those of the machine: the third takes half as long again.
    let flat = timeline.series.iter().find(|series| series.entry.name == "flat").unwrap();
    let value = |at: usize| flat.pieces[0].points[at].value.unwrap();
    assert!(value(120) / value(20) > 1.8, "{} {}", value(20), value(120));
}

#[test]
fn a_drift_is_reported_without_a_commit() {
    let (timeline, changes) = find(&world(2));
    let drifting =
        changes.drifts.iter().find(|drift| timeline.series[drift.series].entry.name == "drifting");
    let drift = drifting.expect("a drift");
    assert!((drift.size - 0.06).abs() < 0.02 && drift.is_worse, "{drift:?}");
}

#[test]
fn a_change_that_came_with_another_machine_says_so() {
    let mut world = world(3);
    world.machines = vec![(0, 0), (70, 1)];
    world.references = vec![0];
    let (timeline, changes) = find(&world);
    let at_machine: Vec<_> = changes.points.iter().filter(|point| point.at == 70).collect();
    assert!(!at_machine.is_empty());
    for point in at_machine {
        let name = &timeline.series[point.series].entry.name;
        assert_eq!(point.confounder, Some(Confounder::Machine), "{name}");
    }
}

#[test]
fn a_store_in_a_directory_gives_back_what_was_added_and_takes_nothing_twice() {
    let directory = tempfile::tempdir().unwrap();
    let store = Directory::new(directory.path().join("history"));
    let files = world(4).files();
    // The file that marks the store is not counted.
    assert_eq!(store.add(&files).unwrap(), files.len() - 1);
    assert_eq!(store.add(&files).unwrap(), 0);
    let mut expected = history(&world(4));
    expected.records.sort_by(|a, b| a.commit.id.cmp(&b.commit.id));
    assert_eq!(store.load(Caps::default()).unwrap(), expected);
}

#[test]
fn a_directory_that_is_no_history_is_left_alone() {
    let directory = tempfile::tempdir().unwrap();
    std::fs::write(directory.path().join("thesis.txt"), "years of work").unwrap();
    let store = Directory::new(directory.path());
    let refusal = store.add(&world(5).files()).unwrap_err().to_string();
    assert!(refusal.contains("not a history"), "{refusal}");
    assert!(store.load(Caps::default()).is_err());
    let missing = Directory::new(directory.path().join("none"));
    assert!(missing.load(Caps::default()).unwrap_err().to_string().contains("history record"));
}

#[test]
fn a_file_that_was_touched_is_refused() {
    let directory = tempfile::tempdir().unwrap();
    let store = Directory::new(directory.path());
    let files = world(6).files();
    store.add(&files).unwrap();
    let record = files.iter().find(|file| file.path.starts_with("records/")).unwrap();
    let path = directory.path().join(&record.path);
    let text = std::fs::read_to_string(&path).unwrap().replace("linux", "mine!");
    std::fs::write(&path, text).unwrap();
    let refusal = store.load(Caps::default()).unwrap_err().to_string();
    assert!(refusal.contains("not what its name says"), "{refusal}");
}

#[test]
fn a_change_is_new_once() {
    let world = world(7);
    let mut history = history(&world);
    let (timeline, mut changes) = find(&world);
    let file = changes.detection(&timeline).expect("something new");
    history.detections.push(serde_json::from_slice(&file.bytes).unwrap());
    changes.mark_known(&timeline, &history.detections);
    assert!(changes.points.iter().all(|point| !point.is_new));
    assert_eq!(changes.detection(&timeline), None);
    // With fewer commits the second step was not there yet: it alone is new.
    let mut earlier = World { commits: 100, ..world };
    earlier.machines.retain(|(at, _)| *at < 100);
    earlier.references.retain(|at| *at < 100);
    let (before, found) = find(&earlier);
    let file = found.detection(&before).expect("the first step");
    changes.mark_known(&timeline, &[serde_json::from_slice(&file.bytes).unwrap()]);
    assert!(changes.points.iter().all(|point| point.is_new == (point.at > 100)));
}

#[test]
fn what_is_acknowledged_says_why_until_it_expires() {
    let (timeline, mut changes) = find(&world(8));
    let point = changes.points[0].clone();
    let one = Acknowledgement {
        benchmark: timeline.series[point.series].entry.id.clone(),
        environment: None,
        commit: timeline.commits[point.at].id[..10].to_owned(),
        reason: "safer parsing".into(),
        until: "2027-03-01".into(),
    };
    changes.mark_acknowledged(&timeline, std::slice::from_ref(&one), "2027-03-01");
    assert_eq!(changes.points[0].acknowledged.as_deref(), Some("safer parsing"));
    assert!(changes.points[1..].iter().all(|point| point.acknowledged.is_none()));
    changes.mark_acknowledged(&timeline, &[one], "2027-03-02");
    assert_eq!(changes.points[0].acknowledged, None);
}

#[test]
fn the_repositorys_order_wins_over_the_clocks() {
    let history = history(&world(9));
    let mut order: Vec<String> =
        Timeline::new(&history, &[]).commits.iter().map(|c| c.id.clone()).collect();
    // A commit that the repository lacks is put where its time is.
    let lost = order.remove(10);
    assert_eq!(Timeline::new(&history, &order).commits[10].id, lost);
    order.swap(3, 120);
    assert_eq!(Timeline::new(&history, &order).commits[3].id, order[3]);
}
