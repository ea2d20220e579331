//! Retention of relay envelopes: the log keeps only header and hashes of expired ones.

use std::convert::Infallible;

use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};

use crate::{
    decide::{Command, State},
    event::{event_set, unlisted_events},
};

event_set! {
    /// The expiry of old envelopes; stream [`STREAM`].
    pub enum RetentionEvent: Uncached {
        /// The server removed the data of older envelopes from the log. Header and hashes remain.
        Expired(EnvelopesExpired) = "relay.envelopes_expired", Public, [Essential];
    }
}

unlisted_events!(RetentionEvent);

/// The stream of [`RetentionEvent`].
pub const STREAM: &str = "relay:retention";

/// See [`RetentionEvent::Expired`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct EnvelopesExpired {
    /// The log position up to which all envelopes are removed.
    pub up_to: i64,
    /// An upper bound of the time at which they were recorded.
    pub recorded_until: DateTime<Utc>,
}

/// The progress of envelope retention, folded from its stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Retention {
    /// The last position that was processed.
    pub up_to: i64,
}

impl State for Retention {
    type Event = RetentionEvent;

    fn apply(self, RetentionEvent::Expired(data): &RetentionEvent) -> Self {
        Self { up_to: data.up_to.max(self.up_to) }
    }
}

/// Expires all envelopes up to a position. Repeating it changes nothing.
#[derive(Debug, Clone)]
pub struct ExpireEnvelopes {
    /// The position.
    pub up_to: i64,
    /// An upper bound of the time at which they were recorded.
    pub recorded_until: DateTime<Utc>,
}

impl Command for ExpireEnvelopes {
    type State<'a> = &'a Retention;
    type Event = RetentionEvent;
    type Error = Infallible;

    fn decide(&self, retention: &Retention) -> Result<Vec<RetentionEvent>, Infallible> {
        let Self { up_to, recorded_until } = self.clone();
        Ok(if up_to > retention.up_to { vec![EnvelopesExpired { up_to, recorded_until }.into()] } else { vec![] })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn envelopes_expire_once() {
        let expire = |up_to| ExpireEnvelopes { up_to, recorded_until: DateTime::UNIX_EPOCH };
        let Ok(events) = expire(7).decide(&Retention::default());
        let retention = Retention::default().apply(&events[0]);
        assert_eq!((retention.up_to, expire(7).decide(&retention)), (7, Ok(vec![])));
        assert_eq!(expire(8).decide(&retention).map(|events| events.len()), Ok(1));
    }
}
