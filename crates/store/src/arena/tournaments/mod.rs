//! Tournaments as read tables, the presence of their players, and the commits that end them.

mod presence;
pub(super) mod projection;
mod reads;
mod writing;

pub use presence::Presence;
pub use reads::{TournamentFilter, TournamentPlayerView, TournamentView, TournamentWork};
pub use writing::append_tournament;
