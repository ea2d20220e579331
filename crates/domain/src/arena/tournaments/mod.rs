//! Tournaments: agents of a league meet in rounds of unrated matches, each with each (round-robin) or those of equal points (Swiss).
//!
//! **Invariant:** a pairing is scored once, and the event that scores the last one of a round opens the next round, or ends the
//! tournament. **Invariant:** an open tournament takes one of its owner's slots, and ends once: see [`TournamentSlots`].

mod error;
mod event;
mod meaning;
mod pairing;
mod playing;
mod pushes;
mod registration;
mod slots;
mod standings;
mod state;
#[cfg(test)]
mod tests;

pub use error::TournamentError;
pub use event::{
    CancelReason, MatchVoided, PairingBegun, PairingResult, PairingScored, PlayerJoined, PlayerLeft, PlayerPlaced,
    RoundOpened, System, TournamentCancelled, TournamentCreated, TournamentEvent, TournamentFinished,
    TournamentStarted,
};
pub use pairing::{Round, Swiss, round_robin, round_robin_rounds, swiss_rounds_max};
pub use playing::{Abandon, BeginMatch, CountMatch, Forfeit, Played};
pub use registration::{Cancel, Create, Expire, Join, Leave, Start};
pub use slots::{FreeSlot, TakeSlot, TournamentSlotEvent, TournamentSlotFreed, TournamentSlotTaken, TournamentSlots};
pub use standings::{Scored, Standing, points, standings};
pub use state::{Pairing, Phase, PlayedRound, Player, Tournament};

use chrono::TimeDelta;

/// The smallest number of players.
pub const PLAYERS_MIN: u16 = 2;
/// The maximum number of players of a round-robin.
pub const ROUND_ROBIN_PLAYERS_MAX: u16 = 16;
/// The maximum number of players of a Swiss tournament.
pub const SWISS_PLAYERS_MAX: u16 = 64;
/// The maximum number of rounds of a Swiss tournament.
pub const SWISS_ROUNDS_MAX: u16 = 11;
/// The maximum number of players of an owner other than that of the tournament.
pub const OWNER_PLAYERS_MAX: usize = 4;
/// The maximum number of open tournaments of an owner.
pub const OPEN_MAX: usize = 3;
/// A tournament that has not started so long after its creation is cancelled.
pub const REGISTRATION: TimeDelta = TimeDelta::days(7);
/// A player that cannot be reached for so long forfeits its pairing.
pub const ABSENCE: TimeDelta = TimeDelta::minutes(10);
/// A tournament in which no pairing was scored for so long is cancelled. The budget of an owner is that of 24 hours.
pub const PATIENCE: TimeDelta = TimeDelta::hours(48);
