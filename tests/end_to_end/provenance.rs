//! Nothing in any file says whose machine it was, or any secret of it.

use crate::support::repository::Repository;
use crate::support::run::{Finished, Run};
use std::fs;
use std::io::Read as _;
use std::path::Path;

/// What must be in no file. Home, user and host stand in paths and in what programs print.
const SECRETS: [(&str, &str); 9] = [
    ("USER", "hostile-person"),
    ("LOGNAME", "hostile-person"),
    ("HOSTNAME", "hostile-castle"),
    ("GITHUB_TOKEN", "ghs_hostile0123456789"),
    ("ACTIONS_RUNTIME_TOKEN", "hostile-runtime-0123"),
    ("ACTIONS_CACHE_URL", "https://cache.example/hostile-cache/"),
    ("DEPLOY_SECRET", "hostile-secret"),
    ("NPM_AUTH", "hostile-npm-auth"),
    ("PIP_INDEX_URL", "https://person:hostile-password@mirror.example/simple"),
];

/// Everything that a program can see is printed, raised and warned of.
const SUITE: &str = "\
import os, socket, sys
import built
def told():
    return ' '.join(sorted(os.environ.values())) + ' ' + socket.gethostname() + ' ' + __file__
print(told(), file=sys.stderr)
def track_it(): return built.VALUE
def time_broken(): raise RuntimeError(told())
def setup_fails(): print(told(), file=sys.stderr); sys.exit(3)
def time_exits(): pass
time_exits.setup = setup_fails
def time_skipped(): pass
def skip(): raise NotImplementedError(told())
time_skipped.setup = skip
";

fn place() -> (Repository, String) {
    let place = Repository::empty();
    let home = place.beside("homes/hostile-person");
    for (side, value) in [("old", "3"), ("new", "5")] {
        let directory = home.join("hostile-castle").join(side);
        fs::create_dir_all(&directory).unwrap();
        fs::write(directory.join("built.py"), format!("VALUE = {value}\n")).unwrap();
    }
    place.write(&[
        ("asv.conf.json", include_str!("support/project/asv.conf.json")),
        ("benchmarks/__init__.py", ""),
        ("benchmarks/suite.py", SUITE),
    ]);
    (place, home.display().to_string())
}

fn hostile(run: Run, home: &str) -> Run {
    SECRETS.into_iter().fold(run.env("HOME", home), |run, (name, value)| run.env(name, value))
}

/// The words that must be nowhere; the host's real name where it is one.
fn words(home: &str) -> Vec<String> {
    let password = "hostile-password".to_owned();
    let host = fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = Some(host.trim().to_owned()).filter(|it| it.len() > 5 && it != "localhost");
    let secrets = SECRETS.iter().map(|(_, value)| (*value).to_owned());
    secrets.chain([password, home.to_owned()]).chain(host).collect()
}

fn assert_clean(name: &str, text: &str, home: &str) {
    for word in words(home) {
        let found = text.find(&word);
        let around = |at: usize| {
            let start = text.floor_char_boundary(at.saturating_sub(200));
            text[start..text.ceil_char_boundary(at + 100)].to_owned()
        };
        assert!(found.is_none(), "{word} in {name}: …{}…", found.map(around).unwrap_or_default());
    }
}

fn text_of(path: &Path) -> String {
    let bytes = fs::read(path).unwrap();
    if path.extension().is_some_and(|extension| extension == "gz") {
        let mut text = String::new();
        flate2::read::MultiGzDecoder::new(&*bytes).read_to_string(&mut text).unwrap();
        return text;
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

fn assert_all_clean(finished: &Finished, out: &Path, home: &str) {
    assert_clean("standard output", &finished.stdout, home);
    let mut seen = Vec::new();
    for entry in fs::read_dir(out).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        assert_clean(&name, &text_of(&path), home);
        seen.push(name);
    }
    for name in ["results.json", "report.md", "report.html", "journal.jsonl", "samples.jsonl.gz"] {
        assert!(seen.iter().any(|seen| seen == name), "{name} among {seen:?}");
    }
}

#[test]
fn no_file_of_a_run_says_whose_machine_it_was_or_any_secret() {
    let (place, home) = place();
    let side = |side: &str| format!("{home}/hostile-castle/{side}");
    let (old, new) = (side("old"), side("new"));
    let arguments = ["run", "--base-path", &old, "--head-path", &new, "--repeat", "2", "--all"];
    let run = place.bench_action(&arguments).arg("--head-var=API_KEY=hostile-secret");
    let finished = hostile(run, &home).finish();

    assert_all_clean(&finished, &place.last(), &home);
    let results = fs::read_to_string(place.last().join("results.json")).unwrap();
    assert!(results.contains("~/[host]/old"), "{results}");
    assert!(results.contains("RuntimeError"), "the failure itself is told: {results}");
    for format in ["csv", "json", "markdown", "html", "terminal"] {
        let again = place.bench_action(&["render", "--format", format]);
        assert_clean(format, &hostile(again, &home).expect(0).stdout, &home);
    }
}

#[test]
fn files_that_are_compared_are_named_without_the_directory_of_their_owner() {
    let (place, home) = place();
    let file = r#"{"schema": "bench-action/simple/v1", "benchmarks": [{"name": "a", "launches": [[1.0], [2.0]]}]}"#;
    let path = format!("{home}/hostile-castle/times.json");
    fs::write(&path, file).unwrap();
    let arguments = ["compare", &path, &path, "--format", "json"];
    let finished = hostile(place.bench_action(&arguments), &home).expect(0);
    assert_clean("the comparison", &finished.stdout, &home);
    assert!(finished.stdout.contains("~/[host]/times.json"), "{finished}");
}
