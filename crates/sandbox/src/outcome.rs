//! What a run returned, and how it ended.

use std::{fmt, time::Duration};

use serde_json::Value;

/// The results of a run.
#[derive(Debug, Clone, PartialEq)]
pub struct Outcome {
    /// For each case the value that the function returned, in its JSON form, or `None` if it returned none.
    pub results: Vec<Option<Value>>,
    /// How the run ended.
    pub end: End,
    /// The time that the run has taken from other runs: processor time, that of starting Python included, and sleep.
    pub cost: Duration,
}

/// How a run ended. Of several reasons, the first one counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The function returned a JSON value for every case.
    Finished,
    /// The source is not Python.
    SyntaxError,
    /// The module raised an exception, does not define the function, or the function raised an exception for a case.
    Raised,
    /// The function returned a value without a JSON form, such as NaN or a set.
    NotJson,
    /// The run used all its processor time, slept for too long, or took too long in all.
    TimeLimit,
    /// The run needed more memory than allowed.
    MemoryLimit,
    /// A result, or all of them together, has too many bytes.
    OutputLimit,
    /// The process was killed by a signal.
    Killed,
    /// The process exited, or closed the pipe of its results.
    Exited,
    /// The process wrote something else than results to their pipe.
    Malformed,
}

/// For people, in lower case.
impl fmt::Display for End {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Finished => "finished",
            Self::SyntaxError => "the source is not Python",
            Self::Raised => "the program raised an exception or does not define the function",
            Self::NotJson => "the function returned a value without a JSON form",
            Self::TimeLimit => "the program took too much time",
            Self::MemoryLimit => "the program used too much memory",
            Self::OutputLimit => "the results are too large",
            Self::Killed => "the process was killed",
            Self::Exited => "the process exited",
            Self::Malformed => "the process wrote something else than results",
        })
    }
}
