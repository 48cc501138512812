//! `bench-action schema`: the JSON schemas that editors and other programs can hold files against.

use crate::args::{SchemaArgs, SchemaName};
use crate::error::CliError;
use crate::exit::Exit;
use crate::terminal;
use bench_harness::{Reply, Request};
use schemars::JsonSchema;

/// A line between this program and a worker, in either direction.
#[derive(JsonSchema)]
#[schemars(untagged)]
#[expect(dead_code, reason = "describes the two kinds of line; it is never built")]
enum Line {
    /// From this program to the worker.
    Request(Request),
    /// From the worker to this program.
    Reply(Reply),
}

/// Prints one schema.
pub(crate) fn schema(args: &SchemaArgs) -> Result<Exit, CliError> {
    let schema = match args.name {
        SchemaName::Results => schemars::schema_for!(bench_results::Results).to_value(),
        SchemaName::Config => bench_core::config::schema(),
        SchemaName::Worker => schemars::schema_for!(Line).to_value(),
    };
    // A schema is a tree of plain values, which always has a text.
    let text = serde_json::to_string_pretty(&schema).unwrap_or_default();
    terminal::print(&format!("{text}\n"))?;
    Ok(Exit::Done)
}
