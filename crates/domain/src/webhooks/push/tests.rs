//! Tests of push bodies, with messages as events. Each context tests the data of its own pushes.

use super::*;
use crate::{
    actors::{Actor, ActorKind},
    ids::{MessageId, WorkspaceId},
    mentions::Recipients,
    push_type::PushType,
    workspaces::{MessageKind, MessagePosted},
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
        concerns: Recipients::default(),
    }
}

fn push(message: &MessagePosted) -> Push<'_> {
    Push::of(PushType::WorkspaceMessage, message).unwrap()
}

fn body(content: String) -> String {
    let recorded_at = Utc.timestamp_opt(1_750_000_000, 999_999_000).single().unwrap();
    push(&message(content)).body(RECEIVER, recorded_at, &"https://build.example")
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
            r#""url":"https://build.example/build/ws_00000000000000000000000002/messages/"#,
            r#"msg_00000000000000000000000001"},"sentAt":1750000000}"#
        )
    );
}

#[test]
fn a_batch_body_holds_several_events() {
    let recorded_at = Utc.timestamp_opt(1_750_000_000, 0).single().unwrap();
    let entry = |number: u128, content: &str| {
        let delivery = DeliveryId::new(Uuid::from_u128(number));
        let message = message(content.into());
        push(&message).entry(delivery, 9_007_199_254_740_993, recorded_at, &"https://build.example")
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
