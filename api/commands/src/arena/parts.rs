//! Reads a replay, whole or in its parts.

use buildtrack_domain::arena::matches::sealed_members;
use serde::Deserialize;
use serde_json::value::RawValue;

/// The document at `/replays/{id}`, or a part of it, as far as it is verified.
#[derive(Debug, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Replay {
    pub(super) id: String,
    pub(super) events: Vec<ReplayEvent>,
    pub(super) seal: Option<String>,
    #[serde(default)]
    next_cursor: Option<String>,
}

impl Replay {
    /// Reads a replay: one document, or its parts one after the other.
    pub(super) fn read(text: &str) -> Result<Self, String> {
        let mut whole: Option<Self> = None;
        for part in serde_json::Deserializer::from_str(text).into_iter() {
            let part: Self = part.map_err(|error| format!("not a replay: {error}"))?;
            whole = Some(match whole {
                None => part,
                Some(before) if before.id == part.id => {
                    Self { events: before.events.into_iter().chain(part.events).collect(), ..part }
                }
                Some(before) => return Err(format!("parts of two replays: {} and {}", before.id, part.id)),
            });
        }
        let whole = whole.ok_or("not a replay: it is empty")?;
        match &whole.next_cursor {
            None => Ok(whole),
            Some(cursor) => Err(format!("the replay goes on: append the part with ?cursor={cursor}")),
        }
    }
}

/// An event of a replay.
#[derive(Debug, Deserialize)]
pub(super) struct ReplayEvent {
    #[serde(rename = "type")]
    pub(super) event_type: String,
    pub(super) data: Box<RawValue>,
    pub(super) hash: String,
}

impl ReplayEvent {
    /// The turn of an event that is shown without what tells whose argument is whose. `None` if it is whole.
    pub(super) fn sealed_turn(&self) -> Option<u16> {
        #[derive(Deserialize)]
        struct OfSeal {
            turn: u16,
            sealed: bool,
        }
        if sealed_members(&self.event_type).is_empty() {
            return None;
        }
        serde_json::from_str(self.data.get()).ok().and_then(|OfSeal { turn, sealed }| sealed.then_some(turn))
    }
}
