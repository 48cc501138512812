//! Keeps every exchange where `cargo xtask test` asks for it, which holds them against GitHub's own
//! description of its API.

use super::Exchange;
use serde_json::json;
use std::fs::OpenOptions;
use std::io::Write as _;
use std::path::Path;

/// Names a directory that exists.
const VARIABLE: &str = "BENCH_ACTION_TEST_TRAFFIC";

/// Adds a line to this process's file.
pub(super) fn keep(exchange: &Exchange) {
    let Some(directory) = std::env::var_os(VARIABLE) else { return };
    let Exchange { request, response } = exchange;
    let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
    let kind = |response: &super::Response| {
        let header = response.headers.iter().find(|(name, _)| *name == "content-type");
        header.map(|(_, value)| value.clone())
    };
    let line = json!({
        "method": request.method,
        "path": request.path,
        "query": request.query,
        "body": text(&request.body),
        "status": response.as_ref().map(|response| response.status),
        "type": response.as_ref().and_then(kind),
        "answer": response.as_ref().map(|response| text(&response.body)),
    });
    let path = Path::new(&directory).join(format!("{}.jsonl", std::process::id()));
    let mut file = OpenOptions::new().create(true).append(true).open(path).unwrap();
    // In one piece, so that lines of several threads do not mix.
    file.write_all(format!("{line}\n").as_bytes()).unwrap();
}
