//! The results of a finished match, with the ratings that follow from it.

use skillratings::{
    Outcomes,
    glicko2::{Glicko2Config, Glicko2Rating, glicko2_rating_period},
};

use super::{Outcome, Rating, ResultRecorded};
use crate::arena::{
    matches::{MatchCreated, MatchFinished, Placing, Seat},
    sparring::SPARRING_AGENT,
};

/// With how many others a seat of a large match is compared. Results of one match are not independent: a comparison with each
/// of 99 others would end all doubt about a rating in one round.
pub const OPPONENTS_COUNTED: usize = 8;

/// The results of a match, in the order of seats, without the sparring bot and those that skipped the match. `ratings` are those of
/// the seats before it.
pub fn results(created: &MatchCreated, finished: &MatchFinished, ratings: &[Rating]) -> Vec<ResultRecorded> {
    let seats = created.seats.iter().zip(&finished.placings).zip(ratings.iter().copied());
    let (played, ratings): (Vec<Played<'_>>, Vec<Rating>) = seats.filter(|((_, placing), _)| !placing.excused).unzip();
    let rated = created.is_rated();
    let first = played.iter().filter(|(_, placing)| placing.place == 1).count();
    let record = |(index, (seat, placing)): (usize, &Played<'_>)| {
        let outcome = match placing.place {
            1 if first == 1 => Outcome::Won,
            1 => Outcome::Drew,
            _ => Outcome::Lost,
        };
        let before = ratings[index];
        let after = if rated { rating_after(index, &played, &ratings) } else { before };
        let turns = u32::from(finished.turns.max(1));
        let opponent = || played.iter().map(|(other, _)| other.agent_id).find(|other| *other != seat.agent_id);
        ResultRecorded {
            match_id: created.match_id,
            league: created.league,
            mode: created.mode,
            agent: seat.agent.clone(),
            agent_id: seat.agent_id,
            opponents: u16::try_from(played.len() - 1).unwrap_or(u16::MAX),
            opponent_id: if played.len() == 2 { opponent() } else { None },
            outcome,
            place: placing.place,
            score: u16::try_from(placing.total / turns).unwrap_or(1000),
            before,
            after,
        }
    };
    let recorded = played.iter().enumerate().map(record);
    recorded.filter(|recorded| recorded.agent_id != SPARRING_AGENT).collect()
}

/// A seat with its place.
type Played<'m> = (&'m Seat, &'m Placing);

/// The seat's rating after comparisons with others that are spread evenly over the list of seats.
fn rating_after(seat: usize, played: &[Played<'_>], ratings: &[Rating]) -> Rating {
    let others = played.len() - 1;
    let counted = others.min(OPPONENTS_COUNTED);
    let compared: Vec<(Glicko2Rating, Outcomes)> = (0..counted)
        .map(|number| (seat + 1 + number * others / counted) % played.len())
        .map(|other| {
            let outcome = match played[seat].1.place.cmp(&played[other].1.place) {
                std::cmp::Ordering::Less => Outcomes::WIN,
                std::cmp::Ordering::Equal => Outcomes::DRAW,
                std::cmp::Ordering::Greater => Outcomes::LOSS,
            };
            (ratings[other].into(), outcome)
        })
        .collect();
    glicko2_rating_period(&ratings[seat].into(), &compared, &Glicko2Config::new()).into()
}
