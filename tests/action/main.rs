//! The action as a workflow runs it.
