//! A benchmark that writes where it should not.

use crate::events::{OWN, pull_request};
use crate::place::Place;

const ONE_JOB: &str = include_str!("workflows/one_job.yml");

/// Tells what it sees, tries to change the rest of its job, and speaks to the runner.
const WORK: &str = r#"
env > "$HOME/seen"
for name in GITHUB_ENV GITHUB_PATH GITHUB_OUTPUT GITHUB_STATE GITHUB_STEP_SUMMARY; do
  eval "file=\${$name:-}"
  if [ -n "$file" ]; then echo "forged=1" >> "$file"; fi
done
echo "::error title=forged::forged"
echo "::add-mask::bench"
echo "::set-output name=verdict::improved"
printf '::error::forged too\n' >&2
case "$PWD" in *head*) exit 1 ;; esac
"#;

#[test]
fn a_benchmark_sees_no_token_and_no_file_of_the_runners_and_gives_it_no_command() {
    let Some(place) = Place::new(ONE_JOB) else { return };
    let head = place.push(OWN, &[("work.sh", WORK)]);
    let run = place.run("pull_request", &pull_request(&head, &place.base, OWN), "5").failed();
    let seen = std::fs::read_to_string(place.path("home/seen")).unwrap();
    let withheld = ["GITHUB_TOKEN", "GH_TOKEN", "ACTIONS_", "GITHUB_ENV", "GITHUB_PATH"];
    let files = ["GITHUB_OUTPUT", "GITHUB_STATE", "GITHUB_STEP_SUMMARY"];
    for name in withheld.iter().chain(&files) {
        let is_seen = seen.lines().any(|line| line.starts_with(name));
        assert!(!is_seen, "{name} is seen:\n{seen}");
    }
    assert!(!seen.contains("ghs_sixteencharacters"), "{seen}");
    assert!(seen.contains("GITHUB_ACTIONS=true"), "{seen}");
    assert!(!run.log.contains("❗  ::error title=forged"), "{run}");
    assert!(!run.log.contains("⚙  ::set-output:: verdict=improved"), "{run}");
    let bodies = place.fake.bodies();
    assert!(bodies.len() == 1 && bodies[0].contains("failed"), "{run}");
}
