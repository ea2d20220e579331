//! Rate limits for password attempts, per network and per account.
//!
//! An address may log in a limited number of times a minute (`login`), and so may the owner of a session. Attempts from many
//! networks also count against the account's own limit (`login_account`). That limit is shared by all replicas and also applies
//! to addresses without an account.
//!
//! The trade-off: an attacker with many networks can use up the account's limit. The owner can still log in from every
//! network with an earlier login, because such a network has a limit of its own. From a new network the owner has to retry
//! within seconds.

use std::sync::Arc;

use actix_web::{HttpMessage, HttpRequest, http::StatusCode};
use buildtrack_domain::limits::Quota;
use buildtrack_http::{app::App, auth::Authenticated, guard::state_of, networks::Network, problem::Problem};
use buildtrack_store::{Allowance, Purpose};
use quick_cache::sync::Cache;

use super::Identity;

/// The maximum number of cached pairs of account and network.
const NETWORKS_MAX: usize = 20_000;

/// A cache of networks with a successful login to an account, by keyed hashes of both. Entries are never invalidated.
#[derive(Debug)]
pub(crate) struct FamiliarNetworks(Cache<String, ()>);

impl FamiliarNetworks {
    pub(crate) fn new() -> Self {
        Self(Cache::new(NETWORKS_MAX))
    }
}

/// A password attempt that has been counted.
#[derive(Debug)]
pub(crate) struct Guess {
    network: Network,
    /// The keyed hash of the account and the network.
    pair: String,
    identity: Arc<Identity>,
}

impl Guess {
    /// Counts an attempt on the account with this keyed hash of its e-mail address. Returns 429 if a limit is exceeded.
    pub(crate) async fn admit(app: &App, request: &HttpRequest, email_hash: &str) -> Result<Self, Problem> {
        let network = Network::calling(app, request);
        let named = |text: &str| format!("guess {}", app.store.log().secret().mac(Purpose::PasswordGuess, text));
        let pair = named(&format!("guess {email_hash} {}", network.host()));
        let limits = app.settings.rate_limits;
        require_allowance("login_pair", limits.login(), app.store.limits().admit_here(&pair, limits.login()))?;
        let session = request.extensions().get::<Authenticated>().map(|known| known.session.owner_id);
        if let Some(owner_id) = session {
            let allowance = app.store.limits().admit(&format!("guess {owner_id}"), limits.login()).await?;
            require_allowance("login_session", limits.login(), allowance)?;
        }
        let identity = state_of::<Identity>(request);
        if identity.familiar.0.get(&pair).is_none() {
            let quota = limits.login_account();
            let allowance = app.store.limits().admit(&named(&format!("guess {email_hash}")), quota).await?;
            require_allowance("login_account", quota, allowance)?;
        }
        Ok(Self { network, pair, identity })
    }

    /// Verifies the password against the hash. Without a hash the result is false, after the same time.
    pub(crate) async fn verify(self, password: String, hash: Option<String>) -> Result<bool, Problem> {
        let right = self.identity.passwords.verify(self.network, password, hash).await?;
        if right {
            self.identity.familiar.0.insert(self.pair, ());
        }
        Ok(right)
    }
}

fn require_allowance(reason: &'static str, quota: Quota, allowance: Allowance) -> Result<(), Problem> {
    if allowance.allowed {
        return Ok(());
    }
    metrics::counter!("buildtrack_rate_limited_total", "policy" => "login").increment(1);
    metrics::counter!("buildtrack_refused_total", "reason" => reason).increment(1);
    let detail = format!("The limit of {} password attempts a minute for this account is exceeded.", quota.requests());
    let hint = "Wait for Retry-After seconds. A network with an earlier successful login has a limit of its own.";
    Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail, hint)
        .retryable(Some(allowance.retry_after)))
}
