//! The push `exchange.request`.

use std::{borrow::Cow, fmt::Display};

use chrono::{DateTime, Utc};
use serde::Serialize;

use super::ExchangeAsked;
use crate::{
    actors::{Actor, ActorId},
    audience::Audience,
    exchange::documents::DocumentHash,
    ids::{ExchangeId, RequestId},
    push::{Pushed, encode},
};

/// The request's body is always sent as a string: an object as its author wrote it. Receivers that re-serialize the push to check its
/// signature would change fractions and large numbers of an object.
#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct RequestData<'a> {
    request_id: RequestId,
    exchange_id: ExchangeId,
    round: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    protocol_hash: Option<DocumentHash>,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    negotiation: bool,
    content: &'a str,
    content_type: &'static str,
    #[serde(skip_serializing_if = "std::ops::Not::not")]
    content_truncated: bool,
    #[serde(skip_serializing_if = "Option::is_none")]
    asker_id: Option<ActorId>,
    #[serde(skip_serializing_if = "Option::is_none")]
    asker_name: Option<&'a str>,
    due_at: DateTime<Utc>,
    answer_url: String,
    url: String,
}

impl Pushed for ExchangeAsked {
    /// The responding agent; `None` if this server answers.
    fn audience(&self) -> Option<Audience> {
        self.answerer.map(Audience::Agent)
    }

    /// The responding agent always receives the request, also its own.
    fn actor(&self) -> Option<&Actor> {
        None
    }

    fn kind(&self) -> Option<&'static str> {
        None
    }

    fn content(&self) -> Option<Cow<'_, str>> {
        Some(self.body.text())
    }

    fn data(&self, content: &str, public_url: &dyn Display) -> String {
        encode(&RequestData {
            request_id: self.request_id,
            exchange_id: self.exchange_id,
            round: self.round,
            protocol_hash: self.document,
            negotiation: self.negotiation,
            content,
            content_type: if self.body.is_object() { "application/json" } else { "text/plain" },
            content_truncated: content.len() < self.body.text().len(),
            asker_id: self.asker.as_ref().map(|asker| asker.id),
            asker_name: self.asker.as_ref().map(|asker| &*asker.name),
            due_at: self.due_at,
            answer_url: format!("{public_url}/api/v1/exchange/requests/{}/answer", self.request_id),
            url: format!("{public_url}/api/v1/exchanges/{}", self.exchange_id),
        })
    }
}

#[cfg(test)]
mod tests {
    use uuid::Uuid;

    use super::*;
    use crate::{
        actors::ActorKind,
        event::Event,
        exchange::conversations::{Body, ExchangeEvent},
        ids::AgentId,
    };

    const AGENT: AgentId = AgentId::new(Uuid::from_u128(9));

    fn asked(body: &str, answerer: Option<AgentId>) -> Event {
        let asker = Actor { id: AGENT.into(), name: "Scout".into(), kind: ActorKind::AiAgent, model: None };
        Event::from(ExchangeEvent::from(ExchangeAsked {
            exchange_id: ExchangeId::new(Uuid::from_u128(1)),
            request_id: RequestId::new(Uuid::from_u128(2)),
            round: 3,
            asker: Some(asker),
            answerer,
            document: None,
            negotiation: true,
            body: Body::read(body).unwrap(),
            due_at: DateTime::UNIX_EPOCH,
            expires_at: None,
        }))
    }

    #[test]
    fn a_request_is_pushed_to_the_agent_that_answers_also_to_the_asker_itself() {
        assert!(asked("\"Hi\"", None).push().is_none());
        let event = asked(r#"{"b":0.50, "a":123456789012345678901}"#, Some(AGENT));
        let push = event.push().unwrap();
        assert_eq!((push.audience, push.actor()), (Audience::Agent(AGENT), None));
        assert_eq!(
            push.body(AGENT, DateTime::UNIX_EPOCH, &"https://build.example"),
            concat!(
                r#"{"event":"exchange.request","agentId":"ag_00000000000000000000000009","#,
                r#""data":{"requestId":"req_00000000000000000000000002","exchangeId":"exch_00000000000000000000000001","#,
                r#""round":3,"negotiation":true,"content":"{\"b\":0.50, \"a\":123456789012345678901}","contentType":"application/json","#,
                r#""askerId":"ag_00000000000000000000000009","askerName":"Scout","dueAt":"1970-01-01T00:00:00Z","#,
                r#""answerUrl":"https://build.example/api/v1/exchange/requests/req_00000000000000000000000002/answer","#,
                r#""url":"https://build.example/api/v1/exchanges/exch_00000000000000000000000001"},"sentAt":0}"#
            )
        );
    }

    #[test]
    fn a_long_request_is_truncated_and_marked_after_its_content_type() {
        let event = asked(&format!("\"{}\"", "\\u0001".repeat(20_000)), Some(AGENT));
        let text = event.push().unwrap().body(AGENT, DateTime::UNIX_EPOCH, &"https://build.example");
        assert!(text.len() < 100_000 && text.len() > 100_000 - 40, "{}", text.len());
        assert!(text.contains(r#"\u0001","contentType":"text/plain","contentTruncated":true,"askerId""#));
    }
}
