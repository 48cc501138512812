//! What to do where a job's token only reads.

use super::Desk;
use crate::terminal::plain;

/// The second workflow, which reports what the first has measured.
pub(super) fn second_workflow(whose: &str, desk: &Desk) -> String {
    let workflow = plain(desk.reporter.workflow.as_deref().unwrap_or("the name of this workflow"));
    format!(
        "the pull request is {whose}, so this job's token only reads and no comment was written. A second \
         workflow has one that writes; put it on the default branch, for instance as \
         .github/workflows/bench-comment.yml:
  on:
    workflow_run:
      workflows: [{workflow:?}]
      types: [completed]
  permissions: {{}}
  jobs:
    comment:
      if: github.event.workflow_run.event == 'pull_request'
      runs-on: ubuntu-24.04
      permissions:
        actions: read # to download what was measured
        contents: read # to read bench-action.toml on the default branch
        pull-requests: write # to create or edit the one comment
      steps:
        - uses: org/bench-action@v1
          with:
            mode: report
            run-id: ${{{{ github.event.workflow_run.id }}}}"
    )
}
