//! A repository on GitHub as far as act needs one: a bare repository as the remote, a shallow
//! checkout of its default branch, the action as workflows refer to it, and stubs for the actions
//! that talk to services which only GitHub has.

use crate::act::{Ended, act, output};
use crate::fake::Fake;
use serde_json::Value;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use tempfile::TempDir;

/// Paths and contents.
pub(crate) type Files<'a> = &'a [(&'a str, &'a str)];

/// The project: one program, timed as a whole.
const PROJECT: Files<'static> = &[
    ("bench-action.toml", include_str!("project/bench-action.toml")),
    ("build.sh", "printf 'built\\n'\n"),
    ("work.sh", "i=0; while [ $i -lt 2000 ]; do i=$((i + 1)); done\n"),
];

/// Copies a file or directory to a place named for it, as upload-artifact would.
const UPLOAD: &str = include_str!("stubs/upload.yml");
const DOWNLOAD: &str = include_str!("stubs/download.yml");
const RESTORE: &str = include_str!("stubs/restore.yml");
const SAVE: &str = include_str!("stubs/save.yml");

/// Everything of one test. (act itself cannot run a script below a path with a space.)
pub(crate) struct Place {
    around: TempDir,
    act: &'static Path,
    pub(crate) fake: Fake,
    /// The newest commit of the default branch.
    pub(crate) base: String,
}

impl Place {
    /// With this workflow on the default branch; none where there is no act.
    pub(crate) fn new(workflow: &str) -> Option<Self> {
        let act = act()?;
        let around = TempDir::with_prefix("bench-action-").unwrap();
        let mut place = Self { around, act, fake: Fake::start(), base: String::new() };
        let remote = place.path("remotes/org/hello.git");
        git(&place.path(""), &["init", "--quiet", "--bare", "--initial-branch=main"], &remote);
        fs::create_dir_all(place.author()).unwrap();
        git(&place.author(), &["init", "--quiet", "--initial-branch=main"], Path::new("."));
        place.write(PROJECT);
        let second = include_str!("workflows/second.yml");
        for (name, text) in [("bench", workflow), ("bench-comment", second)] {
            let path = format!(".github/workflows/{name}.yml");
            place.write(&[(&path, &place.filled(text))]);
        }
        place.base = place.commit("refs/heads/main", "base");
        place.check_out();
        place.lay_out_actions();
        Some(place)
    }

    /// A path of this test.
    pub(crate) fn path(&self, name: &str) -> PathBuf {
        self.around.path().join(name)
    }

    fn author(&self) -> PathBuf {
        self.path("author")
    }

    fn work(&self) -> PathBuf {
        self.path("work")
    }

    /// The name and contents of artifacts.
    pub(crate) fn artifact(&self, name: &str) -> PathBuf {
        self.path("artifacts").join(name)
    }

    fn filled(&self, workflow: &str) -> String {
        workflow.replace("BINARY", env!("CARGO_BIN_EXE_bench-action"))
    }

    fn write(&self, files: Files<'_>) {
        for (path, contents) in files {
            let path = self.author().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, contents).unwrap();
        }
    }

    /// A shallow checkout of the default branch, as checkout makes it.
    fn check_out(&self) {
        let remote = url(&self.path("remotes/org/hello.git"));
        git(&self.path(""), &["clone", "--quiet", "--depth=1", &remote], &self.work());
        let origin = Path::new("https://github.com/org/hello.git");
        git(&self.work(), &["remote", "set-url", "origin"], origin);
    }

    /// Pushes a commit with these files to the default branch, checks it out, and says which it is.
    pub(crate) fn advance(&self, files: Files<'_>) -> String {
        self.write(files);
        let commit = self.commit("refs/heads/main", "more");
        fs::remove_dir_all(self.work()).unwrap();
        self.check_out();
        commit
    }

    /// What git says of the remote repository.
    pub(crate) fn remote(&self, arguments: &[&str], last: &str) -> String {
        git(&self.path("remotes/org/hello.git"), arguments, Path::new(last))
    }

    /// Changes a file of the checkout that workflows run in.
    pub(crate) fn set_up(&self, path: &str, contents: &str) {
        fs::write(self.work().join(path), contents).unwrap();
    }

    fn commit(&self, name: &str, message: &str) -> String {
        let author = self.author();
        git(&author, &["add", "--all"], Path::new("."));
        git(&author, &["commit", "--quiet", "--no-gpg-sign", "-m"], Path::new(message));
        let push = ["push", "--quiet", "--force", &url(&self.path("remotes/org/hello.git"))];
        git(&author, &push, Path::new(&format!("HEAD:{name}")));
        git(&author, &["rev-parse"], Path::new("HEAD"))
    }

    /// Pushes a commit with these files to pull request 7, and says which it is. The checkout that
    /// workflows run in does not have it.
    pub(crate) fn push(&self, repository: u64, files: Files<'_>) -> String {
        self.write(files);
        let head = self.commit("refs/pull/7/head", "head");
        let letter = 'a';
        let mut pull = crate::fake::pull(7, letter, repository);
        pull["head"]["sha"] = head.clone().into();
        pull["base"]["sha"] = self.base.clone().into();
        self.fake.state().pulls = vec![pull];
        head
    }

    /// The action, without what else is in its repository, and the stubs.
    fn lay_out_actions(&self) {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap();
        let own = self.path("actions/bench-action");
        fs::create_dir_all(own.join("action")).unwrap();
        fs::copy(root.join("action.yml"), own.join("action.yml")).unwrap();
        for file in fs::read_dir(root.join("action")).unwrap().flatten() {
            fs::copy(file.path(), own.join("action").join(file.file_name())).unwrap();
        }
        for (path, text) in [
            ("upload-artifact/action.yml", UPLOAD),
            ("download-artifact/action.yml", DOWNLOAD),
            ("cache/restore/action.yml", RESTORE),
            ("cache/save/action.yml", SAVE),
        ] {
            let path = self.path("actions").join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        }
    }

    /// `--local-repository` for everything that action.yml and the workflow use.
    fn local_repositories(&self) -> Vec<String> {
        let text = fs::read_to_string(self.path("actions/bench-action/action.yml")).unwrap();
        let used = text.lines().filter_map(|line| line.trim().strip_prefix("uses: actions/"));
        let mut all: Vec<String> = used
            .map(|used| {
                let (name, version) = used.split_once('@').unwrap();
                let name = name.split('/').next().unwrap();
                let version = version.split(' ').next().unwrap();
                let directory = self.path("actions").join(name);
                format!("actions/{name}@{version}={}", directory.display())
            })
            .collect();
        all.push(format!("org/bench-action@v1={}", self.path("actions/bench-action").display()));
        all.sort();
        all.dedup();
        all
    }

    /// Runs the workflows of the default branch for this event.
    pub(crate) fn run(&self, name: &str, event: &Value, run: &str) -> Ended {
        self.run_with(name, event, run, &[])
    }

    /// The same with more words for act.
    pub(crate) fn run_with(&self, name: &str, event: &Value, run: &str, more: &[&str]) -> Ended {
        let event_path = self.path("event.json");
        fs::write(&event_path, event.to_string()).unwrap();
        let home = self.path("home");
        fs::create_dir_all(&home).unwrap();
        let mut command = Command::new(self.act);
        command.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        command.env("HOME", &home).env("TMPDIR", self.around.path());
        command.current_dir(self.work()).arg(name).args(["-P", "ubuntu-latest=-self-hosted"]);
        command.arg("-e").arg(&event_path).args(["-s", "GITHUB_TOKEN=ghs_sixteencharacters"]);
        command.args(["--no-cache-server", "--pull=false"]);
        for repository in self.local_repositories() {
            command.args(["--local-repository", &repository]);
        }
        for (name, value) in [
            ("GITHUB_API_URL", self.fake.address.clone()),
            ("GITHUB_GRAPHQL_URL", format!("{}/graphql", self.fake.address)),
            ("GITHUB_RUN_ID", run.to_owned()),
            ("STUB_ARTIFACTS", self.path("artifacts").display().to_string()),
            ("STUB_CACHE", self.path("cache").display().to_string()),
            ("STUB_SUMMARY", self.path("summary.md").display().to_string()),
            ("GIT_CONFIG_COUNT", "1".to_owned()),
            ("GIT_CONFIG_KEY_0", format!("url.{}/.insteadOf", url(&self.path("remotes")))),
            ("GIT_CONFIG_VALUE_0", "https://github.com/".to_owned()),
        ] {
            command.arg("--env").arg(format!("{name}={value}"));
        }
        command.args(more);
        let output = command.stdin(Stdio::null()).output().unwrap();
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        let log = format!("{}{}", text(&output.stdout), text(&output.stderr));
        Ended { success: output.status.success(), log }
    }
}

fn url(path: &Path) -> String {
    format!("file://{}", path.display().to_string().replace(' ', "%20"))
}

/// Git with one more argument; gives what it prints.
fn git(directory: &Path, arguments: &[&str], last: &Path) -> String {
    const DATE: &str = "2026-08-01T10:00:00Z";
    let mut git = Command::new("git");
    git.args(["-c", "core.hooksPath=/dev/null"]).args(arguments).arg(last).current_dir(directory);
    git.envs([("GIT_CONFIG_NOSYSTEM", "1"), ("GIT_CONFIG_GLOBAL", "/dev/null")]);
    git.envs([("GIT_AUTHOR_NAME", "A"), ("GIT_AUTHOR_EMAIL", "a@example.invalid")]);
    git.envs([("GIT_COMMITTER_NAME", "A"), ("GIT_COMMITTER_EMAIL", "a@example.invalid")]);
    git.envs([("GIT_AUTHOR_DATE", DATE), ("GIT_COMMITTER_DATE", DATE)]);
    output(&mut git).unwrap()
}
