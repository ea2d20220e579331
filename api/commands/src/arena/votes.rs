//! Verifies the panels of a debate's replay: the commitment to each vote, and the scores that follow from the votes.

use std::collections::{BTreeMap, HashMap};

use buildtrack_domain::arena::matches::{
    Commitment, MatchEvent, PANEL_NAME, PanelDrawn, TurnJudged, VOTES_MIN, Vote, VoteRevealed,
};

/// The votes of a replay so far.
#[derive(Default)]
pub(super) struct Votes {
    /// The last panel of each turn.
    panels: HashMap<u16, PanelDrawn>,
    /// By turn, panel and judge.
    commitments: HashMap<(u16, u16, u16), Commitment>,
    votes: BTreeMap<(u16, u16, u16), Vote>,
}

impl Votes {
    /// Reads an event. Returns what is wrong with it.
    pub(super) fn read(&mut self, event: &MatchEvent) -> Option<String> {
        match event {
            MatchEvent::PanelDrawn(data) => drop(self.panels.insert(data.turn, data.clone())),
            MatchEvent::VoteCast(data) => {
                self.commitments.insert((data.turn, data.panel, data.judge), data.commitment);
            }
            MatchEvent::VoteRevealed(data) => return self.reveal(data),
            _ => {}
        }
        None
    }

    fn reveal(&mut self, data: &VoteRevealed) -> Option<String> {
        let key = (data.turn, data.panel, data.judge);
        self.votes.insert(key, data.vote);
        let salt = hex::decode(&data.salt).unwrap_or_default();
        let is_as_committed = self.commitments.get(&key) == Some(&Commitment::of(&salt, data.vote.as_str()));
        let (judge, turn) = (data.judge, data.turn);
        (!is_as_committed).then(|| format!("the vote of judge {judge} on turn {turn} is not the one committed to"))
    }

    /// What is wrong with the result of a turn that a panel judged; `None` if another judge did.
    pub(super) fn count(&self, data: &TurnJudged) -> Option<Result<String, String>> {
        let rubric = data.judge.strip_prefix(PANEL_NAME)?;
        let turn = data.turn;
        let Some(panel) = self.panels.get(&turn) else { return Some(Err(format!("turn {turn} has no panel"))) };
        if rubric != panel.rubric_version.to_string() {
            return Some(Err(format!("turn {turn} was judged by another rubric than its panel's")));
        }
        let of_panel = self.votes.iter().filter(|((of, number, _), _)| (*of, *number) == (turn, panel.panel));
        let votes: Vec<_> = of_panel.map(|(_, vote)| *vote).collect();
        if votes.len() < VOTES_MIN || Vote::results(&votes, panel.first_seat) != data.results {
            return Some(Err(format!("turn {turn}: the scores do not follow from the votes")));
        }
        let words: Vec<_> = votes.iter().map(|vote| vote.as_str()).collect();
        Some(Ok(format!("votes {} by rubric {rubric}", words.join(", "))))
    }
}

#[cfg(test)]
mod tests {
    use buildtrack_domain::{arena::matches::VoteCast, ids::MatchId};
    use chrono::DateTime;

    use super::*;

    const MATCH: &str = "match_01h2e8kqvbfwea724h75qc655w";

    fn match_id() -> MatchId {
        MATCH.parse().unwrap()
    }

    fn cast(votes: &mut Votes, judge: u16, committed: Vote, shown: Vote) -> Option<String> {
        let (match_id, turn, panel, salt) = (match_id(), 1, 1, [7; 16]);
        let commitment = Commitment::of(&salt, committed.as_str());
        let cast = VoteCast { match_id, turn, panel, judge, commitment, latency_ms: 1 };
        assert_eq!(votes.read(&cast.into()), None);
        let salt = hex::encode(salt);
        votes.read(&VoteRevealed { match_id, turn, panel, judge, vote: shown, salt, rationale: None }.into())
    }

    fn panel() -> MatchEvent {
        let time = DateTime::UNIX_EPOCH;
        PanelDrawn {
            match_id: match_id(),
            turn: 1,
            panel: 1,
            judges: vec![],
            first_seat: 1,
            rubric_version: 3,
            drawn_at: time,
            due_at: time,
            evidence: None,
        }
        .into()
    }

    fn judged(votes: &[Vote], judge: &str) -> TurnJudged {
        TurnJudged { match_id: match_id(), turn: 1, results: Vote::results(votes, 1), judge: judge.to_owned() }
    }

    #[test]
    fn a_turn_agrees_with_the_votes_of_its_panel() {
        let mut votes = Votes::default();
        votes.read(&panel());
        assert_eq!(cast(&mut votes, 0, Vote::A, Vote::A), None);
        assert_eq!(cast(&mut votes, 2, Vote::A, Vote::A), None);
        assert_eq!(votes.count(&judged(&[Vote::A, Vote::A], "panel/3")), Some(Ok("votes A, A by rubric 3".to_owned())));
        assert!(votes.count(&judged(&[Vote::B, Vote::B], "panel/3")).unwrap().is_err());
        assert!(votes.count(&judged(&[Vote::A, Vote::A], "panel/4")).unwrap().is_err());
        assert_eq!(votes.count(&judged(&[Vote::A], "buildtrack/0.1.0")), None);
    }

    #[test]
    fn a_changed_vote_or_a_missing_one_is_found() {
        let mut votes = Votes::default();
        votes.read(&panel());
        assert!(cast(&mut votes, 0, Vote::A, Vote::B).is_some());
        assert!(votes.count(&judged(&[Vote::B], "panel/3")).unwrap().is_err());
    }
}
