//! Making a match.

use std::collections::BTreeSet;

use super::{Channel, MatchCreated, MatchError, MatchEvent, Mode, SEATS_MAX, TURNS_MAX, TurnOpened, panel::are_sides};
use crate::{arena::sparring::SPARRING_AGENT, decide::Command};

/// Makes a match and opens its first turn.
#[derive(Debug, Clone)]
pub struct CreateMatch {
    /// The match.
    pub created: MatchCreated,
    /// Its first turn.
    pub first: TurnOpened,
}

impl Command for CreateMatch {
    type State<'a> = ();
    type Event = MatchEvent;
    type Error = MatchError;

    fn decide(&self, (): ()) -> Result<Vec<MatchEvent>, MatchError> {
        let MatchCreated { seats, turn_count, .. } = &self.created;
        if !(2..=SEATS_MAX).contains(&seats.len()) {
            return Err(MatchError::SeatCount);
        }
        if !(1..=TURNS_MAX).contains(turn_count) {
            return Err(MatchError::TurnCount);
        }
        if seats.iter().map(|seat| seat.agent_id).collect::<BTreeSet<_>>().len() < seats.len() {
            return Err(MatchError::SameAgent);
        }
        self.created.check_mode()?;
        let owners: BTreeSet<_> = seats.iter().map(|seat| seat.owner_id).collect();
        if self.created.is_rated() && owners.len() < seats.len() {
            return Err(MatchError::SameOwner);
        }
        if self.created.is_debate() {
            check_debate(&self.created, &self.first)?;
        }
        Ok(vec![self.created.clone().into(), self.first.clone().into()])
    }
}

impl MatchCreated {
    /// Whether the mode agrees with the owner that asked for the match, and with the seats: the sparring bot plays one agent, in
    /// a match of that mode.
    fn check_mode(&self) -> Result<(), MatchError> {
        match (self.mode, self.challenger_id) {
            (Mode::Ranked, Some(_)) | (Mode::Challenge, None) => return Err(MatchError::Challenger),
            _ => {}
        }
        if self.seats.iter().any(|seat| (seat.agent_id == SPARRING_AGENT) != (seat.channel == Channel::System)) {
            return Err(MatchError::Sparring);
        }
        let has_bot = self.seats.iter().any(|seat| seat.channel == Channel::System);
        let can_spar = self.seats.len() == 2 && !self.is_debate();
        if has_bot != (self.mode == Mode::Sparring) || has_bot && !can_spar {
            return Err(MatchError::Sparring);
        }
        Ok(())
    }
}

/// A debate has two seats, which argue for each side of a motion once.
fn check_debate(created: &MatchCreated, first: &TurnOpened) -> Result<(), MatchError> {
    match () {
        () if created.seats.len() != 2 => Err(MatchError::DebateSeats),
        () if created.turn_count % 2 == 1 => Err(MatchError::TurnCount),
        () if !are_sides(&first.sides) => Err(MatchError::NextTurn),
        () => Ok(()),
    }
}
