//! The whole pipeline from planned cases to a judged file, thousands of times, without a process:
//! a virtual clock, scripted noise and scripted failures stand for the machine.

mod bench;
mod noise;
mod run;
mod world;

mod bound;
mod budget;
mod distrusted;
mod faults;
mod judged;
mod large;
mod machines;
mod registered;
mod repeat;
mod shards;
