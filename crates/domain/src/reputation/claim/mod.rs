//! The contributions that an event counts for or withdraws.
//!
//! Most events hold all that is needed. An event that withdraws something does not hold its value; the caller reads it
//! from the log, at the event's own position. [`past_query`] returns what to read, and [`claims`] uses the result. So each
//! event always counts the same, even after a redaction of texts in between.

use std::collections::BTreeMap;

use crate::{
    actors::ActorId,
    event::Event,
    forum::{PostEvent, ReplyEvent, SolutionEvent},
    ids::{PostId, ReplyId},
    votes::{TargetId, VoteEvent},
    workspaces::{MessageEvent, WorkspaceEvent},
};

use super::{Contribution, Item};

/// A contribution that an actor made or lost, before the rules decide whether it counts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Claim {
    /// The contribution's author.
    pub author: ActorId,
    /// The voter or accepting actor; `None` for contributions that need no other actor.
    pub by: Option<ActorId>,
    /// The kind of contribution.
    pub contribution: Contribution,
    /// 1, or -1 if it is withdrawn.
    pub change: i64,
    /// The contribution's id.
    pub item: Item,
    /// Its workspace or post.
    pub location: Item,
}

/// The values to read from the log before the event's position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct PastQuery {
    /// The target whose votes in force are needed.
    pub voters_of: Option<TargetId>,
    /// The target and voter for which the votes in force by the voter's owner and that owner's agents are needed,
    /// including the voter's own.
    pub votes_beside: Option<(TargetId, ActorId)>,
    /// The target for which the caller needs to know whether it was redacted.
    pub is_gone: Option<TargetId>,
    /// The reply whose post is needed.
    pub post_of: Option<ReplyId>,
    /// The solution stream whose last accepting actor is needed.
    pub accepted_in: Option<String>,
}

/// The values read from the log.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Past {
    /// The position of the event itself.
    pub position: i64,
    /// The position up to which every vote counts. Later, only one vote per owner and text counts.
    pub one_vote_since: i64,
    /// The answer to [`PastQuery::voters_of`].
    pub voters: Vec<Ballot>,
    /// The answer to [`PastQuery::votes_beside`].
    pub beside: Vec<Ballot>,
    /// The answer to [`PastQuery::is_gone`].
    pub gone: bool,
    /// The answer to [`PastQuery::post_of`].
    pub post: Option<PostId>,
    /// The answer to [`PastQuery::accepted_in`].
    pub accepted_by: Option<ActorId>,
}

/// A vote in force.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Ballot {
    /// The voter.
    pub voter: ActorId,
    /// The owner of the voting agent; the voter itself if it is an owner or has none.
    pub owner: ActorId,
    /// The log position at which it was cast.
    pub position: i64,
}

/// The event types that can change an author's reputation: those that [`claims`] has rules for. What counts is reputation's own
/// knowledge, so the contexts of these events do not declare it.
pub const CAUSES: [&str; 13] = [
    "message.posted",
    "message.redacted",
    "post.written",
    "post.redacted",
    "reply.written",
    "reply.redacted",
    "vote.cast",
    "vote.withdrawn",
    "post.solution_accepted",
    "post.solution_withdrawn",
    "workspace.opened",
    "workspace.resolved",
    "workspace.unresolved",
];

/// The values that [`claims`] needs for this event.
pub fn past_query(event: &Event) -> PastQuery {
    let post_of = |target: TargetId| if let TargetId::Reply(id) = target { Some(id) } else { None };
    match event {
        Event::Message(MessageEvent::Redacted(data)) => voters_of(data.message_id.into()),
        Event::Post(PostEvent::Redacted(data)) => voters_of(data.post_id.into()),
        Event::Reply(ReplyEvent::Redacted(data)) => voters_of(data.reply_id.into()),
        Event::Vote(VoteEvent::Cast(data)) => PastQuery {
            post_of: post_of(data.target),
            votes_beside: Some((data.target, data.voter.id)),
            ..PastQuery::default()
        },
        Event::Vote(VoteEvent::Withdrawn(data)) => PastQuery {
            is_gone: Some(data.target),
            post_of: post_of(data.target),
            votes_beside: Some((data.target, data.voter_id)),
            ..PastQuery::default()
        },
        Event::Workspace(WorkspaceEvent::Unresolved(data)) => {
            PastQuery { accepted_in: Some(data.workspace_id.to_string()), ..PastQuery::default() }
        }
        Event::Solution(SolutionEvent::Withdrawn(data)) => {
            PastQuery { accepted_in: Some(format!("solution:{}", data.post_id)), ..PastQuery::default() }
        }
        _ => PastQuery::default(),
    }
}

fn voters_of(target: TargetId) -> PastQuery {
    PastQuery { voters_of: Some(target), ..PastQuery::default() }
}

/// The contributions that an event makes or withdraws.
pub fn claims(event: &Event, past: &Past) -> Vec<Claim> {
    match event {
        Event::Message(MessageEvent::Posted(data)) => {
            let (item, location) = (data.message_id.into(), data.workspace_id.into());
            vec![contribution_of(data.author.id, data.reply_to.is_some(), item, location)]
        }
        Event::Post(PostEvent::Written(data)) => {
            vec![contribution_of(data.author.id, false, data.post_id.into(), data.post_id.into())]
        }
        Event::Reply(ReplyEvent::Written(data)) => {
            vec![contribution_of(data.author.id, true, data.reply_id.into(), data.post_id.into())]
        }
        Event::Message(MessageEvent::Redacted(_))
        | Event::Post(PostEvent::Redacted(_))
        | Event::Reply(ReplyEvent::Redacted(_)) => redaction_claims(event, past),
        Event::Vote(event) => voted(event, past).into_iter().collect(),
        Event::Solution(event) => vec![solved(event, past)],
        Event::Workspace(event) => workspace(event, past).into_iter().collect(),
        _ => vec![],
    }
}

/// The contributions of an event whose data was redacted, derived from the event that redacted it.
pub fn lost_claims(event_type: &str, redaction: &Event) -> Vec<Claim> {
    match event_type {
        "message.posted" | "post.written" | "reply.written" => redacted_contribution(redaction).into_iter().collect(),
        _ => vec![],
    }
}

fn contribution_of(author: ActorId, replies: bool, item: Item, location: Item) -> Claim {
    let contribution = if replies { Contribution::Replies } else { Contribution::Posts };
    Claim { author, by: None, contribution, change: 1, item, location }
}

/// The contribution that a redacted text had made when it was written.
fn redacted_contribution(redaction: &Event) -> Option<Claim> {
    match redaction {
        Event::Message(MessageEvent::Redacted(data)) => {
            let (item, location) = (data.message_id.into(), data.workspace_id.into());
            Some(contribution_of(data.author.id, data.reply_to.is_some(), item, location))
        }
        Event::Post(PostEvent::Redacted(data)) => {
            Some(contribution_of(data.author.id, false, data.post_id.into(), data.post_id.into()))
        }
        Event::Reply(ReplyEvent::Redacted(data)) => {
            Some(contribution_of(data.author.id, true, data.reply_id.into(), data.post_id.into()))
        }
        _ => None,
    }
}

/// The withdrawal of a text's points and of all its votes.
fn redaction_claims(redaction: &Event, past: &Past) -> Vec<Claim> {
    let Some(text) = redacted_contribution(redaction) else { return vec![] };
    let vote = |voter: ActorId| Claim { by: Some(voter), contribution: Contribution::Helpful, change: -1, ..text };
    [Claim { change: -1, ..text }].into_iter().chain(past.counted_voters().into_iter().map(vote)).collect()
}

impl Past {
    /// How many votes of one owner for one text count: one, or each vote cast before that rule.
    fn counted(&self, cast_at: impl Iterator<Item = i64>) -> usize {
        let (before, since): (Vec<_>, Vec<_>) = cast_at.partition(|position| *position <= self.one_vote_since);
        before.len().max(usize::from(!since.is_empty()))
    }

    /// The voter of each vote in [`Past::voters`] that counts.
    fn counted_voters(&self) -> Vec<ActorId> {
        let mut owners = BTreeMap::<ActorId, Vec<&Ballot>>::new();
        for ballot in &self.voters {
            owners.entry(ballot.owner).or_default().push(ballot);
        }
        let counted = |ballots: Vec<&Ballot>| {
            let count = self.counted(ballots.iter().map(|ballot| ballot.position));
            ballots.into_iter().take(count).map(|ballot| ballot.voter).collect::<Vec<_>>()
        };
        owners.into_values().flat_map(counted).collect()
    }

    /// Whether the vote of this voter, which the event casts or withdraws, changes the number of its owner's votes that
    /// count.
    fn changes_the_count(&self, voter: ActorId) -> bool {
        let (own, others): (Vec<&Ballot>, Vec<&Ballot>) = self.beside.iter().partition(|ballot| ballot.voter == voter);
        let cast_at = own.first().map_or(self.position, |ballot| ballot.position);
        let others: Vec<_> = others.into_iter().map(|ballot| ballot.position).collect();
        self.counted(others.iter().copied()) != self.counted(others.iter().copied().chain([cast_at]))
    }
}

fn voted(event: &VoteEvent, past: &Past) -> Option<Claim> {
    let (target, workspace, author, voter, change) = match event {
        VoteEvent::Cast(data) => (data.target, data.workspace_id, data.target_author_id, data.voter.id, 1),
        // The redaction of the text has already withdrawn its points.
        VoteEvent::Withdrawn(_) if past.gone => return None,
        VoteEvent::Withdrawn(data) => (data.target, data.workspace_id, data.target_author_id, data.voter_id, -1),
    };
    if !past.changes_the_count(voter) {
        return None;
    }
    let location = workspace.map(Item::from).or(past.post.map(Item::from)).unwrap_or(target.into());
    let (by, contribution) = (Some(voter), Contribution::Helpful);
    Some(Claim { author, by, contribution, change, item: target.into(), location })
}

fn solved(event: &SolutionEvent, past: &Past) -> Claim {
    let (post_id, reply_id, author, by, change) = match event {
        SolutionEvent::Accepted(data) => (data.post_id, data.reply_id, data.reply_author_id, Some(data.by), 1),
        SolutionEvent::Withdrawn(data) => (data.post_id, data.reply_id, data.reply_author_id, past.accepted_by, -1),
    };
    let contribution = Contribution::Solutions;
    Claim { author, by, contribution, change, item: reply_id.into(), location: post_id.into() }
}

fn workspace(event: &WorkspaceEvent, past: &Past) -> Option<Claim> {
    let solution = Contribution::Solutions;
    Some(match event {
        WorkspaceEvent::Opened(data) => {
            let (item, contribution) = (data.workspace_id.into(), Contribution::Workspaces);
            Claim { author: data.owner.id, by: None, contribution, change: 1, item, location: item }
        }
        WorkspaceEvent::Resolved(data) => Claim {
            author: data.solution_author_id,
            by: Some(data.accepted_by),
            contribution: solution,
            change: 1,
            item: data.solution_id.into(),
            location: data.workspace_id.into(),
        },
        WorkspaceEvent::Unresolved(data) => Claim {
            author: data.solution_author_id,
            by: past.accepted_by,
            contribution: solution,
            change: -1,
            item: data.solution_id.into(),
            location: data.workspace_id.into(),
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests;
