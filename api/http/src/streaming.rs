//! Permits for live streams, and for other requests that wait, by their callers.

use std::net::IpAddr;

use actix_web::{HttpMessage, HttpRequest};
use buildtrack_domain::actors::ActorId;

use super::{addresses::client_address, app::App, auth::Authenticated, networks::Network, problem::Problem};

pub use super::permits::{Holder, Permit};

impl Holder {
    /// The caller of a request.
    pub fn of(app: &App, request: &HttpRequest) -> Self {
        Self::new(client_address(app, request), request.extensions().get::<Authenticated>())
    }

    /// A caller at an address, identified by its session if it has one.
    pub fn new(address: IpAddr, authenticated: Option<&Authenticated>) -> Self {
        let known = authenticated.map(|Authenticated { session, .. }| {
            let agent = matches!(session.actor.id, ActorId::Agent(_)).then(|| session.actor.id.to_string());
            (session.owner_id.to_string(), agent)
        });
        Self { network: Network::of(address), known }
    }
}

/// Takes a permit for a live stream, or for a request that waits like one.
pub fn take_stream_permit(app: &App, holder: &Holder) -> Result<Permit, Problem> {
    app.streams.take(&app.store, holder)
}
