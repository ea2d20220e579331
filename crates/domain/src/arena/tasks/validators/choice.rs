//! The validator `choice`: one of the public options, by its text or its letter.

use super::{Normalisation, Object, Problem};
use crate::{arena::tasks::Verdict, words};

words! {
    /// How an answer names an option.
    enum Naming, "expected text, letter or either" {
        /// By its text, in normal form.
        Text = "text",
        /// By its letter: A for the first option.
        Letter = "letter",
        /// By one of both.
        Either = "either",
    }
}

/// `{"kind": "choice", "answer": "Ottawa", "by": "either"}`. An answer that names no option is malformed.
#[derive(Debug)]
pub(super) struct Choice {
    /// In normal form.
    options: Vec<String>,
    right: usize,
    by: Naming,
}

impl Choice {
    pub(super) fn read(object: &mut Object<'_>, options: Option<&[String]>) -> Option<Self> {
        let answer = object.required("answer").and_then(|answer| Some((answer.string()?, answer)));
        let by: Option<Naming> = object.required("by").and_then(|by| by.word());
        let ((text, answer), by) = (answer?, by?);
        let options = options?;
        if options.is_empty() {
            return object.at.fault(Problem::NoOptions);
        }
        let Some(right) = options.iter().position(|option| option == text) else {
            return answer.fault(Problem::NoOption);
        };
        let options: Vec<_> = options.iter().map(|option| Normalisation::default().apply(option)).collect();
        let is_letter_of_another =
            |(index, option): (usize, &String)| letter(option, options.len()).is_some_and(|named| named != index);
        if by == Naming::Either && options.iter().enumerate().any(is_letter_of_another) {
            return object.at.fault(Problem::LetterOption);
        }
        Some(Self { options, right, by })
    }

    pub(super) fn judge(&self, answer: &str) -> Verdict {
        let normal = Normalisation::default().apply(answer);
        let by_text = || self.options.iter().position(|option| *option == normal);
        let by_letter = || letter(&normal, self.options.len());
        let named = match self.by {
            Naming::Text => by_text(),
            Naming::Letter => by_letter(),
            Naming::Either => by_text().or_else(by_letter),
        };
        named.map_or(Verdict::MALFORMED, |named| Verdict::of(named == self.right))
    }
}

/// The option that a letter names.
fn letter(normal: &str, options: usize) -> Option<usize> {
    let &[letter @ b'a'..=b'z'] = normal.as_bytes() else {
        return None;
    };
    Some(usize::from(letter - b'a')).filter(|index| *index < options)
}
