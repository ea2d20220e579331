//! Tries of passwords, counted against the account.
//!
//! An address may log in so many times a minute (`login`), and so may a session's owner. Guesses from many networks meet the
//! account's own allowance (`login_account`), which counts across replicas and whether or not there is such an account.
//!
//! The trade-off: an attacker with many networks can use up the account's allowance. The owner still logs in from every network
//! that the account was logged in to from before, because such a network is counted by itself; from a new network the owner
//! has to try again within seconds.

use actix_web::{HttpMessage, HttpRequest, http::StatusCode};
use buildtrack_domain::limits::Quota;
use buildtrack_store::Allowance;
use quick_cache::sync::Cache;

use crate::{
    app::App,
    http::{auth::Authenticated, networks::Network, problem::Problem},
};

/// How many pairs of account and network are remembered.
const FAMILIAR: usize = 20_000;

/// Networks from which an account was logged in to, by keyed hashes of both.
#[derive(Debug)]
pub(crate) struct FamiliarNetworks(Cache<String, ()>);

impl FamiliarNetworks {
    pub(crate) fn new() -> Self {
        Self(Cache::new(FAMILIAR))
    }
}

/// A try of an account's password that was counted.
#[derive(Debug)]
pub(crate) struct Guess {
    network: Network,
    /// Names the account and the network.
    pair: String,
}

impl Guess {
    /// Counts a try of the password of the account with this keyed hash of its e-mail address.
    pub(crate) async fn admit(app: &App, request: &HttpRequest, email_hash: &str) -> Result<Self, Problem> {
        let network = Network::calling(app, request);
        let named = |text: &str| format!("guess {}", app.store.secret().keyed_hash(text));
        let pair = named(&format!("guess {email_hash} {}", network.host()));
        let limits = app.settings.rate_limits;
        settle("login_pair", limits.login(), app.store.admit_here(&pair, limits.login()))?;
        let session = request.extensions().get::<Authenticated>().map(|known| known.session.owner_id);
        if let Some(owner_id) = session {
            let allowance = app.store.admit(&format!("guess {owner_id}"), limits.login()).await?;
            settle("login_session", limits.login(), allowance)?;
        }
        if app.familiar.0.get(&pair).is_none() {
            let quota = limits.login_account();
            let allowance = app.store.admit(&named(&format!("guess {email_hash}")), quota).await?;
            settle("login_account", quota, allowance)?;
        }
        Ok(Self { network, pair })
    }

    /// Whether the password is the one that was hashed; where there is no hash, it takes as long to say no.
    pub(crate) async fn verify(self, app: &App, password: String, hash: Option<String>) -> Result<bool, Problem> {
        let right = app.passwords.verify(self.network, password, hash).await?;
        if right {
            app.familiar.0.insert(self.pair, ());
        }
        Ok(right)
    }
}

fn settle(reason: &'static str, quota: Quota, allowance: Allowance) -> Result<(), Problem> {
    if allowance.allowed {
        return Ok(());
    }
    metrics::counter!("buildtrack_rate_limited_total", "policy" => "login").increment(1);
    metrics::counter!("buildtrack_refused_total", "reason" => reason).increment(1);
    let detail = format!("More than {} tries of this account's password a minute.", quota.requests());
    let hint =
        "Wait for Retry-After seconds. A network from which the account was logged in to before has tries of its own.";
    Err(Problem::new(StatusCode::TOO_MANY_REQUESTS, "rate_limited", detail, hint)
        .retryable(Some(allowance.retry_after)))
}
