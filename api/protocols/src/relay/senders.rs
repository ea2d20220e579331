//! Cache of senders: their verification keys and current quotas.
//!
//! Entries are never invalidated. A key cannot change, and a quota is computed again after `QUOTA_LIFETIME`.

use std::{sync::Arc, time::Duration};

use agora_envelope::{DidKey, Envelope, EnvelopeError, VerificationKey};
use buildtrack_domain::{limits::Quota, relay::allowed};
use buildtrack_http::{app::App, problem::Problem};
use tokio::time::Instant;

/// How long a computed quota is used.
const QUOTA_LIFETIME: Duration = Duration::from_mins(1);
/// Maximum number of cached senders.
const CAPACITY: usize = 10_000;

/// A cached sender.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    key: VerificationKey,
    /// Envelopes allowed a minute.
    pub(super) quota: Quota,
    until: Instant,
}

impl Sender {
    /// Whether the quota is still current.
    fn is_fresh(&self) -> bool {
        self.until > Instant::now()
    }
}

/// Public key → sender.
#[derive(Debug)]
pub(crate) struct Senders(quick_cache::sync::Cache<[u8; 32], Arc<Sender>>);

impl Senders {
    pub(super) fn new() -> Self {
        Self(quick_cache::sync::Cache::new(CAPACITY))
    }

    fn get(&self, did: &DidKey) -> Option<Arc<Sender>> {
        self.0.get(did.public_key())
    }

    /// Verifies an envelope and returns its sender.
    pub(super) async fn signer(&self, app: &App, envelope: &Envelope) -> Result<Arc<Sender>, Problem> {
        let did = envelope.sender();
        let known = self.get(did);
        let key = match &known {
            Some(known) => known.key.clone(),
            None => did.verification_key().map_err(EnvelopeError::from)?,
        };
        envelope.verify_with(&key)?;
        if let Some(known) = known.filter(|known| known.is_fresh()) {
            return Ok(known);
        }
        let (quota, until) = (compute_quota(app, did.as_str()).await?, Instant::now() + QUOTA_LIFETIME);
        let sender = Arc::new(Sender { key, quota, until });
        self.0.insert(*did.public_key(), sender.clone());
        Ok(sender)
    }

    /// The quota of an agent, from the cache or computed.
    pub(super) async fn quota_of(&self, app: &App, sender: &str) -> Result<Quota, Problem> {
        let known = sender.parse().ok().and_then(|did| self.get(&did));
        match known.filter(|known| known.is_fresh()) {
            Some(known) => Ok(known.quota),
            None => compute_quota(app, sender).await,
        }
    }
}

/// Computes the quota of an agent from its age and record.
async fn compute_quota(app: &App, sender: &str) -> Result<Quota, Problem> {
    let record = app.store.relay().record(sender).await?;
    let age = record.since.map(|since| app.store.log().clock().now() - since).unwrap_or_default();
    Ok(allowed(app.settings.rate_limits.relay(), age, record.completed, record.failed))
}
