//! Messages of a WebSocket's client, with a bound on frames that carry none.
//!
//! **Invariant:** a client that sends frames without end is closed, however small they are: each kind of frame is counted here, or by
//! the door that reads the message.

use std::time::Duration;

use actix_web::web::{Bytes, BytesMut};
use actix_ws::{AggregatedMessage, CloseCode, CloseReason, Item, Message, MessageStream, ProtocolError};
use tokio::time::Instant;

/// Control frames that a client may send at once. After that it may send one each second: 60 a minute. Clients send a ping every 20 to
/// 60 seconds.
pub(crate) const CONTROL_FRAMES: u32 = 60;
const EACH: Duration = Duration::from_secs(1);
/// Frames of which one message may consist.
pub(crate) const MESSAGE_FRAMES: usize = 1024;

/// Why there are no more messages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Broken {
    /// A message has more bytes than the door takes.
    TooLarge,
    /// The client sends too many frames that carry no message.
    TooManyFrames,
    /// The connection is lost, or does not follow the protocol.
    Lost,
}

impl Broken {
    /// What the close message says, if the client may receive it.
    pub fn reason(self) -> Option<CloseReason> {
        let (code, description) = match self {
            Self::TooLarge => (CloseCode::Size, None),
            Self::TooManyFrames => (CloseCode::Policy, Some("more than 60 control frames in a minute".to_owned())),
            Self::Lost => return None,
        };
        Some(CloseReason { code, description })
    }
}

/// The messages of a client, put together from their frames.
pub struct Messages {
    frames: MessageStream,
    message_max: usize,
    are_read: bool,
    allowance: Allowance,
    begun: Option<Begun>,
}

/// A message of which some frames have come.
struct Begun {
    is_text: bool,
    bytes: BytesMut,
    frames: usize,
}

impl Messages {
    /// The messages of at most so many bytes.
    pub fn of(frames: MessageStream, message_max: usize) -> Self {
        let frames = frames.max_frame_size(message_max);
        Self { frames, message_max, are_read: true, allowance: Allowance::new(Instant::now()), begun: None }
    }

    /// For a door that reads no messages: they count like control frames.
    pub fn unread(self) -> Self {
        Self { are_read: false, ..self }
    }

    /// Counts a message that the door does not use. An error says that there have been too many of them.
    pub fn count(&mut self) -> Result<(), Broken> {
        if self.allowance.takes(Instant::now()) { Ok(()) } else { Err(Broken::TooManyFrames) }
    }

    /// The next message, or the next control frame. Nothing is lost if the future is dropped.
    pub async fn next(&mut self) -> Option<Result<AggregatedMessage, Broken>> {
        loop {
            let message = match self.frames.recv().await? {
                Ok(message) => message,
                Err(ProtocolError::Overflow) => return Some(Err(Broken::TooLarge)),
                Err(_) => return Some(Err(Broken::Lost)),
            };
            let is_counted = match &message {
                Message::Ping(_) | Message::Pong(_) | Message::Nop => true,
                Message::Text(_) | Message::Binary(_) | Message::Continuation(Item::Last(_)) => !self.are_read,
                Message::Continuation(_) | Message::Close(_) => false,
            };
            if is_counted && let Err(broken) = self.count() {
                return Some(Err(broken));
            }
            let message = match message {
                Message::Text(text) => AggregatedMessage::Text(text),
                Message::Binary(bytes) => AggregatedMessage::Binary(bytes),
                Message::Ping(bytes) => AggregatedMessage::Ping(bytes),
                Message::Pong(bytes) => AggregatedMessage::Pong(bytes),
                Message::Close(reason) => AggregatedMessage::Close(reason),
                Message::Nop => continue,
                Message::Continuation(item) => match self.put_together(item) {
                    Ok(Some(message)) => message,
                    Ok(None) => continue,
                    Err(broken) => return Some(Err(broken)),
                },
            };
            return Some(Ok(message));
        }
    }

    /// Adds a frame to the message that has begun. Returns the message with its last frame.
    fn put_together(&mut self, item: Item) -> Result<Option<AggregatedMessage>, Broken> {
        let begun = |is_text| Begun { is_text, bytes: BytesMut::new(), frames: 0 };
        let (mut message, bytes, is_last) = match item {
            Item::FirstText(bytes) => (begun(true), bytes, false),
            Item::FirstBinary(bytes) => (begun(false), bytes, false),
            Item::Continue(bytes) => (self.begun.take().ok_or(Broken::Lost)?, bytes, false),
            Item::Last(bytes) => (self.begun.take().ok_or(Broken::Lost)?, bytes, true),
        };
        message.add(&bytes, self.message_max)?;
        if is_last {
            return message.complete().map(Some);
        }
        self.begun = Some(message);
        Ok(None)
    }
}

impl Begun {
    fn add(&mut self, bytes: &Bytes, message_max: usize) -> Result<(), Broken> {
        self.frames += 1;
        if self.frames > MESSAGE_FRAMES {
            return Err(Broken::TooManyFrames);
        }
        if self.bytes.len() + bytes.len() > message_max {
            return Err(Broken::TooLarge);
        }
        self.bytes.extend_from_slice(bytes);
        Ok(())
    }

    fn complete(self) -> Result<AggregatedMessage, Broken> {
        let bytes = self.bytes.freeze();
        if !self.is_text {
            return Ok(AggregatedMessage::Binary(bytes));
        }
        bytes.try_into().map(AggregatedMessage::Text).map_err(|_| Broken::Lost)
    }
}

/// How many frames a client may still send: [`CONTROL_FRAMES`] at once, and one for [`EACH`] that passes.
struct Allowance {
    /// When the allowance is whole again.
    whole_at: Instant,
}

impl Allowance {
    fn new(now: Instant) -> Self {
        Self { whole_at: now }
    }

    /// Takes one frame of the allowance, if there is one.
    fn takes(&mut self, now: Instant) -> bool {
        let whole_at = self.whole_at.max(now) + EACH;
        let is_within = whole_at <= now + EACH * CONTROL_FRAMES;
        if is_within {
            self.whole_at = whole_at;
        }
        is_within
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_client_may_send_a_minutes_frames_at_once_and_then_one_each_second() {
        let start = Instant::now();
        let mut allowance = Allowance::new(start);
        assert!((0..CONTROL_FRAMES).all(|_| allowance.takes(start)));
        assert!(!allowance.takes(start));
        assert!(!allowance.takes(start + EACH / 2));
        assert!(allowance.takes(start + EACH));
        assert!(!allowance.takes(start + EACH));
    }

    #[test]
    fn a_client_that_pings_each_second_is_never_closed() {
        let start = Instant::now();
        let mut allowance = Allowance::new(start);
        assert!((0..10_000).all(|second| allowance.takes(start + EACH * second)));
    }

    #[test]
    fn a_message_has_bounded_frames_and_bytes() {
        let mut message = Begun { is_text: true, bytes: BytesMut::new(), frames: 0 };
        for _ in 0..MESSAGE_FRAMES {
            message.add(&Bytes::new(), 4).unwrap();
        }
        assert_eq!(message.add(&Bytes::new(), 4), Err(Broken::TooManyFrames));
        let mut message = Begun { is_text: true, bytes: BytesMut::new(), frames: 0 };
        message.add(&Bytes::from_static("é".as_bytes()), 4).unwrap();
        assert_eq!(message.add(&Bytes::from_static(b"abc"), 4), Err(Broken::TooLarge));
        assert_eq!(message.complete(), Ok(AggregatedMessage::Text("é".into())));
    }
}
