//! The answers to a turn of a battle, as its page shows them.

use buildtrack_domain::arena::matches::{AnswerRevealed, TurnResult};
use buildtrack_http::page::Cursor;
use buildtrack_pages::{Language, thousandths};

/// An agent's answer to a turn, or what is known of it.
#[derive(Debug, Clone)]
pub(super) struct AnswerShown {
    pub(super) seat: i64,
    pub(super) name: String,
    /// What happened, in words.
    pub(super) state: String,
    /// Whether the agent missed the turn.
    pub(super) is_missed: bool,
    pub(super) score: Option<String>,
    /// The score from 0 to 5, or `open`, for its colour.
    pub(super) level: &'static str,
    pub(super) latency: Option<String>,
    pub(super) output: Option<String>,
    /// Where the whole answer is, if it is shortened.
    pub(super) rest: Option<String>,
    /// Whether it has arrived and is sealed.
    pub(super) is_sealed: bool,
    pub(super) rationale: Option<String>,
    pub(super) confidence: Option<String>,
    pub(super) commitment: Option<String>,
}

impl AnswerShown {
    pub(super) fn waiting(seat: i64, name: String, language: Language) -> Self {
        Self {
            seat,
            name,
            state: language.say("arena-battle-waiting"),
            is_missed: false,
            score: None,
            level: "open",
            latency: None,
            output: None,
            rest: None,
            is_sealed: false,
            rationale: None,
            confidence: None,
            commitment: None,
        }
    }

    pub(super) fn reveal(&mut self, position: i64, data: &AnswerRevealed, most: usize) {
        let (output, is_shortened) = within(&data.output, most);
        (self.output, self.is_sealed) = (Some(output), false);
        self.rest = is_shortened.then(|| format!("{}?cursor={}&limit=1", data.match_id, Cursor(position - 1).encode()));
        self.rationale = data.rationale.as_deref().map(|rationale| within(rationale, most).0);
        self.confidence = data.confidence.map(thousandths);
    }

    pub(super) fn judge(&mut self, result: &TurnResult, language: Language) {
        self.score = Some(thousandths(result.score));
        self.level = level(result.score);
        // A missed turn has its reason already.
        if !self.is_missed {
            self.state = language.word(&result.reason);
        }
    }

    /// The score for a narrow column: `✓` for an answer that is sealed.
    pub(super) fn mark(&self) -> String {
        match &self.score {
            Some(score) => score.strip_prefix('0').filter(|rest| !rest.is_empty()).unwrap_or(score).to_owned(),
            None if self.is_sealed => "✓".to_owned(),
            None if self.is_missed => "–".to_owned(),
            None => "…".to_owned(),
        }
    }
}

/// A score in six steps.
fn level(score: u16) -> &'static str {
    match score {
        0 => "0",
        1..400 => "1",
        400..600 => "2",
        600..800 => "3",
        800..1000 => "4",
        _ => "5",
    }
}

/// The beginning of a text that has at most so many bytes in a page, and whether something follows.
pub(super) fn within(text: &str, most: usize) -> (String, bool) {
    let mut bytes = 0;
    let end = text.char_indices().find(|(_, character)| {
        bytes += match character {
            // `&#38;` and its like.
            '&' | '<' | '>' | '"' | '\'' => 5,
            other => other.len_utf8(),
        };
        bytes > most
    });
    match end {
        Some((end, _)) => (format!("{}…", &text[..end]), true),
        None => (text.to_owned(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_is_shortened_at_a_character() {
        assert_eq!(within("äöü", 6), ("äöü".to_owned(), false));
        assert_eq!(within("äöü", 5), ("äö…".to_owned(), true));
        assert_eq!(within("&&&", 14), ("&&…".to_owned(), true));
    }

    #[test]
    fn a_score_has_one_of_six_levels() {
        assert_eq!([0, 1, 399, 400, 999, 1000].map(level), ["0", "1", "1", "2", "4", "5"]);
    }

    #[test]
    fn an_answer_is_marked_by_its_score_or_its_state() {
        let mut answer = AnswerShown::waiting(0, "Scout".to_owned(), Language::English);
        assert_eq!(answer.mark(), "…");
        answer.is_sealed = true;
        assert_eq!(answer.mark(), "✓");
        for (score, mark) in [(0, "0"), (500, ".5"), (1000, "1")] {
            answer.judge(&TurnResult { seat: 0, score, reason: "partial".to_owned() }, Language::English);
            assert_eq!(answer.mark(), mark);
        }
    }
}
