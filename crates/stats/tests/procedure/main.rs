//! Tests of the procedure as a whole: its numbers, its error rates, its symmetries.

mod golden;
mod noise;
mod support;
mod symmetry;
mod vectors;
