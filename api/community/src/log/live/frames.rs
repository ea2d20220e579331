//! Frames of live streams in the event stream format of the HTML standard (section 9.2.6).

use actix_web::web::Bytes;
pub use buildtrack_http::rights::Ending;
use buildtrack_store::{clock::jitter, log::PublicEvent};
use serde::Serialize;

use crate::log::events::LoggedEvent;

/// Range of the reconnection delay in seconds. The delay is random, so that clients do not all reconnect at once after
/// a server restart.
const RETRY_MIN: f64 = 1.0;
const RETRY_SPREAD: f64 = 4.0;

/// One frame with an event as `GET /api/v1/log` shows it.
pub(crate) fn event(event: PublicEvent) -> Bytes {
    let shown = LoggedEvent::from(event);
    // JSON text contains no line feed: strings escape it.
    let data = serde_json::to_string(&shown).unwrap_or_default();
    format!("id: {}\nevent: {}\ndata: {data}\n\n", shown.position, shown.event_type).into()
}

/// One frame with the body of a push.
pub(crate) fn push(position: i64, event: &str, body: &str) -> Bytes {
    format!("id: {position}\nevent: {event}\ndata: {body}\n\n").into()
}

/// The first frame of a stream: the reconnection delay and the starting position.
pub(crate) fn greeting(position: i64) -> Bytes {
    let retry = (RETRY_MIN + RETRY_SPREAD * jitter()) * 1000.0;
    format!("retry: {retry:.0}\nid: {position}\n: following the log beyond {position}\n\n").into()
}

/// A comment that keeps the connection open. If the stream has passed events that it does not show, the frame also has
/// the new position: clients store an id without data, but do not dispatch it.
pub(crate) fn keep_alive(moved_to: Option<i64>) -> Bytes {
    match moved_to {
        Some(position) => format!("id: {position}\n: keep-alive\n\n").into(),
        None => Bytes::from_static(b": keep-alive\n\n"),
    }
}

/// The reason of an omission in a stream.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub enum Gap {
    /// The client read too slowly and exceeded the limit of waiting events. The stream ends here.
    TooSlow {
        /// The last position that was sent or skipped.
        after: i64,
    },
    /// The requested start is further back than streams reach. The stream continues after the gap.
    #[serde(rename_all = "camelCase")]
    TooFarBehind {
        /// The requested start.
        after: i64,
        /// The actual start.
        up_to: i64,
    },
}

/// The frame of a gap.
pub(crate) fn gap(gap: Gap) -> Bytes {
    let data = serde_json::to_string(&gap).unwrap_or_default();
    match gap {
        // Without an id, so that a reconnecting client continues after the last event that was sent.
        Gap::TooSlow { .. } => format!("event: gap\ndata: {data}\n\n"),
        Gap::TooFarBehind { up_to, .. } => format!("id: {up_to}\nevent: gap\ndata: {data}\n\n"),
    }
    .into()
}

/// The final frame of a stream that has reached its maximum age. A client that reconnects with the id continues where
/// the stream ended.
pub(crate) fn end(position: i64) -> Bytes {
    format!("id: {position}\nevent: end\ndata: {{\"reason\":\"max_age\",\"lastEventId\":\"{position}\"}}\n\n").into()
}

/// The final frame of a stream whose caller has lost its right. The server refuses the client's next request with the same code.
pub(crate) fn right_ended(position: i64, ending: Ending) -> Bytes {
    let code = ending.code();
    format!(
        "id: {position}\nevent: end\ndata: {{\"reason\":\"right_ended\",\"code\":\"{code}\",\"lastEventId\":\"{position}\"}}\n\n"
    )
    .into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_states_its_reason_and_positions() {
        let slow = gap(Gap::TooSlow { after: 7 });
        assert_eq!(slow, "event: gap\ndata: {\"reason\":\"too_slow\",\"after\":7}\n\n");
        let behind = gap(Gap::TooFarBehind { after: 7, up_to: 9 });
        assert_eq!(behind, "id: 9\nevent: gap\ndata: {\"reason\":\"too_far_behind\",\"after\":7,\"upTo\":9}\n\n");
    }

    #[test]
    fn a_push_is_one_frame_with_its_body() {
        let frame = push(7, "workspace.join", r#"{"event":"workspace.join"}"#);
        assert_eq!(frame, "id: 7\nevent: workspace.join\ndata: {\"event\":\"workspace.join\"}\n\n");
    }

    #[test]
    fn an_end_states_the_position_to_continue_from() {
        assert_eq!(end(7), "id: 7\nevent: end\ndata: {\"reason\":\"max_age\",\"lastEventId\":\"7\"}\n\n");
    }

    #[test]
    fn an_end_of_the_callers_right_states_the_code_of_the_refusal() {
        let data = r#"{"reason":"right_ended","code":"invalid_token","lastEventId":"7"}"#;
        assert_eq!(right_ended(7, Ending::SessionEnded), format!("id: 7\nevent: end\ndata: {data}\n\n"));
    }

    #[test]
    fn the_reconnection_delay_is_between_one_and_five_seconds() {
        let greeting = greeting(3);
        let text = std::str::from_utf8(&greeting).unwrap();
        let retry: u32 = text.lines().next().unwrap().strip_prefix("retry: ").unwrap().parse().unwrap();
        assert!((1000..=5000).contains(&retry), "{retry}");
        assert!(text.ends_with("\nid: 3\n: following the log beyond 3\n\n"), "{text}");
    }
}
