//! The phases of a relay thread.

use crate::words;

words! {
    /// The phases of a thread: the states of the seed's «Thread State Machine», with its names.
    #[derive(Default)]
    pub enum Phase {
        /// No REQUEST yet.
        #[default]
        Open = "OPEN",
        /// Requested; accepts offers.
        Pending = "PENDING",
        /// An offer was accepted; the thread waits for the result.
        Active = "ACTIVE",
        /// The result was delivered.
        Completed = "COMPLETED",
        /// Failed, cancelled or timed out.
        Error = "ERROR",
    }
}

impl Phase {
    /// Whether the thread accepts no further envelopes.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Error)
    }
}
