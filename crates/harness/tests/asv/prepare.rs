//! Real builds and real environments: what is made of a commit, what is kept, what goes wrong.

use crate::support::{Ground, Talk, python, tree};
use bench_harness::{
    BenchmarksFrom, CommandLine, EnvironmentKind, Facts, Measure, Ready, Reply, Request, Subject,
    ValueReading,
};
use std::fs;
use std::path::Path;

const PYPROJECT: &str = "[build-system]\nrequires = ['setuptools>=64']\nbuild-backend = \
    'setuptools.build_meta'\n[project]\nname = 'toy-lib'\nversion = '1.5'\n\
    [tool.setuptools]\npackages = ['toylib']\n";
const BROKEN: &str = "[build-system]\nrequires = []\nbuild-backend = 'no_such_backend'\n";
const BENCH: &str = "import os, toylib\ndef track_answer(): return toylib.answer\n\
    def track_variables(): return ' '.join(sorted(k for k in os.environ if k.startswith('ASV')))\n\
    def track_x(): return os.environ.get('X', 'none')\n\
    def track_threads(): return os.environ['OMP_NUM_THREADS']\n";

fn project(conf: &str) -> tempfile::TempDir {
    tree(&[
        ("pyproject.toml", PYPROJECT),
        ("toylib/__init__.py", "answer = 42\n"),
        ("asv.conf.json", conf),
        ("benchmarks/__init__.py", ""),
        ("benchmarks/b.py", BENCH),
    ])
}

/// A commit that no earlier run of the tests can have built.
fn commit(checkout: &Path) -> Subject {
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    Subject::Commit { commit: format!("{:040x}", now.as_nanos()), checkout: checkout.to_owned() }
}

fn reading(ground: &Ground, ready: &dyn Ready, benchmark: &str) -> ValueReading {
    read(ground.worker(ready), benchmark)
}

fn read(mut talk: Talk, benchmark: &str) -> ValueReading {
    talk.opened(benchmark, 0);
    let measure =
        Measure { loops: 1, fresh: false, lead_in_ns: 0, slices: 1, min_slices: 1, cpu_ns: 1 };
    match talk.ask(&Request::Measure(measure)) {
        Reply::Value(reading) => reading,
        other => panic!("{benchmark}: {other:?}"),
    }
}

fn text(ground: &Ground, ready: &dyn Ready, benchmark: &str) -> String {
    match reading(ground, ready, benchmark) {
        ValueReading::Text(text) => text,
        other => panic!("{benchmark}: {other:?}"),
    }
}

fn has(facts: &Facts, package: &str) -> bool {
    facts.packages.iter().any(|found| found == package)
}

#[test]
fn a_commit_is_built_and_installed_with_its_requirements_and_then_kept() {
    let tree = project("{version: 1, project: 'toy_lib'}");
    let mut ground = Ground::new(tree.path(), commit(tree.path()));
    ground.environment.requirements = vec!["six==1.16.0".into()];
    ground.environment.run_variables.insert("X".into(), "run".into());
    ground.environment.variables.insert("OMP_NUM_THREADS".into(), "3".into());
    let ready = ground.ready();
    let facts = ready.facts().clone();
    assert!(!facts.cached);
    assert_eq!(facts.project_version.as_deref(), Some("1.5"));
    assert!(has(&facts, "six==1.16.0") && has(&facts, "toy-lib==1.5"), "{:?}", facts.packages);
    assert_eq!(facts.artifacts.len(), 1);
    assert_eq!(facts.artifacts[0].name, "toy_lib");
    let version = facts.harness_version.unwrap();
    assert!(version.starts_with(|first: char| first.is_ascii_digit()), "{version}");
    let ones: Vec<_> = facts.variables.iter().map(|(name, value)| (&**name, &**value)).collect();
    assert_eq!(ones, [("MKL_NUM_THREADS", "1"), ("OPENBLAS_NUM_THREADS", "1")]);
    assert_eq!(facts.warnings, [""; 0]);

    assert_eq!(reading(&ground, ready.as_ref(), "b.track_answer"), ValueReading::Number(42.0));
    assert_eq!(text(&ground, ready.as_ref(), "b.track_x"), "run");
    assert_eq!(text(&ground, ready.as_ref(), "b.track_threads"), "3");
    let variables = "ASV ASV_COMMIT ASV_CONF_DIR ASV_ENV_DIR ASV_ENV_NAME ASV_ENV_TYPE ASV_PROJECT";
    assert_eq!(text(&ground, ready.as_ref(), "b.track_variables"), variables);

    let again = ground.ready();
    assert!(again.facts().cached);
    assert_eq!(Facts { cached: false, ..again.facts().clone() }.packages, facts.packages);

    // Another commit with equal sources is an identical build.
    ground.subject = commit(tree.path());
    let other = ground.ready();
    assert!(!other.facts().cached);
    assert_eq!(other.facts().artifacts, facts.artifacts);
    fs::write(tree.path().join("toylib/__init__.py"), "answer = 43\n").unwrap();
    ground.subject = commit(tree.path());
    assert_ne!(ground.ready().facts().artifacts, facts.artifacts);
}

#[test]
fn commands_run_by_asvs_rules_inside_the_environment() {
    let tree = project(
        "{version: 1, project: 'toy_lib', repo_subdir: '', build_command: [\n\
         'in-dir={build_dir} NOTE=1 python -c \"import os; open(\\'note\\', \\'w\\').write(os.environ[\\'NOTE\\'] \
         + os.environ[\\'CARGO_TARGET_DIR\\'] + os.environ[\\'ASV_BUILD_CACHE_DIR\\'])\"',\n\
         'return-code=any false',\n\
         'python -m pip wheel --no-deps --no-build-isolation -w {build_cache_dir} {build_dir}'],\n\
         install_command: 'in-dir={env_dir} python -m pip install {wheel_file} --force-reinstall',\n\
         uninstall_command: 'return-code=any python -m pip uninstall -y {project}'}",
    );
    let ground = Ground::new(tree.path(), commit(tree.path()));
    let ready = ground.ready();
    assert_eq!(reading(&ground, ready.as_ref(), "b.track_answer"), ValueReading::Number(42.0));
    assert!(has(ready.facts(), "toy-lib==1.5"));
    let note = fs::read_to_string(tree.path().join("note")).unwrap();
    assert!(note.starts_with('1') && note.contains("/wheels/"), "{note}");
    // Forced, whatever the user has set: a shared one could make head a copy of base.
    let own = ground.work.path().join("side/target");
    assert!(note.contains(own.to_str().unwrap()), "{note}");
    assert!(ground.ready().facts().cached);
}

#[test]
fn commands_of_our_own_configuration_go_before_asvs() {
    let tree = project("{version: 1, project: 'toy_lib', build_command: ['false']}");
    let mut ground = Ground::new(tree.path(), commit(tree.path()));
    let line = "python -m pip wheel --no-deps -w \"$ASV_BUILD_CACHE_DIR\" . && echo ${X:-{}}";
    ground.suite.build = vec![CommandLine::Shell(line.into())];
    assert!(has(ground.ready().facts(), "toy-lib==1.5"));
}

#[test]
fn a_build_that_fails_says_which_command_and_shows_its_end() {
    let tree = project("{version: 1}");
    fs::write(tree.path().join("pyproject.toml"), BROKEN).unwrap();
    let ground = Ground::new(tree.path(), commit(tree.path()));
    let Err(failure) = ground.prepare() else { panic!("it was built") };
    assert_eq!(failure.stage, "build");
    assert!(failure.message.contains("ended with exit code"), "{}", failure.message);
    assert!(failure.stderr_tail.contains("no_such_backend"), "{}", failure.stderr_tail);

    let tree = project("{version: 1, build_command: ['python -c \"print(6*7); exit(5)\"']}");
    let ground = Ground::new(tree.path(), commit(tree.path()));
    let Err(failure) = ground.prepare() else { panic!("it was built") };
    assert!(failure.message.ends_with("ended with exit code 5"), "{}", failure.message);
    assert_eq!(failure.stderr_tail, "42");

    let tree =
        project("{version: 1, build_command: ['true'], install_command: 'pip {wheel_file}'}");
    let ground = Ground::new(tree.path(), commit(tree.path()));
    let Err(failure) = ground.prepare() else { panic!("it was installed") };
    assert_eq!(failure.stage, "install");
    assert!(failure.message.contains("the build left no wheel"), "{}", failure.message);
}

#[test]
fn an_editable_install_is_never_taken_from_the_cache() {
    let tree = project(
        "{version: 1, build_command: [], install_command: 'python -m pip install -e {build_dir}'}",
    );
    let ground = Ground::new(tree.path(), commit(tree.path()));
    assert!(!ground.ready().facts().cached);
    fs::write(tree.path().join("toylib/__init__.py"), "answer = 44\n").unwrap();
    let ready = ground.ready();
    assert!(!ready.facts().cached);
    assert_eq!(reading(&ground, ready.as_ref(), "b.track_answer"), ValueReading::Number(44.0));
}

#[test]
fn in_the_jobs_own_environment_a_side_is_the_project_alone() {
    let tree = project("{version: 1, project: 'toy-lib', install_command: 'false'}");
    let mut ground = Ground::new(tree.path(), commit(tree.path()));
    ground.suite.environment = EnvironmentKind::Current;
    let ready = ground.ready();
    assert_eq!(reading(&ground, ready.as_ref(), "b.track_answer"), ValueReading::Number(42.0));
    assert!(has(ready.facts(), "toy-lib==1.5"));
    assert!(
        ready.facts().warnings.iter().any(|w| w.starts_with("`install_command` is not used")),
        "{:?}",
        ready.facts().warnings
    );
    assert!(ground.ready().facts().cached);
}

/// A suite without a project: there is nothing to build, and nothing that two commits could differ in.
#[test]
fn a_suite_that_installs_nothing_runs_alone_and_says_so() {
    let tree = project("{version: 1, build_command: [], install_command: []}");
    for kind in [EnvironmentKind::Current, EnvironmentKind::Own] {
        let mut ground = Ground::new(tree.path(), commit(tree.path()));
        ground.suite.environment = kind;
        let words = |ground: &Ground| ground.ready().facts().warnings.join("; ");
        assert!(words(&ground).contains("both sides run the same files"), "{}", words(&ground));
        ground.suite.benchmarks_from = BenchmarksFrom::Each;
        assert_eq!(words(&ground), "");
    }
}

/// What is worth more than most changes must cancel, and must not be the same in every round.
#[cfg(target_os = "linux")]
#[test]
fn in_a_round_the_same_lies_at_the_same_place_and_in_the_next_elsewhere() {
    const PLACES: &str = "def f(): pass\n\
        def track_function(): return id(f)\n\
        def track_large(): return id(bytearray(9000))\n\
        def track_is_fixed(): return int(open('/proc/self/personality').read(), 16) >> 18 & 1\n";
    let tree = tree(&[("asv.conf.json", "{version: 1}"), ("benchmarks/p.py", PLACES)]);
    let ground = Ground::new(tree.path(), Subject::Path { directory: tree.path().to_owned() });
    let ready = ground.ready();
    let place = |name: &str, seed: u32| read(ground.worker_of(ready.as_ref(), seed), name);
    if place("p.track_is_fixed", 1) == ValueReading::Number(0.0) {
        eprintln!("skipped: this system does not let a process fix its addresses");
        return;
    }
    for name in ["p.track_function", "p.track_large"] {
        assert_eq!(place(name, 1), place(name, 1), "{name}");
        assert_ne!(place(name, 1), place(name, 2), "{name}");
    }
}

#[test]
fn what_exists_is_used_as_it_is() {
    let tree = project("{version: 1, project: 'toy-lib', environment_type: 'conda'}");
    let subject = Subject::Path { directory: tree.path().to_owned() };
    let ground = Ground::new(tree.path(), subject);
    let ready = ground.ready();
    assert_eq!(reading(&ground, ready.as_ref(), "b.track_answer"), ValueReading::Number(42.0));
    assert!(
        !tree.path().join("toylib/__pycache__").exists(),
        "the user's directory was written to"
    );

    let ground = Ground::new(tree.path(), Subject::Python { interpreter: python() });
    let ready = ground.ready();
    let failure = ready.discover(&ground.launcher, &ground.interrupt).unwrap_err();
    assert!(failure.message.contains("No module named 'toylib'"), "{}", failure.message);
}

#[test]
fn an_environment_that_is_not_made_here_is_a_clear_word() {
    if std::env::var_os("CONDA_PREFIX").is_some() {
        eprintln!("skipped: this is a conda environment, which serves such suites");
        return;
    }
    let tree = project("{version: 1, environment_type: 'conda'}");
    let ground = Ground::new(tree.path(), commit(tree.path()));
    let Err(failure) = ground.prepare() else { panic!("it was made") };
    assert!(failure.message.contains("`environment = \"current\"`"), "{}", failure.message);

    let tree = project("{version: 1}");
    let mut ground = Ground::new(tree.path(), commit(tree.path()));
    ground.environment.python = Some("3.99".into());
    let Err(failure) = ground.prepare() else { panic!("it was made") };
    assert!(failure.message.starts_with("no Python `3.99` was found"), "{}", failure.message);
}

#[test]
fn suites_write_beside_their_own_copy_and_find_their_neighbours() {
    let tree = project("{version: 1}");
    let bench = "import os\nhere = os.path.dirname(__file__)\n\
        open(os.path.join(here, 'left'), 'w').close()\n\
        def track_data(): return open(os.path.join(here, '..', 'data', 'x')).read()\n";
    fs::write(tree.path().join("benchmarks/b.py"), bench).unwrap();
    fs::create_dir(tree.path().join("data")).unwrap();
    fs::write(tree.path().join("data/x"), "seen").unwrap();
    let ground = Ground::new(tree.path(), Subject::Python { interpreter: python() });
    let ready = ground.ready();
    assert_eq!(text(&ground, ready.as_ref(), "b.track_data"), "seen");
    assert!(!tree.path().join("benchmarks/left").exists());
    assert!(ground.work.path().join("side/suite/benchmarks/left").exists());
}
