//! Names as people give them.
