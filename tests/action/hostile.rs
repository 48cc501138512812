//! A benchmark that writes where it should not.
