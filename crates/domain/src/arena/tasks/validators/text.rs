//! The validators `exact` and `text`: one of several texts, byte by byte or after normalisation.

use std::collections::BTreeSet;

use super::{Normalisation, Object, Problem};
use crate::arena::tasks::Verdict;

/// The maximum number of right answers, and of characters of each.
const ANSWERS_MAX: usize = 64;
const ANSWER_MAX: usize = 4096;

/// `{"kind": "exact", "answers": […]}`: the bytes of one of the answers, nothing trimmed.
#[derive(Debug)]
pub(super) struct Exact(Vec<String>);

impl Exact {
    pub(super) fn read(object: &mut Object<'_>) -> Option<Self> {
        let answers = object.required("answers")?;
        answers.each(1..=ANSWERS_MAX, |answer| answer.text(1..=ANSWER_MAX).map(ToOwned::to_owned)).map(Self)
    }

    pub(super) fn judge(&self, answer: &str) -> Verdict {
        if answer.is_empty() { Verdict::MALFORMED } else { Verdict::of(self.0.iter().any(|right| right == answer)) }
    }
}

/// `{"kind": "text", "answers": […], "ignore": […]}`: one of the answers, compared in normal form.
#[derive(Debug)]
pub(super) struct Text {
    /// In normal form.
    answers: BTreeSet<String>,
    normalisation: Normalisation,
}

impl Text {
    pub(super) fn read(object: &mut Object<'_>) -> Option<Self> {
        let normalisation = Normalisation::read(object);
        let answers = object.required("answers")?;
        let normalisation = normalisation?;
        let answers = answers.each(1..=ANSWERS_MAX, |answer| {
            let normal = normalisation.apply(answer.text(1..=ANSWER_MAX)?);
            if normal.is_empty() { answer.fault(Problem::Blank) } else { Some(normal) }
        });
        Some(Self { answers: answers?.into_iter().collect(), normalisation })
    }

    pub(super) fn judge(&self, answer: &str) -> Verdict {
        let normal = self.normalisation.apply(answer);
        if normal.is_empty() { Verdict::MALFORMED } else { Verdict::of(self.answers.contains(&normal)) }
    }
}
