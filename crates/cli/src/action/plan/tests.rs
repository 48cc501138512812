//! Every kind of event with every mode that matters.

use super::*;
use crate::action::inputs::tests::inputs;
use crate::action::occasion::tests::pull_request;
use serde_json::{Value, json};

fn plan_of(name: &str, event: &Value, given: &[(&str, &str)]) -> Plan {
    decide(&Occasion::new(name, event).unwrap(), &inputs(given).unwrap())
}

fn measured(plan: Plan) -> Measure {
    match plan {
        Plan::Measure(measure) => measure,
        other => panic!("not measured: {other:?}"),
    }
}

fn nothing(plan: Plan) -> String {
    match plan {
        Plan::Nothing(why) => why,
        other => panic!("something: {other:?}"),
    }
}

fn push(branch: &str) -> Value {
    json!({ "ref": format!("refs/heads/{branch}"), "repository": { "default_branch": "main" } })
}

fn comment(text: &str) -> Value {
    json!({
        "action": "created",
        "issue": { "number": 7, "state": "open", "pull_request": { "url": "x" } },
        "comment": { "body": text, "user": { "login": "somebody" } },
    })
}

fn pull(head_repository: Option<u64>) -> Pull {
    Pull {
        number: 7,
        head: "a".repeat(40),
        head_repository,
        base_repository: 1,
        base_branch: "stable".into(),
        merge_commit: None,
    }
}

#[test]
fn a_pull_request_of_the_repository_is_measured_and_told_in_its_comment() {
    let measure = measured(plan_of("pull_request", &pull_request(Some(1)), &[]));
    assert_eq!(measure.telling, Telling::Comment(7));
    assert_eq!((measure.base, measure.head), (None, None));
}

#[test]
fn a_shard_is_no_comment_by_itself() {
    let measure = measured(plan_of("pull_request", &pull_request(Some(1)), &[("shard", "1/2")]));
    assert_eq!(measure.telling, Telling::Nowhere);
}

#[test]
fn one_of_a_fork_or_by_dependabot_is_measured_and_told_elsewhere() {
    let fork = measured(plan_of("pull_request", &pull_request(Some(9)), &[]));
    assert_eq!(fork.telling, Telling::Elsewhere(Source::Fork));
    let mut event = pull_request(Some(1));
    event["sender"]["login"] = json!("dependabot[bot]");
    let measure = measured(plan_of("pull_request", &event, &[]));
    assert_eq!(measure.telling, Telling::Elsewhere(Source::Dependabot));
    nothing(plan_of("pull_request", &event, &[("mode", "report")]));
}

#[test]
fn a_draft_and_a_closed_pull_request_are_skipped() {
    let mut draft = pull_request(Some(1));
    draft["pull_request"]["draft"] = json!(true);
    assert!(nothing(plan_of("pull_request", &draft, &[])).contains("draft"));
    let mut closed = pull_request(Some(1));
    closed["action"] = json!("closed");
    assert!(nothing(plan_of("pull_request", &closed, &[])).contains("closed"));
}

#[test]
fn a_second_job_reports_on_the_run_it_is_in() {
    let plan = plan_of("pull_request", &pull_request(Some(1)), &[("mode", "report")]);
    assert_eq!(plan, Plan::Report { run: None, pull: Some(7) });
}

#[test]
fn code_of_a_pull_request_never_meets_a_token_that_writes() {
    let plan = plan_of("pull_request_target", &pull_request(Some(9)), &[]);
    assert!(matches!(plan, Plan::Refuse(why) if why.contains("workflow_run")));
    let ended = json!({ "workflow_run": { "id": 99 } });
    for mode in ["run", "report", "warm"] {
        let plan = plan_of("workflow_run", &ended, &[("mode", mode)]);
        assert_eq!(plan, Plan::Report { run: Some(99), pull: None });
    }
}

#[test]
fn a_push_to_the_default_branch_warms_the_cache_and_any_other_is_measured() {
    assert_eq!(plan_of("push", &push("main"), &[]), Plan::Warm);
    assert_eq!(plan_of("push", &push("main"), &[("mode", "warm")]), Plan::Warm);
    let compared = measured(plan_of("push", &push("main"), &[("base", "HEAD~1")]));
    assert_eq!(compared.base.as_deref(), Some("HEAD~1"));
    let other = measured(plan_of("push", &push("feature"), &[]));
    assert_eq!((other.base, other.telling), (None, Telling::Nowhere));
    nothing(plan_of("push", &push("feature"), &[("mode", "warm")]));
}

#[test]
fn a_merge_queue_is_answered_at_once_unless_it_is_asked_to_measure() {
    assert!(nothing(plan_of("merge_group", &json!({}), &[])).contains("merge queue"));
    measured(plan_of("merge_group", &json!({}), &[("base", "origin/main")]));
}

#[test]
fn a_schedule_compares_with_the_commit_before() {
    let measure = measured(plan_of("schedule", &json!({}), &[]));
    assert_eq!(measure.base.as_deref(), Some("HEAD~1"));
    let measure = measured(plan_of("schedule", &json!({}), &[("base", "v1")]));
    assert_eq!(measure.base.as_deref(), Some("v1"));
}

#[test]
fn a_dispatch_without_a_number_measures_the_branch_it_was_started_on() {
    let measure = measured(plan_of("workflow_dispatch", &json!({}), &[("filter", "x")]));
    assert_eq!(measure.telling, Telling::Nowhere);
}

#[test]
fn a_dispatch_with_a_number_asks_about_that_pull_request_first() {
    let given = [("pr", "7"), ("base", "v1")];
    let Plan::Ask(ask) = plan_of("workflow_dispatch", &json!({}), &given) else {
        panic!("does not ask");
    };
    assert_eq!((ask.pull, &ask.by), (7, &None));
    let inputs = inputs(&given).unwrap();
    let measure = measured(asked(&ask, &pull(Some(1)), None, &inputs));
    assert_eq!(measure.head, Some("a".repeat(40)));
    assert_eq!(measure.base.as_deref(), Some("v1"));
    assert_eq!(measure.base_branch.as_deref(), Some("stable"));
    assert_eq!(measure.telling, Telling::Comment(7));
}

#[test]
fn a_forks_pull_request_is_run_again_and_never_here() {
    let ask = Ask { pull: 7, by: None, mode: Mode::Run };
    for gone in [Some(9), None] {
        let plan = asked(&ask, &pull(gone), None, &inputs(&[]).unwrap());
        assert!(matches!(plan, Plan::Again(Again { pull: 7, .. })), "{plan:?}");
    }
    let report = Ask { mode: Mode::Report, ..ask };
    nothing(asked(&report, &pull(Some(9)), None, &inputs(&[]).unwrap()));
    let plan = asked(&report, &pull(Some(1)), None, &inputs(&[]).unwrap());
    assert_eq!(plan, Plan::Report { run: None, pull: Some(7) });
}

#[test]
fn a_comment_asks_where_it_is_the_command_and_nothing_else() {
    for text in ["/bench", " /bench \r\n"] {
        let plan = plan_of("issue_comment", &comment(text), &[]);
        assert!(matches!(plan, Plan::Ask(Ask { pull: 7, .. })), "{text:?}");
    }
    for text in ["/bench now", "please /bench", "/benchmark", "> /bench", ""] {
        nothing(plan_of("issue_comment", &comment(text), &[]));
    }
}

#[test]
fn only_who_may_write_starts_a_measurement_by_a_comment() {
    let ask = Ask { pull: 7, by: Some("somebody".into()), mode: Mode::Run };
    let with = |permission| asked(&ask, &pull(Some(1)), permission, &inputs(&[]).unwrap());
    measured(with(Some(Permission::Write)));
    measured(with(Some(Permission::Admin)));
    for permission in [Some(Permission::Read), Some(Permission::None), None] {
        assert!(nothing(with(permission)).contains("somebody may not"));
    }
}

#[test]
fn a_history_has_a_reference_and_is_recorded_where_the_default_branch_was_measured() {
    let history = [("mode", "history"), ("base", "v1")];
    let record = [("mode", "record")];
    for (name, event) in [("push", push("main")), ("schedule", json!({}))] {
        let plan = plan_of(name, &event, &history[..1]);
        assert!(matches!(plan, Plan::Refuse(why) if why.contains("pinned reference")));
        assert_eq!(measured(plan_of(name, &event, &history)).base.as_deref(), Some("v1"));
        assert_eq!(plan_of(name, &event, &record), Plan::Record);
    }
    for mode in [&history[..], &record] {
        nothing(plan_of("push", &push("topic"), mode));
        nothing(plan_of("pull_request", &pull_request(Some(1)), mode));
        let ended = json!({ "workflow_run": { "id": 99 } });
        assert!(matches!(plan_of("workflow_run", &ended, mode), Plan::Refuse(_)));
    }
}
