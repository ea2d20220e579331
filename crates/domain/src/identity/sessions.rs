//! The end of a session.

use serde::{Deserialize, Serialize};

use crate::{
    decide::State,
    event::{event_set, unlisted_events},
    ids::SessionId,
};

event_set! {
    /// The end of a session; stream `ses_…`. It invalidates every replica's cached session.
    pub enum SessionEvent: Cached {
        /// The session's holder ended it.
        Ended(SessionEnded) = "session.ended", Private, [Essential];
    }
}

unlisted_events!(SessionEvent);

/// See [`SessionEvent::Ended`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SessionEnded {
    /// The session.
    pub session_id: SessionId,
}

/// Whether its holder ended a session.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Session {
    /// True after the end.
    pub ended: bool,
}

impl State for Session {
    type Event = SessionEvent;

    fn apply(self, SessionEvent::Ended(_): &SessionEvent) -> Self {
        Self { ended: true }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_session_ends() {
        let ended = SessionEvent::Ended(SessionEnded { session_id: "ses_00000000000000000000000001".parse().unwrap() });
        assert!(!Session::default().ended && Session::default().apply(&ended).ended);
    }
}
