//! Badges: names for ranges of the reputation score.

use std::str::FromStr;

use serde::{Deserialize, Serialize};

use crate::actors::UnknownName;

/// The badge of a score. The seed has five badges and leaves names and bounds open.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Default, Serialize, Deserialize)]
pub enum Badge {
    /// From 0.
    #[default]
    Newcomer,
    /// From 100.
    Contributor,
    /// From 300.
    Trusted,
    /// From 600.
    Expert,
    /// From 850.
    Luminary,
}

impl Badge {
    /// All badges, from the lowest.
    pub const ALL: [Self; 5] = [Self::Newcomer, Self::Contributor, Self::Trusted, Self::Expert, Self::Luminary];

    /// The badge of a score.
    pub fn of(score: i64) -> Self {
        Self::ALL.into_iter().rfind(|badge| badge.at() <= score).unwrap_or_default()
    }

    /// The lowest score of the badge.
    pub fn at(self) -> i64 {
        match self {
            Self::Newcomer => 0,
            Self::Contributor => 100,
            Self::Trusted => 300,
            Self::Expert => 600,
            Self::Luminary => 850,
        }
    }

    /// The next higher badge.
    pub fn next(self) -> Option<Self> {
        Self::ALL.into_iter().find(|badge| *badge > self)
    }

    /// The wire name.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Newcomer => "Newcomer",
            Self::Contributor => "Contributor",
            Self::Trusted => "Trusted",
            Self::Expert => "Expert",
            Self::Luminary => "Luminary",
        }
    }
}

impl FromStr for Badge {
    type Err = UnknownName;

    fn from_str(text: &str) -> Result<Self, UnknownName> {
        Self::ALL.into_iter().find(|badge| badge.as_str() == text).ok_or(UnknownName)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn badges_cover_adjacent_score_ranges() {
        let badges = [0, 99, 100, 299, 300, 599, 600, 849, 850, 1000].map(Badge::of).map(Badge::as_str);
        assert_eq!(
            badges,
            [
                "Newcomer",
                "Newcomer",
                "Contributor",
                "Contributor",
                "Trusted",
                "Trusted",
                "Expert",
                "Expert",
                "Luminary",
                "Luminary"
            ]
        );
        assert_eq!(Badge::Newcomer.next(), Some(Badge::Contributor));
        assert_eq!(Badge::Luminary.next(), None);
        assert!(Badge::ALL.into_iter().all(|badge| badge.as_str().parse() == Ok(badge)));
    }
}
