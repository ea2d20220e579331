use proptest::{collection::vec, prelude::*};
use uuid::Uuid;

use super::{
    OPPONENTS_COUNTED, Outcome, PROVISIONAL_DEVIATION, Rating, ResultRecorded, Standing, StandingEvent, StandingStream,
    results,
};
use crate::{
    arena::{
        matches::{Channel, Ending, MatchCreated, MatchFinished, Mode, Placing, Seat},
        sparring::{SPARRING_AGENT, sparring_seat},
        tasks::League,
    },
    decide::testing::given,
    event_tests::{agent, meanings},
    ids::{AgentId, MatchId, OwnerId},
    push::Pushed,
};

fn agent_id(number: u128) -> AgentId {
    AgentId::new(Uuid::from_u128(number))
}

fn seat(number: u128) -> Seat {
    let owner_id = OwnerId::new(Uuid::from_u128(1000 + number));
    Seat { agent: agent(number), agent_id: agent_id(number), owner_id, channel: Channel::Push }
}

/// A finished match of three turns, with these totals.
fn played(mode: Mode, totals: &[u32]) -> (MatchCreated, MatchFinished) {
    let match_id = MatchId::new(Uuid::from_u128(9));
    let seats: Vec<_> = (1..).take(totals.len()).map(seat).collect();
    let place = |total: u32| u16::try_from(totals.iter().filter(|other| **other > total).count() + 1).unwrap();
    let placings: Vec<_> = (0..)
        .zip(&seats)
        .zip(totals)
        .map(|((seat, Seat { agent_id, .. }), total)| Placing {
            seat,
            agent_id: *agent_id,
            place: place(*total),
            total: *total,
            forfeited: false,
            excused: false,
        })
        .collect();
    let created = MatchCreated { match_id, league: League::Trivia, mode, turn_count: 3, challenger_id: None, seats };
    let mut first = placings.iter().filter(|placing| placing.place == 1).map(|placing| placing.agent_id);
    let winner = first.next().filter(|_| first.next().is_none());
    (created, MatchFinished { match_id, ending: Ending::Completed, winner, turns: 3, placings })
}

fn results_of(mode: Mode, totals: &[u32], ratings: &[Rating]) -> Vec<ResultRecorded> {
    let (created, finished) = played(mode, totals);
    results(&created, &finished, ratings)
}

fn rating(points: i64, deviation: i64) -> Rating {
    Rating { rating_milli: points * 1000, deviation_milli: deviation * 1000, ..Rating::default() }
}

#[test]
fn a_new_agent_has_1500_points_and_a_provisional_rating() {
    let rating = Standing::default().rating;
    assert_eq!((rating.elo(), rating.deviation(), rating.rank_milli()), (1500, 350, 800_000));
    assert!(rating.is_provisional());
    let at = |deviation_milli| Rating { deviation_milli, ..rating };
    assert!(!at(PROVISIONAL_DEVIATION).is_provisional() && at(PROVISIONAL_DEVIATION + 1).is_provisional());
}

#[test]
fn points_are_rounded_and_deviations_are_rounded_up() {
    let at = |rating_milli, deviation_milli| Rating { rating_milli, deviation_milli, ..Rating::default() };
    let shown = |rating: Rating| (rating.elo(), rating.deviation());
    assert_eq!(
        [(1_499_499, 50_000), (1_499_500, 50_001), (-1_499, 1), (-1_501, 0)].map(|(r, d)| shown(at(r, d))),
        [(1499, 50), (1500, 51), (-1, 1), (-2, 0)]
    );
}

#[test]
fn a_result_says_what_the_match_was_for_each_agent() {
    let ratings = [rating(1500, 100), rating(1700, 200)];
    let found = results_of(Mode::Ranked, &[3000, 1000], &ratings);
    assert_eq!(found.iter().map(|result| result.agent_id).collect::<Vec<_>>(), [agent_id(1), agent_id(2)]);
    assert_eq!(
        found.iter().map(|result| result.opponent_id).collect::<Vec<_>>(),
        [Some(agent_id(2)), Some(agent_id(1))]
    );
    let shown: Vec<_> =
        found.iter().map(|result| (result.outcome, result.place, result.score, result.opponents)).collect();
    assert_eq!(shown, [(Outcome::Won, 1, 1000, 1), (Outcome::Lost, 2, 333, 1)]);
    assert_eq!(found.iter().map(|result| result.before).collect::<Vec<_>>(), ratings);
    assert_eq!(found[1].agent, agent(2));
}

#[test]
fn the_first_place_is_won_alone_and_drawn_together() {
    use Outcome::{Drew, Lost, Won};
    let outcomes = |totals: &[u32]| {
        let found = results_of(Mode::Ranked, totals, &vec![Rating::default(); totals.len()]);
        assert!(found.iter().all(|result| (result.opponent_id.is_some()) == (totals.len() == 2)));
        found.iter().map(|result| result.outcome).collect::<Vec<_>>()
    };
    assert_eq!(outcomes(&[5, 5]), [Drew, Drew]);
    assert_eq!(outcomes(&[5, 5, 1]), [Drew, Drew, Lost]);
    assert_eq!(outcomes(&[1, 5, 1]), [Lost, Won, Lost]);
}

#[test]
fn two_new_agents_move_as_glicko_2_says() {
    let found = results_of(Mode::Ranked, &[2, 1], &[Rating::default(); 2]);
    let after = |result: &ResultRecorded| (result.after.elo(), result.after.deviation());
    // The known result of Glicko-2 with τ = 0.5: ±162 points, and a deviation of 290.3.
    assert_eq!((after(&found[0]), after(&found[1])), ((1662, 291), (1338, 291)));
    let drawn = results_of(Mode::Ranked, &[1, 1], &[Rating::default(); 2]);
    assert_eq!((after(&drawn[0]), after(&drawn[1])), ((1500, 291), (1500, 291)));
}

#[test]
fn a_result_against_a_known_agent_moves_a_new_one_more() {
    let found = results_of(Mode::Ranked, &[2, 1], &[rating(1500, 350), rating(1500, 60)]);
    assert!(found[0].after.elo() - 1500 > 5 * (1500 - found[1].after.elo()));
}

#[test]
fn a_challenge_changes_no_rating() {
    let ratings = [rating(1500, 100), rating(1700, 200), rating(900, 350)];
    for result in results_of(Mode::Challenge, &[3, 2, 1], &ratings) {
        assert_eq!(result.after, result.before);
    }
}

#[test]
fn a_match_with_the_sparring_bot_changes_no_rating_and_gives_the_bot_no_result() {
    let (mut created, mut finished) = played(Mode::Sparring, &[3, 2]);
    created.seats[1] = sparring_seat();
    finished.placings[1].agent_id = SPARRING_AGENT;
    let found = results(&created, &finished, &[rating(1500, 100), Rating::default()]);
    assert_eq!((found.len(), found[0].agent_id, found[0].outcome), (1, agent_id(1), Outcome::Won));
    assert_eq!((found[0].after, found[0].opponent_id), (found[0].before, Some(SPARRING_AGENT)));
}

#[test]
fn an_agent_that_skipped_the_match_has_no_result_and_is_no_opponent() {
    let (created, mut finished) = played(Mode::Ranked, &[2, 0, 1]);
    finished.placings[1].excused = true;
    let ratings = [rating(1500, 350), rating(1500, 60), rating(1500, 350)];
    let found = results(&created, &finished, &ratings);
    assert_eq!(found.iter().map(|result| result.agent_id).collect::<Vec<_>>(), [agent_id(1), agent_id(3)]);
    assert_eq!((found[0].opponents, found[0].opponent_id), (1, Some(agent_id(3))));
    // As after a match of two.
    assert_eq!((found[0].after.elo(), found[1].after.elo()), (1662, 1338));
}

/// The other seats with whose ratings the seat is compared: those whose rating changes its own.
fn compared_with(seat: usize, seats: usize) -> Vec<usize> {
    let totals: Vec<_> = (0..).take(seats).collect();
    let ratings = vec![rating(1500, 200); seats];
    let after = |ratings: &[Rating]| results_of(Mode::Ranked, &totals, ratings)[seat].after;
    let changed = |other: &usize| {
        let mut changed = ratings.clone();
        changed[*other] = rating(1700, 200);
        after(&changed) != after(&ratings)
    };
    (0..seats).filter(|other| *other != seat).filter(changed).collect()
}

#[test]
fn a_seat_of_a_large_match_is_compared_with_eight_others() {
    assert_eq!(compared_with(2, 4), [0, 1, 3]);
    assert_eq!(compared_with(3, 9), [0, 1, 2, 4, 5, 6, 7, 8]);
    for seats in [10, 21, 100] {
        for seat in [0, seats / 2, seats - 1] {
            assert_eq!(compared_with(seat, seats).len(), OPPONENTS_COUNTED, "seat {seat} of {seats}");
        }
    }
}

#[test]
fn a_standing_is_the_rating_after_the_last_result() {
    let [first, second] = [[2, 1], [1, 2]].map(|totals| results_of(Mode::Ranked, &totals, &[Rating::default(); 2]));
    let standing: Standing = given([first[0].clone().into(), second[0].clone().into()]);
    assert_eq!(standing.rating, second[0].after);
    assert_ne!(standing.rating, first[0].after);
    assert_eq!(StandingStream(League::Python, agent_id(1)).to_string(), format!("ladder:python:{}", agent_id(1)));
}

#[test]
fn a_result_is_located_at_its_agent_and_pushed_to_it() {
    let ratings = [Rating::default(); 2];
    let events: Vec<StandingEvent> = [
        results_of(Mode::Ranked, &[2, 1], &ratings).remove(0),
        results_of(Mode::Challenge, &[1, 1], &ratings).remove(1),
        results_of(Mode::Ranked, &[2, 1], &ratings).remove(1),
    ]
    .map(Into::into)
    .into();
    assert_eq!(
        meanings(events),
        [
            concat!(
                "arena.result_recorded @ag_1: ag_1 won a ranked trivia match; its rating went from 1500 to 1662; ",
                "pushes match.finished to ag_1",
            ),
            "arena.result_recorded @ag_2: ag_2 drew a challenge trivia match; pushes match.finished to ag_2",
            concat!(
                "arena.result_recorded @ag_2: ag_2 lost a ranked trivia match; its rating went from 1500 to 1338; ",
                "pushes match.finished to ag_2",
            ),
        ]
    );
}

#[test]
fn the_push_of_a_result_holds_no_names_and_no_fractions() {
    let result = results_of(Mode::Ranked, &[2000, 1000], &[Rating::default(); 2]).remove(0);
    let data: serde_json::Value = serde_json::from_str(&result.data("", &"https://arena.example")).unwrap();
    assert_eq!(
        data,
        serde_json::json!({
            "matchId": result.match_id, "league": "trivia", "mode": "ranked", "outcome": "won", "place": 1,
            "opponents": 1, "opponentId": agent_id(2), "scoreThousandths": 666, "oldRating": 1500, "newRating": 1662,
            "url": format!("https://arena.example/replays/{}", result.match_id),
        })
    );
    let crowd = results_of(Mode::Ranked, &[2, 1, 1], &[Rating::default(); 3]).remove(0);
    assert!(!crowd.data("", &"https://arena.example").contains("opponentId"));
}

/// Ratings that agents can reach: the largest difference is some four times that of chess.
fn any_rating() -> impl Strategy<Value = Rating> {
    (-1_000_000_i64..4_000_000, 1_000_i64..=350_000, 1_000_000_i64..200_000_000).prop_map(
        |(rating_milli, deviation_milli, volatility_nano)| Rating { rating_milli, deviation_milli, volatility_nano },
    )
}

fn is_sound(rating: Rating) -> bool {
    (1000..=350_000).contains(&rating.deviation_milli) && (1..=1_000_000_000).contains(&rating.volatility_nano)
}

proptest! {
    #[test]
    fn of_two_agents_the_winner_does_not_fall_and_the_loser_does_not_rise(
        ratings in [any_rating(), any_rating()], totals in [0_u32..3, 0_u32..3],
    ) {
        for result in results_of(Mode::Ranked, &totals, &ratings) {
            prop_assert!(is_sound(result.after), "{:?}", result.after);
            match result.outcome {
                Outcome::Won => prop_assert!(result.after.rating_milli >= result.before.rating_milli),
                Outcome::Lost => prop_assert!(result.after.rating_milli <= result.before.rating_milli),
                Outcome::Drew => prop_assert_eq!(totals[0], totals[1]),
            }
        }
    }

    #[test]
    fn every_seat_has_one_result_and_at_most_one_wins(
        rated in any::<bool>(), players in vec((0_u32..30_000, any_rating()), 2..=100),
    ) {
        let (totals, ratings): (Vec<_>, Vec<_>) = players.into_iter().unzip();
        let mode = if rated { Mode::Ranked } else { Mode::Challenge };
        let found = results_of(mode, &totals, &ratings);
        prop_assert!(found.iter().map(|result| result.agent_id).eq((1..).take(totals.len()).map(agent_id)));
        let count = |outcome| found.iter().filter(|result| result.outcome == outcome).count();
        let best = totals.iter().max();
        let first = totals.iter().filter(|total| Some(*total) == best).count();
        let expected = if first == 1 { (1, 0) } else { (0, first) };
        prop_assert_eq!((count(Outcome::Won), count(Outcome::Drew)), expected);
        for (result, before) in found.iter().zip(&ratings) {
            prop_assert_eq!(&result.before, before);
            prop_assert!(is_sound(result.after), "{:?}", result.after);
            prop_assert!(rated || result.after == *before);
        }
    }

    /// Ratings are whole numbers between matches, so that errors might add up.
    #[test]
    fn ratings_stay_on_the_scale_over_many_matches(outcomes in vec((0_usize..6, 0_usize..6, 0_u32..3), 0..300)) {
        let mut ratings = [Rating::default(); 6];
        for (first, second, total) in outcomes {
            if first != second {
                let found = results_of(Mode::Ranked, &[total, 1], &[ratings[first], ratings[second]]);
                (ratings[first], ratings[second]) = (found[0].after, found[1].after);
            }
        }
        for rating in ratings {
            prop_assert!(is_sound(rating) && (0..=3_000_000).contains(&rating.rating_milli), "{rating:?}");
        }
    }
}
