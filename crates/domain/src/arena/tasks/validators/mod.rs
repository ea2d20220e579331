//! Validators: functions from an answer's text to a verdict.
//!
//! **Invariant:** the work is at most linearithmic in the answer's size, with factors that the task's author sets within
//! the limits of each validator. Answers have at most [`ANSWER_BYTES_MAX`](super::ANSWER_BYTES_MAX) bytes.

mod choice;
mod decimal;
mod json;
mod list;
mod normalisation;
mod number;
mod pointers;
mod python;
mod schema;
mod schema_keywords;
mod text;

use choice::Choice;
use json::JsonEqual;
use list::{OrderedList, Set};
pub(super) use normalisation::Normalisation;
use number::Number;
pub use python::{PythonCase, PythonTests};
use schema::JsonSchema;
use text::{Exact, Text};

use super::{
    AnswerFormat, PublicTask, Verdict,
    reading::{At, Object, Problem},
};

/// How answers to a task are judged.
pub(super) struct Validator(Kind);

enum Kind {
    Exact(Exact),
    Text(Text),
    Number(Number),
    Choice(Choice),
    Set(Set),
    OrderedList(OrderedList),
    JsonEqual(JsonEqual),
    JsonSchema(JsonSchema),
    PythonTests(PythonTests),
    Panel,
}

impl Validator {
    /// Reads a validator, and checks that it fits the public part.
    pub(super) fn read(at: &At<'_>, public: Option<&PublicTask>) -> Option<Self> {
        let mut object = at.object()?;
        let name = object.required("kind")?;
        let kind = Kind::read(&name, object, public)?;
        let format = kind.format();
        if public.is_some_and(|public| public.answer_format != format) {
            return name.fault(Problem::Format(format));
        }
        Some(Self(kind))
    }

    /// Leaves the comparison of two arguments to judge agents. An argument without any word is malformed.
    pub(super) fn panel() -> Self {
        Self(Kind::Panel)
    }

    /// Judges an answer.
    pub(super) fn judge(&self, answer: &str) -> Verdict {
        match &self.0 {
            Kind::Exact(exact) => exact.judge(answer),
            Kind::Text(text) => text.judge(answer),
            Kind::Number(number) => number.judge(answer),
            Kind::Choice(choice) => choice.judge(answer),
            Kind::Set(set) => set.judge(answer),
            Kind::OrderedList(list) => list.judge(answer),
            Kind::JsonEqual(equal) => equal.judge(answer),
            Kind::JsonSchema(schema) => schema.judge(answer),
            Kind::PythonTests(_) => PythonTests::judge(answer),
            Kind::Panel if answer.trim().is_empty() => Verdict::MALFORMED,
            Kind::Panel => Verdict::NeedsPanel,
        }
    }

    /// The cases of a program, if answers are programs.
    pub(super) fn python_tests(&self) -> Option<&PythonTests> {
        match &self.0 {
            Kind::PythonTests(tests) => Some(tests),
            _ => None,
        }
    }
}

impl Kind {
    fn read(name: &At<'_>, mut object: Object<'_>, public: Option<&PublicTask>) -> Option<Self> {
        let fields = &mut object;
        let kind = match name.string()? {
            "exact" => Exact::read(fields).map(Self::Exact),
            "text" => Text::read(fields).map(Self::Text),
            "number" => Number::read(fields).map(Self::Number),
            "choice" => Choice::read(fields, public.map(|public| &*public.options)).map(Self::Choice),
            "set" => Set::read(fields).map(Self::Set),
            "ordered_list" => OrderedList::read(fields).map(Self::OrderedList),
            "json_equal" => JsonEqual::read(fields).map(Self::JsonEqual),
            "json_schema" => JsonSchema::read(fields).map(Self::JsonSchema),
            "python_tests" => PythonTests::read(fields).map(Self::PythonTests),
            _ => {
                return name.fault(Problem::Expected(
                    "exact, text, number, choice, set, ordered_list, json_equal, json_schema or python_tests",
                ));
            }
        };
        object.finish();
        kind
    }

    /// The format of the answers that it judges.
    fn format(&self) -> AnswerFormat {
        match self {
            Self::Exact(_) | Self::Text(_) | Self::Choice(_) | Self::Panel => AnswerFormat::String,
            Self::Number(_) => AnswerFormat::Number,
            Self::Set(_) | Self::OrderedList(_) => AnswerFormat::List,
            Self::JsonEqual(_) | Self::JsonSchema(_) => AnswerFormat::Json,
            Self::PythonTests(_) => AnswerFormat::PythonSource,
        }
    }
}

/// Whether a task gives partial credit: the field `partial`, false by default.
fn read_partial(object: &mut Object<'_>) -> Option<bool> {
    object.or("partial", false, |partial| partial.flag())
}

#[cfg(test)]
mod tests;
