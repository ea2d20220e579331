//! Properties of any history of events.

use super::*;

/// A command of a random history; agents are numbered from 1, and the last has no seat.
#[derive(Debug, Clone, Copy)]
enum Step {
    Answer {
        number: u8,
        turn_ahead: u16,
    },
    Miss {
        number: u8,
    },
    Skip {
        number: u8,
    },
    /// Settles the seats without an answer at the deadline.
    Settle,
    /// Closes the turn with these scores; a damage other than 0 changes the answers.
    Close {
        scores: [u16; 3],
        damage: u8,
    },
    Void,
}

fn step() -> impl Strategy<Value = Step> {
    prop_oneof![
        12 => (1_u8..5, prop_oneof![8 => Just(0_u16), 1 => Just(1_u16)])
            .prop_map(|(number, turn_ahead)| Step::Answer { number, turn_ahead }),
        2 => (1_u8..5).prop_map(|number| Step::Miss { number }),
        1 => (1_u8..5).prop_map(|number| Step::Skip { number }),
        1 => Just(Step::Settle),
        6 => (any::<[u16; 3]>(), prop_oneof![4 => Just(0_u8), 1 => 1_u8..4])
            .prop_map(|(scores, damage)| Step::Close { scores, damage }),
        1 => prop_oneof![1 => Just(Step::Void), 9 => Just(Step::Miss { number: 5 })],
    ]
}

/// What the log holds of a match, checked event by event.
#[derive(Default)]
struct Checked {
    commitments: BTreeMap<(u16, u16), Commitment>,
    judged: BTreeSet<u16>,
    sums: Vec<u32>,
    endings: usize,
}

impl Checked {
    fn add(&mut self, before: &Match, event: &MatchEvent, now: DateTime<Utc>) -> Result<(), TestCaseError> {
        prop_assert_eq!(self.endings, 0, "{:?} after the end", event);
        let open = before.open.as_ref();
        let is_ready = open.is_some_and(|open| open.is_ready(now));
        let is_open = |turn| open.is_some_and(|open| open.number == turn);
        match event {
            MatchEvent::Created(_) => prop_assert!(false, "it is made once"),
            MatchEvent::TurnOpened(data) => prop_assert!(self.judged.contains(&(data.turn - 1))),
            MatchEvent::Answered(data) => {
                prop_assert!(is_open(data.turn) && open.is_some_and(|open| now < open.due_at));
                prop_assert!(!before.excused[usize::from(data.seat)], "{data:?}");
                prop_assert_eq!(self.commitments.insert((data.turn, data.seat), data.commitment), None);
            }
            MatchEvent::Missed(data) => {
                prop_assert!(!self.commitments.contains_key(&(data.turn, data.seat)));
                prop_assert!(!data.excused || data.turn == 1);
                prop_assert!(!before.excused[usize::from(data.seat)], "{data:?}");
            }
            MatchEvent::Revealed(data) => {
                prop_assert!(is_ready && is_open(data.turn));
                let salt = hex::decode(&data.salt).unwrap();
                let commitment = Some(Commitment::of(&salt, &data.output));
                prop_assert_eq!(self.commitments.get(&(data.turn, data.seat)).copied(), commitment);
            }
            MatchEvent::Judged(data) => {
                prop_assert!(is_ready && is_open(data.turn) && self.judged.insert(data.turn));
                prop_assert_eq!(data.results.len(), self.sums.len());
                for result in &data.results {
                    prop_assert!(result.score == 0 || self.commitments.contains_key(&(data.turn, result.seat)));
                    self.sums[usize::from(result.seat)] += u32::from(result.score);
                }
            }
            MatchEvent::PanelDrawn(_)
            | MatchEvent::VoteCast(_)
            | MatchEvent::VoteMissed(_)
            | MatchEvent::VoteRevealed(_) => prop_assert!(false, "it is no debate"),
            MatchEvent::Finished(data) => {
                self.endings += 1;
                prop_assert!(data.placings.iter().map(|placing| placing.total).eq(self.sums.iter().copied()));
                prop_assert_eq!(usize::from(data.turns), self.judged.len());
                prop_assert_eq!(data.placings.iter().map(|placing| placing.place).min(), Some(1));
                prop_assert!(data.placings.iter().all(|placing| !placing.excused || placing.place > 2), "{data:?}");
            }
            MatchEvent::Voided(data) => {
                self.endings += 1;
                prop_assert!(is_open(data.turn));
            }
        }
        Ok(())
    }
}

/// A salted answer that no other turn or seat has.
fn answer_of(number: u8, turn: u16) -> SealedAnswer {
    SealedAnswer { output: format!("answer {number} to {turn}"), ..sealed(number) }
}

fn decide(step: Step, state: &Match, now: DateTime<Utc>) -> Result<Vec<MatchEvent>, MatchError> {
    let turn = state.open.as_ref().map_or(1, |open| open.number);
    match step {
        Step::Answer { number, turn_ahead } => {
            let (commitment, turn) = (answer_of(number, turn).commitment(), turn + turn_ahead);
            AnswerTurn { agent_id: agent_id(number.into()), turn, commitment, now }.decide(state)
        }
        Step::Miss { number } => miss(number.into(), turn).decide(state),
        Step::Skip { number } => SkipMatch { agent_id: agent_id(number.into()) }.decide(state),
        Step::Settle => SettleTurn { turn, absent: vec![], now }.decide(state),
        Step::Void => void().decide(state),
        Step::Close { scores, damage } => {
            let settled = state.open.as_ref().map_or(&[][..], |open| &open.settled);
            let has_answered = |settled: &Option<Settled>| matches!(settled, Some(Settled::Answered(_)));
            let mut answers: Vec<_> = (0..)
                .zip(settled)
                .filter(|(_, settled)| has_answered(settled))
                .map(|(seat, _)| {
                    let score = Score::of_share((scores[usize::from(seat)] % 1001).into(), 1000);
                    let answer = answer_of(u8::try_from(seat + 1).unwrap(), turn);
                    (Revealed { seat, answer }, SeatScore { seat, score, reason: Reason::Partial })
                })
                .collect();
            match (damage, answers.first_mut()) {
                (1, Some((revealed, _))) => revealed.answer.output.push('!'),
                (2, Some(_)) => drop(answers.pop()),
                (3, Some(_)) => answers.push(answers[0].clone()),
                _ => {}
            }
            let seconds = (now - DateTime::UNIX_EPOCH).num_seconds();
            CloseTurn { now, ..close(turn, answers, seconds) }.decide(state)
        }
    }
}

fn any_channels() -> impl Strategy<Value = Vec<Channel>> {
    vec(prop_oneof![Just(Channel::Socket), Just(Channel::Push)], 2..=3)
}

proptest! {
    #[test]
    fn a_match_ends_once_and_scores_each_turn_once(
        channels in any_channels(), turn_count in 1_u16..5, steps in vec((0_i64..4, step()), 0..80),
    ) {
        let history = create(created(&channels, turn_count)).unwrap();
        let (mut state, mut now): (Match, _) = (given(history.clone()), at(0));
        let mut history = history;
        let mut checked = Checked { sums: vec![0; channels.len()], ..Checked::default() };
        let last = Step::Close { scores: [7; 3], damage: 0 };
        let until_the_end = (0..turn_count).map(|_| (LIMIT + 1, last));
        for (wait, step) in steps.into_iter().chain(until_the_end) {
            now += TimeDelta::seconds(wait);
            let Ok(events) = decide(step, &state, now) else { continue };
            let before = state.clone();
            for event in &events {
                // The events of one decision follow from the state before it.
                checked.add(&before, event, now)?;
                state = state.apply(event);
            }
            history.extend(events);
            prop_assert!(checked.endings > 0 || state.totals == checked.sums);
            prop_assert!(state.judged <= turn_count);
            prop_assert_eq!(state.phase == Phase::Playing, state.open.is_some());
        }
        prop_assert_eq!(checked.endings, 1);
        prop_assert!(matches!(state.phase, Phase::Finished | Phase::Void));
        prop_assert_eq!(given::<Match>(history), state);
    }
}
