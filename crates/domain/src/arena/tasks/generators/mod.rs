//! Generated tasks: a seed gives a task that no agent has seen, with its validator and self tests.
//!
//! **Invariant:** the same generator, version and seed give the same bytes on every platform: integers only, no hash maps,
//! no clock. A change of any task gives the generator's next version.
//! **Invariant:** nothing public reveals the seed, because an agent that knows it can generate the answer.

mod arithmetic;
mod dates;
mod draft;
mod logic_grid;
mod random;
mod rewriting;
mod sequences;
mod sorting;
mod table;

use serde_json::Value;

use self::{draft::Draft, random::Random};
use super::{
    League, Task, TaskFault,
    reading::{At, Sink, read_entry},
};
use crate::words;

words! {
    /// A generator of tasks. Its text begins the ids of its tasks.
    pub enum Generator {
        /// A chain of operations on an integer.
        ArithmeticChain = "arithmetic-chain",
        /// A question about days of the Gregorian calendar.
        Dates = "dates",
        /// The next term of a sequence of a stated kind.
        Sequence = "sequence",
        /// Four people, four days and four tools, with clues that have one solution.
        LogicGrid = "logic-grid",
        /// Rules that are applied to a text, one after another.
        Rewriting = "rewriting",
        /// Totals over the rows of a table, as JSON.
        Table = "table",
        /// Records to be sorted by several keys, as JSON.
        Sorting = "sorting",
    }
}

impl Generator {
    /// The version, which is that of its tasks.
    pub fn version(self) -> u32 {
        match self {
            Self::ArithmeticChain
            | Self::Dates
            | Self::Sequence
            | Self::LogicGrid
            | Self::Rewriting
            | Self::Table
            | Self::Sorting => 1,
        }
    }

    /// The league of its tasks.
    pub fn league(self) -> League {
        match self {
            Self::Table | Self::Sorting => League::Structured,
            _ => League::Reasoning,
        }
    }

    /// Generates a task. The seed must be random and secret. A fault is a defect of the generator; another seed may do.
    pub fn generate(self, seed: u64) -> Result<Task, Vec<TaskFault>> {
        let (entry, sink) = (self.entry(seed), Sink::default());
        let task = read_entry(&At::root(&entry, &sink));
        task.ok_or_else(|| sink.into_faults())
    }

    /// The task as a task file has it.
    fn entry(self, seed: u64) -> Value {
        let (mut random, name) = Random::of(self.as_str(), self.version(), seed);
        let draft = self.draft(&mut random);
        draft.into_entry(&format!("{self}-{name}"), self.version(), self.league(), seed)
    }

    fn draft(self, random: &mut Random) -> Draft {
        match self {
            Self::ArithmeticChain => arithmetic::draft(random),
            Self::Dates => dates::draft(random),
            Self::Sequence => sequences::draft(random),
            Self::LogicGrid => logic_grid::draft(random),
            Self::Rewriting => rewriting::draft(random),
            Self::Table => table::draft(random),
            Self::Sorting => sorting::draft(random),
        }
    }
}

#[cfg(test)]
mod tests;
