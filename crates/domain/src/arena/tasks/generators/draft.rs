//! What a generator makes: a task without its id.

use serde_json::{Value, json};

use crate::arena::tasks::{AnswerFormat, InputFormat, League};

/// A task without its id.
pub(super) struct Draft {
    pub(super) instruction: String,
    pub(super) answer_format: AnswerFormat,
    pub(super) input_format: InputFormat,
    pub(super) options: Vec<&'static str>,
    pub(super) validator: Value,
    /// The right answer.
    pub(super) answer: Value,
    /// Wrong answers, at least one.
    pub(super) wrong: Vec<Value>,
    /// The time to answer, in seconds.
    pub(super) seconds: u32,
}

impl Draft {
    /// A task whose answer is a whole number.
    pub(super) fn of_number(instruction: String, answer: i64, seconds: u32) -> Self {
        Self {
            instruction,
            answer_format: AnswerFormat::Number,
            input_format: InputFormat::String,
            options: Vec::new(),
            validator: json!({"kind": "number", "value": answer.to_string()}),
            answer: json!(answer.to_string()),
            wrong: vec![json!((answer + 1).to_string()), json!((answer - 1).to_string()), json!("unknown")],
            seconds,
        }
    }

    /// A task whose answer is a text without spaces at its ends, in which case counts.
    pub(super) fn of_text(instruction: String, answer: &str, wrong: Vec<Value>, seconds: u32) -> Self {
        Self {
            instruction,
            answer_format: AnswerFormat::String,
            input_format: InputFormat::String,
            options: Vec::new(),
            validator: json!({"kind": "text", "answers": [answer], "ignore": ["spaces"]}),
            answer: json!(answer),
            wrong,
            seconds,
        }
    }

    /// A task whose answer is this JSON value.
    pub(super) fn of_json(instruction: String, answer: Value, wrong: Vec<Value>, seconds: u32) -> Self {
        Self {
            instruction,
            answer_format: AnswerFormat::Json,
            input_format: InputFormat::String,
            options: Vec::new(),
            validator: json!({"kind": "json_equal", "value": answer}),
            answer,
            wrong,
            seconds,
        }
    }

    /// The task as a task file has it. The seed is the salt of its hash.
    pub(super) fn into_entry(self, id: &str, version: u32, league: League, seed: u64) -> Value {
        let mut entry = json!({
            "id": id, "version": version, "league": league,
            "public": {
                "instruction": self.instruction, "answer_format": self.answer_format,
                "input_format": self.input_format, "rules": ["only_one_answer"],
            },
            "limits": {"seconds": self.seconds, "tokens": 2000, "answer_bytes": 4096},
            "hidden": {
                "validator": self.validator, "accepts": [self.answer], "rejects": self.wrong,
                "salt": format!("{seed:016x}"),
            },
        });
        if !self.options.is_empty() {
            entry["public"]["options"] = json!(self.options);
        }
        entry
    }
}
