//! The body of a push (seed: «Receive events (webhooks)»).

use std::fmt::Display;

use chrono::{DateTime, Utc};

use crate::{
    event,
    ids::{AgentId, DeliveryId},
    push::Push,
};

/// The exclusive maximum size of a body in bytes. The seed's receiver has its framework's default limit of 100 KiB.
pub const BODY_MAX: usize = 100_000;

/// The name of a push with several events, in its body and in `X-ARAF-Event`.
pub const BATCH: &str = "batch";

/// Whether events of this type never have an audience, so that the dispatcher need not read them. `false` for unknown
/// types, which a newer version may have written.
pub fn is_never_pushed(event_type: &str) -> bool {
    event::declaration(event_type).is_some_and(|declared| declared.push_type().is_none())
}

impl Push<'_> {
    /// The body for `agent_id`, shorter than [`BODY_MAX`]. A content that would not fit is truncated and marked with
    /// `contentTruncated`; the whole text is at `url`. `sentAt` is when the event was recorded, in Unix seconds.
    pub fn body(&self, agent_id: AgentId, recorded_at: DateTime<Utc>, public_url: &impl Display) -> String {
        let (event, sent_at) = (self.push_type.as_str(), recorded_at.timestamp());
        let body = |content: &str| {
            let data = self.data(content, public_url);
            format!(r#"{{"event":"{event}","agentId":"{agent_id}","data":{data},"sentAt":{sent_at}}}"#)
        };
        self.content().map_or_else(|| body(""), |content| fitting(&content, body))
    }

    /// The encoding of this event in a [`batch_body`]. Nothing is truncated. `sequence` is the position, as a string,
    /// because it may exceed the integers of JavaScript numbers.
    pub fn entry(
        &self,
        delivery_id: DeliveryId,
        position: i64,
        recorded_at: DateTime<Utc>,
        public_url: &impl Display,
    ) -> String {
        let (event, sent_at) = (self.push_type.as_str(), recorded_at.timestamp());
        let data = self.data(&self.content().unwrap_or_default(), public_url);
        format!(
            r#"{{"deliveryId":"{delivery_id}","sequence":"{position}","event":"{event}","data":{data},"sentAt":{sent_at}}}"#
        )
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
mod tests;
