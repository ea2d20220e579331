//! The turns of a battle, as its page shows them.

use std::ops::Range;

use buildtrack_domain::arena::{
    matches::{AnswerRevealed, MatchEvent, MissReason, TurnOpened},
    tasks::Bank,
};
use buildtrack_pages::{Language, seconds};
use buildtrack_store::{LoggedMatchEvent, MatchView};
use chrono::{DateTime, Utc};

use super::battle_answers::AnswerShown;

/// The maximum number of bytes of all answers of a page, and of all rationales, each with the same share.
const TEXTS_MAX: usize = 100_000;
/// The bounds of that share.
const TEXT_MIN: usize = 200;
const TEXT_MAX: usize = 4000;
/// The maximum number of answers of a page. The other turns of a match with more of them are on pages of their own.
const ANSWERS_MAX: usize = 150;
/// The maximum number of bytes of their data, which are read whole, unless one turn has more.
const READ_MAX: i64 = 2 << 20;

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
    /// Whether its answers are on another page.
    pub(super) is_elsewhere: bool,
    /// The answer of each seat, in the order of seats.
    pub(super) answers: Vec<AnswerShown>,
}

/// What turns are shown with.
struct Shown<'v> {
    view: &'v MatchView,
    bank: &'static Bank,
    language: Language,
}

/// The turns that have begun, and those of them whose answers are on the page.
pub(super) struct Turns {
    turns: Vec<TurnShown>,
    /// The positions on the log at which they were opened.
    opened: Vec<i64>,
    /// The turns whose motion is open: it is not shown whose argument is whose.
    sealed: Vec<u16>,
    is_playing: bool,
    /// The maximum number of turns whose answers are on the page.
    at_once: usize,
    /// The maximum number of bytes of a text.
    most: usize,
}

impl Turns {
    /// The turns, from the events of a match without the answers.
    pub(super) fn of(bank: &'static Bank, view: &MatchView, events: &[LoggedMatchEvent], language: Language) -> Self {
        let shown = Shown { view, bank, language };
        let (mut turns, mut opened) = (Vec::new(), Vec::new());
        for logged in events {
            if let MatchEvent::TurnOpened(_) = &logged.event {
                opened.push(logged.position);
            }
            apply(&mut turns, &logged.event, &shown);
        }
        let sealed = turns.iter().map(|turn| turn.number).filter(|turn| view.seals((*turn).into())).collect();
        let at_once = (ANSWERS_MAX / view.seats.len().max(1)).max(1);
        let turn_count = usize::try_from(view.turn_count).unwrap_or(at_once).clamp(1, at_once);
        let most = (TEXTS_MAX / (view.seats.len().max(1) * turn_count)).clamp(TEXT_MIN, TEXT_MAX);
        Self { turns, opened, sealed, is_playing: view.ended_at.is_none(), at_once, most }
    }

    /// The turns whose answers are shown, among them the one that is asked for, or else the first or the last; and the positions on the
    /// log between which their answers are. `sizes` are the positions of all answers, and the bytes of their data.
    pub(super) fn window(&self, asked: Option<usize>, sizes: &[(i64, i64)]) -> (Range<usize>, (i64, i64)) {
        let last = self.turns.len().saturating_sub(1);
        let asked = asked.map_or(if self.is_playing { last } else { 0 }, |turn| turn.saturating_sub(1).min(last));
        let window = window_of(asked, &self.opened, sizes, self.at_once);
        let position = |turn: usize| self.opened.get(turn).copied();
        let positions = (position(window.start).unwrap_or(0), position(window.end).unwrap_or(i64::MAX));
        (window, positions)
    }

    /// Shows an answer that was recorded at this position.
    pub(super) fn reveal(&mut self, position: i64, data: &AnswerRevealed) {
        if self.sealed.contains(&data.turn) {
            return;
        }
        let most = self.most;
        if let Some(answer) = answer(&mut self.turns, data.turn, data.seat) {
            answer.reveal(position, data, most);
        }
    }

    /// All turns; those outside of the window without their answers.
    pub(super) fn within(mut self, window: Range<usize>) -> Vec<TurnShown> {
        for (number, turn) in self.turns.iter_mut().enumerate() {
            turn.is_elsewhere = !window.contains(&number);
        }
        self.turns
    }
}

/// The window that a turn is in. Each one begins where the one before it ends, and has at least one turn. `opened` are the positions of
/// all turns.
fn window_of(asked: usize, opened: &[i64], sizes: &[(i64, i64)], at_once: usize) -> Range<usize> {
    let bytes_of = |turn: usize| -> i64 {
        let until = opened.get(turn + 1).copied().unwrap_or(i64::MAX);
        let answers = sizes.iter().filter(|(position, _)| (opened[turn]..until).contains(position));
        answers.map(|(_, bytes)| bytes).sum()
    };
    let mut window = 0..0;
    while window.end <= asked && window.end < opened.len() {
        let begin = window.end;
        let mut left = READ_MAX;
        let fitting = (begin..opened.len()).take(at_once).take_while(|turn| {
            left -= bytes_of(*turn);
            left >= 0
        });
        window = begin..begin + fitting.count().max(1);
    }
    window
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
        let Shown { view, bank, language } = *shown;
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
            is_elsewhere: false,
            answers: view.seats.iter().map(|seat| seat.agent_name.clone()).zip(0..).map(waiting).collect(),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_ends_before_the_turn_that_exceeds_its_number_or_its_bytes() {
        let opened = [1, 4, 7, 10];
        let windows = |each: i64, at_once: usize| {
            let sizes: Vec<_> = [2, 3, 5, 6, 8, 9, 11, 12].map(|position| (position, each)).into();
            [0, 1, 2, 3].map(|asked| window_of(asked, &opened, &sizes, at_once))
        };
        assert_eq!(windows(1, 10), [0..4, 0..4, 0..4, 0..4]);
        assert_eq!(windows(1, 3), [0..3, 0..3, 0..3, 3..4]);
        assert_eq!(windows(READ_MAX / 4, 10), [0..2, 0..2, 2..4, 2..4]);
        assert_eq!(windows(READ_MAX, 10), [0..1, 1..2, 2..3, 3..4]);
        assert_eq!(window_of(0, &[], &[], 10), 0..0);
    }
}
