//! What can be wrong with a task file, and where.

use std::fmt;

use agora_envelope::JsonError;

use crate::arena::tasks::{AnswerFormat, InvalidTaskId, League, Reason, Score};

/// One fault of a task file.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct TaskFault {
    /// The id of the task, as the file has it; `None` outside the tasks, or if the id is not a string.
    pub task: Option<String>,
    /// The JSON pointer (RFC 6901) from the file's root; empty for the file itself.
    pub pointer: String,
    /// What is wrong there.
    pub problem: Problem,
}

impl TaskFault {
    pub(super) fn of_file(problem: Problem) -> Self {
        Self { task: None, pointer: String::new(), problem }
    }
}

/// `task ID, at POINTER: PROBLEM`, as far as these are known.
impl fmt::Display for TaskFault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        if let Some(task) = &self.task {
            write!(formatter, "task {task}, ")?;
        }
        if !self.pointer.is_empty() {
            write!(formatter, "at {}: ", self.pointer)?;
        }
        write!(formatter, "{}", self.problem)
    }
}

/// What is wrong with a value of a task file.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// The file is not strict JSON.
    #[error("the file is not valid: {0}")]
    NotJson(JsonError),
    /// A field that must be there is missing.
    #[error("the field {0:?} is missing")]
    Missing(&'static str),
    /// An object has a field that has no meaning there.
    #[error("the field {0:?} is unknown")]
    Unknown(String),
    /// The value has another JSON type.
    #[error("expected {0}")]
    Expected(&'static str),
    /// A text has too few or too many characters.
    #[error("expected a text of {least} to {most} characters, got {got}")]
    Length {
        /// The fewest characters.
        least: usize,
        /// The most characters.
        most: usize,
        /// The characters of the text.
        got: usize,
    },
    /// An array has too few or too many items.
    #[error("expected {least} to {most} items, got {got}")]
    Count {
        /// The fewest items.
        least: usize,
        /// The most items.
        most: usize,
        /// The items of the array.
        got: usize,
    },
    /// A number is out of range.
    #[error("expected a whole number from {least} to {most}")]
    Range {
        /// The least number.
        least: u64,
        /// The greatest number.
        most: u64,
    },
    /// A text is not an id.
    #[error(transparent)]
    Id(#[from] InvalidTaskId),
    /// An earlier task of the file has the same id.
    #[error("the task {first} of the file (from 0) has the same id")]
    Repeated {
        /// The earlier task, from 0.
        first: usize,
    },
    /// Two values that must differ are the same to the validator.
    #[error("{0:?} occurs twice, after normalisation")]
    Twice(String),
    /// A text is empty after normalisation.
    #[error("nothing is left of this text after normalisation")]
    Blank,
    /// A text is not a number of the validator `number`.
    #[error("expected a finite decimal number, such as -1234.5 or 6.02e23, as a JSON number or a text")]
    NotANumber,
    /// A tolerance is not usable.
    #[error(
        "expected a positive number, and either \"absolute\" or \"relative\"; a relative one needs a value other than 0"
    )]
    Tolerance,
    /// The validator judges another format.
    #[error("the validator judges answers of the format {0}")]
    Format(AnswerFormat),
    /// The league has tasks of another format.
    #[error("the league {0} has no tasks of the format {1}")]
    League(League, AnswerFormat),
    /// The right answer is none of the public options.
    #[error("the answer is none of the options")]
    NoOption,
    /// The task is a choice without options.
    #[error("a choice needs public options")]
    NoOptions,
    /// An option's text is the letter of another option.
    #[error("an option must not be the letter of another one, if answers may be letters")]
    LetterOption,
    /// A keyword of JSON Schema is not supported.
    #[error("the keyword {0:?} is not supported: the guide lists those that are")]
    Keyword(String),
    /// A reference leads out of the schema's definitions.
    #[error("expected a reference of the form #/$defs/NAME to a definition of this schema")]
    Reference,
    /// Definitions refer to each other in a cycle.
    #[error("the definition refers to itself, directly or through others")]
    Circular,
    /// A schema is too large.
    #[error("with its references in place, the schema has more than {0} subschemas")]
    SchemaSize(usize),
    /// A schema is not valid.
    #[error("the schema is not valid: {0}")]
    Schema(String),
    /// A text is not a JSON pointer.
    #[error("expected a JSON pointer, such as /items/0/name")]
    Pointer,
    /// A text is not the name of a function.
    #[error("expected the name of a Python function in lower case, such as merge_ranges")]
    FunctionName,
    /// A field belongs to tasks in Python, and only to them.
    #[error("tasks of the format python_source have this field, and no others")]
    PythonOnly,
    /// An answer to accept scores less than 1.
    #[error("this answer must score 1, and it scores {} of 1000 ({})", .0.thousandths(), .1.as_str())]
    NotAccepted(Score, Reason),
    /// An answer to reject scores more than 0.
    #[error("this answer must score 0, and it scores {} of 1000 ({})", .0.thousandths(), .1.as_str())]
    NotRejected(Score, Reason),
}
