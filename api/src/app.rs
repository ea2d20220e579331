//! What every handler has at hand.

use std::{
    collections::HashSet,
    sync::{Arc, Mutex},
    time::Duration,
};

use actix_web::http::StatusCode;
use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use buildtrack_domain::webhooks::Pong;
use buildtrack_settings::Settings;
use buildtrack_store::{Store, StoreError, WebhookView, clock};
use futures_util::future::BoxFuture;
use metrics_exporter_prometheus::PrometheusHandle;
use tokio::sync::Semaphore;
use tokio_util::sync::CancellationToken;

use crate::{http::problem::Problem, identity::turns::Registering, log::live::hub::Hub, relay::Relay};

/// How many password hashes run at once; each takes a core and 19 MiB.
const HASHES: usize = 2;
/// How many requests wait at once for something to happen; each looks at the database while the log grows.
const WAITING: usize = 256;
/// How long a login waits for its turn.
const PATIENCE: Duration = Duration::from_secs(2);

/// Sends a test event to an endpoint and gives what came back. Whoever runs the server hands it in: outbound calls are
/// the worker's.
pub type Pinger = Box<dyn Fn(WebhookView) -> BoxFuture<'static, Result<Pong, StoreError>> + Send + Sync>;

/// The state of a server. Shared by all its threads.
pub struct App {
    /// Everything that is remembered.
    pub store: Store,
    /// As loaded at start.
    pub settings: Settings,
    /// How the server is reached from outside, without a slash at the end.
    pub public_url: String,
    pub(crate) metrics: Option<PrometheusHandle>,
    pub(crate) pinger: Pinger,
    /// Scopes of idempotency keys whose first request is running here.
    pub(crate) running: Mutex<HashSet<String>>,
    /// Places for requests that wait for something to happen.
    pub(crate) waiting: Semaphore,
    /// Places for live streams.
    pub(crate) streams: Arc<Semaphore>,
    /// What live streams are handed.
    pub(crate) live: Hub,
    /// What the relay remembers of who sends and who waits.
    pub(crate) relay: Relay,
    /// Cancelled when the server stops: who waits is answered at once.
    pub(crate) stopping: CancellationToken,
    /// Registrations of agents that are being written.
    pub(crate) registering: Registering,
    hashing: Semaphore,
    /// Verified where there is no account, so that a login takes as long either way.
    decoy: String,
}

impl std::fmt::Debug for App {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.debug_struct("App").field("public_url", &self.public_url).finish_non_exhaustive()
    }
}

impl App {
    /// Puts a server's state together.
    pub fn new(store: Store, settings: Settings, metrics: Option<PrometheusHandle>, pinger: Pinger) -> Self {
        Self {
            store,
            public_url: settings.public_url(),
            streams: Arc::new(Semaphore::new(settings.live_streams.min(Semaphore::MAX_PERMITS))),
            live: Hub::new(),
            relay: Relay::new(),
            settings,
            metrics,
            pinger,
            running: Mutex::default(),
            waiting: Semaphore::new(WAITING),
            stopping: CancellationToken::new(),
            registering: Registering::default(),
            hashing: Semaphore::new(HASHES),
            decoy: hash("nobody's password").unwrap_or_default(),
        }
    }

    /// Hashes a password with argon2id (RFC 9106) into a PHC string.
    pub(crate) async fn hash_password(&self, password: String) -> Result<String, Problem> {
        self.in_turn(move || hash(&password)).await?.ok_or_else(|| Problem::internal(&"argon2 refused a password"))
    }

    /// Whether the password is the one that was hashed; where there is no hash, it takes as long to say no.
    pub(crate) async fn verify_password(&self, password: String, hash: Option<String>) -> Result<bool, Problem> {
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| self.decoy.clone());
        let matches = self.in_turn(move || verify(&password, &hash)).await?;
        Ok(known && matches)
    }

    async fn in_turn<T: Send + 'static>(&self, work: impl FnOnce() -> T + Send + 'static) -> Result<T, Problem> {
        let busy = || {
            let detail = "Too many logins are being checked at the moment.";
            Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail, "Try again after the wait.")
                .retryable(Some(PATIENCE))
        };
        let permit = tokio::time::timeout(PATIENCE, self.hashing.acquire()).await;
        let _permit = permit.ok().and_then(Result::ok).ok_or_else(busy)?;
        tokio::task::spawn_blocking(work).await.map_err(|error| Problem::internal(&error))
    }
}

/// Hashes a password; none only where argon2 refuses its parameters.
pub(crate) fn hash(password: &str) -> Option<String> {
    let salt: [u8; 16] = clock::random();
    Argon2::default().hash_password_with_salt(password.as_bytes(), &salt).ok().map(|hash| hash.to_string())
}

fn verify(password: &str, hash: &str) -> bool {
    let verify = |hash: PasswordHash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok();
    PasswordHash::new(hash).is_ok_and(verify)
}
