//! What a person is told to add to a workflow.

use super::occasion::Source;

/// Where nothing is checked out.
pub(crate) const NO_CHECKOUT: &str =
    "there is no git repository in the workspace: add before this step
      - uses: actions/checkout@v7
        with:
          persist-credentials: false";

/// Where the checkout has left its token.
pub(crate) const PERSISTED: &str = "the checkout has left its token where builds and benchmarks can \
read it: set `persist-credentials: false` at actions/checkout; this action fetches what it needs by \
itself, with its `token` input, before anything is built";

/// Where a fetch with the token failed.
pub(crate) const NOT_FETCHED: &str = "what is compared could not all be fetched, the log above this \
says why; the step that measures has no token and goes on with what is there";

/// Where nothing is known of the event.
pub(crate) fn unknown_event(name: &str) -> String {
    let event = match name {
        "" => "GITHUB_EVENT_NAME is not set".to_owned(),
        name => format!("the event `{name}` is not one of those in docs/action.md"),
    };
    format!("{event}: what is checked out is measured, and no comment is written")
}

/// The second workflow, which reports what a run of a fork has measured.
const SECOND_WORKFLOW: &str = "```yaml
name: bench-comment
on:
  workflow_run:
    workflows: [bench] # the name of the workflow that measures
    types: [completed]
permissions: {}
jobs:
  report:
    runs-on: ubuntu-24.04
    permissions:
      actions: read # to download the measuring run's results
      contents: read # to read the default branch's settings
      pull-requests: write # to create or edit the one comment
    steps:
      - uses: org/bench-action@v1
        with:
          mode: report
          run-id: ${{ github.event.workflow_run.id }}
```";

/// Why a job of a pull request cannot comment.
pub(crate) fn whose(source: Source) -> &'static str {
    match source {
        Source::Own => "the token of this job only reads",
        Source::Fork => "the pull request is from a fork, so the token of this job only reads",
        Source::Dependabot => "the push is Dependabot's, so the token of this job only reads",
    }
}

/// For the log and the annotation.
pub(crate) fn elsewhere(source: Source) -> String {
    format!(
        "{}: the report is in the job summary and in the artifacts. A second workflow, on `workflow_run`, \
         puts it into a comment; the job summary shows it",
        whose(source)
    )
}

/// For the job summary.
pub(crate) fn second_workflow(source: Source) -> String {
    format!(
        "<details><summary>How this gets into a comment on the pull request</summary>\n\n\
         Here {}. On the default branch, `.github/workflows/bench-comment.yml` posts it (where it is \
         there already, nothing has to be done):\n\n{SECOND_WORKFLOW}\n\n</details>",
        whose(source)
    )
}
