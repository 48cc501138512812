//! The installing script by itself, from a download server on this machine, below a path with a
//! space. Times are shown and not judged.

use std::fs;
use std::io::{BufRead as _, BufReader, Write as _};
use std::net::TcpListener;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::time::Instant;
use tempfile::TempDir;

const ASSET: &str = "/v9.9.9/bench-action-x86_64-unknown-linux-musl";

/// An action that was released as 9.9.9, with this binary, on a runner.
struct Runner {
    around: TempDir,
    /// Where releases are mirrored.
    mirror: String,
    downloads: Arc<AtomicUsize>,
    sum: String,
}

/// How the script ended.
struct Installed {
    success: bool,
    said: String,
    /// `binary=…` and `sha256=…`.
    outputs: String,
}

impl Runner {
    fn new() -> Self {
        let around = TempDir::with_prefix("bench action ").unwrap();
        let binary = fs::read(env!("CARGO_BIN_EXE_bench-action")).unwrap();
        let sum =
            bench_results::file_digest(Path::new(env!("CARGO_BIN_EXE_bench-action"))).unwrap();
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("action");
        let action = around.path().join("action");
        fs::create_dir(&action).unwrap();
        for file in ["install.sh", "start.sh", "common.sh"] {
            fs::copy(root.join(file), action.join(file)).unwrap();
        }
        fs::write(action.join("VERSION"), "9.9.9\n").unwrap();
        let (mirror, downloads) = serve(binary);
        let runner = Self { around, mirror, downloads, sum };
        runner.list(&runner.sum);
        runner
    }

    /// Lists this checksum for the release.
    fn list(&self, sum: &str) {
        let text = format!("# a comment\n{sum}  {}\n", ASSET.trim_start_matches('/'));
        fs::write(self.path("action/checksums.txt"), text).unwrap();
    }

    fn path(&self, name: &str) -> PathBuf {
        self.around.path().join(name)
    }

    fn installed_binary(&self) -> PathBuf {
        self.path("tool cache/bench-action/9.9.9/X64/bench-action")
    }

    fn install(&self, inputs: &[(&str, &str)]) -> Installed {
        let output_file = self.path("output");
        let _none_before = fs::remove_file(&output_file);
        let mut script = self.bash("install.sh");
        script.env("GITHUB_OUTPUT", &output_file).env("INPUT_DOWNLOAD_BASE_URL", &self.mirror);
        script.envs(inputs.iter().copied());
        let began = Instant::now();
        let output = script.output().unwrap();
        eprintln!("install {inputs:?}: {:.2} s", began.elapsed().as_secs_f64());
        Installed {
            success: output.status.success(),
            said: String::from_utf8_lossy(&[output.stdout, output.stderr].concat()).into_owned(),
            outputs: fs::read_to_string(&output_file).unwrap_or_default(),
        }
    }

    fn bash(&self, script: &str) -> Command {
        let mut bash = Command::new("bash");
        bash.env_clear().envs(std::env::var_os("PATH").map(|path| ("PATH", path)));
        bash.envs([("RUNNER_OS", "Linux"), ("RUNNER_ARCH", "X64")]);
        bash.env("RUNNER_TOOL_CACHE", self.path("tool cache")).env("RUNNER_TEMP", self.path(""));
        bash.arg("-p").arg(self.path("action").join(script)).stdin(Stdio::null());
        bash
    }

    fn downloads(&self) -> usize {
        self.downloads.load(Ordering::SeqCst)
    }
}

/// A server of one file.
fn serve(file: Vec<u8>) -> (String, Arc<AtomicUsize>) {
    let listener = TcpListener::bind("127.0.0.1:0").unwrap();
    let address = format!("http://{}/mirror", listener.local_addr().unwrap());
    let downloads = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&downloads);
    std::thread::spawn(move || {
        for mut stream in listener.incoming().flatten() {
            let mut lines = BufReader::new(stream.try_clone().unwrap()).lines();
            let first = lines.next().and_then(Result::ok).unwrap_or_default();
            lines.map_while(Result::ok).find(String::is_empty);
            let is_there = first.split(' ').nth(1) == Some(&format!("/mirror{ASSET}"));
            let (status, body) =
                if is_there { ("200 OK", &file[..]) } else { ("404 None", &[][..]) };
            counted.fetch_add(1, Ordering::SeqCst);
            let head = format!(
                "HTTP/1.1 {status}\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
                body.len()
            );
            let _gone = stream.write_all(head.as_bytes()).and_then(|()| stream.write_all(body));
        }
    });
    (address, downloads)
}

#[test]
fn the_binary_is_downloaded_once_and_checked_each_time() {
    let runner = Runner::new();
    let first = runner.install(&[]);
    assert!(first.success, "{}", first.said);
    let expected =
        format!("binary={}\nsha256={}\n", runner.installed_binary().display(), runner.sum);
    assert_eq!(first.outputs, expected);
    let again = runner.install(&[]);
    assert!(again.said.contains("was here already"), "{}", again.said);
    assert_eq!((runner.downloads(), again.outputs), (1, expected));
    // An earlier job of the same machine could have written there.
    fs::write(runner.installed_binary(), "#!/bin/sh\n").unwrap();
    let mended = runner.install(&[]);
    assert!(mended.success && mended.said.contains("::warning"), "{}", mended.said);
    assert_eq!(runner.downloads(), 2);
}

#[test]
fn a_file_that_is_not_the_listed_one_is_not_installed() {
    let runner = Runner::new();
    runner.list(&"0".repeat(64));
    let refused = runner.install(&[]);
    assert!(!refused.success && refused.said.contains("it is not installed"), "{}", refused.said);
    assert_eq!(refused.outputs, "");
    let place = runner.path("tool cache/bench-action/9.9.9");
    assert_eq!(fs::read_dir(place.join("..")).unwrap().count(), 1);
    assert!(!place.join("X64.complete").exists() && !runner.installed_binary().exists());
    assert_eq!(fs::read_dir(place.join("X64")).unwrap().count(), 0);
}

#[test]
fn a_version_that_is_not_listed_needs_its_checksum() {
    let runner = Runner::new();
    fs::write(runner.path("action/checksums.txt"), "# none\n").unwrap();
    let refused = runner.install(&[]);
    assert!(!refused.success && refused.said.contains("`checksum`"), "{}", refused.said);
    assert_eq!(runner.downloads(), 0);
    let wrong = runner.install(&[("INPUT_CHECKSUM", "abc")]);
    assert!(!wrong.success && wrong.said.contains("64 hexadecimal digits"), "{}", wrong.said);
    let given = runner.install(&[("INPUT_CHECKSUM", &runner.sum.to_ascii_uppercase())]);
    assert!(given.success, "{}", given.said);
    let traversal = runner.install(&[("INPUT_VERSION", "../../x")]);
    assert!(!traversal.success && traversal.said.contains("is none"), "{}", traversal.said);
}

#[test]
fn a_binary_that_is_here_is_taken_as_it_is() {
    let runner = Runner::new();
    let path = env!("CARGO_BIN_EXE_bench-action");
    let taken = runner.install(&[("INPUT_BINARY_PATH", path)]);
    assert_eq!(taken.outputs, format!("binary={path}\nsha256={}\n", runner.sum));
    let zeros = "0".repeat(64);
    let inputs = [("INPUT_BINARY_PATH", path), ("INPUT_CHECKSUM", zeros.as_str())];
    assert!(!runner.install(&inputs).success);
    let absent = runner.install(&[("INPUT_BINARY_PATH", "no/such/file")]);
    assert!(!absent.success && absent.said.contains("no/such/file"), "{}", absent.said);
    assert_eq!(runner.downloads(), 0);
}

#[test]
fn another_system_and_a_server_that_lacks_it_are_named() {
    let runner = Runner::new();
    let other = runner.install(&[("RUNNER_ARCH", "RISCV")]);
    assert!(!other.success && other.said.contains("`binary-path`"), "{}", other.said);
    let absent = format!("{}/elsewhere", runner.mirror);
    let absent = runner.install(&[("INPUT_DOWNLOAD_BASE_URL", &absent)]);
    assert!(!absent.success && absent.said.contains("could not be downloaded"), "{}", absent.said);
}

#[test]
fn a_binary_that_was_replaced_between_two_steps_is_not_started() {
    let runner = Runner::new();
    runner.install(&[]);
    let start = |runner: &Runner| {
        let mut bash = runner.bash("start.sh");
        bash.arg("report").env("BENCH_ACTION_BINARY", runner.installed_binary());
        bash.env("BENCH_ACTION_SHA256", &runner.sum).env("BENCH_ACTION_FORGED", "1");
        let output = bash.env("BASH_ENV", runner.path("forged.sh")).output().unwrap();
        (output.status.success(), String::from_utf8_lossy(&output.stderr).into_owned())
    };
    fs::write(runner.path("forged.sh"), "echo forged >&2; exit 0\n").unwrap();
    let (_, said) = start(&runner);
    assert!(!said.contains("forged") && said.contains("error:"), "{said}");
    fs::write(runner.installed_binary(), "#!/bin/sh\necho forged >&2\n").unwrap();
    let (success, said) = start(&runner);
    assert!(!success && said.contains("it is not started") && !said.contains("forged\n"), "{said}");
}

#[test]
fn a_signal_reaches_what_measures_and_its_end_is_told() {
    const SCRIPT: &str = "#!/bin/sh\ntrap 'echo stopped; exit 143' TERM\necho '::error::forged'\n\
        touch \"$PLAN_OUT/ready\"\nwhile :; do sleep 0.05; done\n";
    let runner = Runner::new();
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().join("action");
    fs::copy(root.join("measure.sh"), runner.path("action/measure.sh")).unwrap();
    let (program, out) = (runner.path("program"), runner.path("out put"));
    fs::write(&program, SCRIPT).unwrap();
    fs::set_permissions(&program, fs::metadata(root.join("start.sh")).unwrap().permissions())
        .unwrap();
    let mut bash = runner.bash("measure.sh");
    bash.env("BENCH_ACTION_BINARY", &program).env("PLAN_OUT", &out);
    bash.env("BENCH_ACTION_SHA256", bench_results::file_digest(&program).unwrap());
    bash.env("GITHUB_OUTPUT", runner.path("output")).stdout(Stdio::piped());
    let measuring = bash.spawn().unwrap();
    let began = Instant::now();
    while !out.join("ready").exists() {
        assert!(began.elapsed().as_secs() < 60, "it never began");
        std::thread::sleep(std::time::Duration::from_millis(20));
    }
    let pid = nix::unistd::Pid::from_raw(i32::try_from(measuring.id()).unwrap());
    nix::sys::signal::kill(pid, nix::sys::signal::Signal::SIGTERM).unwrap();
    let output = measuring.wait_with_output().unwrap();
    assert!(output.status.success());
    assert_eq!(fs::read_to_string(runner.path("output")).unwrap(), "exit=143\n");
    let log = String::from_utf8(output.stdout).unwrap();
    let word = log.lines().next().unwrap().strip_prefix("::stop-commands::").unwrap();
    assert!(log.ends_with(&format!("stopped\n\n::{word}::\n")), "{log}");
    assert_eq!(fs::read_to_string(out.join("log.txt")).unwrap(), "::error::forged\nstopped\n");
}
