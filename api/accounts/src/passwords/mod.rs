//! Password hashing with argon2id (RFC 9106), limited to a few hashes at a time.
//!
//! **Invariant:** a permit belongs to the hashing thread, not to the request. It is released when the hash is computed, even
//! if the client has disconnected.
//! **Invariant:** a free permit goes first to a network that holds none.

mod queue;

use std::{sync::LazyLock, time::Duration};

use actix_web::http::StatusCode;
use argon2::{
    Argon2,
    password_hash::{PasswordHasher, PasswordVerifier, phc::PasswordHash},
};
use buildtrack_http::{networks::Network, problem::Problem};
use buildtrack_settings::Settings;
use buildtrack_store::clock;

use self::queue::{Bounds, Permit, Queue, Refused};

/// How long a password waits for a permit.
const PERMIT_TIMEOUT: Duration = Duration::from_secs(2);

/// A hash to verify against if the account does not exist, so that a login takes the same time in both cases. It is ready before
/// the first login.
static DECOY: LazyLock<String> = LazyLock::new(|| hash("the password of no account").unwrap_or_default());

/// Hashes and verifies passwords.
#[derive(Debug)]
pub(crate) struct Passwords {
    queue: Queue<Network>,
}

impl Passwords {
    pub(crate) fn new(settings: &Settings) -> Self {
        let bounds = Bounds {
            permits: settings.password_hashes.get().into(),
            waiting: settings.password_queue.into(),
            waiting_per_network: settings.password_queue_per_network.into(),
        };
        LazyLock::force(&DECOY);
        Self { queue: Queue::new(bounds) }
    }

    /// Hashes a password and returns a PHC string.
    pub(crate) async fn hash(&self, network: Network, password: String) -> Result<String, Problem> {
        let hashed = self.with_permit(network, move || hash(&password)).await?;
        hashed.ok_or_else(|| Problem::internal(&"argon2 refused a password"))
    }

    /// Verifies a password against a hash. Without a hash the result is false, after the same time.
    pub(crate) async fn verify(
        &self,
        network: Network,
        password: String,
        hash: Option<String>,
    ) -> Result<bool, Problem> {
        let known = hash.is_some();
        let hash = hash.unwrap_or_else(|| DECOY.clone());
        let matches = self.with_permit(network, move || verify(&password, &hash)).await?;
        Ok(known && matches)
    }

    async fn with_permit<T: Send + 'static>(
        &self,
        network: Network,
        work: impl FnOnce() -> T + Send + 'static,
    ) -> Result<T, Problem> {
        let permit = self.permit(network.site_or_host()).await?;
        run(permit, work).await.map_err(|error| Problem::internal(&error))
    }

    async fn permit(&self, network: Network) -> Result<Permit<Network>, Problem> {
        let turn = self.queue.enter(network).map_err(|refused| match refused {
            Refused::ByShare => busy("password_queue_share"),
            Refused::Full => busy("password_queue_full"),
        })?;
        tokio::time::timeout(PERMIT_TIMEOUT, turn.granted()).await.map_err(|_| busy("password_queue_timeout"))
    }
}

/// Runs the work on a blocking thread. The thread holds the permit until the work is done.
async fn run<T: Send + 'static>(
    permit: Permit<Network>,
    work: impl FnOnce() -> T + Send + 'static,
) -> Result<T, tokio::task::JoinError> {
    let work = move || {
        let done = work();
        drop(permit);
        done
    };
    tokio::task::spawn_blocking(work).await
}

fn busy(reason: &'static str) -> Problem {
    metrics::counter!("buildtrack_refused_total", "reason" => reason).increment(1);
    let detail = "The server is checking as many passwords as it can at a time.";
    Problem::new(StatusCode::SERVICE_UNAVAILABLE, "busy", detail, "Repeat the request after the time in Retry-After.")
        .retryable(Some(PERMIT_TIMEOUT))
}

/// Hashes a password. `None` only if argon2 rejects its parameters.
pub fn hash(password: &str) -> Option<String> {
    let salt: [u8; 16] = clock::random();
    Argon2::default().hash_password_with_salt(password.as_bytes(), &salt).ok().map(|hash| hash.to_string())
}

fn verify(password: &str, hash: &str) -> bool {
    let verify = |hash: PasswordHash| Argon2::default().verify_password(password.as_bytes(), &hash).is_ok();
    PasswordHash::new(hash).is_ok_and(verify)
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;

    use super::*;

    #[tokio::test]
    async fn a_disconnected_client_holds_its_permit_until_its_hash_is_done() {
        let passwords = Passwords::new(&Settings { password_hashes: std::num::NonZeroU16::MIN, ..Settings::default() });
        let network = Network::of([192, 0, 2, 1].into());
        let (begun, has_begun) = mpsc::channel();
        let (finish, may_finish) = mpsc::channel::<()>();
        let permit = passwords.permit(network).await.unwrap();
        let work = move || {
            begun.send(()).unwrap();
            may_finish.recv().unwrap();
        };
        let mut request = Box::pin(run(permit, work));
        assert!(futures_util::poll!(&mut request).is_pending());
        has_begun.recv().unwrap();
        drop(request);
        let mut next = Box::pin(passwords.permit(network));
        assert!(futures_util::poll!(&mut next).is_pending(), "the hash still runs");
        finish.send(()).unwrap();
        assert!(next.await.is_ok());
    }
}
