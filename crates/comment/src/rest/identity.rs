//! Which comments the holder of our token wrote. A token that may write may edit anybody's comment:
//! one that merely looks like ours is left alone.

use super::answers::{CommentAnswer, UserAnswer};
use super::client::Client;
use crate::{Comment, Marker};
use http::Method;
use serde::Deserialize;
use serde_json::{Value, json};
use std::collections::HashSet;

/// Most ids of one question.
const MOST_IDS: usize = 100;

/// Who a token of GitHub Actions writes as.
const ACTIONS: &str = "github-actions[bot]";

const QUESTION: &str = "query($ids: [ID!]!) { nodes(ids: $ids) { \
    ... on IssueComment { id viewerDidAuthor } ... on Issue { id viewerDidAuthor } } }";

/// Comments, each with whether it is ours. Only those with a marker are asked about: the others
/// are never touched, whoever wrote them.
pub(super) fn with_authors(
    client: &Client,
    graphql_url: &str,
    answers: Vec<CommentAnswer>,
) -> Vec<Comment> {
    let body = |answer: &CommentAnswer| answer.body.clone().unwrap_or_default();
    let marked = || answers.iter().filter(|answer| Marker::of(&body(answer)).is_some());
    let ids: Vec<&str> = marked().map(|answer| answer.node_id.as_str()).collect();
    let ours: HashSet<u64> = match by_question(client, graphql_url, &ids) {
        Some(nodes) => {
            marked().filter(|answer| nodes.contains(&answer.node_id)).map(|a| a.id).collect()
        }
        None => {
            let us = us(client);
            let is_ours = |answer: &&CommentAnswer| {
                answer.user.as_ref().is_some_and(|user| is_us(user, us.as_ref()))
            };
            marked().filter(is_ours).map(|answer| answer.id).collect()
        }
    };
    let comment = |answer: CommentAnswer| Comment {
        by_us: ours.contains(&answer.id),
        id: answer.id,
        body: answer.body.unwrap_or_default(),
        url: answer.html_url,
    };
    answers.into_iter().map(comment).collect()
}

#[derive(Deserialize)]
struct Nodes {
    data: Data,
}

#[derive(Deserialize)]
struct Data {
    nodes: Vec<Option<Node>>,
}

#[derive(Deserialize)]
struct Node {
    id: Option<String>,
    #[serde(rename = "viewerDidAuthor", default)]
    is_ours: bool,
}

/// Those of these ids that are ours, by GraphQL: it answers for every kind of token without telling
/// names apart. None where it is not to be had.
fn by_question(client: &Client, graphql_url: &str, ids: &[&str]) -> Option<HashSet<String>> {
    let mut ours = HashSet::new();
    for some in ids.chunks(MOST_IDS) {
        let question = json!({ "query": QUESTION, "variables": { "ids": some } });
        let reply = client.query("who wrote the comments", graphql_url, &question).ok()?;
        if reply.status != 200 {
            return None;
        }
        let nodes: Nodes = serde_json::from_slice(&reply.bytes).ok()?;
        let own = nodes.data.nodes.into_iter().flatten().filter(|node| node.is_ours);
        ours.extend(own.filter_map(|node| node.id));
    }
    Some(ours)
}

/// Who we are, where the token may know. A token of GitHub Actions may not.
fn us(client: &Client) -> Option<UserAnswer> {
    let reply = client.ask("who holds the token", &Method::GET, "/user", None).ok()?;
    let value: Value = serde_json::from_slice(&reply.bytes).ok()?;
    (reply.status == 200).then(|| serde_json::from_value(value).ok()).flatten()
}

fn is_us(author: &UserAnswer, us: Option<&UserAnswer>) -> bool {
    match us {
        Some(us) => author.id == us.id,
        None => author.kind == "Bot" && author.login == ACTIONS,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn without_a_name_of_our_own_only_the_bot_of_actions_is_us() {
        let user =
            |id, login: &str, kind: &str| UserAnswer { id, login: login.into(), kind: kind.into() };
        assert!(is_us(&user(41_898_282, ACTIONS, "Bot"), None));
        assert!(!is_us(&user(7, ACTIONS, "User"), None));
        assert!(!is_us(&user(7, "other[bot]", "Bot"), None));
        let us = user(5, "someone", "User");
        assert!(is_us(&user(5, "renamed", "User"), Some(&us)));
        assert!(!is_us(&user(6, "someone", "User"), Some(&us)));
    }
}
