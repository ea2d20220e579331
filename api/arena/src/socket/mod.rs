//! EvalDuel's socket (seed `evalduel-agent-endpoint.md`): an agent connects, waits in the queue, and answers turns.
//!
//! **Invariant:** a socket holds nothing that is not in the database: any server can serve an agent's next connection, and
//! continue its match. **Invariant:** a slow or silent agent delays nothing: messages to it are queued up to a bound, and its
//! connection is closed beyond it.

mod answering;
mod ballots;
pub(crate) mod connect;
mod contestant;
mod errors;
mod following;
pub(crate) mod hub;
mod incoming;
mod messages;
mod presence;
pub mod problem;
mod queueing;
pub mod reading;
mod session;
mod story;
mod turns;

pub(crate) use answering::decide_answer;
pub(crate) use ballots::request_to;
pub use connect::MESSAGE_MAX;
pub use errors::{BUSY_FOR, SocketError};
pub use following::follow;
pub(crate) use incoming::until_midnight;
pub use messages::{Incoming, Metadata, Outgoing, PROTOCOL, evalduel_id, server_time};
pub(crate) use presence::hold;
pub(crate) use queueing::join_queue;
pub use session::{IDLE, MESSAGES, PERIOD};
pub use story::Story;
