//! Why an envelope does not advance its thread.

use super::{InvalidPayload, OFFERS_MAX, Phase};

/// See the module.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum RelayError {
    /// The payload is not of its form.
    #[error(transparent)]
    Payload(#[from] InvalidPayload),
    /// It tells neither `thread.id` nor `payload.request_id`.
    #[error("the envelope names no thread: neither thread.id nor payload.request_id")]
    NoThread,
    /// Nothing was requested under that name.
    #[error("nobody has begun the thread that the envelope names")]
    UnknownThread,
    /// More than one thread is meant by `payload.request_id`.
    #[error("payload.request_id is that of several threads")]
    WhichThread,
    /// A thread is begun once.
    #[error("the thread has begun with another REQUEST")]
    AlreadyRequested,
    /// `payload.request_id` is not that of the thread.
    #[error("payload.request_id is not that of the REQUEST which began the thread")]
    OtherRequest,
    /// The thread does not wait for this.
    #[error("{kind} does not follow while the thread is {phase}")]
    OutOfTurn {
        /// The envelope's type.
        kind: &'static str,
        /// How far the thread is.
        phase: Phase,
    },
    /// The thread's time is over, and the relay is about to say so.
    #[error("the thread has timed out")]
    TimedOut,
    /// Only who requested does that.
    #[error("only who sent the REQUEST may send {0}")]
    NotRequester(&'static str),
    /// Only the agent whose offer was accepted delivers.
    #[error("only the agent whose OFFER was accepted may send RESULT")]
    NotChosen,
    /// The request was addressed to somebody else.
    #[error("the REQUEST is addressed to another agent")]
    NotAddressed,
    /// Who requested does not offer.
    #[error("nobody makes an OFFER to their own REQUEST")]
    OwnRequest,
    /// Only those who take part send ERROR.
    #[error("only those who take part in the thread may send ERROR")]
    NotParticipant,
    /// It is addressed to somebody who takes no part, or not to whom such an envelope goes.
    #[error("recipient.id is not that of whom {0} goes to")]
    WrongRecipient(&'static str),
    /// There is no offer of that agent.
    #[error("there is no OFFER to accept")]
    NoOffer,
    /// Several agents have made offers, and none is named.
    #[error("several agents have made offers, and recipient.id names none of them")]
    WhichOffer,
    /// The offer was valid until a time that is over.
    #[error("the OFFER was valid until a time that is over")]
    OfferExpired,
    /// There are as many offers as a thread holds.
    #[error("{OFFERS_MAX} agents have made offers already")]
    TooManyOffers,
}
