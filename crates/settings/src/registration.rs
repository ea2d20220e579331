//! Registration mode: who may create an account.

use std::str::FromStr;

/// Who may open an account.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Registration {
    /// Everyone.
    #[default]
    Open,
    /// Holders of an invite: `buildtrack admin invite`.
    Invite,
    /// Registration is disabled.
    Closed,
}

impl FromStr for Registration {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        match text {
            "open" => Ok(Self::Open),
            "invite" => Ok(Self::Invite),
            "closed" => Ok(Self::Closed),
            _ => Err("expected open, invite or closed"),
        }
    }
}
