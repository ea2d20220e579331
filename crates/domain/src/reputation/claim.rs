//! The contributions that an event counts for or withdraws.
//!
//! Most events hold all that is needed. An event that withdraws something does not hold its value; the caller reads it
//! from the log, at the event's own position. [`asks`] returns the questions, and [`claims`] uses the answers. So each
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
    pub place: Item,
}

/// The values to read from the log before the event's position.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Asks {
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
    /// The answer to [`Asks::voters_of`].
    pub voters: Vec<Ballot>,
    /// The answer to [`Asks::votes_beside`].
    pub beside: Vec<Ballot>,
    /// The answer to [`Asks::is_gone`].
    pub gone: bool,
    /// The answer to [`Asks::post_of`].
    pub post: Option<PostId>,
    /// The answer to [`Asks::accepted_in`].
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

/// The event types that can change an author's reputation.
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
pub fn asks(event: &Event) -> Asks {
    let post_of = |target: TargetId| if let TargetId::Reply(id) = target { Some(id) } else { None };
    match event {
        Event::Message(MessageEvent::Redacted(data)) => voters_of(data.message_id.into()),
        Event::Post(PostEvent::Redacted(data)) => voters_of(data.post_id.into()),
        Event::Reply(ReplyEvent::Redacted(data)) => voters_of(data.reply_id.into()),
        Event::Vote(VoteEvent::Cast(data)) => {
            Asks { post_of: post_of(data.target), votes_beside: Some((data.target, data.voter.id)), ..Asks::default() }
        }
        Event::Vote(VoteEvent::Withdrawn(data)) => Asks {
            is_gone: Some(data.target),
            post_of: post_of(data.target),
            votes_beside: Some((data.target, data.voter_id)),
            ..Asks::default()
        },
        Event::Workspace(WorkspaceEvent::Unresolved(data)) => {
            Asks { accepted_in: Some(data.workspace_id.to_string()), ..Asks::default() }
        }
        Event::Solution(SolutionEvent::Withdrawn(data)) => {
            Asks { accepted_in: Some(format!("solution:{}", data.post_id)), ..Asks::default() }
        }
        _ => Asks::default(),
    }
}

fn voters_of(target: TargetId) -> Asks {
    Asks { voters_of: Some(target), ..Asks::default() }
}

/// The contributions that an event makes or withdraws.
pub fn claims(event: &Event, past: &Past) -> Vec<Claim> {
    match event {
        Event::Message(MessageEvent::Posted(data)) => {
            let (item, place) = (data.message_id.into(), data.workspace_id.into());
            vec![contribution_of(data.author.id, data.reply_to.is_some(), item, place)]
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

fn contribution_of(author: ActorId, replies: bool, item: Item, place: Item) -> Claim {
    let contribution = if replies { Contribution::Replies } else { Contribution::Posts };
    Claim { author, by: None, contribution, change: 1, item, place }
}

/// The contribution that a redacted text had made when it was written.
fn redacted_contribution(redaction: &Event) -> Option<Claim> {
    match redaction {
        Event::Message(MessageEvent::Redacted(data)) => {
            let (item, place) = (data.message_id.into(), data.workspace_id.into());
            Some(contribution_of(data.author.id, data.reply_to.is_some(), item, place))
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
    let place = workspace.map(Item::from).or(past.post.map(Item::from)).unwrap_or(target.into());
    let (by, contribution) = (Some(voter), Contribution::Helpful);
    Some(Claim { author, by, contribution, change, item: target.into(), place })
}

fn solved(event: &SolutionEvent, past: &Past) -> Claim {
    let (post_id, reply_id, author, by, change) = match event {
        SolutionEvent::Accepted(data) => (data.post_id, data.reply_id, data.reply_author_id, Some(data.by), 1),
        SolutionEvent::Withdrawn(data) => (data.post_id, data.reply_id, data.reply_author_id, past.accepted_by, -1),
    };
    let contribution = Contribution::Solutions;
    Claim { author, by, contribution, change, item: reply_id.into(), place: post_id.into() }
}

fn workspace(event: &WorkspaceEvent, past: &Past) -> Option<Claim> {
    let solution = Contribution::Solutions;
    Some(match event {
        WorkspaceEvent::Opened(data) => {
            let (item, contribution) = (data.workspace_id.into(), Contribution::Workspaces);
            Claim { author: data.owner.id, by: None, contribution, change: 1, item, place: item }
        }
        WorkspaceEvent::Resolved(data) => Claim {
            author: data.solution_author_id,
            by: Some(data.accepted_by),
            contribution: solution,
            change: 1,
            item: data.solution_id.into(),
            place: data.workspace_id.into(),
        },
        WorkspaceEvent::Unresolved(data) => Claim {
            author: data.solution_author_id,
            by: past.accepted_by,
            contribution: solution,
            change: -1,
            item: data.solution_id.into(),
            place: data.workspace_id.into(),
        },
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        actors::{Actor, ActorKind},
        event::types,
        forum::{PostRedacted, PostWritten, SolutionAccepted, SolutionWithdrawn},
        ids::{AgentId, MessageId, OwnerId, WorkspaceId},
        mentions::Concerns,
        votes::{VoteCast, VoteWithdrawn},
        workspaces::{MessageKind, MessagePosted, MessageRedacted, WorkspaceResolved, WorkspaceUnresolved},
    };
    use proptest::prelude::*;
    use uuid::Uuid;

    const TRACK: WorkspaceId = WorkspaceId::new(Uuid::from_u128(1));
    const MESSAGE: MessageId = MessageId::new(Uuid::from_u128(2));
    const POST: PostId = PostId::new(Uuid::from_u128(3));
    const REPLY: ReplyId = ReplyId::new(Uuid::from_u128(4));

    fn agent(number: u128) -> Actor {
        let id = AgentId::new(Uuid::from_u128(number)).into();
        Actor { id, name: format!("Agent {number}"), kind: ActorKind::AiAgent, model: None }
    }

    fn ballot(voter: u128, owner: u128, position: i64) -> Ballot {
        Ballot { voter: agent(voter).id, owner: OwnerId::new(Uuid::from_u128(owner)).into(), position }
    }

    fn message(reply_to: Option<MessageId>) -> MessagePosted {
        let (author, kind, content) = (agent(1), MessageKind::Update, "Hello".into());
        let concerns = Concerns::default();
        MessagePosted { message_id: MESSAGE, workspace_id: TRACK, author, kind, content, reply_to, concerns }
    }

    fn counted(event: impl Into<Event>, past: &Past) -> Vec<(&'static str, i64, Option<ActorId>)> {
        let shown = |claim: Claim| (claim.contribution.as_str(), claim.change, claim.by);
        claims(&event.into(), past).into_iter().map(shown).collect()
    }

    #[test]
    fn a_message_counts_as_a_post_or_a_reply() {
        let event = |reply_to| MessageEvent::from(message(reply_to));
        assert_eq!(counted(event(None), &Past::default()), [("posts", 1, None)]);
        assert_eq!(counted(event(Some(MESSAGE)), &Past::default()), [("replies", 1, None)]);
    }

    #[test]
    fn redacting_a_text_withdraws_its_points_and_those_of_its_votes() {
        let MessagePosted { message_id, workspace_id, author, kind, reply_to, .. } = message(Some(MESSAGE));
        let redacted = MessageRedacted { message_id, workspace_id, author, kind, reply_to };
        let event = Event::from(MessageEvent::from(redacted));
        assert_eq!(asks(&event).voters_of, Some(MESSAGE.into()));
        let voters = vec![ballot(2, 2, 7), ballot(3, 3, 8), ballot(4, 3, 9)];
        assert_eq!(
            counted(event.clone(), &Past { voters, ..Past::default() }),
            [("replies", -1, None), ("helpful", -1, Some(agent(2).id)), ("helpful", -1, Some(agent(3).id))]
        );
        let posted = Event::from(MessageEvent::from(message(Some(MESSAGE))));
        assert_eq!(lost_claims("message.posted", &event), claims(&posted, &Past::default()));
    }

    #[test]
    fn a_redacted_edit_has_no_contribution() {
        let redacted = Event::from(PostEvent::from(PostRedacted { post_id: POST, author: agent(1) }));
        assert_eq!(lost_claims("post.edited", &redacted), []);
        let (author, title, body) = (agent(1), "How?".into(), "So?".into());
        let (tags, concerns) = (vec![], Concerns::default());
        let written = PostEvent::from(PostWritten { post_id: POST, author, title, body, tags, concerns });
        assert_eq!(lost_claims("post.written", &redacted), claims(&written.into(), &Past::default()));
    }

    #[test]
    fn a_vote_counts_until_it_is_withdrawn_or_its_text_is_redacted() {
        let (target, author, voter) = (REPLY.into(), agent(1).id, agent(2));
        let cast = VoteCast { target, workspace_id: None, target_author_id: author, voter: voter.clone() };
        let back = VoteWithdrawn { target, workspace_id: None, target_author_id: author, voter_id: voter.id };
        let past = Past { post: Some(POST), ..Past::default() };
        let [cast, back] = [VoteEvent::from(cast), back.into()].map(Event::from);
        assert_eq!((asks(&cast).post_of, asks(&back).is_gone), (Some(REPLY), Some(target)));
        assert_eq!(claims(&cast, &past)[0].place, POST.into());
        assert_eq!(counted(cast, &past), [("helpful", 1, Some(voter.id))]);
        assert_eq!(counted(back.clone(), &past), [("helpful", -1, Some(voter.id))]);
        assert_eq!(counted(back, &Past { gone: true, ..past }), []);
    }

    fn vote(voter: u128, casts: bool, past: &Past) -> i64 {
        let (target, author, voter) = (MESSAGE.into(), agent(1).id, agent(voter));
        let workspace_id = Some(TRACK);
        let event = if casts {
            VoteEvent::from(VoteCast { target, workspace_id, target_author_id: author, voter })
        } else {
            VoteWithdrawn { target, workspace_id, target_author_id: author, voter_id: voter.id }.into()
        };
        let event = Event::from(event);
        assert_eq!(asks(&event).votes_beside.map(|(target, _)| target), Some(target));
        claims(&event, past).into_iter().map(|claim| claim.change).sum()
    }

    #[test]
    fn one_vote_per_owner_and_text_counts() {
        let past = |position, beside: &[Ballot]| Past { position, beside: beside.to_vec(), ..Past::default() };
        let (first, second) = (ballot(2, 9, 10), ballot(3, 9, 11));
        assert_eq!(vote(2, true, &past(10, &[])), 1);
        assert_eq!(vote(3, true, &past(11, &[first])), 0);
        assert_eq!(vote(2, false, &past(12, &[first, second])), 0);
        assert_eq!(vote(3, false, &past(13, &[second])), -1);
    }

    #[test]
    fn votes_cast_before_the_one_vote_rule_count_each_until_withdrawn() {
        let past = |position, beside: &[Ballot]| Past {
            position,
            one_vote_since: 11,
            beside: beside.to_vec(),
            ..Past::default()
        };
        let (first, second, third) = (ballot(2, 9, 10), ballot(3, 9, 11), ballot(4, 9, 12));
        assert_eq!(vote(3, true, &past(11, &[first])), 1);
        assert_eq!(vote(4, true, &past(12, &[first, second])), 0);
        assert_eq!(vote(2, false, &past(13, &[first, second, third])), -1);
        assert_eq!(vote(3, false, &past(14, &[second, third])), 0);
        assert_eq!(vote(4, false, &past(15, &[third])), -1);
    }

    proptest! {
        #[test]
        fn a_text_counts_one_vote_per_owner_in_any_order(
            steps in prop::collection::vec((2_u128..8, any::<bool>()), 0..40)
        ) {
            let mut standing = Vec::<Ballot>::new();
            let mut counted = 0;
            for ((voter, casts), position) in steps.into_iter().zip(1..) {
                let stands = standing.iter().any(|ballot| ballot.voter == agent(voter).id);
                // Agents 2 and 3 belong to one owner, 4 and 5 to another, 6 and 7 to a third.
                let owner = voter / 2;
                let ballot = ballot(voter, owner, position);
                if casts == stands {
                    continue;
                }
                let beside = standing.iter().filter(|known| known.owner == ballot.owner).copied().collect();
                counted += vote(voter, casts, &Past { position, beside, ..Past::default() });
                if casts { standing.push(ballot) } else { standing.retain(|known| known.voter != ballot.voter) }
                let owners: std::collections::BTreeSet<_> = standing.iter().map(|ballot| ballot.owner).collect();
                prop_assert_eq!(counted, i64::try_from(owners.len()).unwrap());
                let past = Past { voters: standing.clone(), ..Past::default() };
                prop_assert_eq!(past.counted_voters().len(), owners.len());
            }
        }
    }

    #[test]
    fn a_withdrawn_solution_loses_the_points_of_its_acceptance() {
        let (author, asker) = (agent(1).id, agent(2).id);
        let past = Past { accepted_by: Some(asker), ..Past::default() };
        let accepted = SolutionAccepted { post_id: POST, reply_id: REPLY, reply_author_id: author, by: asker };
        // The author redacted the reply.
        let withdrawn = SolutionWithdrawn { post_id: POST, reply_id: REPLY, reply_author_id: author, by: author };
        let withdrawn = Event::from(SolutionEvent::from(withdrawn));
        assert_eq!(asks(&withdrawn).accepted_in, Some(format!("solution:{POST}")));
        assert_eq!(counted(SolutionEvent::from(accepted), &Past::default()), [("solutions", 1, Some(asker))]);
        assert_eq!(counted(withdrawn, &past), [("solutions", -1, Some(asker))]);
        let (workspace_id, solution_id) = (TRACK, MESSAGE);
        let resolved = WorkspaceResolved { workspace_id, solution_id, solution_author_id: author, accepted_by: asker };
        let unresolved = WorkspaceUnresolved { workspace_id, solution_id, solution_author_id: author };
        let unresolved = Event::from(WorkspaceEvent::from(unresolved));
        assert_eq!(asks(&unresolved).accepted_in, Some(TRACK.to_string()));
        assert_eq!(counted(WorkspaceEvent::from(resolved), &Past::default()), [("solutions", 1, Some(asker))]);
        assert_eq!(counted(unresolved, &past), [("solutions", -1, Some(asker))]);
    }

    #[test]
    fn every_counted_event_type_exists() {
        assert_eq!(types().filter(|name| CAUSES.contains(name)).count(), CAUSES.len());
    }
}
