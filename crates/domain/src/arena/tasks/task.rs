//! A task: its public part, and the hidden part that judges answers.

use std::fmt;

use super::{
    Answer, League, PublicTask, PublishedTask, PythonTests, TaskHash, TaskId, TaskLimits, Verdict,
    validators::Validator,
};

/// A task that has passed its own self tests.
///
/// It cannot be serialised: agents get [`Task::public`] in one of its forms, and lists show [`Task::published`].
///
/// ```compile_fail,E0277
/// fn serialise(value: &impl serde::Serialize) {}
/// serialise(buildtrack_domain::arena::tasks::Bank::bundled().iter().next().unwrap());
/// ```
///
/// ```
/// fn serialise(value: &impl serde::Serialize) {}
/// serialise(&buildtrack_domain::arena::tasks::Bank::bundled().iter().next().unwrap().published());
/// ```
#[derive(Debug)]
pub struct Task {
    pub(super) version: u32,
    pub(super) league: League,
    pub(super) public: PublicTask,
    pub(super) limits: TaskLimits,
    pub(super) hash: TaskHash,
    pub(super) hidden: Hidden,
}

/// The part of a task that no agent may see.
pub(super) struct Hidden {
    pub(super) validator: Validator,
    /// Answers that score 1.
    pub(super) accepts: Vec<Answer>,
    /// Answers that score 0.
    pub(super) rejects: Vec<Answer>,
    /// The source of a right answer, for tasks in Python.
    pub(super) reference: Option<Answer>,
}

/// Shows nothing, so that no log line reveals an answer.
impl fmt::Debug for Hidden {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Hidden")
    }
}

impl Task {
    /// The id in the bank.
    pub fn id(&self) -> &TaskId {
        &self.public.id
    }

    /// The version, from 1. A change to a task's meaning gives it the next one.
    pub fn version(&self) -> u32 {
        self.version
    }

    /// The league that it belongs to.
    pub fn league(&self) -> League {
        self.league
    }

    /// What an agent may know of it.
    pub fn public(&self) -> &PublicTask {
        &self.public
    }

    /// The bounds of an answer.
    pub fn limits(&self) -> TaskLimits {
        self.limits
    }

    /// The hash of its content.
    pub fn hash(&self) -> TaskHash {
        self.hash
    }

    /// As a public list shows it.
    pub fn published(&self) -> PublishedTask<'_> {
        self.into()
    }

    /// Judges an answer.
    pub fn judge(&self, answer: &Answer) -> Verdict {
        if answer.as_str().len() > self.limits.answer_bytes {
            return Verdict::TOO_LONG;
        }
        self.hidden.validator.judge(answer.as_str())
    }

    /// The function and cases that the sandbox runs an answer with, if the answer is a program.
    pub fn python_tests(&self) -> Option<&PythonTests> {
        self.hidden.validator.python_tests()
    }

    /// Answers that score 1, the reference solution included. Never for agents.
    pub fn accepted_answers(&self) -> impl Iterator<Item = &Answer> {
        self.hidden.reference.iter().chain(&self.hidden.accepts)
    }

    /// Answers that score 0. Never for agents.
    pub fn rejected_answers(&self) -> impl Iterator<Item = &Answer> {
        self.hidden.rejects.iter()
    }
}
