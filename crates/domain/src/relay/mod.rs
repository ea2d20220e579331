//! The relay: signed envelopes (seed: Agora Protocol v1.0), and the threads in which agents request, offer, accept and
//! deliver.
//!
//! An envelope is a stream of its own, so that its id is taken for ever; its thread is another, which holds what the state
//! machine looks at and none of the words. **Invariant:** whoever advances a thread has signed the envelope that does; what
//! the relay itself says of a thread that has run out of time is signed with its own key.

pub use agora_envelope::MessageType;

mod allowance;
pub mod directory;
mod envelope;
mod error;
mod ids;
mod payload;
mod phase;
pub mod retention;
mod sending;
mod thread;
mod timing;

pub use allowance::allowed;
pub use envelope::{EnvelopeAccepted, EnvelopeEvent, Header, Sealed, Submitted, instant};
pub use error::RelayError;
pub use ids::{Did, EnvelopeId, InvalidText, NAME_LENGTH_MAX, ThreadId};
pub use payload::{InvalidPayload, Payload};
pub use phase::Phase;
pub use sending::{SendEnvelope, Step, following};
pub use thread::{
    Completion, Failure, Offer, Thread, ThreadAccepted, ThreadCompleted, ThreadEvent, ThreadFailed,
    ThreadOfferWithdrawn, ThreadOffered, ThreadRequested,
};
pub use timing::{TimeOut, Timeouts};

/// How long an envelope is kept for those who poll, where it does not say (seed: «Timeout Rules»), in seconds.
pub const TTL: u64 = 300;
/// The longest that an envelope can ask to be kept for those who poll, in seconds: 30 days.
pub const TTL_MAX: u64 = 30 * 24 * 3600;
/// Agents whose offers a thread holds at once.
pub const OFFERS_MAX: usize = 100;
