//! Judging a turn of a debate: a panel is drawn, its judges vote under seal, and their majority decides.

use chrono::{DateTime, Utc};

use super::{
    Commitment, Match, MatchCreated, MatchError, MatchEvent, MissReason, OpenTurn, PANEL_JUDGES, PANEL_NAME,
    PANELS_MAX, Panel, PanelDrawn, PanelJudge, Revealed, SealedAnswer, Settled, TurnJudged, TurnOpened, UNWATCHED,
    VOTES_MIN, VOTING_LIMIT, VoidReason, Vote, VoteCast, VoteMissed, VoteRevealed,
    closing::{conclude, revealed_event, void},
    first_seat,
};
use crate::{decide::Command, ids::AgentId};

/// Reveals both arguments of the open turn, and draws its first panel.
#[derive(Debug, Clone)]
pub struct DrawPanel {
    /// The turn.
    pub turn: u16,
    /// Both arguments, in the order of seats.
    pub arguments: Vec<Revealed>,
    /// The judges.
    pub judges: Vec<PanelJudge>,
    /// The version of the motion's rubric.
    pub rubric_version: u32,
    /// The time.
    pub now: DateTime<Utc>,
}

impl Command for DrawPanel {
    type State<'a> = &'a Match;
    type Event = MatchEvent;
    type Error = MatchError;

    fn decide(&self, state: &Match) -> Result<Vec<MatchEvent>, MatchError> {
        let (created, open) = state.turn(self.turn)?;
        if !created.is_debate() || open.panel().is_some() || !open.is_ready(self.now) {
            return Err(MatchError::NotDue);
        }
        check_judges(created, open, &self.judges)?;
        let mut commitments = self.arguments.iter().map(|revealed| (revealed.seat, revealed.answer.commitment()));
        let is_whole = (0..).zip(&open.settled).all(|(seat, settled)| match settled {
            Some(Settled::Answered(commitment)) => commitments.next() == Some((seat, *commitment)),
            _ => false,
        });
        if !is_whole || commitments.next().is_some() {
            return Err(MatchError::Scores);
        }
        let mut events: Vec<_> =
            self.arguments.iter().map(|revealed| revealed_event(created, self.turn, revealed)).collect();
        let panel = PanelDrawn {
            match_id: created.match_id,
            turn: self.turn,
            panel: 1,
            judges: self.judges.clone(),
            first_seat: first_seat(&open.sides),
            rubric_version: self.rubric_version,
            drawn_at: self.now,
            due_at: self.now + VOTING_LIMIT,
            evidence: None,
        };
        events.push(panel.into());
        Ok(events)
    }
}

/// Three agents of different owners, none of whom plays in the match or has had a judge in an earlier panel of the turn.
fn check_judges(created: &MatchCreated, open: &OpenTurn, judges: &[PanelJudge]) -> Result<(), MatchError> {
    let is_known = |number: usize, judge: &PanelJudge| {
        created.seats.iter().any(|seat| seat.owner_id == judge.owner_id || seat.agent_id == judge.agent_id)
            || open.panels.iter().flat_map(|panel| &panel.judges).any(|other| other.owner_id == judge.owner_id)
            || judges[..number].iter().any(|other| other.owner_id == judge.owner_id || other.agent_id == judge.agent_id)
    };
    let is_valid =
        judges.len() == PANEL_JUDGES && judges.iter().enumerate().all(|(number, judge)| !is_known(number, judge));
    if is_valid { Ok(()) } else { Err(MatchError::Panel) }
}

/// Votes in the panel of the open turn.
#[derive(Debug, Clone)]
pub struct CastVote {
    /// The judge.
    pub agent_id: AgentId,
    /// The turn.
    pub turn: u16,
    /// The commitment to its vote.
    pub commitment: Commitment,
    /// The time.
    pub now: DateTime<Utc>,
}

impl Command for CastVote {
    type State<'a> = &'a Match;
    type Event = MatchEvent;
    type Error = MatchError;

    fn decide(&self, state: &Match) -> Result<Vec<MatchEvent>, MatchError> {
        let (created, panel, judge) = voting(state, self.turn, self.agent_id)?;
        if panel.due_at <= self.now {
            return Err(MatchError::Late);
        }
        let latency = (self.now - panel.drawn_at).num_milliseconds();
        let cast = VoteCast {
            match_id: created.match_id,
            turn: self.turn,
            panel: panel.number,
            judge,
            commitment: self.commitment,
            latency_ms: u64::try_from(latency).unwrap_or(0),
        };
        Ok(vec![cast.into()])
    }
}

/// Records that a judge will not vote.
#[derive(Debug, Clone)]
pub struct MissVote {
    /// The judge.
    pub agent_id: AgentId,
    /// The turn.
    pub turn: u16,
    /// The reason.
    pub reason: MissReason,
    /// The HTTP status of the endpoint, if it sent one.
    pub status: Option<u16>,
}

impl Command for MissVote {
    type State<'a> = &'a Match;
    type Event = MatchEvent;
    type Error = MatchError;

    fn decide(&self, state: &Match) -> Result<Vec<MatchEvent>, MatchError> {
        let (created, panel, judge) = voting(state, self.turn, self.agent_id)?;
        let (match_id, panel) = (created.match_id, panel.number);
        let Self { turn, reason, status, .. } = *self;
        Ok(vec![VoteMissed { match_id, turn, panel, judge, reason, status }.into()])
    }
}

/// The panel in which an agent may vote, and its number there.
fn voting(state: &Match, turn: u16, agent_id: AgentId) -> Result<(&MatchCreated, &Panel, u16), MatchError> {
    let (created, open) = state.turn(turn)?;
    let panel = open.panel().ok_or(MatchError::NotYourMatch)?;
    let judge = panel.judge_of(agent_id).ok_or(MatchError::NotYourMatch)?;
    match panel.votes.get(usize::from(judge)) {
        Some(None) => Ok((created, panel, judge)),
        _ => Err(MatchError::AlreadySettled),
    }
}

/// Counts the votes once all are in or their deadline has passed. With fewer than two, another panel is drawn if there is one;
/// otherwise the match is void.
#[derive(Debug, Clone)]
pub struct CountVotes {
    /// The turn.
    pub turn: u16,
    /// The votes by the numbers of judges.
    pub votes: Vec<(u16, SealedAnswer)>,
    /// The judges of another panel, if it is needed and there are enough.
    pub others: Option<Vec<PanelJudge>>,
    /// The next turn, which is opened unless this one is the last.
    pub next: Option<TurnOpened>,
    /// The time.
    pub now: DateTime<Utc>,
}

impl Command for CountVotes {
    type State<'a> = &'a Match;
    type Event = MatchEvent;
    type Error = MatchError;

    fn decide(&self, state: &Match) -> Result<Vec<MatchEvent>, MatchError> {
        let (created, open) = state.turn(self.turn)?;
        let panel = open.panel().filter(|panel| panel.is_ready(self.now)).ok_or(MatchError::NotDue)?;
        let votes = self.checked(panel)?;
        let (match_id, turn) = (created.match_id, self.turn);
        let revealed = |(judge, vote, sealed): &(u16, Vote, &SealedAnswer)| -> MatchEvent {
            let (salt, rationale) = (hex::encode(sealed.salt), sealed.rationale.clone());
            let (panel, judge, vote) = (panel.number, *judge, *vote);
            VoteRevealed { match_id, turn, panel, judge, vote, salt, rationale }.into()
        };
        let mut events: Vec<_> = votes.iter().map(revealed).collect();
        if votes.len() >= VOTES_MIN {
            let votes: Vec<_> = votes.iter().map(|(_, vote, _)| *vote).collect();
            let (results, judge) =
                (Vote::results(&votes, panel.first_seat), format!("{PANEL_NAME}{}", panel.rubric_version));
            let judged = TurnJudged { match_id, turn, results, judge };
            events.extend(conclude(state, judged, self.next.as_ref(), &vec![false; created.seats.len()])?);
            return Ok(events);
        }
        match &self.others {
            Some(judges) if panel.number < PANELS_MAX => {
                check_judges(created, open, judges)?;
                events.push(self.following(created, panel, judges).into());
                Ok(events)
            }
            _ => Ok(vec![void(created, turn, VoidReason::NoJudges, self.evidence(panel))]),
        }
    }
}

impl CountVotes {
    /// The votes in the order of judges. They must be exactly those that the log has commitments to.
    fn checked(&self, panel: &Panel) -> Result<Vec<(u16, Vote, &SealedAnswer)>, MatchError> {
        let mut checked = Vec::new();
        for (judge, settled) in (0..).zip(&panel.votes) {
            let Some(Settled::Answered(commitment)) = settled else { continue };
            let given = self.votes.iter().find(|(given, sealed)| *given == judge && sealed.commitment() == *commitment);
            let (_, sealed) = given.ok_or(MatchError::Scores)?;
            checked.push((judge, sealed.output.parse::<Vote>().map_err(|_| MatchError::Scores)?, sealed));
        }
        if checked.len() == self.votes.len() { Ok(checked) } else { Err(MatchError::Scores) }
    }

    fn following(&self, created: &MatchCreated, panel: &Panel, judges: &[PanelJudge]) -> PanelDrawn {
        PanelDrawn {
            match_id: created.match_id,
            turn: self.turn,
            panel: panel.number + 1,
            judges: judges.to_vec(),
            first_seat: panel.first_seat,
            rubric_version: panel.rubric_version,
            drawn_at: self.now,
            due_at: self.now + VOTING_LIMIT,
            evidence: Some(self.evidence(panel)),
        }
    }

    /// Why a panel decided nothing. A deadline that no server watched is not held against its judges.
    fn evidence(&self, panel: &Panel) -> String {
        let (number, turn, votes) = (panel.number, self.turn, self.votes.len());
        let late = self.now - panel.due_at;
        if late > UNWATCHED && panel.votes.contains(&None) {
            let seconds = late.num_seconds();
            return format!(
                "no server watched the deadline of panel {number} in turn {turn}, which passed {seconds} s ago"
            );
        }
        format!("panel {number} of turn {turn} has {votes} of {VOTES_MIN} votes")
    }
}
