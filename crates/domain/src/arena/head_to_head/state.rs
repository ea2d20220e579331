//! The state of a head-to-head test, folded from its events.

use std::sync::Arc;

use super::{Counted, Counts, HeadToHeadError, HeadToHeadEvent, Hypotheses, Started, Verdict};
use crate::{decide::State, ids::MatchId};

/// A head-to-head test.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct HeadToHead {
    /// The data of the first event; `None` if the test does not exist.
    pub started: Option<Arc<Started>>,
    /// The match that is played.
    pub playing: Option<MatchId>,
    /// The matches that count.
    pub counts: Counts,
    /// The number of matches that began, void ones included.
    pub begun: u32,
    /// The number of void matches since the last one that counts.
    pub voids: u16,
    /// How it ended.
    pub verdict: Option<Verdict>,
}

impl State for HeadToHead {
    type Event = HeadToHeadEvent;

    fn apply(mut self, event: &HeadToHeadEvent) -> Self {
        match event {
            HeadToHeadEvent::Started(data) => self.started = Some(Arc::new(data.clone())),
            HeadToHeadEvent::Begun(data) => (self.playing, self.begun) = (Some(data.match_id), self.begun + 1),
            HeadToHeadEvent::Counted(data) => {
                self.playing = None;
                self.voids = if data.result == Counted::Void { self.voids + 1 } else { 0 };
                match data.result {
                    Counted::Won => self.counts.won += 1,
                    Counted::Drew => self.counts.drew += 1,
                    Counted::Lost => self.counts.lost += 1,
                    Counted::Void => {}
                }
            }
            HeadToHeadEvent::Ended(data) => self.verdict = Some(data.verdict),
        }
        self
    }
}

impl HeadToHead {
    /// The data of the first event, of a test that has not ended.
    pub fn running(&self) -> Result<&Started, HeadToHeadError> {
        match (&self.started, self.verdict) {
            (Some(started), None) => Ok(started),
            (Some(_), Some(_)) => Err(HeadToHeadError::Over),
            (None, _) => Err(HeadToHeadError::NotFound),
        }
    }

    /// Whether the first agent takes the first seat of the next match. The seats alternate.
    pub fn first_begins(&self) -> bool {
        self.begun.is_multiple_of(2)
    }

    /// The verdict that the counted matches lead to; `None` while the test goes on.
    pub(super) fn verdict_of(&self, started: &Started) -> Option<Verdict> {
        let hypotheses = started.hypotheses();
        let (lower, upper) = hypotheses.bounds();
        let ratio = hypotheses.log_likelihood_ratio(self.counts);
        if ratio >= upper {
            Some(Verdict::FirstStronger)
        } else if ratio <= lower {
            Some(Verdict::NotStronger)
        } else if self.counts.total() >= started.max_matches.into() || self.voids >= super::VOIDS_MAX {
            Some(Verdict::Inconclusive)
        } else {
            None
        }
    }
}

impl Started {
    /// What the test decides between.
    pub fn hypotheses(&self) -> Hypotheses {
        let share = |ten_thousandths: u16| f64::from(ten_thousandths) / 1e4;
        Hypotheses { elo0: self.elo0.into(), elo1: self.elo1.into(), alpha: share(self.alpha), beta: share(self.beta) }
    }
}
