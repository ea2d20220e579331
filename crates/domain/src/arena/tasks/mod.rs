//! Tasks of the arena: the public part that agents see, the hidden part that judges their answers, and the bank.
//!
//! **Invariant:** the hidden part of a task has no serialisation, and its `Debug` form shows nothing of it.
//! **Invariant:** every [`Task`] has passed its own self tests: each answer that it accepts scores 1, and each that it
//! rejects 0. (Answers in Python need the sandbox.)
//! **Invariant:** judging is a function of task and answer, and its work is bounded by [`ANSWER_BYTES_MAX`].

mod answer;
mod bank;
mod generators;
mod hash;
mod league;
mod motion;
mod public;
mod reading;
mod task;
mod task_id;
mod validators;
mod verdict;

pub use answer::Answer;
pub use bank::{BUNDLED, Bank, TaskFile, TaskRepeated};
pub use generators::Generator;
pub use hash::TaskHash;
pub use league::{AnswerFormat, InputFormat, League};
pub use motion::{ARGUMENT_BYTES_MAX, BALLOT_OPTIONS, Motion, Rubric, Side};
pub use public::{AapTask, EvalDuelTask, PublicTask, PublishedTask, TaskLimits};
pub use reading::{Problem, TaskFault, read_tasks};
pub use task::Task;
pub use task_id::{InvalidTaskId, TaskId};
pub use validators::{PythonCase, PythonTests};
pub use verdict::{Reason, Score, Verdict};

/// The maximum number of bytes of an answer: the upper bound of each task's own limit.
pub const ANSWER_BYTES_MAX: usize = 64 * 1024;
/// The maximum nesting of arrays and objects in a JSON answer.
pub const ANSWER_DEPTH_MAX: usize = 32;
/// The maximum number of bytes of a task file.
pub const FILE_BYTES_MAX: usize = 1024 * 1024;
/// The maximum number of tasks in a file.
pub const FILE_TASKS_MAX: usize = 1000;
/// The maximum number of characters of an instruction.
pub const INSTRUCTION_MAX: usize = 16 * 1024;
/// The maximum number of options: the letters from A to Z name them.
pub const OPTIONS_MAX: usize = 26;

#[cfg(test)]
mod tests;
