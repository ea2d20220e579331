//! The body of a push (seed: «Receive events (webhooks)»).

use std::fmt::Display;

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::{
    Circle, PushType,
    push_data::{join_data, message_data, reply_data, reputation_data, request_data, shipped_data},
};
use crate::{
    actors::Actor,
    event::{self, Event, Fact},
    exchange::conversations::{ExchangeAsked, ExchangeEvent},
    forum::{ReplyEvent, ReplyWritten},
    ids::{AgentId, DeliveryId},
    reputation::{ReputationChanged, ReputationEvent},
    workspaces::{MessageEvent, MessageKind, MessagePosted, WorkspaceEvent, WorkspaceJoined, WorkspaceShipped},
};

/// The exclusive maximum size of a body in bytes. The seed's receiver has its framework's default limit of 100 KiB.
pub const BODY_MAX: usize = 100_000;

/// The name of a push with several events, in its body and in `X-ARAF-Event`.
pub const BATCH: &str = "batch";

/// Whether events of this type never have an audience, so that the dispatcher need not read them. `false` for unknown
/// types, which a newer version may have written.
pub fn is_never_pushed(event_type: &str) -> bool {
    event::declaration(event_type).is_some_and(|declared| !declared.is(Fact::Pushed))
}

/// One event for one agent, before it is encoded.
#[derive(Debug, Clone, Copy)]
pub enum Push<'a> {
    /// `workspace.message`.
    Message(&'a MessagePosted),
    /// `workspace.join`.
    Join(&'a WorkspaceJoined),
    /// `forum.reply`.
    Reply(&'a ReplyWritten),
    /// `reputation.changed`.
    Reputation(&'a ReputationChanged),
    /// `track.shipped`.
    Shipped(&'a WorkspaceShipped),
    /// `exchange.request`, to the responding agent.
    Request(&'a ExchangeAsked, AgentId),
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Body<'a, Data> {
    event: &'a str,
    agent_id: AgentId,
    data: Data,
    sent_at: i64,
}

/// One event in a batch body.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Entry<'a, Data> {
    delivery_id: DeliveryId,
    /// The position, as a string, because it may exceed the integers of JavaScript numbers.
    sequence: String,
    event: &'a str,
    data: Data,
    sent_at: i64,
}

impl<'a> Push<'a> {
    /// The push of an event, if it has one.
    pub fn of(event: &'a Event) -> Option<Self> {
        if !event.is(Fact::Pushed) {
            return None;
        }
        match event {
            Event::Message(MessageEvent::Posted(posted)) => Some(Self::Message(posted)),
            Event::Workspace(WorkspaceEvent::Joined(joined)) => Some(Self::Join(joined)),
            Event::Reply(ReplyEvent::Written(written)) => Some(Self::Reply(written)),
            Event::Reputation(ReputationEvent::Changed(changed)) => Some(Self::Reputation(changed)),
            Event::Workspace(WorkspaceEvent::Shipped(shipped)) if shipped.is_track() => Some(Self::Shipped(shipped)),
            Event::Exchange(ExchangeEvent::Asked(asked)) => asked.answerer.map(|agent| Self::Request(asked, agent)),
            _ => None,
        }
    }
}

impl Push<'_> {
    /// The event type.
    pub fn push_type(&self) -> PushType {
        match self {
            Self::Message(_) => PushType::WorkspaceMessage,
            Self::Join(_) => PushType::WorkspaceJoin,
            Self::Reply(_) => PushType::ForumReply,
            Self::Reputation(_) => PushType::ReputationChanged,
            Self::Shipped(_) => PushType::TrackShipped,
            Self::Request(..) => PushType::ExchangeRequest,
        }
    }

    /// The audience.
    pub fn circle(&self) -> Circle {
        match self {
            Self::Message(message) => Circle::Members(message.workspace_id),
            Self::Join(join) => Circle::Members(join.workspace_id),
            Self::Reply(reply) => Circle::Participants(reply.post_id),
            Self::Reputation(changed) => Circle::Agent(changed.agent_id),
            Self::Shipped(shipped) => Circle::Members(shipped.workspace_id),
            Self::Request(_, agent_id) => Circle::Agent(*agent_id),
        }
    }

    /// The actor that caused the event, which does not receive it. `None` for reputation changes, which many actors
    /// cause, and for exchange requests: the agent always receives those.
    pub fn actor(&self) -> Option<&Actor> {
        match self {
            Self::Message(message) => Some(&message.author),
            Self::Join(join) => Some(&join.member),
            Self::Reply(reply) => Some(&reply.author),
            Self::Reputation(_) | Self::Request(..) => None,
            Self::Shipped(shipped) => Some(&shipped.shipped_by),
        }
    }

    /// The message kind, if the event is a message.
    pub fn kind(&self) -> Option<MessageKind> {
        match self {
            Self::Message(message) => Some(message.kind),
            Self::Join(_) | Self::Reply(_) | Self::Reputation(_) | Self::Shipped(_) | Self::Request(..) => None,
        }
    }

    /// The body for `agent_id`, shorter than [`BODY_MAX`]. A content that would not fit is truncated and marked with
    /// `contentTruncated`; the whole text is at `url`. `sentAt` is when the event was recorded, in Unix seconds.
    pub fn body(&self, agent_id: AgentId, recorded_at: DateTime<Utc>, public_url: &impl Display) -> String {
        let (event, sent_at) = (self.push_type().as_str(), recorded_at.timestamp());
        match self {
            Self::Message(message) => fitting(&message.content, |content| {
                encode(&Body { event, agent_id, data: message_data(message, content, public_url), sent_at })
            }),
            Self::Join(join) => encode(&Body { event, agent_id, data: join_data(join, public_url), sent_at }),
            Self::Reply(reply) => fitting(&reply.body, |content| {
                encode(&Body { event, agent_id, data: reply_data(reply, content, public_url), sent_at })
            }),
            Self::Reputation(changed) => {
                encode(&Body { event, agent_id, data: reputation_data(changed, public_url), sent_at })
            }
            Self::Shipped(shipped) => {
                encode(&Body { event, agent_id, data: shipped_data(shipped, public_url), sent_at })
            }
            Self::Request(asked, _) => fitting(&asked.body.text(), |content| {
                encode(&Body { event, agent_id, data: request_data(asked, content, public_url), sent_at })
            }),
        }
    }

    /// The encoding of this event in a [`batch_body`]. Nothing is truncated.
    pub fn entry(
        &self,
        delivery_id: DeliveryId,
        position: i64,
        recorded_at: DateTime<Utc>,
        public_url: &impl Display,
    ) -> String {
        let (sequence, sent_at, event) = (position.to_string(), recorded_at.timestamp(), self.push_type().as_str());
        match self {
            Self::Message(message) => {
                let data = message_data(message, &message.content, public_url);
                encode(&Entry { delivery_id, sequence, event, data, sent_at })
            }
            Self::Join(join) => {
                encode(&Entry { delivery_id, sequence, event, data: join_data(join, public_url), sent_at })
            }
            Self::Reply(reply) => {
                let data = reply_data(reply, &reply.body, public_url);
                encode(&Entry { delivery_id, sequence, event, data, sent_at })
            }
            Self::Reputation(changed) => {
                let data = reputation_data(changed, public_url);
                encode(&Entry { delivery_id, sequence, event, data, sent_at })
            }
            Self::Shipped(shipped) => {
                encode(&Entry { delivery_id, sequence, event, data: shipped_data(shipped, public_url), sent_at })
            }
            Self::Request(asked, _) => {
                let content = asked.body.text();
                let data = request_data(asked, &content, public_url);
                encode(&Entry { delivery_id, sequence, event, data, sent_at })
            }
        }
    }
}

/// The body of several events for `agent_id`. `sentAt` is when the last of them was recorded. The caller ensures that
/// it stays below [`BODY_MAX`].
pub fn batch_body(agent_id: AgentId, entries: &[String], last_recorded_at: DateTime<Utc>) -> String {
    let (entries, sent_at) = (entries.join(","), last_recorded_at.timestamp());
    format!(r#"{{"event":"{BATCH}","agentId":"{agent_id}","data":{{"events":[{entries}]}},"sentAt":{sent_at}}}"#)
}

/// The body with the whole content or, if that is too long, with as much of it as fits.
fn fitting(content: &str, body: impl Fn(&str) -> String) -> String {
    let whole = body(content);
    let excess = (whole.len() + 1).saturating_sub(BODY_MAX);
    if excess == 0 {
        return whole;
    }
    // The marker needs bytes too.
    body(shortened(content, excess + r#""contentTruncated":true,"#.len()))
}

/// `serde_json` writes strings exactly as `JSON.stringify` does: short escapes where they exist, `\u00xx` in lower case
/// for other control characters, all other characters unescaped.
fn encode(body: &impl Serialize) -> String {
    // Strings, an integer and booleans: encoding cannot fail.
    serde_json::to_string(body).unwrap_or_default()
}

/// Cuts whole characters off the end until at least `excess` bytes of JSON text are saved.
fn shortened(content: &str, excess: usize) -> &str {
    let mut saved = 0;
    let end = content.char_indices().rev().find(|(_, character)| {
        saved += match character {
            '"' | '\\' | '\u{8}' | '\u{9}' | '\u{a}' | '\u{c}' | '\u{d}' => 2,
            '\0'..'\u{20}' => 6,
            other => other.len_utf8(),
        };
        saved >= excess
    });
    end.map_or("", |(index, _)| &content[..index])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        actors::ActorKind,
        ids::{MessageId, OwnerId, PostId, ReplyId, WorkspaceId},
        mentions::Concerns,
        reputation::{Badge, CAUSES_MAX, Cause, Contribution, Counts},
    };
    use chrono::TimeZone;
    use proptest::prelude::*;
    use uuid::Uuid;

    const RECEIVER: AgentId = AgentId::new(Uuid::from_u128(9));

    fn message(content: String) -> MessagePosted {
        MessagePosted {
            message_id: MessageId::new(Uuid::from_u128(1)),
            workspace_id: WorkspaceId::new(Uuid::from_u128(2)),
            author: Actor {
                id: AgentId::new(Uuid::from_u128(3)).into(),
                name: "Scout".into(),
                kind: ActorKind::AiAgent,
                model: Some("claude-opus-4-8".into()),
            },
            kind: MessageKind::Proposal,
            content,
            reply_to: None,
            concerns: Concerns::default(),
        }
    }

    fn body(content: String) -> String {
        let recorded_at = Utc.timestamp_opt(1_750_000_000, 999_999_000).single().unwrap();
        Push::Message(&message(content)).body(RECEIVER, recorded_at, &"https://build.example")
    }

    #[test]
    fn an_unknown_event_type_may_have_an_audience() {
        let never = ["envelope.accepted", "message.redacted", "message.posted", "exchange.asked", "message.sung", ""];
        assert_eq!(never.map(is_never_pushed), [true, true, false, false, false, false]);
    }

    #[test]
    fn a_body_has_the_shape_of_the_seed() {
        assert_eq!(
            body("Push, don't \"poll\"\u{1}\u{7f}\u{2028}🤖".into()),
            concat!(
                r#"{"event":"workspace.message","agentId":"ag_00000000000000000000000009","#,
                r#""data":{"workspaceId":"ws_00000000000000000000000002","kind":"proposal","authorName":"Scout","#,
                r#""content":"Push, don't \"poll\"\u0001"#,
                "\u{7f}\u{2028}🤖",
                r#"","messageId":"msg_00000000000000000000000001","authorId":"ag_00000000000000000000000003","#,
                r#""authorType":"ai-agent","authorModel":"claude-opus-4-8","#,
                r#""url":"https://build.example/api/v1/workspaces/ws_00000000000000000000000002/messages/"#,
                r#"msg_00000000000000000000000001"},"sentAt":1750000000}"#
            )
        );
    }

    #[test]
    fn a_reply_body_names_its_post_and_is_truncated_alike() {
        let recorded_at = Utc.timestamp_opt(1_750_000_000, 0).single().unwrap();
        let reply = |body: &str| ReplyWritten {
            reply_id: ReplyId::new(Uuid::from_u128(1)),
            post_id: PostId::new(Uuid::from_u128(2)),
            post_author_id: None,
            author: Actor { model: None, ..message(String::new()).author },
            body: body.into(),
            reply_to: Some(ReplyId::new(Uuid::from_u128(4))),
            concerns: Concerns::default(),
        };
        assert_eq!(
            Push::Reply(&reply("With **HMAC**.")).body(RECEIVER, recorded_at, &"https://build.example"),
            concat!(
                r#"{"event":"forum.reply","agentId":"ag_00000000000000000000000009","#,
                r#""data":{"postId":"post_00000000000000000000000002","replyId":"reply_00000000000000000000000001","#,
                r#""authorName":"Scout","content":"With **HMAC**.","authorId":"ag_00000000000000000000000003","#,
                r#""authorType":"ai-agent","replyTo":"reply_00000000000000000000000004","#,
                r#""url":"https://build.example/api/v1/forum/posts/post_00000000000000000000000002/replies/"#,
                r#"reply_00000000000000000000000001"},"sentAt":1750000000}"#
            )
        );
        let (alone, delivery) = (reply("With **HMAC**."), DeliveryId::new(Uuid::from_u128(5)));
        let entry = Push::Reply(&alone).entry(delivery, 7, recorded_at, &"https://build.example");
        let body = Push::Reply(&alone).body(RECEIVER, recorded_at, &"https://build.example");
        let [entry, body]: [serde_json::Value; 2] = [entry, body].map(|text| serde_json::from_str(&text).unwrap());
        assert_eq!((&entry["event"], &entry["data"]), (&body["event"], &body["data"]));
        let long = reply(&"\u{1}".repeat(20_000));
        let text = Push::Reply(&long).body(RECEIVER, recorded_at, &"https://build.example");
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(text.len() < BODY_MAX && text.len() > BODY_MAX - 40, "{}", text.len());
        assert_eq!(value["data"]["contentTruncated"], true);
    }

    #[test]
    fn a_batch_body_holds_several_events() {
        let recorded_at = Utc.timestamp_opt(1_750_000_000, 0).single().unwrap();
        let entry = |number: u128, content: &str| {
            let delivery = DeliveryId::new(Uuid::from_u128(number));
            let message = message(content.into());
            Push::Message(&message).entry(delivery, 9_007_199_254_740_993, recorded_at, &"https://build.example")
        };
        let text = batch_body(RECEIVER, &[entry(1, "one \u{1}\"\u{7f}"), entry(2, "two")], recorded_at);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(text.starts_with(concat!(
            r#"{"event":"batch","agentId":"ag_00000000000000000000000009","data":{"events":[{"#,
            r#""deliveryId":"dlv_00000000000000000000000001","sequence":"9007199254740993","#,
            r#""event":"workspace.message","data":{"workspaceId":"#
        )));
        assert!(text.ends_with(r#","sentAt":1750000000}]},"sentAt":1750000000}"#));
        let alone: serde_json::Value = serde_json::from_str(&body("two".into())).unwrap();
        assert_eq!(value["data"]["events"][1]["data"], alone["data"]);
        assert_eq!(value["data"]["events"][0]["data"]["content"], "one \u{1}\"\u{7f}");
    }

    fn shipped(tags: &[&str], note: String, link: &str) -> WorkspaceShipped {
        WorkspaceShipped {
            workspace_id: WorkspaceId::new(Uuid::from_u128(2)),
            workspace_name: "Events".into(),
            tags: tags.iter().map(|tag| (*tag).to_owned()).collect(),
            solution_id: MessageId::new(Uuid::from_u128(1)),
            note,
            links: vec![link.to_owned(); 10],
            shipped_by: message(String::new()).author,
        }
    }

    #[test]
    fn only_shipped_tracks_are_pushed() {
        let event =
            |tags: &[&str]| Event::from(WorkspaceEvent::from(shipped(tags, "Out".into(), "https://a.example/")));
        let (track, other) = (event(&["tools", "build"]), event(&["tools"]));
        assert!(Push::of(&other).is_none());
        let body = Push::of(&track).unwrap().body(RECEIVER, DateTime::UNIX_EPOCH, &"https://build.example");
        let links = [r#""https://a.example/""#; 10].join(",");
        assert_eq!(
            body,
            [
                r#"{"event":"track.shipped","agentId":"ag_00000000000000000000000009","#,
                r#""data":{"workspaceId":"ws_00000000000000000000000002","workspaceName":"Events","note":"Out","#,
                &format!(r#""links":[{links}],"solutionId":"msg_00000000000000000000000001","#),
                r#""shipperId":"ag_00000000000000000000000003","shipperName":"Scout","shipperType":"ai-agent","#,
                r#""shipperModel":"claude-opus-4-8","#,
                r#""url":"https://build.example/api/v1/workspaces/ws_00000000000000000000000002"},"sentAt":0}"#,
            ]
            .concat()
        );
    }

    fn changed(causes: usize) -> ReputationChanged {
        let item = MessageId::new(Uuid::from_u128(1)).into();
        let cause = Cause {
            position: 9_007_199_254_740_993,
            event: "vote.withdrawn".into(),
            recorded_at: DateTime::UNIX_EPOCH,
            contribution: Contribution::Helpful,
            change: -1,
            item,
            place: item,
        };
        ReputationChanged {
            agent_id: RECEIVER,
            owner_id: OwnerId::new(Uuid::from_u128(6)),
            old_score: 103,
            new_score: 93,
            old_badge: Badge::Contributor,
            new_badge: Badge::Newcomer,
            counts: Counts::default(),
            earned: 0,
            causes: vec![cause; causes],
        }
    }

    #[test]
    fn a_reputation_push_lists_its_causes_and_goes_to_the_agent_only() {
        let event = Event::from(ReputationEvent::from(changed(1)));
        let push = Push::of(&event).unwrap();
        assert_eq!((push.circle(), push.actor()), (Circle::Agent(RECEIVER), None));
        assert_eq!(
            push.body(RECEIVER, DateTime::UNIX_EPOCH, &"https://build.example"),
            concat!(
                r#"{"event":"reputation.changed","agentId":"ag_00000000000000000000000009","#,
                r#""data":{"oldScore":103,"newScore":93,"oldBadge":"Contributor","newBadge":"Newcomer","#,
                r#""causes":[{"position":"9007199254740993","event":"vote.withdrawn","contribution":"helpful","#,
                r#""points":-10,"itemId":"msg_00000000000000000000000001"}],"#,
                r#""url":"https://build.example/api/v1/agents/ag_00000000000000000000000009/reputation"},"sentAt":0}"#
            )
        );
    }

    #[test]
    fn the_maximum_number_of_causes_fits_into_a_body() {
        let changed = changed(CAUSES_MAX);
        let body = Push::Reputation(&changed).body(RECEIVER, DateTime::UNIX_EPOCH, &"https://build.example");
        assert!(body.len() < BODY_MAX / 2, "{}", body.len());
    }

    #[test]
    fn the_longest_note_and_links_fit_into_a_body() {
        let (note, link) = ("\u{1}".repeat(4000), format!("https://{}", "🤖".repeat(492)));
        let push = shipped(&["build"], note, &link);
        let body = Push::Shipped(&push).body(RECEIVER, DateTime::UNIX_EPOCH, &"https://build.example");
        assert!(body.len() < BODY_MAX / 2, "{}", body.len());
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]
        #[test]
        fn a_body_stays_below_the_limit_and_is_truncated_minimally(unit in "[\u{1}-\u{10ffff}]", count in 1_usize..20_000) {
            let content = unit.repeat(count);
            let text = body(content.clone());
            prop_assert!(text.len() < BODY_MAX);
            let value: serde_json::Value = serde_json::from_str(&text).unwrap();
            let sent = value["data"]["content"].as_str().unwrap();
            prop_assert!(content.starts_with(sent));
            prop_assert_eq!(value["data"]["contentTruncated"].as_bool(), (sent != content).then_some(true));
            prop_assert!(sent == content || text.len() > BODY_MAX - 40);
        }
    }
}
