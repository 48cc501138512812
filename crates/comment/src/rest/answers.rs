//! The few fields that are read of GitHub's answers. octocrab's own models lack some of them, and
//! refuse an answer for fields that nobody here looks at.

use crate::{Artifact, Pull, Repository, Run};
use base64::Engine as _;
use base64::engine::general_purpose::STANDARD;
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct RepositoryAnswer {
    id: u64,
    default_branch: String,
}

impl From<RepositoryAnswer> for Repository {
    fn from(RepositoryAnswer { id, default_branch }: RepositoryAnswer) -> Self {
        Self { id, default_branch }
    }
}

/// A repository where only its number is looked at.
#[derive(Debug, Deserialize)]
struct IdAnswer {
    id: u64,
}

/// How a branch stands to a commit.
#[derive(Debug, Deserialize)]
pub(super) struct ComparisonAnswer {
    status: String,
}

impl ComparisonAnswer {
    /// Whether the branch has the commit, as its newest or as an earlier one.
    pub(super) fn has_it(&self) -> bool {
        matches!(self.status.as_str(), "ahead" | "identical")
    }
}

/// A file, as the API gives those of up to a mebibyte.
#[derive(Debug, Deserialize)]
pub(super) struct FileAnswer {
    encoding: String,
    content: String,
}

impl FileAnswer {
    /// Its bytes; none where they are not written as the API writes them.
    pub(super) fn bytes(&self) -> Option<Vec<u8>> {
        let digits: String = self.content.chars().filter(|c| !c.is_whitespace()).collect();
        (self.encoding == "base64").then(|| STANDARD.decode(digits).ok()).flatten()
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct CheckAnswer {
    pub(super) html_url: Option<String>,
}

#[derive(Debug, Deserialize)]
pub(super) struct CommentAnswer {
    pub(super) id: u64,
    pub(super) node_id: String,
    pub(super) html_url: String,
    /// None where the account is gone.
    pub(super) user: Option<UserAnswer>,
    /// Left out by servers that render texts themselves.
    #[serde(default)]
    pub(super) body: Option<String>,
}

#[derive(Clone, Debug, PartialEq, Eq, Deserialize)]
pub(super) struct UserAnswer {
    pub(super) id: u64,
    pub(super) login: String,
    #[serde(rename = "type")]
    pub(super) kind: String,
}

#[derive(Debug, Deserialize)]
pub(super) struct PullAnswer {
    number: u64,
    head: EndAnswer,
    base: EndAnswer,
    #[serde(default)]
    merge_commit_sha: Option<String>,
    #[serde(default)]
    merged_at: Option<String>,
}

impl PullAnswer {
    /// Its number, where it was merged into this branch.
    pub(super) fn merged_into(&self, branch: &str) -> Option<u64> {
        (self.merged_at.is_some() && self.base.branch == branch).then_some(self.number)
    }
}

/// An issue; a pull request is one too.
#[derive(Debug, Deserialize)]
pub(super) struct IssueAnswer {
    pub(super) number: u64,
    #[serde(default)]
    pub(super) pull_request: Option<serde::de::IgnoredAny>,
    #[serde(flatten)]
    pub(super) text: CommentAnswer,
}

#[derive(Debug, Deserialize)]
struct EndAnswer {
    sha: String,
    #[serde(rename = "ref")]
    branch: String,
    repo: Option<IdAnswer>,
}

impl From<PullAnswer> for Pull {
    fn from(answer: PullAnswer) -> Self {
        let PullAnswer { number, head, base, merge_commit_sha, .. } = answer;
        Self {
            number,
            head: head.sha,
            head_repository: head.repo.map(|repository| repository.id),
            // The base is the repository that was asked; 0 is nobody's.
            base_repository: base.repo.map_or(0, |repository| repository.id),
            base_branch: base.branch,
            merge_commit: merge_commit_sha,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct RunAnswer {
    id: u64,
    #[serde(default = "first_attempt")]
    run_attempt: u32,
    event: String,
    path: String,
    head_sha: String,
    head_branch: Option<String>,
    conclusion: Option<String>,
    html_url: String,
    repository: IdAnswer,
    head_repository: Option<OwnedAnswer>,
    #[serde(default)]
    actor: Option<OwnerAnswer>,
}

#[derive(Debug, Deserialize)]
struct OwnedAnswer {
    id: u64,
    owner: Option<OwnerAnswer>,
}

#[derive(Debug, Deserialize)]
struct OwnerAnswer {
    login: String,
}

fn first_attempt() -> u32 {
    1
}

impl From<RunAnswer> for Run {
    fn from(answer: RunAnswer) -> Self {
        let (head_repository, head_owner) = match answer.head_repository {
            Some(OwnedAnswer { id, owner }) => (Some(id), owner.map(|owner| owner.login)),
            None => (None, None),
        };
        Self {
            id: answer.id,
            attempt: answer.run_attempt,
            event: answer.event,
            // Some servers add `@refs/heads/…`.
            path: answer.path.split('@').next().unwrap_or_default().to_owned(),
            repository: answer.repository.id,
            head: answer.head_sha,
            head_branch: answer.head_branch,
            head_repository,
            head_owner,
            actor: answer.actor.map(|actor| actor.login),
            conclusion: answer.conclusion,
            url: answer.html_url,
        }
    }
}

#[derive(Debug, Deserialize)]
pub(super) struct ArtifactsAnswer {
    pub(super) artifacts: Vec<ArtifactAnswer>,
}

#[derive(Debug, Deserialize)]
pub(super) struct ArtifactAnswer {
    id: u64,
    name: String,
    size_in_bytes: u64,
    expired: bool,
}

impl From<ArtifactAnswer> for Artifact {
    fn from(answer: ArtifactAnswer) -> Self {
        let ArtifactAnswer { id, name, size_in_bytes: bytes, expired } = answer;
        Self { id, name, bytes, expired }
    }
}
