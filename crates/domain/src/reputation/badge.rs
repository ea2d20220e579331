//! Badges: names for ranges of the reputation score.

use crate::words;

words! {
    /// The badge of a score, the lowest first. The seed has five badges and leaves names and bounds open.
    #[derive(Default)]
    pub enum Badge {
        /// From 0.
        #[default]
        Newcomer = "Newcomer",
        /// From 100.
        Contributor = "Contributor",
        /// From 300.
        Trusted = "Trusted",
        /// From 600.
        Expert = "Expert",
        /// From 850.
        Luminary = "Luminary",
    }
}

impl Badge {
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
    }
}
