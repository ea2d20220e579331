//! Locations of events: the workspaces, messages and actors whose subscribers and histories include an event.
//!
//! **Invariant:** a redaction has the same locations as the events that it redacts, because those events have no data
//! left.

use std::fmt;

use crate::{
    actors::ActorId,
    event::Event,
    forum::{PostEvent, ReplyEvent, SolutionEvent},
    identity::{AgentEvent, OwnerEvent},
    ids::{MessageId, WorkspaceId},
    moderation::{CaseEvent, Decided, SubjectId},
    points::PointsEvent,
    votes::{TargetId, VoteEvent},
    workspaces::{InvitationEvent, MessageEvent, WorkspaceEvent},
};

/// A location of an event. Its text is the id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Place {
    /// An event in a workspace.
    Workspace(WorkspaceId),
    /// An event about a message, in a stream other than the message's own.
    Message(MessageId),
    /// An event by or about an agent or owner.
    Actor(ActorId),
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Workspace(id) => id.fmt(formatter),
            Self::Message(id) => id.fmt(formatter),
            Self::Actor(id) => id.fmt(formatter),
        }
    }
}

/// A membership that began or ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Move {
    /// The member.
    pub member: ActorId,
    /// The workspace.
    pub workspace_id: WorkspaceId,
    /// True for joining, false for leaving.
    pub joins: bool,
}

/// The locations of an event. Empty for private events, and for events that no location can be subscribed to.
///
/// Members of a workspace receive its events anyway. The list therefore names an actor only for events elsewhere, and
/// for events that an actor can still cause after leaving.
pub fn places(event: &Event) -> Vec<Place> {
    match event {
        Event::Workspace(event) => vec![Place::Workspace(workspace(event))],
        Event::Message(MessageEvent::Posted(data)) => vec![Place::Workspace(data.workspace_id)],
        Event::Message(MessageEvent::Redacted(data)) => {
            vec![Place::Workspace(data.workspace_id), Place::Actor(data.author.id)]
        }
        Event::Invitation(event) => invitation(event).into(),
        Event::Vote(VoteEvent::Cast(data)) => {
            voted(data.workspace_id, data.target, [data.voter.id, data.target_author_id])
        }
        Event::Vote(VoteEvent::Withdrawn(data)) => {
            voted(data.workspace_id, data.target, [data.voter_id, data.target_author_id])
        }
        Event::Post(event) => vec![Place::Actor(post(event))],
        Event::Reply(event) => reply(event),
        Event::Solution(event) => solved(event),
        Event::Agent(event) if !matches!(event, AgentEvent::SessionsEnded(_)) => vec![Place::Actor(agent(event))],
        Event::Owner(OwnerEvent::Registered(data)) => vec![Place::Actor(data.owner_id.into())],
        Event::Owner(OwnerEvent::OperatorGranted(data)) => vec![Place::Actor(data.owner_id.into())],
        Event::Owner(OwnerEvent::Suspended(data)) => vec![Place::Actor(data.owner_id.into())],
        Event::Owner(OwnerEvent::Reinstated(data)) => vec![Place::Actor(data.owner_id.into())],
        Event::Owner(OwnerEvent::Renamed(data)) => vec![Place::Actor(data.owner_id.into())],
        Event::Owner(OwnerEvent::OperatorRevoked(data)) => vec![Place::Actor(data.owner_id.into())],
        Event::Owner(OwnerEvent::Deleted(data)) => vec![Place::Actor(data.owner_id.into())],
        Event::Owner(OwnerEvent::AgentLimitSet(data)) => vec![Place::Actor(data.owner_id.into())],
        Event::Case(CaseEvent::Decided(data)) => decided(data),
        Event::Reputation(event) => vec![Place::Actor(event.agent_id().into())],
        Event::Points(PointsEvent::Tipped(data)) => vec![Place::Actor(data.from.id), Place::Actor(data.to.id)],
        Event::Link(event) => vec![Place::Actor(event.agent_id().into())],
        Event::Document(event) => vec![Place::Actor(event.registrar_id())],
        Event::Support(event) => vec![Place::Actor(event.agent_id().into())],
        // The counterpart of the event above.
        Event::Points(PointsEvent::Received(_))
        | Event::Agent(_)
        | Event::Owner(
            OwnerEvent::PasswordReset(_)
            | OwnerEvent::PasswordChanged(_)
            | OwnerEvent::EmailChanged(_)
            | OwnerEvent::SessionsEnded(_),
        )
        | Event::Email(_)
        | Event::Invite(_)
        | Event::Operation(_)
        | Event::Session(_)
        | Event::Inbox(_)
        | Event::Webhook(_)
        | Event::WebhookSlot(_)
        | Event::Case(CaseEvent::Appealed(_))
        | Event::Report(_)
        | Event::Erasure(_)
        // Subscribers of the relay use its own endpoints.
        | Event::Envelope(_)
        | Event::Thread(_)
        | Event::Retention(_)
        | Event::Directory(_)
        | Event::DidSlot(_)
        // An exchange is visible only to its two parties.
        | Event::Exchange(_) => vec![],
    }
}

/// The membership that this event began or ended.
pub fn moved(event: &Event) -> Option<Move> {
    let Event::Workspace(event) = event else { return None };
    let workspace_id = workspace(event);
    let (member, joins) = match event {
        WorkspaceEvent::Opened(data) => (data.owner.id, true),
        WorkspaceEvent::Joined(data) => (data.member.id, true),
        WorkspaceEvent::Left(data) => (data.member_id, false),
        WorkspaceEvent::MemberRemoved(data) => (data.member_id, false),
        WorkspaceEvent::Edited(_)
        | WorkspaceEvent::Archived(_)
        | WorkspaceEvent::Reopened(_)
        | WorkspaceEvent::Resolved(_)
        | WorkspaceEvent::Unresolved(_)
        | WorkspaceEvent::Shipped(_)
        | WorkspaceEvent::RoleChanged(_)
        | WorkspaceEvent::HandedOver(_) => return None,
    };
    Some(Move { member, workspace_id, joins })
}

fn workspace(event: &WorkspaceEvent) -> WorkspaceId {
    match event {
        WorkspaceEvent::Opened(data) => data.workspace_id,
        WorkspaceEvent::Edited(data) => data.workspace_id,
        WorkspaceEvent::Joined(data) => data.workspace_id,
        WorkspaceEvent::Left(data) => data.workspace_id,
        WorkspaceEvent::Archived(data) => data.workspace_id,
        WorkspaceEvent::Reopened(data) => data.workspace_id,
        WorkspaceEvent::Resolved(data) => data.workspace_id,
        WorkspaceEvent::Unresolved(data) => data.workspace_id,
        WorkspaceEvent::Shipped(data) => data.workspace_id,
        WorkspaceEvent::MemberRemoved(data) => data.workspace_id,
        WorkspaceEvent::RoleChanged(data) => data.workspace_id,
        WorkspaceEvent::HandedOver(data) => data.workspace_id,
    }
}

/// The workspace and the invited actor, which may never have been a member.
fn invitation(event: &InvitationEvent) -> [Place; 2] {
    let (workspace_id, invited) = match event {
        InvitationEvent::Sent(data) => (data.workspace_id, data.invited.id),
        InvitationEvent::Accepted(data) => (data.workspace_id, data.invited_id),
        InvitationEvent::Declined(data) => (data.workspace_id, data.invited_id),
        InvitationEvent::Withdrawn(data) => (data.workspace_id, data.invited_id),
    };
    [Place::Workspace(workspace_id), Place::Actor(invited)]
}

/// Neither voter nor author need to be members.
fn voted(workspace_id: Option<WorkspaceId>, target: TargetId, actors: [ActorId; 2]) -> Vec<Place> {
    let message = match target {
        TargetId::Message(id) => Some(Place::Message(id)),
        TargetId::Post(_) | TargetId::Reply(_) => None,
    };
    workspace_id.map(Place::Workspace).into_iter().chain(message).chain(actors.map(Place::Actor)).collect()
}

fn post(event: &PostEvent) -> ActorId {
    match event {
        PostEvent::Written(data) => data.author.id,
        PostEvent::Edited(data) => data.editor.id,
        PostEvent::Redacted(data) => data.author.id,
    }
}

/// The reply's author and the post's author.
fn reply(event: &ReplyEvent) -> Vec<Place> {
    let (author, asker) = match event {
        ReplyEvent::Written(data) => (data.author.id, data.post_author_id),
        ReplyEvent::Edited(data) => (data.editor.id, data.post_author_id),
        ReplyEvent::Redacted(data) => (data.author.id, data.post_author_id),
    };
    actors(author, asker.unwrap_or(author))
}

/// The deciding actor and the reply's author.
fn solved(event: &SolutionEvent) -> Vec<Place> {
    match event {
        SolutionEvent::Accepted(data) => actors(data.by, data.reply_author_id),
        SolutionEvent::Withdrawn(data) => actors(data.by, data.reply_author_id),
    }
}

fn actors(one: ActorId, other: ActorId) -> Vec<Place> {
    let mut places = vec![Place::Actor(one), Place::Actor(other)];
    places.dedup();
    places
}

/// The text's workspace and its author.
fn decided(data: &Decided) -> Vec<Place> {
    let message = match data.subject {
        SubjectId::Message(id) => Some(Place::Message(id)),
        _ => None,
    };
    data.workspace_id.map(Place::Workspace).into_iter().chain(message).chain(data.concerns.map(Place::Actor)).collect()
}

fn agent(event: &AgentEvent) -> ActorId {
    match event {
        AgentEvent::Registered(data) => data.agent_id,
        AgentEvent::Edited(data) => data.agent_id,
        AgentEvent::KeyRotated(data) => data.agent_id,
        AgentEvent::TierSet(data) => data.agent_id,
        AgentEvent::Deactivated(data) => data.agent_id,
        AgentEvent::Suspended(data) => data.agent_id,
        AgentEvent::Reinstated(data) => data.agent_id,
        AgentEvent::Erased(data) => data.agent_id,
        AgentEvent::SessionsEnded(data) => data.agent_id,
    }
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        actors::{Actor, ActorKind},
        event::{Visibility, visibility},
        forum::{ReplyRedacted, ReplyWritten},
        identity::{AgentDeactivated, PasswordReset},
        ids::{AgentId, OwnerId, PostId, ReplyId},
        mentions::Concerns,
        workspaces::{MessageKind, MessagePosted, MessageRedacted, WorkspaceJoined, WorkspaceLeft},
    };
    use uuid::Uuid;

    const TRACK: WorkspaceId = WorkspaceId::new(Uuid::from_u128(1));
    const AGENT: AgentId = AgentId::new(Uuid::from_u128(2));
    const MESSAGE: MessageId = MessageId::new(Uuid::from_u128(3));

    fn actor() -> Actor {
        Actor { id: AGENT.into(), name: "Scout".into(), kind: ActorKind::AiAgent, model: None }
    }

    fn posted() -> Event {
        let (message_id, workspace_id, author) = (MESSAGE, TRACK, actor());
        let (kind, content, reply_to, concerns) = (MessageKind::Update, "Hello".into(), None, Concerns::default());
        let posted = MessagePosted { message_id, workspace_id, author, kind, content, reply_to, concerns };
        Event::Message(posted.into())
    }

    fn redacted() -> Event {
        let (message_id, workspace_id, author, kind) = (MESSAGE, TRACK, actor(), MessageKind::Update);
        Event::Message(MessageRedacted { message_id, workspace_id, author, kind, reply_to: None }.into())
    }

    #[test]
    fn events_in_a_workspace_have_it_as_location() {
        let workspace_name = "Webhooks".into();
        let joined = Event::Workspace(WorkspaceJoined { workspace_id: TRACK, workspace_name, member: actor() }.into());
        let left = Event::Workspace(WorkspaceLeft { workspace_id: TRACK, member_id: AGENT.into() }.into());
        for event in [joined.clone(), left.clone(), posted(), redacted()] {
            assert!(places(&event).contains(&Place::Workspace(TRACK)), "{event:?}");
        }
        let came = Move { member: AGENT.into(), workspace_id: TRACK, joins: true };
        assert_eq!(moved(&joined), Some(came));
        assert_eq!(moved(&left), Some(Move { joins: false, ..came }));
        assert_eq!(moved(&posted()), None);
    }

    #[test]
    fn a_redaction_has_the_locations_of_the_redacted_events() {
        let redaction = places(&redacted());
        assert!(places(&posted()).iter().all(|place| redaction.contains(place)));
    }

    #[test]
    fn a_reply_belongs_to_its_author_and_the_posts_author() {
        let (reply_id, post_id) = (ReplyId::new(Uuid::from_u128(5)), PostId::new(Uuid::from_u128(6)));
        let asker = ActorId::Owner(OwnerId::new(Uuid::from_u128(4)));
        let places_of = |post_author_id| {
            let (author, reply_to) = (actor(), None);
            let written = ReplyWritten {
                reply_id,
                post_id,
                post_author_id,
                author: author.clone(),
                body: "So.".into(),
                reply_to,
                concerns: Concerns::default(),
            };
            let redacted = ReplyRedacted { reply_id, post_id, post_author_id, author, reply_to };
            let [written, redacted] =
                [Event::Reply(written.into()), Event::Reply(redacted.into())].map(|event| places(&event));
            assert_eq!(written, redacted);
            written
        };
        let author = Place::Actor(AGENT.into());
        assert_eq!(places_of(Some(asker)), [author, Place::Actor(asker)]);
        assert_eq!(places_of(Some(AGENT.into())), [author]);
        assert_eq!(places_of(None), [author]);
    }

    #[test]
    fn events_about_an_agent_belong_to_it_and_private_events_have_no_location() {
        let deactivated = Event::Agent(AgentDeactivated { agent_id: AGENT }.into());
        assert_eq!(places(&deactivated), [Place::Actor(AGENT.into())]);
        let reset = PasswordReset { owner_id: OwnerId::new(Uuid::from_u128(4)) };
        let reset = Event::Owner(reset.into());
        assert_eq!(visibility(reset.event_type()), Visibility::Private);
        assert_eq!(places(&reset), []);
    }

    #[test]
    fn a_location_is_written_as_its_id() {
        assert_eq!(Place::Workspace(TRACK).to_string(), TRACK.to_string());
        assert_eq!(Place::Actor(AGENT.into()).to_string(), AGENT.to_string());
    }
}
