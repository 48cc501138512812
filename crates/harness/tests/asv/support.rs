//! What the tests of this crate share: a launcher, suites made on the spot, a site to prepare.

use bench_harness::{
    BenchmarksFrom, Discovery, EnvironmentKind, EnvironmentSettings, Harness, Ready, Reply,
    Request, RoundSeeds, Site, Subject, SuiteSettings, Worker, WorkerError,
};
use bench_process::{Interrupt, Launcher};
use bench_results::{Failure, SideName};
use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Test programs are their own launchers: this test is what a launcher runs.
pub(crate) fn launcher() -> Launcher {
    let exe = std::env::current_exe().unwrap();
    let arguments = ["launcher_of_this_program", "--exact", "--ignored", "--nocapture"];
    Launcher { exe, arguments: arguments.map(Into::into).into() }
}

/// Kept between runs: tools, wheels and environments that the tests need.
pub(crate) fn cache() -> PathBuf {
    let target = Path::new(env!("CARGO_TARGET_TMPDIR"));
    let cache = target.join("test-cache");
    fs::create_dir_all(&cache).unwrap();
    cache
}

/// A directory with a tree in it, made from (path, content).
pub(crate) fn tree(files: &[(&str, &str)]) -> tempfile::TempDir {
    let directory = tempfile::tempdir().unwrap();
    for (path, content) in files {
        let path = directory.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, content).unwrap();
    }
    directory
}

pub(crate) fn suite_settings() -> SuiteSettings {
    SuiteSettings {
        name: "asv".into(),
        harness: "asv".into(),
        directory: PathBuf::new(),
        config: None,
        benchmarks_from: BenchmarksFrom::Head,
        environment: EnvironmentKind::Own,
        arguments: Vec::new(),
        build: Vec::new(),
        commands: Vec::new(),
        run: None,
        programs: Vec::new(),
        snippet: None,
    }
}

/// Everything a site borrows.
pub(crate) struct Ground {
    pub(crate) root: PathBuf,
    pub(crate) work: tempfile::TempDir,
    pub(crate) cache: PathBuf,
    pub(crate) suite: SuiteSettings,
    pub(crate) environment: EnvironmentSettings,
    pub(crate) subject: Subject,
    pub(crate) launcher: Launcher,
    pub(crate) interrupt: Interrupt,
}

impl Ground {
    /// Head of the tree at `root`, with the suite that is there.
    pub(crate) fn new(root: &Path, subject: Subject) -> Self {
        Self {
            root: root.to_owned(),
            work: tempfile::tempdir().unwrap(),
            cache: cache(),
            suite: suite_settings(),
            environment: EnvironmentSettings { name: "default".into(), ..Default::default() },
            subject,
            launcher: launcher(),
            interrupt: Interrupt::never(),
        }
    }

    pub(crate) fn log(&self) -> PathBuf {
        self.work.path().join("log.txt")
    }

    pub(crate) fn prepare(&self) -> Result<Box<dyn Ready>, Failure> {
        let harness: &dyn Harness = bench_harness::by_name("asv").unwrap();
        let log = self.log();
        harness.prepare(&Site {
            side: SideName::Head,
            subject: &self.subject,
            suite_root: &self.root,
            suite_commit: None,
            suite: &self.suite,
            environment: &self.environment,
            cache: &self.cache,
            work: &self.work.path().join("side"),
            log: &log,
            launcher: &self.launcher,
            interrupt: &self.interrupt,
            timeout: Duration::from_secs(600),
            has_clock: false,
        })
    }

    pub(crate) fn ready(&self) -> Box<dyn Ready> {
        self.prepare().unwrap_or_else(|failure| fail(&failure))
    }

    pub(crate) fn discover(&self, ready: &dyn Ready) -> Discovery {
        ready.discover(&self.launcher, &self.interrupt).unwrap_or_else(|failure| fail(&failure))
    }

    pub(crate) fn worker(&self, ready: &dyn Ready) -> Talk {
        self.worker_of(ready, 7)
    }

    /// A worker of the round with this random seed.
    pub(crate) fn worker_of(&self, ready: &dyn Ready, random: u32) -> Talk {
        let seeds = RoundSeeds { hash: 1, random, padding: 100 };
        let worker = Worker::start(&self.launcher, &ready.worker(seeds).unwrap()).unwrap();
        Talk { worker, directory: tempfile::tempdir().unwrap() }
    }
}

fn fail(failure: &Failure) -> ! {
    panic!("{}: {}\n{}", failure.stage, failure.message, failure.stderr_tail)
}

/// The interpreter that the tests run benchmarks with.
pub(crate) fn python() -> PathBuf {
    let output = std::process::Command::new("python3")
        .args(["-c", "import sys; print(sys.executable)"])
        .output()
        .expect("these tests need python3");
    String::from_utf8(output.stdout).unwrap().trim().into()
}

/// A worker and the directory its benchmarks run in.
pub(crate) struct Talk {
    pub(crate) worker: Worker,
    pub(crate) directory: tempfile::TempDir,
}

impl Talk {
    pub(crate) fn try_ask(
        &mut self,
        request: &Request,
        seconds: f64,
    ) -> Result<Reply, WorkerError> {
        self.worker.ask(request, Duration::from_secs_f64(seconds), &Interrupt::never())
    }

    pub(crate) fn ask(&mut self, request: &Request) -> Reply {
        self.try_ask(request, 60.0).unwrap()
    }

    pub(crate) fn load(&mut self, benchmark: &str) {
        let reply = self.ask(&Request::Load { benchmarks: vec![benchmark.into()] });
        assert_eq!(reply, Reply::Ready);
    }

    pub(crate) fn output(&self) -> PathBuf {
        self.directory.path().join("output.txt")
    }

    pub(crate) fn open_request(&self, benchmark: &str, index: u64) -> bench_harness::Open {
        bench_harness::Open {
            benchmark: benchmark.into(),
            index,
            fork: true,
            core: None,
            directory: self.directory.path().to_owned(),
            cache: None,
            output: self.output(),
        }
    }

    pub(crate) fn open(&mut self, benchmark: &str, index: u64) -> Reply {
        let request = Request::Open(self.open_request(benchmark, index));
        self.ask(&request)
    }

    /// Opens what is sure to open.
    pub(crate) fn opened(&mut self, benchmark: &str, index: u64) -> u32 {
        match self.open(benchmark, index) {
            Reply::Opened(opened) => opened.pid,
            other => panic!("{benchmark}: {other:?}"),
        }
    }
}
