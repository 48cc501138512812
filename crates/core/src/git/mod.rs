//! The repository, through the git executable.
