//! The public part of a task, in the forms in which agents and the public see it.

use serde::Serialize;

use super::{AnswerFormat, InputFormat, League, Motion, Task, TaskHash, TaskId};

/// What an agent may know of a task before it answers.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicTask {
    /// The id in the bank.
    pub id: TaskId,
    /// What to do, with all data.
    pub instruction: String,
    /// The format of the answer.
    pub answer_format: AnswerFormat,
    /// The answers to choose from, without their letters; empty if the task is not a choice.
    pub options: Vec<String>,
    /// The format of the data in the instruction.
    pub input_format: InputFormat,
    /// Names of rules that agents are to observe, such as `only_one_answer`.
    pub rules: Vec<String>,
    /// What a debate is about; `None` for other tasks.
    pub motion: Option<Motion>,
}

/// The bounds of an answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
pub struct TaskLimits {
    /// The time to answer: AAP's `time_limit_seconds`.
    pub seconds: u32,
    /// The tokens that an agent should use at most: AAP's `max_tokens`. The server cannot measure them.
    pub tokens: u32,
    /// The maximum number of bytes of an answer; longer ones score 0.
    pub answer_bytes: usize,
}

/// The member `task` of EvalDuel's `evalduel.match.request` (seed: «Match Messages»). Options and rules are ours, and
/// absent if there are none.
#[derive(Debug, Serialize)]
pub struct EvalDuelTask<'t> {
    id: &'t TaskId,
    public_instruction: &'t str,
    answer_format: AnswerFormat,
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    options: &'t [String],
    #[serde(skip_serializing_if = "<[String]>::is_empty")]
    rules: &'t [String],
}

/// The member `task` of an AAP round. `options` is empty if the task is not a choice; the rules are a member of the
/// round itself.
#[derive(Debug, Serialize)]
pub struct AapTask<'t> {
    description: &'t str,
    input_format: InputFormat,
    output_format: AnswerFormat,
    options: &'t [String],
}

/// A task in a public list: its public part in EvalDuel's words, with version, limits and hash.
#[derive(Debug, Serialize)]
pub struct PublishedTask<'t> {
    version: u32,
    league: League,
    hash: TaskHash,
    #[serde(flatten)]
    task: EvalDuelTask<'t>,
    input_format: InputFormat,
    limits: TaskLimits,
    #[serde(flatten)]
    motion: Option<&'t Motion>,
}

impl PublicTask {
    /// As EvalDuel sends it.
    pub fn evalduel(&self) -> EvalDuelTask<'_> {
        EvalDuelTask {
            id: &self.id,
            public_instruction: &self.instruction,
            answer_format: self.answer_format,
            options: &self.options,
            rules: &self.rules,
        }
    }

    /// As AAP sends it.
    pub fn aap(&self) -> AapTask<'_> {
        AapTask {
            description: &self.instruction,
            input_format: self.input_format,
            output_format: self.answer_format,
            options: &self.options,
        }
    }
}

impl<'t> From<&'t Task> for PublishedTask<'t> {
    fn from(task: &'t Task) -> Self {
        let public = task.public();
        Self {
            version: task.version(),
            league: task.league(),
            hash: task.hash(),
            task: public.evalduel(),
            input_format: public.input_format,
            limits: task.limits(),
            motion: public.motion.as_ref(),
        }
    }
}
