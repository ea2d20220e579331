//! Server-Sent Events: reads a stream in pieces (HTML standard, «Interpreting an event stream»).

use crate::failure::Failure;

/// The bytes of one line.
const LINE_MAX: usize = 2 * 1024 * 1024;

/// One message of a stream.
#[derive(Debug, Default, Clone, PartialEq, Eq)]
pub(crate) struct Frame {
    /// The position on the log. A frame without data may have one too: the stream has passed events that it does not show.
    pub(crate) id: Option<u64>,
    /// The event's type; empty if the frame names none.
    pub(crate) event: String,
    /// Its data; empty in a frame that keeps the connection open.
    pub(crate) data: String,
}

/// Joins pieces to lines, and lines to frames.
#[derive(Debug, Default)]
pub(crate) struct Frames {
    rest: Vec<u8>,
    frame: Frame,
}

impl Frames {
    /// Adds a piece; returns the frames that are complete.
    pub(crate) fn push(&mut self, piece: &[u8]) -> Result<Vec<Frame>, Failure> {
        self.rest.extend_from_slice(piece);
        let mut frames = Vec::new();
        let mut begin = 0;
        while let Some(length) = self.rest.get(begin..).and_then(|rest| rest.iter().position(|byte| *byte == b'\n')) {
            let line = String::from_utf8_lossy(&self.rest[begin..begin + length]).into_owned();
            begin += length + 1;
            frames.extend(self.line(line.trim_end_matches('\r')));
        }
        self.rest.drain(..begin);
        if self.rest.len() > LINE_MAX || self.frame.data.len() > LINE_MAX {
            return Err(Failure::Failed("The server sends an event without an end.".to_owned()));
        }
        Ok(frames)
    }

    fn line(&mut self, line: &str) -> Option<Frame> {
        if line.is_empty() {
            let frame = std::mem::take(&mut self.frame);
            return (frame != Frame::default()).then_some(frame);
        }
        let (field, value) = line.split_once(':').unwrap_or((line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value);
        match field {
            "id" => self.frame.id = value.parse().ok(),
            "event" => value.clone_into(&mut self.frame.event),
            "data" => {
                if !self.frame.data.is_empty() {
                    self.frame.data.push('\n');
                }
                self.frame.data.push_str(value);
            }
            _ => {}
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn frames_are_read_from_any_pieces() {
        let stream = "retry: 1000\nid: 3\n: following\n\nid: 4\nevent: message.posted\r\ndata: {\"a\":\ndata: \"é\"}\n\n: keep-alive\n\n";
        let expected = [
            Frame { id: Some(3), ..Frame::default() },
            Frame { id: Some(4), event: "message.posted".into(), data: "{\"a\":\n\"é\"}".into() },
        ];
        for size in [1, 2, 7, 1000] {
            let mut frames = Frames::default();
            let read: Vec<_> = stream.as_bytes().chunks(size).flat_map(|piece| frames.push(piece).unwrap()).collect();
            assert_eq!(read, expected, "in pieces of {size}");
        }
    }

    #[test]
    fn an_event_without_an_end_is_refused() {
        let mut frames = Frames::default();
        let pieces = vec![b'x'; LINE_MAX];
        assert!(frames.push(&pieces).is_ok());
        assert!(frames.push(b"x").is_err());
    }
}
