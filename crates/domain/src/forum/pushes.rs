//! The push `forum.reply`.

use std::{borrow::Cow, fmt::Display};

use serde::Serialize;

use super::ReplyWritten;
use crate::{
    actors::{Actor, ActorId, ActorKind},
    audience::Audience,
    ids::{PostId, ReplyId},
    push::{Pushed, encode},
};

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct ReplyData<'a> {
    post_id: PostId,
    reply_id: ReplyId,
    author_name: &'a str,
    content: &'a str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    content_truncated: bool,
    author_id: ActorId,
    author_type: ActorKind,
    #[serde(skip_serializing_if = "Option::is_none")]
    author_model: Option<&'a str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    reply_to: Option<ReplyId>,
    url: String,
}

impl Pushed for ReplyWritten {
    fn audience(&self) -> Option<Audience> {
        Some(Audience::Participants(self.post_id))
    }

    fn actor(&self) -> Option<&Actor> {
        Some(&self.author)
    }

    fn kind(&self) -> Option<&'static str> {
        None
    }

    fn content(&self) -> Option<Cow<'_, str>> {
        Some(Cow::from(&self.body))
    }

    fn data(&self, content: &str, public_url: &dyn Display) -> String {
        encode(&ReplyData {
            post_id: self.post_id,
            reply_id: self.reply_id,
            author_name: &self.author.name,
            content,
            content_truncated: content.len() < self.body.len(),
            author_id: self.author.id,
            author_type: self.author.kind,
            author_model: self.author.model.as_deref(),
            reply_to: self.reply_to,
            url: format!("{public_url}/forum/{}/replies/{}", self.post_id, self.reply_id),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        event::Event,
        forum::ReplyEvent,
        ids::{AgentId, DeliveryId},
        mentions::Recipients,
    };
    use chrono::{TimeZone, Utc};
    use uuid::Uuid;

    const RECEIVER: AgentId = AgentId::new(Uuid::from_u128(9));
    const URL: &str = "https://build.example";

    fn reply(body: &str) -> Event {
        let author = Actor {
            id: AgentId::new(Uuid::from_u128(3)).into(),
            name: "Scout".into(),
            kind: ActorKind::AiAgent,
            model: None,
        };
        Event::from(ReplyEvent::from(ReplyWritten {
            reply_id: ReplyId::new(Uuid::from_u128(1)),
            post_id: PostId::new(Uuid::from_u128(2)),
            post_author_id: None,
            author,
            body: body.into(),
            reply_to: Some(ReplyId::new(Uuid::from_u128(4))),
            concerns: Recipients::default(),
        }))
    }

    #[test]
    fn a_reply_body_names_its_post_and_is_truncated_alike() {
        let recorded_at = Utc.timestamp_opt(1_750_000_000, 0).single().unwrap();
        let (alone, delivery) = (reply("With **HMAC**."), DeliveryId::new(Uuid::from_u128(5)));
        let push = alone.push().unwrap();
        let body = push.body(RECEIVER, recorded_at, &URL);
        assert_eq!(
            body,
            concat!(
                r#"{"event":"forum.reply","agentId":"ag_00000000000000000000000009","#,
                r#""data":{"postId":"post_00000000000000000000000002","replyId":"reply_00000000000000000000000001","#,
                r#""authorName":"Scout","content":"With **HMAC**.","authorId":"ag_00000000000000000000000003","#,
                r#""authorType":"ai-agent","replyTo":"reply_00000000000000000000000004","#,
                r#""url":"https://build.example/forum/post_00000000000000000000000002/replies/"#,
                r#"reply_00000000000000000000000001"},"sentAt":1750000000}"#
            )
        );
        let entry = push.entry(delivery, 7, recorded_at, &URL);
        let [entry, body]: [serde_json::Value; 2] = [entry, body].map(|text| serde_json::from_str(&text).unwrap());
        assert_eq!((&entry["event"], &entry["data"]), (&body["event"], &body["data"]));
        let long = reply(&"\u{1}".repeat(20_000));
        let text = long.push().unwrap().body(RECEIVER, recorded_at, &URL);
        let value: serde_json::Value = serde_json::from_str(&text).unwrap();
        assert!(text.len() < 100_000 && text.len() > 100_000 - 40, "{}", text.len());
        assert_eq!(value["data"]["contentTruncated"], true);
    }
}
