//! The page of problem codes.

use askama::Template;
use buildtrack_http::{declared::Declared, dialect::Reasons};

use super::{Frame, filters};

/// Every problem code with its meaning and its remedy, and the codes of each protocol.
#[derive(Template)]
#[template(path = "problems.html")]
pub struct ProblemCodes {
    frame: Frame,
    codes: Vec<&'static (&'static str, &'static str)>,
    protocols: Vec<&'static Reasons>,
}

impl ProblemCodes {
    /// Collects the codes of all contexts, in alphabetical order.
    pub fn of(frame: Frame, declared: &'static Declared) -> Self {
        let mut codes: Vec<_> = declared.codes.iter().flat_map(|codes| codes.iter()).collect();
        codes.sort_unstable();
        Self {
            frame: frame.within("guide", ""),
            codes,
            protocols: declared.protocols.iter().filter_map(|dialect| dialect.reasons.as_ref()).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_sorted_and_their_meanings_escaped() {
        static DECLARED: Declared = Declared {
            protocols: &[],
            logins: &[],
            codes: &[&[("zoo", "Not <b>bold</b>.")], &[("ant", "Small.")]],
            problem_page: |_, _, _| None,
            forms: &[],
            pages: &[],
            unlisted: &[],
            foreign_tokens: &[],
        };
        let html = ProblemCodes::of(Frame::unlisted("Problems"), &DECLARED).render().unwrap();
        let (ant, zoo) = (html.find("id=\"ant\""), html.find("id=\"zoo\""));
        assert!(ant.is_some() && ant < zoo && !html.contains("<b>"), "{html}");
    }
}
