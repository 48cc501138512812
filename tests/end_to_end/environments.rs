//! One comparison in several environments, or on several machines, is one report.

use crate::support::repository::Repository;
use crate::support::results::ResultsFile;
use serde_json::Value;

const SUITE: (&str, &str) = (
    "benchmarks/knob.py",
    "import os\nfrom kernel import SIDE\n\
     def track_knob():\n    on = os.environ.get('KNOB') == '5'\n    return 5 if on and SIDE == 'head' else 3\n\
     def track_same(): return 1\n",
);

const FILE: (&str, &str) = (
    "bench-action.toml",
    "[[environment]]\nname = 'plain'\n\
     [[environment]]\nname = 'tuned'\nextends = 'plain'\nvariables = { KNOB = '5' }\n",
);

fn repository() -> Repository {
    Repository::new(&[SUITE, FILE], &[])
}

/// Verdict by comparison.
fn verdicts(results: &ResultsFile, id: &str) -> Vec<(String, String)> {
    let rows = results.rows().iter().filter(|row| row["id"] == id);
    let text = |value: &Value| value.as_str().unwrap_or_default().to_owned();
    rows.map(|row| (text(&row["comparison"]), text(&row["verdict"]))).collect()
}

fn expected(pairs: [(&str, &str); 2]) -> Vec<(String, String)> {
    pairs.map(|(place, verdict)| (place.to_owned(), verdict.to_owned())).to_vec()
}

#[test]
fn all_environments_are_run_and_a_change_in_only_one_shows() {
    let repository = repository();
    let finished = repository.run(&["--environment", "all", "--repeat", "14"]).expect(0);
    let results = ResultsFile::read(&repository.last());
    let found = verdicts(&results, "asv/knob.track_knob");
    assert_eq!(found, expected([("plain", "unchanged"), ("tuned", "regressed")]), "{finished}");
    // K is that of all environments together.
    let judged = results.rows().iter().filter(|row| !row["verdict"].is_null()).count();
    assert_eq!(results.0["plan"]["family_size"], judged, "{finished}");
    let sides = results.0["sides"].as_array().unwrap();
    let sides: Vec<_> = sides.iter().map(|it| (&it["id"], &it["environment"])).collect();
    assert_eq!(sides[2], (&"base in tuned".into(), &"tuned".into()));
    let markdown = std::fs::read_to_string(repository.last().join("report.md")).unwrap();
    for words in ["Across environments", "only in `tuned`", "#### plain: No change", "#### tuned: "]
    {
        assert!(markdown.contains(words), "{words} in {markdown}");
        let plain = words.replace(['#', '`'], "");
        assert!(finished.stdout.contains(plain.trim()), "{words} in {finished}");
    }
    for format in ["html", "csv", "json", "markdown"] {
        let again = repository.bench_action(&["render", "--format", format]).expect(0);
        assert!(again.stdout.contains("tuned"), "{format}: {again}");
    }
    repository.bench_action(&["render", "--verify"]).expect(0);
    let file = repository.last().join("results.json");
    let file = file.to_str().unwrap();
    let judged = repository.bench_action(&["compare", file, file]).expect(0);
    assert!(judged.stdout.contains("only in tuned"), "{judged}");
}

#[test]
fn an_environment_that_is_nowhere_is_a_mistake() {
    let repository = repository();
    let finished = repository.run(&["--dry-run", "--environment", "tuend"]).expect(2);
    assert!(finished.stderr.contains("did you mean `tuned`"), "{finished}");
    let plan = repository.run(&["--dry-run", "--environment", "tuned"]).expect(0);
    assert!(plan.stdout.contains("environment tuned"), "{plan}");
    assert!(!plan.stdout.contains("environment plain"), "{plan}");
}

#[test]
fn several_machines_are_one_report_with_what_they_disagree_on() {
    let repository = repository();
    for (machine, environment) in [("laptop", "plain"), ("server", "tuned")] {
        let out = repository.beside(machine);
        let arguments = ["--repeat", "14", "--environment", environment, "--out"];
        repository.run(&arguments).arg(&out).expect(0);
    }
    let named = |name: &str| format!("--machine={name}={}", repository.beside(name).display());
    let out = repository.beside("both");
    let merge = ["merge", &named("laptop"), &named("server"), "--out", out.to_str().unwrap()];
    let finished = repository.bench_action(&merge).expect(0);
    for words in
        ["Across machines: they disagree", "only in server", "at most 10", "laptop, server"]
    {
        let text = finished.stdout.replace('\u{a0}', " ");
        assert!(text.contains(words), "{words} in {finished}");
    }
    let results = ResultsFile::read(&out);
    let found = verdicts(&results, "asv/knob.track_knob");
    assert_eq!(found, expected([("laptop", "unchanged"), ("server", "regressed")]), "{finished}");
    let slices = bench_results::read_samples(&out.join("samples.jsonl.gz")).unwrap();
    assert!(slices.iter().all(|it| ["laptop", "server"].contains(&it.comparison.as_str())));
    let file = out.join("results.json");
    repository.bench_action(&["render", "--verify", file.to_str().unwrap()]).expect(0);
    let alone = repository.bench_action(&["merge", &named("laptop")]).expect(2);
    assert!(alone.stderr.contains("name those of two at least"), "{alone}");
}
