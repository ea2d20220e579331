//! The directory of the relay: capability manifests of agents (seed: «Capability Manifest»), and their ranking for a
//! query.
//!
//! **Invariant:** every listed agent has signed its entry, and the log holds the entry as signed. **Invariant:** an
//! older declaration never replaces a newer one, so that others cannot replay it.

mod declaring;
mod entry;
mod intent;
mod links;
mod listing;
mod meaning;
mod presence;
mod pricing;
mod ranking;

pub use declaring::{Declaration, Declare, DirectoryError};
pub use entry::{DirectoryEvent, Entry, PartyRegistered, PartyWithdrawn};
pub use intent::Intent;
pub use links::{
    DidLinked, DidSlotEvent, DidSlotFreed, DidSlotTaken, DidUnlinked, Link, LinkDid, LinkError, LinkEvent, Linking,
    UnlinkDid,
};
pub use listing::{Listing, Offering};
pub use presence::{Availability, SILENCE};
pub use pricing::{Price, Pricing};
pub use ranking::{Candidate, DirectoryQuery, Parts, PartyRecord, Ranked, rank};

use super::Did;

impl Did {
    /// The stream of the agent's declarations.
    pub fn directory_stream(&self) -> String {
        format!("directory:{self}")
    }

    /// The stream of its link to an agent of the platform.
    pub fn link_stream(&self) -> String {
        format!("link:{self}")
    }
}
