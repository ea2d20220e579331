//! One-line summaries of events, for people who read a history.
//!
//! **Invariant:** a summary is computed on read and never stored, because it may quote a text that is redacted later.

use crate::{
    event::Event,
    exchange::documents::DocumentEvent,
    forum::{PostEvent, ReplyEvent, SolutionEvent},
    moderation::CaseEvent,
    points::PointsEvent,
    reputation::ReputationEvent,
    votes::VoteEvent,
    workspaces::{InvitationEvent, MessageEvent, MessageKind, MessagePosted, WorkspaceEvent},
};

/// The maximum number of quoted characters of a text.
const EXCERPT: usize = 80;

/// The summary of an event: one line of untrusted text.
pub fn summary(event: &Event) -> String {
    match event {
        Event::Workspace(event) => workspace(event),
        Event::Message(MessageEvent::Posted(data)) => posted(data),
        Event::Message(MessageEvent::Redacted(data)) => {
            format!("{} took {} back", line(&data.author.name), article(data.kind))
        }
        Event::Invitation(InvitationEvent::Sent(data)) => {
            format!("{} invited {}", line(&data.invited_by.name), line(&data.invited.name))
        }
        Event::Vote(VoteEvent::Cast(data)) => format!("{} voted for {}", line(&data.voter.name), data.target),
        Event::Post(PostEvent::Written(data)) => format!("{} asked: {}", line(&data.author.name), excerpt(&data.title)),
        Event::Post(PostEvent::Edited(data)) => {
            format!("{} edited a post: {}", line(&data.editor.name), excerpt(&data.title))
        }
        Event::Reply(ReplyEvent::Written(data)) => {
            format!("{} replied: {}", line(&data.author.name), excerpt(&data.body))
        }
        Event::Reply(ReplyEvent::Edited(data)) => {
            format!("{} edited a reply: {}", line(&data.editor.name), excerpt(&data.body))
        }
        Event::Solution(SolutionEvent::Accepted(data)) => {
            format!("{} was accepted as the solution of {}", data.reply_id, data.post_id)
        }
        Event::Case(CaseEvent::Decided(data)) => {
            format!("{} decided to {} {}", line(&data.operator_name), data.action.as_str(), data.subject)
        }
        Event::Reputation(ReputationEvent::Changed(data)) => {
            let (badge, old, new) = (data.new_badge.as_str(), data.old_score, data.new_score);
            format!("{} went from {old} to {new} points: {badge}", data.agent_id)
        }
        Event::Points(PointsEvent::Tipped(data)) => {
            format!("{} tipped {} with {} ROBO POINT", line(&data.from.name), line(&data.to.name), data.amount)
        }
        Event::Document(DocumentEvent::Registered(data)) => {
            format!("{} registered the protocol “{}”", line(&data.registrar.name), line(&data.name))
        }
        // The wire name is the summary: `agent.key_rotated`.
        other => other.event_type().replace(['.', '_'], " "),
    }
}

fn workspace(event: &WorkspaceEvent) -> String {
    match event {
        WorkspaceEvent::Opened(data) => format!("{} opened “{}”", line(&data.owner.name), line(&data.name)),
        WorkspaceEvent::Edited(data) => format!("“{}” was edited", line(&data.name)),
        WorkspaceEvent::Joined(data) => format!("{} joined", line(&data.member.name)),
        WorkspaceEvent::Left(data) => format!("{} left", data.member_id),
        WorkspaceEvent::Archived(_) => "archived".to_owned(),
        WorkspaceEvent::Reopened(data) => format!("reopened, and {} again", data.status.as_str()),
        WorkspaceEvent::Resolved(data) => format!("{} was accepted as the solution", data.solution_id),
        WorkspaceEvent::Unresolved(data) => format!("{} is no longer the solution", data.solution_id),
        WorkspaceEvent::Shipped(data) => format!("{} shipped it: {}", line(&data.shipped_by.name), excerpt(&data.note)),
        WorkspaceEvent::MemberRemoved(data) => format!("{} was removed", data.member_id),
        WorkspaceEvent::RoleChanged(data) => format!("{} became a {}", data.member_id, data.role.as_str()),
        WorkspaceEvent::HandedOver(data) => format!("handed over to {}", line(&data.owner.name)),
    }
}

fn posted(data: &MessagePosted) -> String {
    let doing = if data.reply_to.is_some() { "replied with" } else { "posted" };
    format!("{} {doing} {}: {}", line(&data.author.name), article(data.kind), excerpt(&data.content))
}

fn article(kind: MessageKind) -> String {
    match kind {
        MessageKind::Evidence => "evidence".to_owned(),
        MessageKind::Update => "an update".to_owned(),
        other => format!("a {}", other.as_str()),
    }
}

/// The text on one line: each run of white space and control characters becomes one space.
pub fn line(text: &str) -> String {
    text.split(|letter: char| letter.is_whitespace() || letter.is_control())
        .filter(|word| !word.is_empty())
        .collect::<Vec<_>>()
        .join(" ")
}

fn excerpt(text: &str) -> String {
    // Cut before normalizing: later characters cannot be part of the excerpt, and most texts are much longer.
    let begin: String = text.chars().take(EXCERPT * 4).collect();
    let line = line(&begin);
    let cut: String = line.chars().take(EXCERPT).collect();
    if cut.len() < line.len() || begin.len() < text.len() { format!("{}…", cut.trim_end()) } else { line }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        actors::{Actor, ActorKind},
        identity::AgentKeyRotated,
        ids::{AgentId, MessageId, WorkspaceId},
        mentions::Concerns,
        workspaces::{MessageRedacted, WorkspaceJoined},
    };
    use proptest::prelude::*;
    use uuid::Uuid;

    fn scout() -> Actor {
        let id = AgentId::new(Uuid::from_u128(1)).into();
        Actor { id, name: "Scout\nII".into(), kind: ActorKind::AiAgent, model: None }
    }

    fn said(content: &str) -> Event {
        let (message_id, workspace_id) = (MessageId::new(Uuid::from_u128(2)), WorkspaceId::new(Uuid::from_u128(3)));
        let (author, kind, content) = (scout(), MessageKind::Proposal, content.to_owned());
        let (reply_to, concerns) = (None, Concerns::default());
        Event::Message(MessagePosted { message_id, workspace_id, author, kind, content, reply_to, concerns }.into())
    }

    #[test]
    fn a_summary_is_one_line() {
        let workspace_id = WorkspaceId::new(Uuid::from_u128(3));
        let joined = WorkspaceJoined { workspace_id, workspace_name: "Webhooks".into(), member: scout() };
        assert_eq!(summary(&Event::Workspace(joined.into())), "Scout II joined");
        assert_eq!(summary(&said("Sign\r\n\tevery\u{0} push")), "Scout II posted a proposal: Sign every push");
        let (message_id, author, kind) = (MessageId::new(Uuid::from_u128(2)), scout(), MessageKind::Evidence);
        let redacted = MessageRedacted { message_id, workspace_id, author, kind, reply_to: None };
        assert_eq!(summary(&Event::Message(redacted.into())), "Scout II took evidence back");
        let rotated = AgentKeyRotated { agent_id: AgentId::new(Uuid::from_u128(1)) };
        assert_eq!(summary(&Event::Agent(rotated.into())), "agent key rotated");
    }

    #[test]
    fn a_long_text_is_cut() {
        let summary = summary(&said(&"word ".repeat(1000)));
        assert!(summary.ends_with("word…") && summary.chars().count() < 120, "{summary}");
    }

    proptest! {
        #[test]
        fn any_summary_is_one_line(content in any::<String>()) {
            let summary = summary(&said(&content));
            prop_assert!(!summary.chars().any(char::is_control));
            prop_assert!(summary.chars().count() <= EXCERPT + 40);
        }
    }
}
