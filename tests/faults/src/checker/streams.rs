//! Live streams show every event once and in order, also when their reader comes back.

use std::collections::BTreeSet;

use super::{Seen, Violation};
use crate::{load::STREAMS, snapshot::Snapshot};

/// The number of the stream of the whole log, and of that of the track.
const LOG: usize = 0;
const TRACK: usize = 1;

pub(super) fn check(seen: &Seen, snapshot: &Snapshot) -> Vec<Violation> {
    let mut found = Vec::new();
    for (number, name) in STREAMS.iter().enumerate() {
        let positions = positions(seen, number);
        if let Some((before, after)) = positions.iter().zip(positions.iter().skip(1)).find(|(it, next)| next <= it) {
            found.push(Violation::new("stream repeats", format!("{name}: {after} after {before}")));
        }
        let shown: BTreeSet<i64> = positions.iter().copied().collect();
        let last = shown.last().copied().unwrap_or(snapshot.cast.begins_after);
        let missing: Vec<i64> = expected(snapshot, number).filter(|it| *it <= last && !shown.contains(it)).collect();
        if !missing.is_empty() && !has_gap(seen, number) {
            found.push(Violation::new("stream leaves out", format!("{name}: {missing:?}")));
        }
    }
    if !snapshot.streamed {
        let last = positions(seen, LOG).last().copied();
        found.push(Violation::new("stream is behind", format!("it shows {last:?} of {}", snapshot.head)));
    }
    found
}

fn positions(seen: &Seen, stream: usize) -> Vec<i64> {
    let frames = seen.frames.iter().filter(|frame| frame.stream == stream && !matches!(&*frame.event, "gap" | "end"));
    frames.filter_map(|frame| frame.position).collect()
}

fn has_gap(seen: &Seen, stream: usize) -> bool {
    seen.frames.iter().any(|frame| frame.stream == stream && frame.event == "gap")
}

/// Of the track, its messages.
fn expected(snapshot: &Snapshot, stream: usize) -> impl Iterator<Item = i64> {
    let cast = &snapshot.cast;
    let is_message = |event: &crate::snapshot::Event| {
        event.event_type == "message.posted" && event.data["workspaceId"] == *cast.track
    };
    let shown = snapshot.events.iter().filter(move |event| stream != TRACK || is_message(event));
    shown.map(|event| event.position).filter(|position| *position > cast.begins_after)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::checker::testing;

    fn found(break_it: impl FnOnce(&mut Seen, &mut Snapshot)) -> Vec<&'static str> {
        let (mut seen, mut snapshot) = testing::seen();
        break_it(&mut seen, &mut snapshot);
        check(&seen, &snapshot).into_iter().map(|violation| violation.invariant).collect()
    }

    #[test]
    fn an_event_that_is_left_out_is_found() {
        assert_eq!(found(|seen, _| drop(seen.frames.remove(2))), ["stream leaves out"]);
        assert_eq!(found(|seen, _| drop(seen.frames.remove(3))), ["stream leaves out"]);
    }

    #[test]
    fn an_event_that_is_shown_twice_or_too_late_is_found() {
        assert_eq!(found(|seen, _| seen.frames.push(testing::frame(0, 4))), ["stream repeats"]);
        assert_eq!(found(|seen, _| seen.frames.swap(0, 2)), ["stream repeats"]);
    }

    #[test]
    fn a_stream_that_stays_behind_is_found() {
        assert_eq!(found(|_, snapshot| snapshot.streamed = false), ["stream is behind"]);
    }
}
