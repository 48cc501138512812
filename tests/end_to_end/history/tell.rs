//! New changes are told on a GitHub in this process: once, where they belong, and again where that
//! failed.

use super::{pushed, store_with_a_step};
use crate::fake::{Fake, Fault, PERSON, REPOSITORY, pull};
use crate::support::repository::Repository;
use crate::support::run::Run;
use serde_json::{Value, json};
use std::time::{Duration, SystemTime};

/// The pull request that brought the step.
const PULL: u64 = 12;

/// The first commit with the step.
const CULPRIT: usize = 20;

/// Forty commits of the last days, the twentieth of which brought a step, and a GitHub that knows it.
struct Scene {
    repository: Repository,
    commits: Vec<String>,
    store: String,
    fake: Fake,
}

impl Scene {
    /// The newest commit is so many days old.
    fn new(days: u64) -> Self {
        let repository = Repository::new(&[], &[]);
        let age = Duration::from_secs(days * 24 * 60 * 60);
        let date = (SystemTime::now() - age).duration_since(SystemTime::UNIX_EPOCH).unwrap();
        for number in 2..40 {
            let subject = match number {
                CULPRIT => "faster, says @octocat <img src=x> | a".to_owned(),
                _ => format!("change number {number}"),
            };
            repository.write(&[("number.txt", &number.to_string())]);
            repository.commit_at(&format!("@{} +0000", date.as_secs()), &subject);
        }
        let (_, commits) = pushed(&repository);
        let (store, fake) = (store_with_a_step(&repository, &commits), Fake::start());
        let scene = Self { repository, commits, store, fake };
        scene.came_with(CULPRIT, &[merged(PULL, "main")]);
        scene
    }

    fn came_with(&self, at: usize, pulls: &[Value]) {
        self.fake.state().pulls_of.insert(self.commits[at].clone(), pulls.to_vec());
    }

    /// `history detect --comment --issue` in the job of this run.
    fn tell(&self, run: &str, arguments: &[&str]) -> Run {
        self.detect(run, &["--comment", "--issue"]).args(arguments)
    }

    fn detect(&self, run: &str, arguments: &[&str]) -> Run {
        let detect = ["history", "detect", "--new", "--dir", &self.store];
        self.repository
            .bench_action(&detect)
            .args(arguments)
            .env("GITHUB_API_URL", &self.fake.address)
            .env("GITHUB_GRAPHQL_URL", &format!("{}/graphql", self.fake.address))
            .env("GITHUB_REPOSITORY", "org/hello")
            .env("GITHUB_RUN_ID", run)
            .env("GITHUB_TOKEN", "ghs_sixteencharacters")
    }

    fn writes(&self) -> usize {
        ["POST /repos", "PATCH /repos", "DELETE /repos"]
            .map(|line| self.fake.count(line))
            .iter()
            .sum()
    }
}

fn merged(number: u64, branch: &str) -> Value {
    let mut pull = pull(number, 'a', REPOSITORY);
    pull["state"] = json!("closed");
    pull["merged_at"] = json!("2026-12-01T10:00:00Z");
    pull["base"]["ref"] = json!(branch);
    pull
}

#[test]
fn a_step_is_told_on_its_pull_request_and_in_one_issue_and_only_once() {
    let scene = Scene::new(1);
    let only = scene.tell("1", &["--dry-run"]).expect(0);
    assert!(only.stderr.contains("pull request 12 would be told"), "{only}");
    assert!(only.stderr.contains("the issue would be told"), "{only}");
    assert_eq!(scene.writes(), 0);

    let told = scene.tell("2", &[]).expect(0);
    assert!(told.stderr.contains("pull request 12 was told: https://"), "{told}");
    assert!(told.stderr.contains("the issue was told: https://"), "{told}");
    assert!(!told.stderr.contains("ghs_"), "{told}");
    let comments = scene.fake.state().comments.clone();
    let [comment] = comments.as_slice() else { panic!("{comments:?}") };
    assert_eq!(comment.pull, PULL);
    let issues = scene.fake.state().issues.clone();
    let [issue] = issues.as_slice() else { panic!("{issues:?}") };
    assert_eq!(issue.title, "Benchmarks changed for the worse on the default branch");
    for body in [&comment.body, &issue.body] {
        assert!(body.starts_with("<!-- bench-action v1 key=history "), "{body}");
        assert!(body.contains(&scene.commits[CULPRIT][..10]), "{body}");
        assert!(body.replace('\u{a0}', " ").contains("| **+8.3 %**"), "{body}");
        assert!(body.contains("asv/time&#95;&#60;it&#62;"), "{body}");
        // A commit's subject calls nobody and draws nothing.
        assert!(!body.contains("@octocat") && !body.contains("<img"), "{body}");
    }

    let writes = scene.writes();
    let again = scene.tell("3", &[]).expect(0);
    assert!(again.stdout.contains("No new change"), "{again}");
    assert!(again.stderr.contains("the issue is up to date"), "{again}");
    assert_eq!(scene.fake.state().comments, comments);
    assert_eq!(scene.writes(), writes + 1, "only the issue says which run looked last");
    assert_eq!(scene.fake.state().issues.len(), 1);
}

#[test]
fn what_was_acknowledged_or_brought_by_nobody_in_particular_is_not_told_on_a_pull_request() {
    let scene = Scene::new(1);
    // Into another branch first, then by a pull request of its own and by one that holds it.
    scene.came_with(CULPRIT, &[merged(3, "stable"), merged(PULL, "main"), merged(13, "main")]);
    let unclear = scene.tell("1", &[]).expect(0);
    assert!(unclear.stderr.contains("the issue was told"), "{unclear}");
    assert_eq!(scene.fake.bodies().len(), 0);
    let known = ["history", "acknowledge", "asv/time_<it>", "--commit", &scene.commits[CULPRIT]];
    let why = ["--reason", "safer parsing", "--until", "2999-01-01"];
    scene.repository.bench_action(&known).args(&why).expect(0);
    scene.tell("2", &[]).expect(0);
    let issues = scene.fake.state().issues.clone();
    let [issue] = issues.as_slice() else { panic!("{issues:?}") };
    assert!(issue.body.contains("this issue can be closed"), "{}", issue.body);
    // Closed by a person, and nothing is new: it stays closed, and no other is opened.
    scene.fake.state().issues[0].is_open = false;
    let quiet = scene.tell("3", &[]).expect(0);
    assert_eq!(scene.fake.state().issues.len(), 1, "{quiet}");
}

#[test]
fn what_is_old_wakes_nobody_on_its_pull_request() {
    let scene = Scene::new(100);
    let told = scene.tell("1", &[]).expect(0);
    assert!(told.stderr.contains("the issue was told"), "{told}");
    assert_eq!(scene.fake.bodies().len(), 0);
    assert_eq!(scene.fake.count("GET /repos/org/hello/commits"), 0);
}

#[test]
fn a_refusal_is_no_news_and_is_told_with_the_next_run() {
    let scene = Scene::new(1);
    for (arguments, line) in
        [(["--issue"], "issues: write"), (["--comment"], "pull-requests: write")]
    {
        let message = json!({ "message": "Resource not accessible by integration" });
        scene.fake.fail("POST /repos", Fault::Answer(403, message, Vec::new()));
        let refused = scene.detect("1", &arguments).expect(22);
        assert!(refused.stderr.contains(line), "{refused}");
        assert!(refused.stdout.contains("1 worse, 0 better, 1 of them new"), "{refused}");
    }
    let told = scene.tell("2", &[]).expect(0);
    assert!(told.stderr.contains("pull request 12 was told"), "{told}");
    assert!(told.stderr.contains("the issue was told"), "{told}");
    assert_eq!((scene.fake.bodies().len(), scene.fake.state().issues.len()), (1, 1));
}

#[test]
fn where_a_pull_request_is_locked_the_issue_still_tells() {
    let scene = Scene::new(1);
    scene.fake.comment(PERSON, "on another pull request");
    let message = json!({ "message": "Unable to create comment because issue is locked." });
    let begins = format!("POST /repos/org/hello/issues/{PULL}/comments");
    scene.fake.fail(&begins, Fault::Answer(403, message, Vec::new()));
    let told = scene.tell("1", &[]).expect(0);
    assert!(told.stderr.contains("locked"), "{told}");
    assert!(told.stderr.contains("the issue was told"), "{told}");
    assert_eq!(scene.fake.bodies(), ["on another pull request"]);
}
