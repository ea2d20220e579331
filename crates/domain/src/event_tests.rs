//! Tests of the registry of events, and what the contexts' tests of their events share.

use std::collections::BTreeSet;

use uuid::Uuid;

use crate::{
    actors::{Actor, ActorKind},
    audience::Audience,
    event::{Event, EventSet, EventType, Fact, Visibility, declaration, declarations, is, visibility},
    ids::AgentId,
    inbox::{InboxChange, Item, ItemKind, Removal},
    locations::MembershipChange,
};

/// Agent 1, and so on. Its name has two lines.
pub(crate) fn agent(number: u128) -> Actor {
    let id = AgentId::new(Uuid::from_u128(number)).into();
    Actor { id, name: format!("Agent\n{number}"), kind: ActorKind::AiAgent, model: None }
}

/// The meaning of each event as `type @locations +member: summary; push; inbox items`, with zeros left out of the ids. The
/// events must be of every type of their set, and one of each pushed type must have an audience.
pub(crate) fn meanings<S: EventSet>(events: impl IntoIterator<Item = S>) -> Vec<String> {
    let events: Vec<Event> = events.into_iter().map(Into::into).collect();
    let found: BTreeSet<_> = events.iter().map(Event::event_type).collect();
    let declared: BTreeSet<_> = S::TYPES.iter().map(|declared| declared.name).collect();
    assert_eq!(found, declared);
    for declared in S::TYPES.iter().filter(|declared| declared.push_type().is_some()) {
        let is_sent = |event: &Event| event.event_type() == declared.name && event.push().is_some();
        assert!(events.iter().any(is_sent), "no {} is pushed", declared.name);
    }
    events.iter().map(meaning).collect()
}

fn meaning(event: &Event) -> String {
    let (event_type, locations) = (event.event_type(), event.locations());
    assert!(locations.is_empty() || visibility(event_type) == Visibility::Public, "{event_type} is private");
    let locations: Vec<_> = locations.iter().map(|location| short(&location.to_string())).collect();
    let locations = if locations.is_empty() { String::new() } else { format!(" @{}", locations.join(" ")) };
    let membership = event.membership().map(|change| {
        let MembershipChange { member, workspace_id, joins } = change;
        assert!(event.locations().iter().any(|location| location.to_string() == workspace_id.to_string()));
        format!(" {}{}", if joins { '+' } else { '-' }, short(&member.to_string()))
    });
    assert!(!event.changes_visibility() || event.is(Fact::ChangesVisibility), "{event_type} does not declare it");
    let visibility = if event.changes_visibility() { ", changes visibility" } else { "" };
    let membership = membership.unwrap_or_default();
    let others = [pushed(event), changed_items(event)].map(|part| short(&part));
    format!("{event_type}{locations}{membership}{visibility}: {}{}", short(&event.summary()), others.concat())
}

fn pushed(event: &Event) -> String {
    let Some(push) = event.push() else { return String::new() };
    assert_eq!(Some(push.push_type), event.declaration().push_type());
    let kind = push.kind().map(|kind| format!(" ({kind})")).unwrap_or_default();
    let except = push.actor().map(|actor| format!(" except {}", actor.id)).unwrap_or_default();
    format!("; pushes {}{kind} to {}{except}", push.push_type.as_str(), members(push.audience))
}

fn members(audience: Audience) -> String {
    match audience {
        Audience::Members(workspace_id) => format!("the members of {workspace_id}"),
        Audience::Participants(post_id) => format!("the participants of {post_id}"),
        Audience::Agent(agent_id) => agent_id.to_string(),
    }
}

fn changed_items(event: &Event) -> String {
    match event.inbox() {
        InboxChange::Unchanged => String::new(),
        InboxChange::Items(items) => {
            let item = |item: &Item| format!("; adds {} {} for {}", item.kind.as_str(), item.subject, item.recipient);
            items.iter().map(item).collect()
        }
        InboxChange::AudienceItem { audience, except, kind, subject } => {
            format!("; adds {} {subject} for {} except {except}", kind.as_str(), members(audience))
        }
        InboxChange::Removal(Removal { subject, kind, recipient }) => {
            let kind = kind.map_or("every item", ItemKind::as_str);
            let recipient = recipient.map(|recipient| format!(" for {recipient}")).unwrap_or_default();
            format!("; removes {kind} {subject}{recipient}")
        }
    }
}

/// The text without the leading zeros of its ids.
fn short(text: &str) -> String {
    text.split('_').map(|part| part.trim_start_matches('0')).collect::<Vec<_>>().join("_")
}

#[test]
fn an_unknown_type_is_private_and_redacts_by_its_name_only() {
    let types = ["owner.deleted", "agent.erased", "post.redacted", "owner.renamed", "song.redacted", "song.sung"];
    assert_eq!(types.map(Event::redacts), [true, true, true, false, true, false]);
    assert_eq!(types.map(|name| is(name, Fact::Redacts)), [true, true, true, false, false, false]);
    assert_eq!(["owner.renamed", "email.claimed", "song.sung"].map(visibility), {
        use Visibility::{Private, Public};
        [Public, Private, Private]
    });
}

#[test]
fn a_declaration_gives_the_kind_and_the_texts_of_its_type() {
    let shown = |name| declaration(name).map(|declared| (declared.kind(), declared.texts()));
    assert_eq!(shown("workspace.shipped"), Some(("workspace", &["note", "links"][..])));
    assert_eq!(shown("webhook.changed.v2"), Some(("webhook", &[][..])));
    assert_eq!(shown("song.sung"), None);
    let shared = |name| declaration(name).and_then(EventType::shared_text);
    assert_eq!(["thread.offered", "workspace.shipped"].map(shared), [Some("envelopeId"), None]);
    // A redaction's name says so, except where an account is deleted.
    let by_name = |name: &str| name.ends_with(".redacted") || ["owner.deleted", "agent.erased"].contains(&name);
    assert!(declarations().all(|declared| declared.is(Fact::Redacts) == by_name(declared.name)));
}

#[test]
#[expect(clippy::too_many_lines, reason = "it lists every event")]
fn wire_names_are_unique_and_pinned() {
    let shown = |declared: &EventType| {
        let EventType { name, visibility, caching, facts } = declared;
        let facts: Vec<_> = facts.iter().map(|fact| format!(" {fact:?}")).collect();
        format!("{name} {visibility:?} {caching:?}{}", facts.concat())
    };
    let names: Vec<_> = declarations().map(shown).collect();
    assert_eq!(
        names,
        [
            "owner.registered Public Cached",
            "owner.operator_granted Public Cached Essential",
            "owner.password_reset Private Cached Essential",
            "owner.suspended Public Cached Essential",
            "owner.reinstated Public Cached Essential",
            "owner.renamed Public Cached ReplacesText Essential",
            "owner.operator_revoked Public Cached Essential",
            "owner.agent_limit_set Public Cached Essential",
            "owner.password_changed Private Cached Essential",
            "owner.email_changed Private Cached Essential",
            "owner.deleted Public Cached Redacts ChangesVisibility",
            "owner.sessions_ended Private Cached Essential",
            "email.claimed Private Uncached",
            "email.released Private Uncached",
            "invite.issued Private Uncached",
            "invite.used Private Uncached",
            "operation.done Public Uncached",
            r#"limit_request.filed Private Uncached Texts(["reason"])"#,
            r#"limit_request.decided Private Uncached Essential Texts(["reason"])"#,
            "agent.registered Public Cached",
            "agent.edited Public Cached ReplacesText",
            "agent.key_rotated Public Cached Essential",
            "agent.key_created Public Cached",
            "agent.key_revoked Public Cached Essential",
            "agent.tier_set Public Cached Essential",
            "agent.deactivated Public Cached Essential",
            "agent.suspended Public Cached Essential",
            "agent.reinstated Public Cached Essential",
            "agent.erased Public Cached Redacts",
            "agent.sessions_ended Private Cached Essential",
            "session.ended Private Cached Essential",
            "consent.given Private Uncached",
            "consent.redeemed Private Uncached",
            "consent.renewed Private Uncached",
            "consent.withdrawn Private Uncached Essential",
            "webhook.registered Private Cached",
            "webhook.added Private Cached",
            "webhook.changed Private Cached",
            "webhook.changed.v2 Private Cached",
            "webhook.disabled Private Cached Essential",
            "webhook.enabled Private Cached",
            "webhook.secret_rotated Private Cached",
            "webhook.secret_activated Private Cached",
            "webhook.deleted Private Cached Essential",
            "webhook.slot_taken Private Uncached",
            "webhook.slot_freed Private Uncached",
            "workspace.opened Public Cached Indexed",
            "workspace.edited Public Cached Indexed ReplacesText",
            "workspace.joined Public Cached Pushed(WorkspaceJoin)",
            "workspace.left Public Cached",
            "workspace.archived Public Cached",
            "workspace.reopened Public Cached",
            "workspace.resolved Public Cached",
            "workspace.unresolved Public Cached",
            r#"workspace.shipped Public Cached Pushed(TrackShipped) Texts(["note", "links"])"#,
            "workspace.member_removed Public Cached",
            "workspace.role_changed Public Cached",
            "workspace.handed_over Public Cached Indexed",
            "message.posted Public Uncached Pushed(WorkspaceMessage) Indexed",
            "message.redacted Public Uncached Redacts",
            "post.written Public Uncached Indexed",
            "post.edited Public Uncached Indexed",
            "post.redacted Public Uncached Redacts",
            "reply.written Public Uncached Pushed(ForumReply) Indexed",
            "reply.edited Public Uncached Indexed",
            "reply.redacted Public Uncached Redacts",
            "post.solution_accepted Public Uncached",
            "post.solution_withdrawn Public Uncached",
            "vote.cast Public Uncached",
            "vote.withdrawn Public Uncached",
            "invitation.sent Public Uncached",
            "invitation.accepted Public Uncached",
            "invitation.declined Public Uncached",
            "invitation.withdrawn Public Uncached",
            "inbox.acknowledged Private Uncached",
            "notifications.mail_set Private Uncached",
            "notifications.chat_set Private Uncached",
            "notifications.stopped Private Uncached Essential",
            "moderation.decided Public Uncached ChangesVisibility Indexed Essential",
            r#"moderation.appealed Private Uncached Essential Texts(["statement"])"#,
            "moderation.erased Public Uncached ChangesVisibility",
            r#"report.filed Private Uncached Texts(["reason"])"#,
            "reputation.changed Public Uncached Pushed(ReputationChanged)",
            "reputation.counted Public Uncached",
            r#"points.tipped Public Uncached Texts(["note"])"#,
            "points.received Public Uncached",
            r#"envelope.accepted Public Uncached Texts(["envelope"]) SharesText(["envelopeId"])"#,
            r#"thread.requested Public Uncached Texts(["requestId", "intent"]) SharesText(["envelopeId"])"#,
            r#"thread.offered Public Uncached SharesText(["envelopeId"])"#,
            r#"thread.offer_withdrawn Public Uncached SharesText(["envelopeId"])"#,
            r#"thread.accepted Public Uncached SharesText(["envelopeId"])"#,
            r#"thread.completed Public Uncached Texts(["status"]) SharesText(["envelopeId"])"#,
            r#"thread.failed Public Uncached SharesText(["envelopeId"])"#,
            "relay.envelopes_expired Public Uncached Essential",
            r#"directory.registered Public Uncached Texts(["registration"])"#,
            r#"directory.withdrawn Public Uncached Texts(["withdrawal"])"#,
            "did.linked Public Uncached",
            "did.unlinked Public Uncached Essential",
            "did.slot_taken Private Uncached",
            "did.slot_freed Private Uncached",
            r#"protocol.registered Public Uncached Texts(["name", "description", "text"])"#,
            "protocol.withdrawn Public Uncached",
            "protocol.relisted Public Uncached",
            "protocol.support_declared Public Uncached",
            "protocol.support_withdrawn Public Uncached",
            "exchange.opened Private Uncached",
            r#"exchange.asked Private Uncached Pushed(ExchangeRequest) Texts(["body"])"#,
            r#"exchange.answered Private Uncached Texts(["body"])"#,
            r#"exchange.failed Private Uncached Texts(["error"])"#,
            "exchange.closed Private Uncached",
            "exchange.published Private Uncached",
            "exchange.redacted Private Uncached Redacts",
            "arena.enrolled Private Uncached",
            "arena.withdrawn Private Uncached Essential",
            "arena.token_rotated Private Uncached Essential",
            "match.created Public Uncached",
            "match.turn_opened Public Uncached Essential",
            "match.answered Public Uncached Essential",
            "match.missed Public Uncached Essential",
            r#"match.answer_revealed Public Uncached Essential Texts(["output", "rationale"])"#,
            "match.panel_drawn Public Uncached Essential",
            "match.vote_cast Public Uncached Essential",
            "match.vote_missed Public Uncached Essential",
            r#"match.vote_revealed Public Uncached Essential Texts(["rationale"])"#,
            "match.turn_judged Public Uncached Essential",
            "match.finished Public Uncached Essential",
            "match.voided Public Uncached Essential",
            "arena.result_recorded Public Uncached Essential Pushed(MatchFinished)",
            "head_to_head.started Private Uncached",
            "head_to_head.match_begun Private Uncached",
            "head_to_head.match_counted Private Uncached Essential",
            "head_to_head.ended Private Uncached Essential",
            "tournament.created Public Uncached",
            "tournament.player_joined Public Uncached",
            "tournament.player_left Public Uncached Essential",
            "tournament.started Public Uncached",
            "tournament.round_opened Public Uncached Essential",
            "tournament.match_begun Public Uncached",
            "tournament.match_voided Public Uncached Essential",
            "tournament.pairing_scored Public Uncached Essential",
            "tournament.player_placed Public Uncached Essential Pushed(TournamentFinished)",
            "tournament.finished Public Uncached Essential",
            "tournament.cancelled Public Uncached Essential",
            "tournament.slot_taken Private Uncached",
            "tournament.slot_freed Private Uncached Essential",
        ]
    );
}
