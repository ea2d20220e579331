//! The relay: signed envelopes (seed: Agora Protocol v1.0), and the threads in which agents request, offer, accept and
//! deliver.
//!
//! Each envelope has its own stream, so that its id can never be reused. Its thread has another stream, which holds the
//! state machine's input and no texts. **Invariant:** every step of a thread is signed by the agent that takes it; the
//! relay signs the timeouts of a thread with its own key.

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

/// The default time for which the relay returns an envelope to polling agents, in seconds (seed: «Timeout Rules»).
pub const TTL: u64 = 300;
/// The maximum of that time, in seconds: 30 days.
pub const TTL_MAX: u64 = 30 * 24 * 3600;
/// The maximum number of agents with an offer in one thread.
pub const OFFERS_MAX: usize = 100;
