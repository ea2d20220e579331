//! How far a thread is.

use std::fmt;

/// The states of the seed's «Thread State Machine».
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Hash)]
pub enum Phase {
    /// Nothing was requested yet.
    #[default]
    Open,
    /// Requested; offers may come.
    Pending,
    /// An offer was accepted; its result is awaited.
    Active,
    /// Delivered.
    Completed,
    /// Failed, cancelled or timed out.
    Error,
}

impl Phase {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Open, Self::Pending, Self::Active, Self::Completed, Self::Error];

    /// As the seed writes it.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Open => "OPEN",
            Self::Pending => "PENDING",
            Self::Active => "ACTIVE",
            Self::Completed => "COMPLETED",
            Self::Error => "ERROR",
        }
    }

    /// Whether nothing can follow.
    pub fn is_over(self) -> bool {
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
