//! Properties of any history of a debate.

use super::*;

/// A command of a random history. Judges are numbered within the panel; 3 is none of its judges.
#[derive(Debug, Clone, Copy)]
enum Step {
    Answer(u8),
    MissTurn(u8),
    Close,
    Draw,
    Cast(usize, Vote),
    MissVote(usize),
    Count { others: bool, damage: bool },
}

fn step() -> impl Strategy<Value = Step> {
    let vote = prop_oneof![Just(Vote::A), Just(Vote::B), Just(Vote::Draw)];
    prop_oneof![
        6 => (1_u8..4).prop_map(Step::Answer),
        1 => (1_u8..3).prop_map(Step::MissTurn),
        3 => Just(Step::Close),
        4 => Just(Step::Draw),
        8 => (0_usize..4, vote).prop_map(|(judge, vote)| Step::Cast(judge, vote)),
        2 => (0_usize..3).prop_map(Step::MissVote),
        4 => (any::<bool>(), prop_oneof![4 => Just(false), 1 => Just(true)])
            .prop_map(|(others, damage)| Step::Count { others, damage }),
    ]
}

/// What was cast so far, which the referee reads from its side table.
type Cast = BTreeMap<(u16, u16, u16), Vote>;

fn judge_number(state: &Match, judge: usize) -> AgentId {
    let panel = state.open.as_ref().and_then(OpenTurn::panel);
    panel.and_then(|panel| panel.judges.get(judge)).map_or(agent_id(99), |judge| judge.agent_id)
}

fn decide(step: Step, state: &Match, cast_so_far: &Cast, now: DateTime<Utc>) -> Result<Vec<MatchEvent>, MatchError> {
    let Some(open) = &state.open else { return Err(MatchError::Over) };
    let (turn, seconds) = (open.number, (now - DateTime::UNIX_EPOCH).num_seconds());
    let arguments: Vec<_> = [1_u8, 2]
        .into_iter()
        .filter(|number| matches!(open.settled[usize::from(*number) - 1], Some(Settled::Answered(_))))
        .collect();
    match step {
        Step::Answer(number) => answer(number, turn, seconds).decide(state),
        Step::MissTurn(number) => {
            let (agent_id, reason) = (agent_id(number.into()), MissReason::Unreachable);
            super::MissTurn { agent_id, turn, reason, status: None }.decide(state)
        }
        Step::Close => {
            let answers = arguments.iter().map(|number| unopposed(*number, turn)).collect();
            close(turn, answers, seconds).decide(state)
        }
        Step::Draw => draw(turn, seconds).decide(state),
        Step::Cast(judge, given) => cast(0, turn, given, seconds).of(judge_number(state, judge)).decide(state),
        Step::MissVote(judge) => {
            let (agent_id, reason) = (judge_number(state, judge), MissReason::Unreachable);
            super::MissVote { agent_id, turn, reason, status: None }.decide(state)
        }
        Step::Count { others, damage } => {
            let number = open.panel().map_or(0, |panel| panel.number);
            let of_panel = cast_so_far.iter().filter(|((of, panel, _), _)| (*of, *panel) == (turn, number));
            let mut votes: Vec<_> = of_panel.map(|((_, _, judge), vote)| (*judge, *vote)).collect();
            if damage {
                votes.pop();
            }
            let others = others.then(|| judges([14, 15, 16]));
            CountVotes { others, ..count(turn, &votes, seconds) }.decide(state)
        }
    }
}

impl CastVote {
    fn of(self, agent_id: AgentId) -> Self {
        Self { agent_id, ..self }
    }
}

proptest! {
    #[test]
    fn a_debate_ends_once_and_no_argument_or_vote_is_public_before_its_time(
        steps in vec((0_i64..4, step()), 0..120),
    ) {
        let (mut state, mut now) = (begun(), at(0));
        let (mut cast_so_far, mut judged, mut sums, mut endings) = (Cast::new(), 0, [0, 0], 0);
        // Afterwards a referee alone acts, until the end.
        let referee = [Step::Close, Step::Draw, Step::Count { others: false, damage: false }];
        let until_the_end = (0..30).map(|number| (VOTE_LIMIT + 1, referee[number % 3]));
        for (wait, step) in steps.into_iter().chain(until_the_end) {
            now += TimeDelta::seconds(wait);
            if let (Step::Cast(judge, given), Some(open)) = (step, &state.open)
                && let Ok(events) = decide(step, &state, &cast_so_far, now)
                && let [MatchEvent::VoteCast(data)] = &events[..]
            {
                prop_assert!(judge < 3);
                prop_assert_eq!(cast_so_far.insert((open.number, data.panel, data.judge), given), None);
                state = then(state, &events);
                continue;
            }
            let Ok(events) = decide(step, &state, &cast_so_far, now) else { continue };
            let before = state.clone();
            let open = before.open.as_ref().unwrap();
            for event in &events {
                prop_assert_eq!(endings, 0, "{:?} after the end", event);
                match event {
                    MatchEvent::Revealed(_) => {
                        prop_assert!(open.panel().is_none() && open.is_ready(now));
                    }
                    MatchEvent::PanelDrawn(data) => {
                        prop_assert!(open.is_ready(now));
                        prop_assert_eq!(usize::from(data.panel), open.panels.len() + 1);
                        prop_assert!(data.panel <= PANELS_MAX);
                    }
                    MatchEvent::VoteRevealed(data) => {
                        prop_assert!(open.panel().is_some_and(|panel| panel.is_ready(now)));
                        let cast = cast_so_far.get(&(data.turn, data.panel, data.judge));
                        prop_assert_eq!(cast, Some(&data.vote));
                    }
                    MatchEvent::Judged(data) => {
                        judged += 1;
                        prop_assert_eq!(data.turn, judged);
                        let scores: Vec<_> = data.results.iter().map(|result| result.score).collect();
                        prop_assert!(scores.iter().sum::<u16>() <= 1000);
                        sums[0] += u32::from(scores[0]);
                        sums[1] += u32::from(scores[1]);
                    }
                    MatchEvent::Finished(data) => {
                        endings += 1;
                        prop_assert!(data.placings.iter().map(|placing| placing.total).eq(sums));
                    }
                    MatchEvent::Voided(_) => endings += 1,
                    _ => {}
                }
                state = state.apply(event);
            }
        }
        prop_assert_eq!(endings, 1);
        prop_assert!(matches!(state.phase, Phase::Finished | Phase::Void) && state.open.is_none());
    }
}
