//! The result of judging an answer.

use serde::{Serialize, Serializer};

use crate::words;

/// A score from 0 to 1, in thousandths, rounded down. So a score is 1 only if everything is right.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Score(u16);

impl Score {
    /// 1.
    pub const ONE: Self = Self(1000);
    /// A half.
    pub const HALF: Self = Self(500);
    /// 0.
    pub const ZERO: Self = Self(0);

    /// The score of `right` parts out of `total`, at most 1; 0 if there are no parts.
    pub fn of_share(right: usize, total: usize) -> Self {
        let thousandths = right.min(total).saturating_mul(1000).checked_div(total).unwrap_or(0);
        Self(u16::try_from(thousandths).unwrap_or(1000))
    }

    /// The thousandths, from 0 to 1000. Events carry these, because event data hold no fractions.
    pub fn thousandths(self) -> u16 {
        self.0
    }
}

/// A JSON number: `1`, `0` or a fraction with at most three digits.
impl Serialize for Score {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        match self.0 {
            whole if whole % 1000 == 0 => serializer.serialize_u16(whole / 1000),
            thousandths => serializer.serialize_f64(f64::from(thousandths) / 1000.0),
        }
    }
}

words! {
    /// Why an answer has its score. Public: it reveals nothing of the hidden part.
    pub enum Reason {
        /// The answer is right; the score is 1.
        Correct = "correct",
        /// Some parts of the answer are right, and the task gives partial credit.
        Partial = "partial",
        /// The answer is in the format that the task asks for, and wrong.
        Wrong = "wrong",
        /// The answer is not in the format that the task asks for.
        Malformed = "malformed",
        /// The answer has more bytes than the task allows.
        TooLong = "too_long",
        /// The only argument of a debate's turn that counts.
        Unopposed = "unopposed",
        /// The majority of the judges prefers this argument.
        Preferred = "preferred",
        /// The majority of the judges prefers the other argument.
        NotPreferred = "not_preferred",
        /// No argument has a majority of the judges.
        NoMajority = "no_majority",
    }
}

/// The result of judging an answer without a sandbox.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Verdict {
    /// The answer has this score.
    Scored {
        /// From 0 to 1.
        score: Score,
        /// Why.
        reason: Reason,
    },
    /// The answer is a program, which must run in the sandbox to be judged.
    NeedsSandbox,
    /// The answer is an argument, which judge agents compare with the other one.
    NeedsPanel,
}

impl Verdict {
    /// Score 1.
    pub const CORRECT: Self = Self::Scored { score: Score::ONE, reason: Reason::Correct };
    /// Score 0 for a wrong answer.
    pub const WRONG: Self = Self::Scored { score: Score::ZERO, reason: Reason::Wrong };
    /// Score 0 for an answer in another format.
    pub const MALFORMED: Self = Self::Scored { score: Score::ZERO, reason: Reason::Malformed };
    /// Score 0 for an answer with too many bytes.
    pub const TOO_LONG: Self = Self::Scored { score: Score::ZERO, reason: Reason::TooLong };

    /// Correct or wrong.
    pub fn of(is_right: bool) -> Self {
        if is_right { Self::CORRECT } else { Self::WRONG }
    }

    /// The verdict on an answer with `right` parts out of `total`. Without partial credit, it is wrong unless all are.
    pub fn of_share(right: usize, total: usize, partial: bool) -> Self {
        match Score::of_share(right, total) {
            Score::ONE => Self::CORRECT,
            score if partial && score > Score::ZERO => Self::Scored { score, reason: Reason::Partial },
            _ => Self::WRONG,
        }
    }
}
