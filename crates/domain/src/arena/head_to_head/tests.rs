use chrono::{DateTime, TimeDelta};
use proptest::{collection::vec, prelude::*, sample::select};
use uuid::Uuid;

use super::{
    BeginNext, Cancel, CountMatch, Counted, Counts, GiveUp, HeadToHead, HeadToHeadError, HeadToHeadEvent, Hypotheses,
    PATIENCE, Start, Started, VOIDS_MAX, Verdict,
};
use crate::{
    arena::tasks::League,
    decide::{Command, State, testing::given},
    event_tests::meanings,
    ids::{AgentId, HeadToHeadId, MatchId, OwnerId},
};

const ID: HeadToHeadId = HeadToHeadId::new(Uuid::from_u128(1));
const OWNER: OwnerId = OwnerId::new(Uuid::from_u128(2));
/// Wald's bound for errors of 5 %: ln 19.
const BOUND: f64 = 2.944_438_979_166_44;

fn match_of(number: u128) -> MatchId {
    MatchId::new(Uuid::from_u128(100 + number))
}

fn started() -> Started {
    Started {
        head_to_head_id: ID,
        owner_id: OWNER,
        league: League::Trivia,
        first: AgentId::new(Uuid::from_u128(3)),
        second: AgentId::new(Uuid::from_u128(4)),
        elo0: 0,
        elo1: 30,
        alpha: 500,
        beta: 500,
        max_matches: 200,
    }
}

fn hypotheses(elo0: f64, elo1: f64) -> Hypotheses {
    Hypotheses { elo0, elo1, alpha: 0.05, beta: 0.05 }
}

fn assert_near(left: f64, right: f64, tolerance: f64) {
    assert!((left - right).abs() <= tolerance, "{left} is not {right}");
}

/// Plays matches with these results, as long as the test goes on.
fn play(started: Started, results: impl IntoIterator<Item = Counted>) -> (HeadToHead, Vec<HeadToHeadEvent>) {
    let mut history: Vec<HeadToHeadEvent> = vec![started.into()];
    let mut state: HeadToHead = given(history.clone());
    for (number, result) in results.into_iter().enumerate() {
        let match_id = match_of(number as u128);
        let Ok(begun) = (BeginNext { match_id }).decide(&state) else { break };
        state = begun.iter().fold(state, State::apply);
        let counted = CountMatch { match_id, result }.decide(&state).unwrap();
        state = counted.iter().fold(state, State::apply);
        history.extend(begun.into_iter().chain(counted));
    }
    (state, history)
}

#[test]
fn the_bounds_are_those_of_wald() {
    let (lower, upper) = hypotheses(0.0, 30.0).bounds();
    assert_near(lower, -BOUND, 1e-12);
    assert_near(upper, BOUND, 1e-12);
    let (lower, upper) = Hypotheses { alpha: 0.01, beta: 0.1, ..hypotheses(0.0, 1.0) }.bounds();
    assert_near(lower, (0.1_f64 / 0.99).ln(), 1e-12);
    assert_near(upper, 90_f64.ln(), 1e-12);
}

#[test]
fn the_ratio_is_that_of_fishtest() {
    // Calculated with a translation of fishtest's LLRcalc.py.
    for ((won, drew, lost), elo0, elo1, ratio) in [
        ((10, 0, 0), 0.0, 30.0, 0.826_229_205_5),
        ((30, 0, 0), 0.0, 30.0, 2.478_702_560_0),
        ((60, 20, 20), 0.0, 30.0, 3.872_116_813_4),
        ((20, 20, 60), 0.0, 30.0, -4.756_563_580_3),
        ((120, 10, 70), 0.0, 30.0, 3.762_828_881_4),
        ((50, 0, 50), 0.0, 30.0, -0.372_334_835_9),
        ((50, 100, 50), 0.0, 30.0, -1.483_884_737_2),
        ((3299, 8643, 3092), 0.0, 5.0, 3.346_048_169_4),
        ((9739, 18_047, 9430), 0.0, 2.0, 2.256_321_817_8),
    ] {
        assert_near(hypotheses(elo0, elo1).log_likelihood_ratio(Counts { won, drew, lost }), ratio, 1e-8);
    }
}

#[test]
fn the_ratio_agrees_with_published_results() {
    // fastchess, app/tests/sprt_test.cpp, «normalized trinomial»: hypotheses in normalized Elo, which the deviation of the counted
    // scores converts to scores. Its values have two decimal places.
    for ((won, lost, drew), nelo0, nelo1, published) in
        [((36_433, 36_027, 68_692), 0.0, 2.0, 0.92), ((10_871, 10_650, 20_431), -1.75, 0.25, 2.30)]
    {
        let total = f64::from(won + lost + drew);
        let mean = (f64::from(won) + f64::from(drew) / 2.0) / total;
        let deviation = ((f64::from(won) + f64::from(drew) / 4.0) / total - mean * mean).sqrt();
        let elo = |nelo: f64| {
            let score = 0.5 + deviation * nelo * 10_f64.ln() / 800.0;
            -400.0 * (1.0 / score - 1.0).log10()
        };
        let ratio = hypotheses(elo(nelo0), elo(nelo1)).log_likelihood_ratio(Counts { won, drew, lost });
        assert_near(ratio, published, 0.02);
    }
}

#[test]
fn the_estimate_is_the_difference_in_elo_with_its_margin() {
    assert_eq!(Counts::default().estimate(), None);
    // cutechess-cli shows 869 wins, 646 losses and 357 draws as 41.6 +/- 14.2.
    let estimate = Counts { won: 869, drew: 357, lost: 646 }.estimate().unwrap();
    assert_near(estimate.elo, 41.6, 0.1);
    assert_near(estimate.margin, 14.2, 0.1);
    // And 409 wins, 197 losses and 133 draws as 102.5 +/- 23.5.
    let estimate = Counts { won: 409, drew: 133, lost: 197 }.estimate().unwrap();
    assert_near(estimate.elo, 102.5, 0.1);
    assert_near(estimate.margin, 23.5, 0.1);
    let estimate = Counts { won: 5, ..Counts::default() }.estimate().unwrap();
    assert!(estimate.elo.is_finite() && estimate.margin.is_finite(), "{estimate:?}");
}

#[test]
fn a_test_ends_when_it_knows() {
    let (state, history) = play(started(), vec![Counted::Won; 60]);
    assert_eq!((state.verdict, state.counts.won), (Some(Verdict::FirstStronger), 36));
    assert_eq!(history.len(), 1 + 2 * 36 + 1);
    let (state, _) = play(started(), vec![Counted::Lost; 60]);
    assert_eq!((state.verdict, state.counts.lost), (Some(Verdict::NotStronger), 33));
    let (state, _) = play(Started { max_matches: 10, ..started() }, vec![Counted::Won; 60]);
    assert_eq!((state.verdict, state.counts.won), (Some(Verdict::Inconclusive), 10));
}

#[test]
fn void_matches_do_not_count_and_too_many_in_a_row_end_the_test() {
    let mixed = [vec![Counted::Void; usize::from(VOIDS_MAX) - 1], vec![Counted::Drew], vec![Counted::Void]].concat();
    let (state, _) = play(started(), mixed);
    assert_eq!((state.verdict, state.counts.total(), state.voids), (None, 1, 1));
    let (state, _) = play(started(), vec![Counted::Void; 60]);
    assert_eq!((state.verdict, state.counts.total(), state.voids), (Some(Verdict::Inconclusive), 0, VOIDS_MAX));
}

#[test]
fn the_seats_alternate_and_one_match_is_played_at_a_time() {
    let (state, _) = play(started(), []);
    assert!(state.first_begins());
    let begun = BeginNext { match_id: match_of(1) }.decide(&state).unwrap();
    let state = begun.iter().fold(state, State::apply);
    assert!(!state.first_begins());
    assert_eq!(BeginNext { match_id: match_of(2) }.decide(&state), Err(HeadToHeadError::Playing));
    let count = |number| CountMatch { match_id: match_of(number), result: Counted::Won }.decide(&state);
    assert_eq!(count(2), Err(HeadToHeadError::OtherMatch));
    assert_eq!(count(1).unwrap().len(), 1);
}

#[test]
fn wrong_tests_are_refused() {
    let refused = |started: Started| Start(started).decide(()).unwrap_err();
    assert_eq!(refused(Started { second: started().first, ..started() }), HeadToHeadError::SameAgent);
    assert_eq!(refused(Started { elo1: 0, ..started() }), HeadToHeadError::Hypotheses);
    for wrong in [
        Started { elo0: -401, ..started() },
        Started { elo1: 401, ..started() },
        Started { alpha: 9, ..started() },
        Started { beta: 4001, ..started() },
        Started { max_matches: 0, ..started() },
        Started { max_matches: 501, ..started() },
    ] {
        assert_eq!(refused(wrong), HeadToHeadError::Range);
    }
    assert_eq!(Start(started()).decide(()), Ok(vec![started().into()]));
}

#[test]
fn its_owner_alone_cancels_a_test_and_it_ends_once() {
    let (state, _) = play(started(), []);
    let cancel = |owner_id| Cancel { head_to_head_id: ID, owner_id };
    let stranger = OwnerId::new(Uuid::from_u128(9));
    assert_eq!(cancel(stranger).decide(&state), Err(HeadToHeadError::NotFound));
    assert_eq!(cancel(OWNER).decide(&HeadToHead::default()), Err(HeadToHeadError::NotFound));
    let ended = cancel(OWNER).decide(&state).unwrap();
    let state = ended.iter().fold(state, State::apply);
    assert_eq!(state.verdict, Some(Verdict::Cancelled));
    assert_eq!(cancel(OWNER).decide(&state), Err(HeadToHeadError::Over));
    assert_eq!(cancel(stranger).decide(&state), Err(HeadToHeadError::NotFound));
    assert_eq!(BeginNext { match_id: match_of(1) }.decide(&state), Err(HeadToHeadError::Over));
}

#[test]
fn a_test_without_progress_ends_after_a_day() {
    let (state, _) = play(started(), [Counted::Won]);
    let since = DateTime::UNIX_EPOCH;
    let give_up = |waited| GiveUp { since, now: since + waited }.decide(&state);
    assert_eq!(give_up(PATIENCE - TimeDelta::seconds(1)), Err(HeadToHeadError::NotIdle));
    let ended = give_up(PATIENCE).unwrap();
    assert_eq!(ended.iter().fold(state.clone(), State::apply).verdict, Some(Verdict::Inconclusive));
}

#[test]
fn the_events_mean() {
    let (_, mut events) = play(Started { max_matches: 1, ..started() }, [Counted::Won]);
    events.sort_by_key(HeadToHeadEvent::event_type);
    assert_eq!(
        meanings(events),
        [
            "head_to_head.ended: head to head ended",
            "head_to_head.match_begun: head to head match begun",
            "head_to_head.match_counted: head to head match counted",
            "head_to_head.started: head to head started",
        ]
    );
}

proptest! {
    #[test]
    fn every_test_ends_once_and_its_ratio_is_finite(
        results in vec(select(vec![Counted::Won, Counted::Drew, Counted::Lost, Counted::Void]), 0..400),
        max_matches in 1_u16..60,
    ) {
        let results = results.into_iter().chain(std::iter::repeat_n(Counted::Drew, 60));
        let (state, history) = play(Started { max_matches, ..started() }, results);
        let ends = history.iter().filter(|event| matches!(event, HeadToHeadEvent::Ended(_))).count();
        prop_assert_eq!(ends, 1);
        prop_assert!(state.counts.total() <= max_matches.into());
        let ratio = started().hypotheses().log_likelihood_ratio(state.counts);
        prop_assert!(ratio.is_finite());
        let verdict = match state.verdict {
            Some(Verdict::FirstStronger) => ratio >= BOUND,
            Some(Verdict::NotStronger) => ratio <= -BOUND,
            _ => ratio.abs() < BOUND,
        };
        prop_assert!(verdict, "{:?} at {}", state.verdict, ratio);
    }

    #[test]
    fn one_more_win_never_lowers_the_ratio(won in 0_u32..200, drew in 0_u32..200, lost in 0_u32..200) {
        let ratio = |won| hypotheses(0.0, 30.0).log_likelihood_ratio(Counts { won, drew, lost });
        prop_assume!(won > 0);
        prop_assert!(ratio(won + 1) >= ratio(won) - 1e-9);
    }
}
