//! The phases of a relay thread.

use std::fmt;

/// The phases of a thread: the states of the seed's «Thread State Machine».
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Phase {
    /// No REQUEST yet.
    #[default]
    Open,
    /// Requested; accepts offers.
    Pending,
    /// An offer was accepted; the thread waits for the result.
    Active,
    /// The result was delivered.
    Completed,
    /// Failed, cancelled or timed out.
    Error,
}

impl Phase {
    /// All phases.
    pub const ALL: [Self; 5] = [Self::Open, Self::Pending, Self::Active, Self::Completed, Self::Error];

    /// The name as in the seed.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Pending => "PENDING",
            Self::Active => "ACTIVE",
            Self::Completed => "COMPLETED",
            Self::Error => "ERROR",
        }
    }

    /// Whether the thread accepts no further envelopes.
    pub fn is_final(self) -> bool {
        matches!(self, Self::Completed | Self::Error)
    }
}

impl fmt::Display for Phase {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.as_str())
    }
}

impl TryFrom<String> for Phase {
    type Error = String;

    fn try_from(text: String) -> Result<Self, String> {
        Self::ALL.into_iter().find(|phase| phase.as_str() == text).ok_or(text)
    }
}
