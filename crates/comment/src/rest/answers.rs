//! The few fields that are read of GitHub's answers. octocrab's own models lack some of them, and
//! refuse an answer for fields that nobody here looks at.

use crate::{Artifact, Pull, Run};
use serde::Deserialize;

#[derive(Debug, Deserialize)]
pub(super) struct RepositoryAnswer {
    pub(super) id: u64,
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
}

#[derive(Debug, Deserialize)]
struct EndAnswer {
    sha: String,
    #[serde(rename = "ref")]
    branch: String,
    repo: Option<RepositoryAnswer>,
}

impl From<PullAnswer> for Pull {
    fn from(answer: PullAnswer) -> Self {
        let PullAnswer { number, head, base, merge_commit_sha } = answer;
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
    repository: RepositoryAnswer,
    head_repository: Option<OwnedAnswer>,
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
