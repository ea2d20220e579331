//! The frames that the driver writes: a byte that names the kind, the length of the payload in four bytes, the payload.
//!
//! The answer shares the driver's process, so each frame may come from the answer. With its own frames it can only claim
//! values that its function could have returned.

use std::ops::ControlFlow;

use serde_json::Value;
use tokio::io::{AsyncRead, AsyncReadExt};

use crate::{
    End, LaunchFault,
    limits::{RESULT_BYTES, RESULTS_BYTES},
};

/// The kind of the first frame: the driver has read the request, and runs the answer next.
pub(crate) const READY: u8 = b'R';
/// The kind of the only frame of a launcher that failed.
pub(crate) const FAULT: u8 = b'!';

/// What arrived next.
#[derive(Debug, PartialEq, Eq)]
pub(crate) enum Received {
    Frame(u8, Vec<u8>),
    /// A frame with more bytes than a result may have. Its payload was not read.
    TooLarge,
    /// The end, perhaps in the middle of a frame.
    Closed,
}

/// Reads a frame.
pub(crate) async fn receive(pipe: &mut (impl AsyncRead + Unpin)) -> Received {
    let mut header = [0; 5];
    if pipe.read_exact(&mut header).await.is_err() {
        return Received::Closed;
    }
    let [kind, length @ ..] = header;
    match usize::try_from(u32::from_be_bytes(length)) {
        Ok(length) if length <= RESULT_BYTES => {
            let mut payload = vec![0; length];
            let read = pipe.read_exact(&mut payload).await;
            read.map_or(Received::Closed, |_| Received::Frame(kind, payload))
        }
        _ => Received::TooLarge,
    }
}

/// The frame of a launcher that failed.
#[cfg(target_os = "linux")]
pub(crate) fn fault_frame(fault: &LaunchFault) -> Vec<u8> {
    let payload = serde_json::to_vec(fault).unwrap_or_default();
    let length = u32::try_from(payload.len()).unwrap_or_default();
    [&[FAULT], &length.to_be_bytes()[..], &payload].concat()
}

/// The launcher's fault in the payload of its frame.
pub(crate) fn read_fault(payload: &[u8]) -> LaunchFault {
    serde_json::from_slice(payload).unwrap_or_else(|error| LaunchFault::Plan(error.to_string()))
}

/// The results so far.
#[derive(Debug)]
pub(crate) struct Results {
    cases: usize,
    bytes: usize,
    pub(crate) values: Vec<Option<Value>>,
    /// Why the run is not [`End::Finished`], once something is known.
    pub(crate) end: Option<End>,
}

impl Results {
    pub(crate) fn new(cases: usize) -> Self {
        Self { cases, bytes: 0, values: Vec::new(), end: None }
    }

    /// Takes a frame. Breaks at the last one.
    pub(crate) fn accept(&mut self, received: &Received) -> ControlFlow<()> {
        match received {
            Received::Frame(b'V', payload) => self.take(payload),
            Received::Frame(b'X', _) => self.skip(End::Raised),
            Received::Frame(b'M', _) => self.skip(End::MemoryLimit),
            Received::Frame(b'L', _) => self.skip(End::OutputLimit),
            Received::Frame(b'N', _) => self.skip(End::NotJson),
            Received::Frame(b's', _) => self.stop(End::SyntaxError),
            Received::Frame(b'x', _) => self.stop(End::Raised),
            Received::Frame(b'm', _) => self.stop(End::MemoryLimit),
            Received::Frame(b'F', _) if self.values.len() == self.cases => ControlFlow::Break(()),
            Received::Frame(..) => self.stop(End::Malformed),
            Received::TooLarge => self.stop(End::OutputLimit),
            Received::Closed => ControlFlow::Break(()),
        }
    }

    /// Notes why the run is not finished. The first reason counts.
    pub(crate) fn note(&mut self, end: End) {
        self.end.get_or_insert(end);
    }

    /// A value. JSON of more than 127 levels is none.
    fn take(&mut self, payload: &[u8]) -> ControlFlow<()> {
        self.bytes += payload.len();
        if self.bytes > RESULTS_BYTES {
            return self.stop(End::OutputLimit);
        }
        match serde_json::from_slice(payload) {
            Ok(value) => self.push(Some(value)),
            Err(_) => self.skip(End::NotJson),
        }
    }

    /// A case without a value.
    fn skip(&mut self, end: End) -> ControlFlow<()> {
        self.note(end);
        self.push(None)
    }

    fn push(&mut self, value: Option<Value>) -> ControlFlow<()> {
        if self.values.len() == self.cases {
            return self.stop(End::Malformed);
        }
        self.values.push(value);
        ControlFlow::Continue(())
    }

    fn stop(&mut self, end: End) -> ControlFlow<()> {
        self.note(end);
        ControlFlow::Break(())
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Takes frames up to the one that breaks: the values, the reason, and whether a frame was the last one.
    fn accepted(cases: usize, frames: &[(u8, &str)]) -> (Vec<Option<Value>>, Option<End>, bool) {
        let mut results = Results::new(cases);
        let is_over = frames
            .iter()
            .any(|(kind, payload)| results.accept(&Received::Frame(*kind, payload.as_bytes().to_vec())).is_break());
        (results.values, results.end, is_over)
    }

    #[test]
    fn each_case_has_a_value_or_none() {
        let frames = [(b'V', "[1,2]"), (b'X', ""), (b'V', "null"), (b'F', "")];
        let values = vec![Some(json!([1, 2])), None, Some(Value::Null)];
        assert_eq!(accepted(3, &frames), (values, Some(End::Raised), true));
    }

    #[test]
    fn values_that_are_no_json_are_none() {
        for payload in ["", "NaN", "Infinity", "{1:2}", "\"\\ud800\"", "1 2", "\u{1}", &"[".repeat(1000)] {
            assert_eq!(accepted(1, &[(b'V', payload)]), (vec![None], Some(End::NotJson), false), "{payload}");
        }
    }

    #[test]
    fn frames_in_another_order_are_malformed() {
        let missing = [(b'V', "1"), (b'F', "")];
        assert_eq!(accepted(2, &missing), (vec![Some(json!(1))], Some(End::Malformed), true));
        let too_many = [(b'V', "1"), (b'V', "2")];
        assert_eq!(accepted(1, &too_many), (vec![Some(json!(1))], Some(End::Malformed), true));
        for kind in [READY, FAULT, b'?', 0] {
            assert_eq!(accepted(1, &[(kind, "")]), (vec![], Some(End::Malformed), true));
        }
    }

    #[test]
    fn the_results_of_a_run_are_bounded() {
        let value = format!("\"{}\"", "x".repeat(RESULT_BYTES - 2));
        let frames = vec![(b'V', &*value); RESULTS_BYTES / RESULT_BYTES + 1];
        let (values, end, is_over) = accepted(100, &frames);
        assert_eq!((values.len(), end, is_over), (RESULTS_BYTES / RESULT_BYTES, Some(End::OutputLimit), true));
    }

    #[tokio::test]
    async fn a_frame_that_is_too_large_is_not_read() {
        let mut pipe = &b"V\xff\xff\xff\xffxxxx"[..];
        assert_eq!(receive(&mut pipe).await, Received::TooLarge);
        assert_eq!(pipe, b"xxxx");
    }

    #[tokio::test]
    async fn an_incomplete_frame_is_the_end() {
        for bytes in [&b""[..], b"V", b"V\0\0\0", b"V\0\0\0\x04xxx"] {
            assert_eq!(receive(&mut &*bytes).await, Received::Closed);
        }
    }

    #[test]
    fn a_fault_of_the_launcher_is_read_back() {
        let frame = fault_frame(&LaunchFault::Execute("permission denied".to_owned()));
        assert_eq!((frame[0], read_fault(&frame[5..])), (FAULT, LaunchFault::Execute("permission denied".to_owned())));
    }
}
