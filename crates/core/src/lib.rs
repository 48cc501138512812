//! The way of a run: configuration, plan, preparation, measurement, judgement.
//!
//! The flow is one way: config → plan → prepare → measure → judge. Running tells what happens
//! through [`events`]; the progress display, the log and the journal are listeners.

pub mod absent;
pub mod assemble;
mod bays;
pub mod case;
pub mod compare;
pub mod config;
pub mod distrust;
pub mod doctor;
pub mod environments;
pub mod events;
pub mod evidence;
pub mod git;
pub mod journal;
pub mod judge;
pub mod matching;
pub mod measure;
pub mod merge;
pub mod outputs;
pub mod plan;
pub mod prepare;
pub mod record;
mod registration;
pub mod run;
pub mod seed;
pub mod shard;
pub mod sides;
pub mod skeleton;
pub mod track;
mod turn;
