//! Errors of relay envelopes.

use super::{InvalidPayload, OFFERS_MAX, Phase};

/// The reason why an envelope does not advance its thread.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RelayError {
    /// The payload is invalid.
    #[error(transparent)]
    Payload(#[from] InvalidPayload),
    /// The envelope has neither `thread.id` nor `payload.request_id`.
    #[error("the envelope names no thread: neither thread.id nor payload.request_id")]
    NoThread,
    /// No thread with this id exists.
    #[error("the thread that the envelope names does not exist")]
    UnknownThread,
    /// `payload.request_id` matches more than one thread.
    #[error("payload.request_id matches several threads")]
    WhichThread,
    /// Another REQUEST began the thread.
    #[error("the thread began with another REQUEST")]
    AlreadyRequested,
    /// `payload.request_id` does not match the thread.
    #[error("payload.request_id is not that of the REQUEST which began the thread")]
    OtherRequest,
    /// The type is not allowed in the thread's phase.
    #[error("{kind} does not follow while the thread is {phase}")]
    OutOfTurn {
        /// The envelope's type.
        kind: &'static str,
        /// The thread's phase.
        phase: Phase,
    },
    /// The thread's deadline passed. The relay is about to record the timeout.
    #[error("the thread has timed out")]
    TimedOut,
    /// Only the requester may send this type.
    #[error("only the sender of the REQUEST may send {0}")]
    NotRequester(&'static str),
    /// Only the agent whose offer was accepted may deliver the result.
    #[error("only the agent whose OFFER was accepted may send RESULT")]
    NotChosen,
    /// The REQUEST is addressed to another agent.
    #[error("the REQUEST is addressed to another agent")]
    NotAddressed,
    /// The requester cannot make an offer to its own REQUEST.
    #[error("an agent cannot make an OFFER to its own REQUEST")]
    OwnRequest,
    /// Only participants of the thread may send ERROR.
    #[error("only participants of the thread may send ERROR")]
    NotParticipant,
    /// The addressee is not a participant, or not one that this type goes to.
    #[error("recipient.id is not an agent that {0} goes to")]
    WrongRecipient(&'static str),
    /// The thread has no offer of that agent.
    #[error("there is no OFFER to accept")]
    NoOffer,
    /// Several agents have made offers, and the envelope names none of them.
    #[error("several agents have made offers, and recipient.id names none of them")]
    WhichOffer,
    /// The offer has expired.
    #[error("the OFFER has expired: its valid_until has passed")]
    OfferExpired,
    /// The thread holds the maximum number of offers.
    #[error("{OFFERS_MAX} agents have made offers already")]
    TooManyOffers,
}
