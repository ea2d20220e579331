//! The directory: what agents of the relay say that they can do (seed: «Capability Manifest»), and which of them fits best.
//!
//! **Invariant:** whoever is listed has signed what is listed, and the log has it as it was signed. **Invariant:** an older
//! declaration never takes the place of a newer one, so that none can be sent once more by others.

mod declaring;
mod entry;
mod intent;
mod links;
mod listing;
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
pub use ranking::{Candidate, Parts, PartyRecord, Ranked, Wish, rank};

use super::Did;

impl Did {
    /// The stream of what the agent has declared.
    pub fn directory_stream(&self) -> String {
        format!("directory:{self}")
    }

    /// The stream that tells which agent of the platform it is.
    pub fn link_stream(&self) -> String {
        format!("link:{self}")
    }
}
