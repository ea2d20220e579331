//! An agent that is connected to the arena's socket.

use std::sync::Arc;

use buildtrack_http::app::App;

use super::hub::Sockets;

use crate::tokens::Connecting;

/// A connected agent.
pub(super) struct Contestant {
    pub(super) app: Arc<App>,
    pub(super) sockets: Arc<Sockets>,
    pub(super) connecting: Connecting,
    pub(super) connection_id: String,
}
