//! The log of one match: as the public sees it, in parts, and for those who play and judge.
//!
//! **Invariant:** no read takes more than a part into memory, however many and long the answers of a match are. Only [`Arena::match_log`],
//! for tests, has no bound.

use buildtrack_domain::{
    arena::matches::{AnswerRevealed, MatchEvent},
    event::EventSet,
    ids::MatchId,
};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};

use super::MatchView;
use crate::{StoreError, arena::Arena, database::values, log::LoggedEvent};

/// An event of a match.
#[derive(Debug, Clone)]
pub struct LoggedMatchEvent {
    /// Its position.
    pub position: i64,
    /// When it was recorded.
    pub recorded_at: DateTime<Utc>,
    /// Its hash on the log, in hex.
    pub hash: String,
    /// The event.
    pub event: MatchEvent,
    /// Whether it is shown without what tells whose argument is whose.
    pub is_sealed: bool,
}

/// The bounds of a part of a match's log. It has at least one event, if there is one.
#[derive(Debug, Clone, Copy)]
pub struct PartBounds {
    /// The maximum number of events.
    pub events: i64,
    /// The maximum number of bytes of their data, and of [`EVENT_BYTES`] for each.
    pub bytes: i64,
}

/// What an event takes beside its data: position, type, hash and time.
const EVENT_BYTES: i64 = 256;
/// The part that is read at once where a whole log is wanted.
const STEP: PartBounds = PartBounds { events: 1000, bytes: 1 << 20 };

/// A part of a match's log.
#[derive(Debug, Clone)]
pub struct MatchPart {
    /// Its events, in order.
    pub events: Vec<LoggedMatchEvent>,
    /// The position at which the part ends.
    pub reached: i64,
    /// Whether the log goes on after it.
    pub has_more: bool,
}

/// Which events are read.
#[derive(Debug, Clone, Copy)]
enum Kinds {
    All,
    Answers,
    WithoutAnswers,
}

impl Kinds {
    fn condition(self) -> &'static str {
        match self {
            Self::All => "",
            Self::Answers => "AND type = 'match.answer_revealed' ",
            Self::WithoutAnswers => "AND type <> 'match.answer_revealed' ",
        }
    }
}

#[boxed]
impl Arena {
    /// A part of a match's log after a position, as the public sees it: hidden texts are masked, and sealed events are marked.
    pub async fn match_part(&self, view: &MatchView, after: i64, bounds: PartBounds) -> Result<MatchPart, StoreError> {
        self.part_of(view.id, (Kinds::All, Some(view)), after, bounds).await
    }

    /// The events of a match without the answers, for those who play or judge. Their number is bounded by turns and seats.
    pub async fn match_course(&self, id: MatchId) -> Result<Vec<LoggedMatchEvent>, StoreError> {
        let (mut events, mut after) = (Vec::new(), 0);
        loop {
            let part = self.part_of(id, (Kinds::WithoutAnswers, None), after, STEP).await?;
            after = part.reached;
            events.extend(part.events);
            if !part.has_more {
                return Ok(events);
            }
        }
    }

    /// Shows the revealed answers of a match after one position and before another to a visitor, with their positions and in order. One
    /// part is held at once.
    pub async fn visit_answers(
        &self,
        id: MatchId,
        (mut after, before): (i64, i64),
        mut visit: impl FnMut(i64, AnswerRevealed) + Send,
    ) -> Result<(), StoreError> {
        loop {
            let part = self.part_of(id, (Kinds::Answers, None), after, STEP).await?;
            after = part.reached;
            for logged in part.events.into_iter().take_while(|logged| logged.position < before) {
                if let MatchEvent::Revealed(answer) = logged.event {
                    visit(logged.position, answer);
                }
            }
            if !part.has_more || after >= before {
                return Ok(());
            }
        }
    }

    /// The positions of the revealed answers of a match and the bytes of their data, in order.
    pub async fn answer_sizes(&self, id: MatchId) -> Result<Vec<(i64, i64)>, StoreError> {
        self.sizes_of(id, Kinds::Answers, 0, i64::MAX).await
    }

    /// The hashes of a match's events, in hex and in order.
    pub async fn match_hashes(&self, id: MatchId) -> Result<Vec<String>, StoreError> {
        let hashes: Vec<Vec<u8>> =
            self.db.all("SELECT hash FROM events WHERE stream = $1 ORDER BY version", values![id.to_string()]).await?;
        Ok(hashes.into_iter().map(hex::encode).collect())
    }

    /// Every event of a match, without a bound.
    pub async fn match_log(&self, id: MatchId) -> Result<Vec<LoggedMatchEvent>, StoreError> {
        let bounds = PartBounds { events: i64::MAX - 1, bytes: i64::MAX };
        Ok(self.part_of(id, (Kinds::All, None), 0, bounds).await?.events)
    }

    async fn part_of(
        &self,
        id: MatchId,
        (kinds, view): (Kinds, Option<&MatchView>),
        after: i64,
        bounds: PartBounds,
    ) -> Result<MatchPart, StoreError> {
        let (reached, has_more) = self.end_of_part(id, kinds, after, bounds).await?;
        let statement = format!(
            "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by FROM events \
             WHERE stream = $1 AND position > $2 AND position <= $3 {}ORDER BY version",
            kinds.condition()
        );
        let logged: Vec<LoggedEvent> = self.db.all(&statement, values![id.to_string(), after, reached]).await?;
        let logged = self.log.hidings().await?.masked_all(self.log.without_deleted_names(logged).await?);
        let events = logged.into_iter().filter_map(|logged| decoded(&logged, view)).collect::<Result<_, _>>()?;
        Ok(MatchPart { events, reached, has_more })
    }

    /// The position of the last event within the bounds, and whether others follow it.
    async fn end_of_part(
        &self,
        id: MatchId,
        kinds: Kinds,
        after: i64,
        bounds: PartBounds,
    ) -> Result<(i64, bool), StoreError> {
        let sizes = self.sizes_of(id, kinds, after, bounds.events.saturating_add(1)).await?;
        Ok(end_within(&sizes, after, bounds))
    }

    /// Positions and bytes of data.
    async fn sizes_of(&self, id: MatchId, kinds: Kinds, after: i64, limit: i64) -> Result<Vec<(i64, i64)>, StoreError> {
        // Neither database reads a text to tell its size.
        let statement = format!(
            "SELECT position, CAST(coalesce(octet_length(data), 0) AS BIGINT) FROM events \
             WHERE stream = $1 AND position > $2 {}ORDER BY version LIMIT $3",
            kinds.condition()
        );
        self.db.all(&statement, values![id.to_string(), after, limit]).await
    }
}

/// See [`Arena::end_of_part`]. `sizes` are positions and bytes of data.
fn end_within(sizes: &[(i64, i64)], after: i64, bounds: PartBounds) -> (i64, bool) {
    let most = usize::try_from(bounds.events).unwrap_or(usize::MAX);
    let mut left = bounds.bytes;
    let mut taken = 0_usize;
    for (_, bytes) in sizes.iter().take(most) {
        left = left.saturating_sub(bytes.saturating_add(EVENT_BYTES));
        if left < 0 && taken > 0 {
            break;
        }
        taken += 1;
    }
    let end = taken.checked_sub(1).and_then(|last| sizes.get(last)).map_or(after, |(position, _)| *position);
    (end, taken < sizes.len())
}

fn decoded(logged: &LoggedEvent, view: Option<&MatchView>) -> Option<Result<LoggedMatchEvent, StoreError>> {
    let data = logged.data.as_deref()?;
    let is_sealed = view.is_some_and(|view| view.seals_event(&logged.event_type, data));
    let event = MatchEvent::decode(&logged.event_type, data);
    let (position, recorded_at, hash) = (logged.position, logged.recorded_at, hex::encode(&logged.hash));
    Some(
        event.map(|event| LoggedMatchEvent { position, recorded_at, hash, event, is_sealed }).map_err(StoreError::from),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_part_ends_before_the_event_that_exceeds_it_and_has_at_least_one() {
        let sizes = [(3, 1000), (5, 1000), (9, 1000)];
        let end = |events, bytes| end_within(&sizes, 1, PartBounds { events, bytes });
        let each = 1000 + EVENT_BYTES;
        assert_eq!(end(10, 3 * each), (9, false));
        assert_eq!(end(10, 3 * each - 1), (5, true));
        assert_eq!(end(2, 3 * each), (5, true));
        assert_eq!(end(10, 1), (3, true));
        assert_eq!(end_within(&[], 1, STEP), (1, false));
    }
}
