//! Serves the public keys of a check's tokens.

use std::net::SocketAddr;

use actix_web::{
    App, HttpResponse, HttpServer,
    dev::ServerHandle,
    web::{self, Data},
};
use buildtrack_community::log::events::{Jwk, Jwks};
use buildtrack_store::Store;

/// A server of `/.well-known/jwks.json`.
pub(super) struct KeyServer {
    /// The address that it listens on.
    pub(super) address: SocketAddr,
    handle: ServerHandle,
}

impl KeyServer {
    /// Listens on an address. An error says why it cannot.
    pub(super) async fn start(address: SocketAddr, store: Store) -> Result<Self, String> {
        let keys = store.log().published_keys().await.map_err(|error| error.to_string())?;
        let keys = Data::new(Jwks { keys: keys.into_iter().map(Jwk::from).collect() });
        let server = HttpServer::new(move || {
            App::new().app_data(keys.clone()).route("/.well-known/jwks.json", web::get().to(show))
        });
        let bound = server.workers(1).disable_signals().bind(address);
        let server = bound.map_err(|error| format!("{address}: {error}; choose another --listen"))?;
        let address = server.addrs().first().copied().unwrap_or(address);
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Ok(Self { address, handle })
    }

    pub(super) async fn stop(self) {
        self.handle.stop(false).await;
    }
}

async fn show(keys: Data<Jwks>) -> HttpResponse {
    HttpResponse::Ok().json(&*keys)
}
