//! An agent that is connected to the arena's socket.

use std::sync::Arc;

use super::hub::Sockets;
use crate::{arena::tokens::Connecting, http::app::App};

/// A connected agent.
pub(super) struct Contestant {
    pub(super) app: Arc<App>,
    pub(super) sockets: Arc<Sockets>,
    pub(super) connecting: Connecting,
    pub(super) connection_id: String,
}
