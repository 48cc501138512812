//! Thousands of bisections in made-up histories: noise, outliers, commits that do not build.
#![expect(clippy::print_stdout, reason = "the figures, for who runs it with --nocapture")]

mod random;

use bench_history::bisect::{Action, Bisection, Ended, Ends, Outcome};
use random::Random;

impl Random {
    /// Student's with three degrees of freedom and this robust spread: its tails are heavy.
    fn heavy(&mut self, spread: f64) -> f64 {
        let squares: f64 = (0..3).map(|_| self.normal().powi(2)).sum();
        // The quartile of this distribution is .765, of a normal one .674.
        spread * 0.674 / 0.765 * self.normal() / (squares / 3.0).sqrt()
    }
}

struct World {
    commits: usize,
    effect: f64,
    spread: f64,
    /// Share of commits that do not build.
    broken: f64,
}

#[derive(Default)]
struct Tally {
    right: usize,
    in_range: usize,
    wrong: usize,
    unconfirmed: usize,
    builds: usize,
    most_builds: usize,
    blocks: usize,
}

impl World {
    fn search(&self, seed: u64, tally: &mut Tally) {
        let mut random = Random(seed.wrapping_mul(0x1234_5678_9abc_def1));
        let culprit = (random.uniform() * self.commits as f64) as usize;
        let broken: Vec<bool> = (0..self.commits)
            // The ends were measured, and the culprit itself builds.
            .map(|at| random.uniform() < self.broken && at + 1 != self.commits && at != culprit)
            .collect();
        // The ends, measured with some thirty blocks, are known about as well as this.
        let ends = Ends {
            effect: self.effect + random.heavy(self.spread) / 30.0_f64.sqrt(),
            spread: self.spread * (0.8 + 0.4 * random.uniform()),
        };
        let mut bisection = Bisection::new(self.commits, ends);
        loop {
            let outcome = match bisection.next() {
                Action::Stop => break,
                Action::Measure(commit) if broken[commit] => Outcome::NotBuilt,
                Action::Measure(commit) => {
                    let level = if commit >= culprit { self.effect } else { 0.0 };
                    Outcome::Block { d: level + random.heavy(self.spread) }
                }
                // The whole procedure is right with its own bounds, which are tested elsewhere.
                Action::Confirm(first, last) if (first..=last).contains(&culprit) => {
                    Outcome::Confirmed
                }
                Action::Confirm(..) => Outcome::NotConfirmed,
            };
            bisection.apply(outcome);
        }
        tally.builds += bisection.builds();
        tally.most_builds = tally.most_builds.max(bisection.builds());
        tally.blocks += bisection.blocks();
        match bisection.ended() {
            Some(Ended::Culprit(found)) if found == culprit => tally.right += 1,
            Some(Ended::Range { first, last, .. }) if (first..=last).contains(&culprit) => {
                tally.in_range += 1;
            }
            Some(Ended::NotConfirmed { .. }) => tally.unconfirmed += 1,
            _ => tally.wrong += 1,
        }
    }

    fn tally(&self, seeds: u64) -> Tally {
        let mut tally = Tally::default();
        (0..seeds).for_each(|seed| self.search(seed, &mut tally));
        println!(
            "{} commits, {:+.0} %, spread {:.1} %, {:.0} % broken: right {} of {seeds}, a range with it {}, \
             not confirmed {}, wrong {}; {:.1} builds ({} at most), {:.0} blocks",
            self.commits,
            100.0 * self.effect.exp_m1(),
            100.0 * self.spread,
            100.0 * self.broken,
            tally.right,
            tally.in_range,
            tally.unconfirmed,
            tally.wrong,
            tally.builds as f64 / seeds as f64,
            tally.most_builds,
            tally.blocks as f64 / seeds as f64,
        );
        tally
    }
}

const SEEDS: u64 = 2000;

#[test]
fn the_culprit_of_five_per_cent_among_64_commits_is_found_in_19_of_20() {
    for spread in [0.01, 0.03] {
        let world = World { commits: 64, effect: 1.05_f64.ln(), spread, broken: 0.0 };
        let tally = world.tally(SEEDS);
        assert!(tally.right as f64 >= 0.95 * SEEDS as f64, "{} at {spread}", tally.right);
        assert!(tally.wrong == 0);
        assert!(tally.most_builds <= 8, "{} builds", tally.most_builds);
    }
}

#[test]
fn in_more_noise_it_is_more_often_a_range_and_no_more_often_wrong() {
    let tally =
        World { commits: 64, effect: 1.05_f64.ln(), spread: 0.04, broken: 0.0 }.tally(SEEDS);
    assert!((tally.right + tally.in_range) as f64 >= 0.95 * SEEDS as f64);
    assert_eq!(tally.wrong, 0);
}

#[test]
fn commits_that_do_not_build_cost_a_build_each_and_no_wrong_answer() {
    let world = World { commits: 64, effect: 1.05_f64.ln(), spread: 0.03, broken: 0.1 };
    let tally = world.tally(SEEDS);
    // A broken commit just before the culprit hides it: then the range is named.
    assert!((tally.right + tally.in_range) as f64 >= 0.95 * SEEDS as f64);
    assert!(tally.right as f64 >= 0.82 * SEEDS as f64, "{}", tally.right);
    assert!(tally.builds as f64 / SEEDS as f64 <= 8.0);
    assert_eq!(tally.wrong, 0);
}

#[test]
fn a_wrong_turn_ends_unconfirmed_and_never_in_a_wrong_name() {
    let world = World { commits: 256, effect: 1.03_f64.ln(), spread: 0.06, broken: 0.05 };
    let tally = world.tally(SEEDS);
    assert_eq!(tally.wrong, 0);
    assert!(tally.right + tally.in_range > tally.unconfirmed);
}
