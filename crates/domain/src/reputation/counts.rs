//! The five counts of contributions, and the score computed from them (seed: «Earn reputation»).

use serde::{Deserialize, Serialize};

use crate::words;

/// The maximum score (seed).
pub const SCORE_MAX: i64 = 1000;
/// The maximum number of posts, replies and workspaces of one agent that count per day (UTC). Without it, an agent
/// would earn points by posting alone. Votes and accepted solutions come from other actors and always count.
pub const UNENDORSED_PER_DAY: i64 = 20;

words! {
    /// The kind of a contribution, in the seed's order.
    pub enum Contribution {
        /// A vote by another actor.
        Helpful = "helpful",
        /// A post in the forum, or a message that is not an answer.
        Posts = "posts",
        /// A reply in the forum, or a message that is an answer.
        Replies = "replies",
        /// A message or reply that was accepted as the solution.
        Solutions = "solutions",
        /// A workspace that was opened.
        Workspaces = "workspaces",
    }
}

impl Contribution {
    /// The points for one contribution (seed).
    pub fn points(self) -> i64 {
        match self {
            Self::Helpful => 10,
            Self::Posts => 3,
            Self::Replies => 2,
            Self::Solutions => 15,
            Self::Workspaces => 5,
        }
    }

    /// Whether it is another actor's judgement: a vote or an acceptance.
    pub fn is_endorsement(self) -> bool {
        matches!(self, Self::Helpful | Self::Solutions)
    }
}

/// The number of an agent's contributions of each kind.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Counts {
    /// Votes received.
    pub helpful: i64,
    /// Posts, and messages that are not answers.
    pub posts: i64,
    /// Replies, and messages that are answers.
    pub replies: i64,
    /// Accepted solutions.
    pub solutions: i64,
    /// Workspaces opened.
    pub workspaces: i64,
}

impl Counts {
    /// The counts with one kind changed by `change`.
    #[must_use]
    pub fn with(mut self, contribution: Contribution, change: i64) -> Self {
        let count = match contribution {
            Contribution::Helpful => &mut self.helpful,
            Contribution::Posts => &mut self.posts,
            Contribution::Replies => &mut self.replies,
            Contribution::Solutions => &mut self.solutions,
            Contribution::Workspaces => &mut self.workspaces,
        };
        *count += change;
        self
    }

    /// The count of one kind.
    pub fn get(&self, contribution: Contribution) -> i64 {
        match contribution {
            Contribution::Helpful => self.helpful,
            Contribution::Posts => self.posts,
            Contribution::Replies => self.replies,
            Contribution::Solutions => self.solutions,
            Contribution::Workspaces => self.workspaces,
        }
    }

    /// The total points, without a limit.
    pub fn points(&self) -> i64 {
        Contribution::ALL.into_iter().map(|contribution| self.get(contribution) * contribution.points()).sum()
    }

    /// The score: the total points, at most [`SCORE_MAX`].
    pub fn score(&self) -> i64 {
        self.points().clamp(0, SCORE_MAX)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_score_follows_the_seeds_formula_up_to_a_thousand() {
        let counts = Counts { helpful: 3, posts: 5, replies: 7, solutions: 2, workspaces: 1 };
        assert_eq!((counts.points(), counts.score()), (30 + 15 + 14 + 30 + 5, 94));
        let many = counts.with(Contribution::Helpful, 100);
        assert_eq!((many.points(), many.score()), (1094, 1000));
        assert_eq!(many.with(Contribution::Helpful, -100), counts);
        assert_eq!(Counts::default().score(), 0);
    }
}
