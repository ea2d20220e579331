//! The turns of a battle, as its page shows them.

use buildtrack_domain::arena::{
    matches::{AnswerRevealed, MatchEvent, MissReason, TurnOpened, TurnResult},
    tasks::Bank,
};
use buildtrack_store::{LoggedMatchEvent, MatchView};
use chrono::{DateTime, Utc};

use crate::pages::{Language, seconds, thousandths};

/// The maximum number of characters of all answers and rationales of a page, each counted with the same share.
const TEXTS_MAX: usize = 200_000;
/// The bounds of that share.
const TEXT_MIN: usize = 200;
const TEXT_MAX: usize = 4000;

/// A turn.
#[derive(Debug)]
pub(super) struct TurnShown {
    pub(super) number: u16,
    pub(super) task_id: String,
    pub(super) task_version: u32,
    pub(super) task_hash: String,
    /// The text of the task; `None` if the bank has another version of it.
    pub(super) instruction: Option<&'static str>,
    pub(super) options: &'static [String],
    /// The format of answers.
    pub(super) format: String,
    /// The seconds to answer.
    pub(super) seconds: Option<u32>,
    pub(super) opened_at: DateTime<Utc>,
    /// The name and version of the program that judged it.
    pub(super) judge: Option<String>,
    pub(super) is_closed: bool,
    /// The answer of each seat, in the order of seats.
    pub(super) answers: Vec<AnswerShown>,
}

/// An agent's answer to a turn, or what is known of it.
#[derive(Debug, Clone)]
pub(super) struct AnswerShown {
    pub(super) seat: i64,
    pub(super) name: String,
    /// What happened, in words.
    pub(super) state: String,
    /// Whether the agent missed the turn.
    is_missed: bool,
    pub(super) score: Option<String>,
    /// The score from 0 to 5, or `open`, for its colour.
    pub(super) level: &'static str,
    pub(super) latency: Option<String>,
    pub(super) output: Option<String>,
    pub(super) is_shortened: bool,
    /// Whether it has arrived and is sealed.
    pub(super) is_sealed: bool,
    pub(super) rationale: Option<String>,
    pub(super) confidence: Option<String>,
    pub(super) commitment: Option<String>,
}

/// What turns are shown with.
struct Shown<'v> {
    view: &'v MatchView,
    bank: &'static Bank,
    language: Language,
    /// The maximum number of characters of a text.
    most: usize,
}

/// The turns that have begun, from the events of a match.
pub(super) fn turns(
    bank: &'static Bank,
    view: &MatchView,
    events: &[LoggedMatchEvent],
    language: Language,
) -> Vec<TurnShown> {
    let answers = view.seats.len().saturating_mul(usize::try_from(view.turn_count).unwrap_or(1)).max(1);
    let shown = Shown { view, bank, language, most: (TEXTS_MAX / answers).clamp(TEXT_MIN, TEXT_MAX) };
    let mut turns = Vec::new();
    for logged in events {
        apply(&mut turns, &logged.event, &shown);
    }
    turns
}

fn apply(turns: &mut Vec<TurnShown>, event: &MatchEvent, shown: &Shown<'_>) {
    let language = shown.language;
    match event {
        MatchEvent::TurnOpened(opened) => turns.push(TurnShown::new(opened, shown)),
        MatchEvent::Answered(data) => {
            let Some(answer) = answer(turns, data.turn, data.seat) else { return };
            answer.state = language.say("arena-battle-answered");
            answer.is_sealed = true;
            answer.latency = Some(seconds(data.latency_ms));
            answer.commitment = Some(data.commitment.to_string());
        }
        MatchEvent::Missed(data) => {
            let Some(answer) = answer(turns, data.turn, data.seat) else { return };
            (answer.state, answer.is_missed) = (missed(data.reason, data.status, language), true);
        }
        MatchEvent::Revealed(data) => {
            let Some(answer) = answer(turns, data.turn, data.seat) else { return };
            answer.reveal(data, shown.most);
        }
        MatchEvent::Judged(data) => {
            let Some(turn) = turns.iter_mut().find(|turn| turn.number == data.turn) else { return };
            (turn.judge, turn.is_closed) = (Some(data.judge.clone()), true);
            for result in &data.results {
                if let Some(answer) = turn.answers.get_mut(usize::from(result.seat)) {
                    answer.judge(result, language);
                }
            }
        }
        _ => (),
    }
}

fn answer(turns: &mut [TurnShown], turn: u16, seat: u16) -> Option<&mut AnswerShown> {
    turns.iter_mut().find(|known| known.number == turn)?.answers.get_mut(usize::from(seat))
}

fn missed(reason: MissReason, status: Option<u16>, language: Language) -> String {
    let reason = language.word(reason.as_str()).into();
    match status {
        None => language.say_with("arena-battle-missed", &[("reason", reason)]),
        Some(status) => {
            language.say_with("arena-battle-missed-status", &[("reason", reason), ("status", status.into())])
        }
    }
}

impl TurnShown {
    fn new(opened: &TurnOpened, shown: &Shown<'_>) -> Self {
        let Shown { view, bank, language, .. } = *shown;
        let task = bank.get(&opened.task.id).filter(|task| task.hash().to_string() == opened.task.hash);
        let waiting = |(seat, number)| AnswerShown::waiting(number, seat, language);
        Self {
            number: opened.turn,
            task_id: opened.task.id.clone(),
            task_version: opened.task.version,
            task_hash: opened.task.hash.clone(),
            instruction: task.map(|task| &*task.public().instruction),
            options: task.map_or(&[][..], |task| &task.public().options[..]),
            format: task.map_or_else(String::new, |task| language.word(task.public().answer_format.as_str())),
            seconds: task.map(|task| task.limits().seconds),
            opened_at: opened.opened_at,
            judge: None,
            is_closed: false,
            answers: view.seats.iter().map(|seat| seat.agent_name.clone()).zip(0..).map(waiting).collect(),
        }
    }
}

impl AnswerShown {
    fn waiting(seat: i64, name: String, language: Language) -> Self {
        Self {
            seat,
            name,
            state: language.say("arena-battle-waiting"),
            is_missed: false,
            score: None,
            level: "open",
            latency: None,
            output: None,
            is_shortened: false,
            is_sealed: false,
            rationale: None,
            confidence: None,
            commitment: None,
        }
    }

    fn reveal(&mut self, data: &AnswerRevealed, most: usize) {
        let (output, is_shortened) = within(&data.output, most);
        (self.output, self.is_shortened, self.is_sealed) = (Some(output), is_shortened, false);
        self.rationale = data.rationale.as_deref().map(|rationale| within(rationale, most).0);
        self.confidence = data.confidence.map(thousandths);
    }

    fn judge(&mut self, result: &TurnResult, language: Language) {
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

/// The beginning of a text, and whether something follows.
fn within(text: &str, most: usize) -> (String, bool) {
    match text.char_indices().nth(most) {
        Some((end, _)) => (format!("{}…", &text[..end]), true),
        None => (text.to_owned(), false),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_long_answer_is_shortened_at_a_character() {
        assert_eq!(within("äöü", 3), ("äöü".to_owned(), false));
        assert_eq!(within("äöü", 2), ("äö…".to_owned(), true));
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
