//! A client of live streams: parses Server-Sent Events according to the HTML standard, section 9.2.6.

use std::time::Duration;

use futures_util::{StreamExt, stream::LocalBoxStream};
use serde_json::Value;

use crate::{Caller, Request};

/// How long a frame may take to arrive.
const PATIENCE: Duration = Duration::from_secs(20);

/// One frame: the lines between two blank lines.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Frame {
    /// The log position, from `id`.
    pub id: Option<i64>,
    /// The event type; empty if there is none.
    pub event: String,
    /// The data as received; empty if there are none.
    pub data: String,
    /// The text of the comments.
    pub comment: String,
}

impl Frame {
    /// The data as JSON; null if there are none.
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.data).unwrap_or_default()
    }

    /// Parses the lines of a frame.
    pub fn parse(text: &str) -> Self {
        let mut frame = Self::default();
        for line in text.lines() {
            match line.split_once(": ").unwrap() {
                ("id", id) => frame.id = Some(id.parse().unwrap()),
                ("event", event) => frame.event.push_str(event),
                ("data", data) => frame.data.push_str(data),
                ("", comment) => frame.comment.push_str(comment),
                ("retry", _) => {}
                (field, _) => panic!("{field:?} is no field of an event stream: {text}"),
            }
        }
        frame
    }
}

/// An open stream.
pub struct Live {
    chunks: LocalBoxStream<'static, Vec<u8>>,
    read: Vec<u8>,
    /// The last position that the stream has sent.
    pub last_id: Option<i64>,
}

impl std::fmt::Debug for Live {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("Live").field("last_id", &self.last_id).finish_non_exhaustive()
    }
}

impl Caller {
    /// Opens a stream at the log's end.
    pub async fn follow(&self, path: &str) -> Live {
        Live::of(self.get(path)).await
    }

    /// Opens a stream after `position`, as a client does that reconnects.
    pub async fn resume(&self, path: &str, position: i64) -> Live {
        Live::of(self.get(path).header("last-event-id", &position.to_string())).await
    }
}

impl Live {
    async fn of(request: Request) -> Self {
        let response = request.begin().await;
        assert_eq!(
            (response.status().as_u16(), &response.headers()["content-type"]),
            (200, &"text/event-stream".parse().unwrap())
        );
        // The connection may also break; both end the stream.
        let chunks = response.bytes_stream().take_while(|chunk| std::future::ready(chunk.is_ok()));
        let chunks = chunks.map(|chunk| chunk.map(|chunk| chunk.to_vec()).unwrap_or_default()).boxed_local();
        let mut live = Self { chunks, read: vec![], last_id: None };
        // The stream is certain to have begun when the first frame arrives.
        live.frame().await.expect("a stream begins with its position");
        live
    }

    /// The next frame of any kind; `None` at the end of the stream.
    pub async fn frame(&mut self) -> Option<Frame> {
        let next = tokio::time::timeout(PATIENCE, self.read_frame());
        let frame = next.await.expect("a frame comes in time")?;
        self.last_id = frame.id.or(self.last_id);
        Some(frame)
    }

    /// The next event; `None` at the end of the stream.
    pub async fn event(&mut self) -> Option<Frame> {
        loop {
            let frame = self.frame().await?;
            if !frame.event.is_empty() {
                return Some(frame);
            }
        }
    }

    /// The data of the next `count` events.
    pub async fn take(&mut self, count: usize) -> Vec<Value> {
        let mut events = Vec::with_capacity(count);
        while events.len() < count {
            events.push(self.event().await.expect("the stream stays open").json());
        }
        events
    }

    async fn read_frame(&mut self) -> Option<Frame> {
        loop {
            if let Some(end) = self.read.windows(2).position(|pair| pair == b"\n\n") {
                let rest = self.read.split_off(end + 2);
                let frame = std::mem::replace(&mut self.read, rest);
                return Some(Frame::parse(std::str::from_utf8(&frame[..end]).unwrap()));
            }
            self.read.extend(self.chunks.next().await?);
        }
    }
}
