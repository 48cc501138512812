//! Where results come from: sides, environments, harnesses and machines.

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// The two sides of a comparison.
#[derive(
    Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, JsonSchema,
)]
#[serde(rename_all = "kebab-case")]
pub enum SideName {
    /// What head is compared with.
    Base,
    /// What is being judged.
    Head,
}

impl SideName {
    /// Both, base first.
    pub const BOTH: [Self; 2] = [Self::Base, Self::Head];

    /// `base` or `head`.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Base => "base",
            Self::Head => "head",
        }
    }

    /// The opposite side.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::Base => Self::Head,
            Self::Head => Self::Base,
        }
    }

    /// 0 for base, 1 for head.
    #[must_use]
    pub fn index(self) -> usize {
        self as usize
    }
}

impl std::fmt::Display for SideName {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.pad(self.word())
    }
}

/// How a side came to be.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
#[serde(rename_all = "kebab-case")]
pub enum SideKind {
    /// Built from a commit.
    Built,
    /// A build that existed before.
    Existing,
    /// Built from the working tree as it is.
    Worktree,
    /// No build at all: a file that a harness wrote.
    File,
}

/// One side: a revision in an environment.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct SideInfo {
    /// Unique in the file.
    pub id: String,
    /// What a person calls it: a branch, a commit's first line, a path.
    pub label: String,
    /// What was asked for: `merge-base`, a branch, a path.
    pub revision: String,
    /// The commit id; of an existing build the one that it says it was made from, if it does.
    pub commit: Option<String>,
    /// First line of the commit's message.
    #[serde(default)]
    pub subject: Option<String>,
    /// The project's own version as built, where it has one.
    #[serde(default)]
    pub version: Option<String>,
    /// Whether it has changes that are in no commit.
    pub dirty: bool,
    /// SHA-256 of those changes; null when clean.
    pub diff_digest: Option<String>,
    /// The `environments[].name` it was built and run in.
    pub environment: String,
    /// How it came to be.
    pub kind: SideKind,
    /// What was built.
    pub artifacts: Vec<Artifact>,
    /// What its libraries tell of themselves (BLAS, instruction sets), by name.
    #[serde(default, skip_serializing_if = "BTreeMap::is_empty")]
    pub details: BTreeMap<String, String>,
    /// Seconds spent preparing it.
    #[serde(default)]
    pub prepare_s: f64,
    /// Whether its build came from the cache.
    #[serde(default)]
    pub cached: bool,
}

/// Something a side's build made.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct Artifact {
    /// File name, or the name of what it stands for.
    pub name: String,
    /// SHA-256 of what matters in it, hexadecimal.
    pub sha256: String,
}

/// Named settings a side is built and run in.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct EnvironmentInfo {
    /// Unique in the file.
    pub name: String,
    /// The interpreter's version, where there is one.
    pub python: Option<String>,
    /// Packages and versions present, `name==version`.
    pub packages: Vec<String>,
    /// Variables set for the benchmarks, secrets replaced.
    pub variables: BTreeMap<String, String>,
}

/// A harness as it was used.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, JsonSchema)]
pub struct HarnessInfo {
    /// `asv`, `command`, …
    pub name: String,
    /// Its version, where it has one (for asv: of `asv_runner`).
    pub version: Option<String>,
    /// The commit, or digest, of the benchmark code both sides ran.
    pub suite_commit: Option<String>,
}

/// The machine a row was measured on. What could not be read is null.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, JsonSchema)]
pub struct MachineInfo {
    /// Digest of the facts that identify this kind of machine; in the results of a merge followed
    /// by `-` and the number of the shard or the name of the machine.
    pub id: String,
    /// What a person calls it, in results of several machines.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub name: Option<String>,
    /// Processor model.
    pub cpu: Option<String>,
    /// Logical cores this process may use.
    pub cores: u32,
    /// Memory in bytes.
    pub memory: Option<u64>,
    /// Operating system, with version.
    pub os: String,
    /// Kernel release.
    pub kernel: Option<String>,
    /// Hypervisor or container, where one shows itself.
    pub virtualization: Option<String>,
    /// Frequency governor.
    pub governor: Option<String>,
    /// Whether the processor may raise its clock.
    pub turbo: Option<bool>,
    /// One-minute load average at the start.
    pub load: Option<f64>,
    /// Limits of the control group, as text.
    pub limits: Vec<String>,
    /// The CI runner's name and image, where there is one.
    pub runner: Option<String>,
}

/// Whether a text is the full id of a commit, as git writes it: 40 or 64 lower-case hexadecimal digits.
#[must_use]
pub fn is_commit(text: &str) -> bool {
    matches!(text.len(), 40 | 64) && is_revision(text)
}

/// Whether a text is the beginning of a commit's id, of 7 digits or more, or all of it.
#[must_use]
pub fn is_revision(text: &str) -> bool {
    let is_digit = |byte: u8| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte);
    (7..=64).contains(&text.len()) && text.bytes().all(is_digit)
}
