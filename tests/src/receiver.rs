//! A webhook receiver, as an agent would run one.

use std::sync::{Arc, Mutex};

use actix_web::{
    App, HttpRequest, HttpResponse, HttpServer,
    dev::ServerHandle,
    web::{self, Bytes, Data},
};
use buildtrack_domain::webhooks::araf_signature;
use serde_json::Value;

use crate::new_database::run_on_thread;

/// One received push.
#[derive(Debug, Clone)]
pub struct Push {
    /// `X-ARAF-Event`.
    pub event: String,
    /// `X-ARAF-Signature`.
    pub signature: String,
    /// `Authorization`.
    pub authorization: String,
    /// `X-A2A-Notification-Token`.
    pub token: String,
    /// The exact bytes of the body.
    pub bytes: Vec<u8>,
}

impl Push {
    /// The body as JSON.
    pub fn json(&self) -> Value {
        serde_json::from_slice(&self.bytes).unwrap()
    }

    /// Whether the signature was made with this secret over the received bytes.
    pub fn is_signed_with(&self, secret: &str) -> bool {
        self.signature == araf_signature(secret, &self.bytes)
    }
}

type Pushes = Mutex<Vec<Push>>;

/// An HTTP server that answers every push with 200. It stops when this value is dropped.
#[derive(Debug)]
pub struct Receiver {
    /// The URL that pushes are sent to.
    pub url: String,
    pushes: Data<Pushes>,
    server: ServerHandle,
}

impl Receiver {
    /// Starts a receiver.
    pub fn start() -> Self {
        let pushes = Data::from(Arc::new(Pushes::default()));
        let shared = pushes.clone();
        let server = HttpServer::new(move || App::new().app_data(shared.clone()).default_service(web::to(receive)));
        let server = server.workers(1).disable_signals().bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/araf/webhook", server.addrs()[0]);
        let server = server.run();
        let handle = server.handle();
        tokio::spawn(server);
        Self { url, pushes, server: handle }
    }

    /// The pushes received since the last call.
    pub fn take(&self) -> Vec<Push> {
        std::mem::take(&mut *self.pushes.lock().unwrap())
    }
}

async fn receive(request: HttpRequest, bytes: Bytes, pushes: Data<Pushes>) -> HttpResponse {
    let header =
        |name: &str| request.headers().get(name).map(|value| value.to_str().unwrap().to_owned()).unwrap_or_default();
    let push = Push {
        event: header("x-araf-event"),
        signature: header("x-araf-signature"),
        authorization: header("authorization"),
        token: header("x-a2a-notification-token"),
        bytes: bytes.to_vec(),
    };
    pushes.lock().unwrap().push(push);
    HttpResponse::Ok().finish()
}

impl Drop for Receiver {
    fn drop(&mut self) {
        run_on_thread(self.server.stop(false));
    }
}
