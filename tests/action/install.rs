//! The installing script by itself.
