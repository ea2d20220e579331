//! What goes over the wire: the event stream format of the HTML standard (section 9.2.6).

use actix_web::web::Bytes;
use buildtrack_store::{clock::jitter, log::PublicEvent};
use serde::Serialize;

use crate::log::events::LoggedEvent;

/// Seconds after which a client comes back: spread, so that not all come at once when a server has been restarted.
const RETRY_MIN: f64 = 1.0;
const RETRY_SPREAD: f64 = 4.0;

/// An event as `GET /api/v1/log` shows it, in one frame.
pub(crate) fn event(event: PublicEvent) -> Bytes {
    let shown = LoggedEvent::from(event);
    // JSON text has no line feed outside its strings' escapes.
    let data = serde_json::to_string(&shown).unwrap_or_default();
    format!("id: {}\nevent: {}\ndata: {data}\n\n", shown.position, shown.event_type).into()
}

/// What a stream begins with: when to come back, and from where.
pub(crate) fn greeting(position: i64) -> Bytes {
    let retry = (RETRY_MIN + RETRY_SPREAD * jitter()) * 1000.0;
    format!("retry: {retry:.0}\nid: {position}\n: following the log beyond {position}\n\n").into()
}

/// Keeps the connection open. Where the log has moved on by what the stream does not show, it tells the new position:
/// an id without data is remembered by the client and shown to nobody.
pub(crate) fn keep_alive(moved_to: Option<i64>) -> Bytes {
    match moved_to {
        Some(position) => format!("id: {position}\n: keep-alive\n\n").into(),
        None => Bytes::from_static(b": keep-alive\n\n"),
    }
}

/// Why something was left out.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case", tag = "reason")]
pub(crate) enum Gap {
    /// More happened than is kept for a stream while it was not read. It ends here.
    TooSlow {
        /// The last position that was sent or passed over.
        after: i64,
    },
    /// What was asked for begins further back than a stream reaches. It goes on behind the gap.
    #[serde(rename_all = "camelCase")]
    TooFarBehind {
        /// Where it was to begin.
        after: i64,
        /// Where it begins instead.
        up_to: i64,
    },
}

/// The frame of a gap.
pub(crate) fn gap(gap: Gap) -> Bytes {
    let data = serde_json::to_string(&gap).unwrap_or_default();
    match gap {
        // Without an id: whoever comes back goes on behind the last event that was sent.
        Gap::TooSlow { .. } => format!("event: gap\ndata: {data}\n\n"),
        Gap::TooFarBehind { up_to, .. } => format!("id: {up_to}\nevent: gap\ndata: {data}\n\n"),
    }
    .into()
}

/// A stream ends for no other reason than its age: whoever comes back with the id goes on where it ended.
pub(crate) fn end(position: i64) -> Bytes {
    format!("id: {position}\nevent: end\ndata: {{\"reason\":\"max_age\",\"lastEventId\":\"{position}\"}}\n\n").into()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gap_tells_why_and_between_which_positions() {
        let slow = gap(Gap::TooSlow { after: 7 });
        assert_eq!(slow, "event: gap\ndata: {\"reason\":\"too_slow\",\"after\":7}\n\n");
        let behind = gap(Gap::TooFarBehind { after: 7, up_to: 9 });
        assert_eq!(behind, "id: 9\nevent: gap\ndata: {\"reason\":\"too_far_behind\",\"after\":7,\"upTo\":9}\n\n");
    }

    #[test]
    fn an_end_tells_where_to_go_on() {
        assert_eq!(end(7), "id: 7\nevent: end\ndata: {\"reason\":\"max_age\",\"lastEventId\":\"7\"}\n\n");
    }

    #[test]
    fn clients_come_back_spread_over_some_seconds() {
        let greeting = greeting(3);
        let text = std::str::from_utf8(&greeting).unwrap();
        let retry: u32 = text.lines().next().unwrap().strip_prefix("retry: ").unwrap().parse().unwrap();
        assert!((1000..=5000).contains(&retry), "{retry}");
        assert!(text.ends_with("\nid: 3\n: following the log beyond 3\n\n"), "{text}");
    }
}
