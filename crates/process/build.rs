//! Compiles the clock that is preloaded into measured programs (`clock/clock.rs`), where the target
//! has a use for it. The file is empty where it could not be built: the program then does without.

use std::path::{Path, PathBuf};
use std::process::Command;

const SOURCE: &str = "clock/clock.rs";

fn main() {
    println!("cargo::rerun-if-changed={SOURCE}");
    let out = variable("OUT_DIR").map_or_else(|| PathBuf::from("."), PathBuf::from);
    let library = out.join("clock.so");
    let built = has_a_use() && compile(&library);
    if !built && let Err(error) = std::fs::write(&library, []) {
        println!("cargo::error={}: {error}", library.display());
    }
}

/// Preloading is for Linux; the source knows the system calls of two processors.
fn has_a_use() -> bool {
    let is = |name: &str, values: &[&str]| {
        variable(name).is_some_and(|value| values.contains(&value.as_str()))
    };
    is("CARGO_CFG_TARGET_OS", &["linux"]) && is("CARGO_CFG_TARGET_ARCH", &["x86_64", "aarch64"])
}

fn compile(library: &Path) -> bool {
    let (Some(rustc), Some(target)) = (variable("RUSTC"), variable("TARGET")) else { return false };
    let mut command = Command::new(rustc);
    command
        .args(["--edition=2024", "--crate-name=clock", "--crate-type=cdylib"])
        .args(["-Copt-level=3", "-Cpanic=abort", "-Cstrip=symbols"])
        // No C library: one file for glibc and musl alike, whatever this program is linked with.
        .args(["-Ctarget-feature=-crt-static", "-Clink-args=-nostdlib -nostartfiles"])
        .args(["--target", &target, SOURCE, "-o"])
        .arg(library);
    if let Some(linker) = variable("RUSTC_LINKER") {
        command.arg(format!("-Clinker={linker}"));
    }
    match command.output() {
        Ok(output) if output.status.success() => true,
        Ok(output) => {
            let said = String::from_utf8_lossy(&output.stderr);
            let said = said.lines().find(|line| line.contains("error")).unwrap_or("").to_owned();
            println!("cargo::warning=the preloaded CPU clock was not built: {said}");
            false
        }
        Err(error) => {
            println!("cargo::warning=the preloaded CPU clock was not built: {error}");
            false
        }
    }
}

fn variable(name: &str) -> Option<String> {
    std::env::var(name).ok()
}
