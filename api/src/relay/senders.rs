//! What is remembered of those who send: the points that their keys are, and what each is allowed at the moment.

use std::{sync::Arc, time::Duration};

use agora_envelope::{DidKey, Envelope, EnvelopeError, VerificationKey};
use buildtrack_domain::{limits::Quota, relay::allowed};
use tokio::time::Instant;

use crate::{app::App, http::problem::Problem};

/// How long what an agent has done is taken for what it has done.
const KNOWN: Duration = Duration::from_mins(1);
/// How many agents are remembered.
const CAPACITY: usize = 10_000;

/// An agent that has signed something.
#[derive(Debug, Clone)]
pub(super) struct Sender {
    key: VerificationKey,
    /// How many envelopes a minute.
    pub(super) quota: Quota,
    until: Instant,
}

impl Sender {
    /// Whether what it is allowed still counts.
    fn is_fresh(&self) -> bool {
        self.until > Instant::now()
    }
}

/// Public key → who it is.
#[derive(Debug)]
pub(crate) struct Senders(quick_cache::sync::Cache<[u8; 32], Arc<Sender>>);

impl Senders {
    pub(super) fn new() -> Self {
        Self(quick_cache::sync::Cache::new(CAPACITY))
    }

    fn get(&self, did: &DidKey) -> Option<Arc<Sender>> {
        self.0.get(did.public_key())
    }
}

/// Who signed an envelope, if its sender did.
pub(super) async fn signer(app: &App, envelope: &Envelope) -> Result<Arc<Sender>, Problem> {
    let did = envelope.sender();
    let known = app.relay.senders.get(did);
    let key = match &known {
        Some(known) => known.key.clone(),
        None => did.verification_key().map_err(EnvelopeError::from)?,
    };
    envelope.verify_with(&key)?;
    if let Some(known) = known.filter(|known| known.is_fresh()) {
        return Ok(known);
    }
    let (quota, until) = (earned(app, did.as_str()).await?, Instant::now() + KNOWN);
    let sender = Arc::new(Sender { key, quota, until });
    app.relay.senders.0.insert(*did.public_key(), sender.clone());
    Ok(sender)
}

/// What an agent is allowed a minute.
pub(super) async fn quota_of(app: &App, sender: &str) -> Result<Quota, Problem> {
    let known = sender.parse().ok().and_then(|did| app.relay.senders.get(&did));
    match known.filter(|known| known.is_fresh()) {
        Some(known) => Ok(known.quota),
        None => earned(app, sender).await,
    }
}

/// The same, by its age and record.
async fn earned(app: &App, sender: &str) -> Result<Quota, Problem> {
    let record = app.store.relay_record(sender).await?;
    let age = record.since.map(|since| app.store.clock().now() - since).unwrap_or_default();
    Ok(allowed(app.settings.rate_limits.relay(), age, record.completed, record.failed))
}
