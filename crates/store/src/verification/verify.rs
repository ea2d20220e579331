//! Verifies the log (no event was changed, removed or inserted) and compares the read tables with the log.

use std::collections::BTreeMap;

use buildtrack_domain::{
    event::{Event, EventSet},
    ids::AgentId,
    log::{GENESIS, Hash, chain, data_hash, sealed_data_hash},
    moderation::{Erased, Remainder},
    relay::retention::{self, RetentionEvent},
    reputation::Counts,
};

use super::{
    Progress,
    rebuild::{STEP, digests, events, replay},
};
use crate::{
    StoreError,
    database::{TableDigest, Tx, Writing, postgres, sqlite, values},
    log::{Log, LoggedEvent, context::Contexts, masks::erased_by},
    reputation::{self, Reputation},
    sealing::sha256_hex,
    search,
};

/// An event whose data were redacted, and the event that redacted it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Redaction {
    /// The position of the redacted event.
    pub position: i64,
    /// Its stream.
    pub stream: String,
    /// The position of the redacting event.
    pub by: i64,
    /// For an erasure, the SHA-256 in hex of the remaining data. The erasing event repeats it.
    pub remainder: Option<String>,
}

/// The result of a verification that found the chain intact.
#[derive(Debug, Clone)]
pub struct Verification {
    /// The last position.
    pub position: i64,
    /// Its hash, in hex.
    pub hash: String,
    /// Every redacted event.
    pub redactions: Vec<Redaction>,
    /// Digests of the live read tables.
    pub live: Vec<TableDigest>,
    /// Digests of the read tables as rebuilt from the log.
    pub rebuilt: Vec<TableDigest>,
    /// Agents whose contribution counts differ when counted again.
    pub miscounted: Vec<AgentId>,
    /// The search documents.
    pub search: SearchCheck,
}

/// Search documents compared with the log, without documents that changed after `indexed_to`: the index lags behind the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchCheck {
    /// The position up to which the log is indexed.
    pub indexed_to: i64,
    /// The stored documents.
    pub found: TableDigest,
    /// The documents as derived from the log.
    pub expected: TableDigest,
}

/// A defect that verification found.
#[derive(Debug, thiserror::Error)]
pub enum VerifyError {
    /// A position is missing, or events are out of order.
    #[error("position {expected} is missing: the next event is at {found}")]
    Gap {
        /// The expected position.
        expected: i64,
        /// The position found.
        found: i64,
    },
    /// The data do not match the recorded hash.
    #[error("the data at position {position} do not match their recorded hash")]
    Data {
        /// The event's position.
        position: i64,
    },
    /// The hash chain is broken.
    #[error("the chain breaks at position {position}: its header, or an event before it, was changed")]
    Chain {
        /// The event's position.
        position: i64,
    },
    /// An event has no data, although no event of its stream redacted them.
    #[error("the data at position {position} are missing, and no later event of {stream} redacts them")]
    Unaccounted {
        /// The event's position.
        position: i64,
        /// The event's stream.
        stream: String,
    },
    /// The head differs from the last event.
    #[error("the log ends at position {found}, but its head says {expected}")]
    Head {
        /// The head's position.
        expected: i64,
        /// The last event's position.
        found: i64,
    },
    /// Reading the log failed.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl Verification {
    /// Names of the tables that differ from their rebuilt versions.
    pub fn differing(&self) -> Vec<&'static str> {
        let pairs = self.live.iter().zip(&self.rebuilt);
        let tables = pairs.filter(|(live, rebuilt)| live != rebuilt).map(|(live, _)| live.table);
        let SearchCheck { found, expected, .. } = &self.search;
        tables.chain((found != expected).then_some(found.table)).collect()
    }
}

/// Verifies the whole log on one snapshot, while the server may keep running. Rebuilds the read tables into temporary tables of
/// one connection.
pub async fn verify(
    log: &Log,
    reputation: &Reputation,
    mut progress: impl FnMut(Progress),
) -> Result<Verification, VerifyError> {
    let mut connection = Writing::open(&log.db).await?;
    let result = verify_in(&mut connection.tx(), log.contexts, &mut progress).await;
    connection.close().await;
    let Verified { mut verification, counts, counted_to } = result?;
    // Events appended meanwhile do not affect the counts up to `counted_to`.
    verification.miscounted = reputation.miscounted(&counts, counted_to).await?;
    Ok(verification)
}

/// The result of verifying one snapshot.
struct Verified {
    verification: Verification,
    /// The agents' contribution counts in the read tables.
    counts: BTreeMap<AgentId, Counts>,
    /// The position up to which the events were counted.
    counted_to: i64,
}

async fn verify_in(
    tx: &mut Tx<'_>,
    contexts: Contexts,
    progress: &mut impl FnMut(Progress),
) -> Result<Verified, VerifyError> {
    begin_snapshot(tx).await?;
    let (head, head_hash) = head(tx).await?;
    let live = digests(tx, contexts).await?;
    let pending = search::pending(tx).await?;
    let found = search::live(tx, &pending.ids).await?;
    let (counts, counted_to) = reputation::counts(tx).await?;
    for table in contexts.read_tables() {
        match tx {
            Tx::Postgres(connection) => postgres::shadow(connection, table.name).await?,
            Tx::Sqlite(script) => sqlite::shadow(script.connection().await?, table.name).await?,
        }
    }
    let chain = check_chain(tx, progress).await?;
    if (chain.position, &chain.hash[..]) != (head, &head_hash[..]) {
        return Err(VerifyError::Head { expected: head, found: chain.position });
    }
    replay(tx, contexts, head, STEP, progress).await?;
    let rebuilt = digests(tx, contexts).await?;
    let expected = search::expected(tx, &pending.ids).await?;
    let search = SearchCheck { indexed_to: pending.indexed_to, found, expected };
    let (hash, redactions) = (hex::encode(head_hash), chain.redactions);
    let verification = Verification { position: head, hash, redactions, live, rebuilt, search, miscounted: vec![] };
    Ok(Verified { verification, counts, counted_to })
}

async fn begin_snapshot(tx: &mut Tx<'_>) -> Result<(), StoreError> {
    match tx {
        Tx::Postgres(connection) => {
            sqlx::query("BEGIN ISOLATION LEVEL REPEATABLE READ").execute(&mut **connection).await?;
        }
        Tx::Sqlite(script) => {
            sqlx::query("BEGIN").execute(script.connection().await?).await?;
        }
    }
    Ok(())
}

async fn head(tx: &mut Tx<'_>) -> Result<(i64, Vec<u8>), StoreError> {
    let statement = "SELECT position, hash FROM log_head";
    tx.one(statement, &[]).await
}

struct Chain {
    position: i64,
    hash: Hash,
    redactions: Vec<Redaction>,
}

async fn check_chain(tx: &mut Tx<'_>, progress: &mut impl FnMut(Progress)) -> Result<Chain, VerifyError> {
    let total = head(tx).await?.0;
    let mut chain = Chain { position: 0, hash: GENESIS, redactions: vec![] };
    loop {
        let step = events(tx, chain.position, STEP).await?;
        if step.is_empty() {
            break;
        }
        for event in &step {
            chain.link(event)?;
        }
        progress(Progress { done: chain.position, total });
    }
    for redaction in &chain.redactions {
        check_redaction(tx, redaction).await?;
    }
    Ok(chain)
}

impl Chain {
    fn link(&mut self, event: &LoggedEvent) -> Result<(), VerifyError> {
        let position = event.position;
        if position != self.position + 1 {
            return Err(VerifyError::Gap { expected: self.position + 1, found: position });
        }
        let recorded: Hash = event.data_hash[..].try_into().map_err(|_| VerifyError::Data { position })?;
        match (&event.data, &event.salt) {
            (Some(data), Some(salt)) => {
                let salt = salt[..].try_into().map_err(|_| VerifyError::Data { position })?;
                let known =
                    if event.sealed { sealed_data_hash(&salt, &event.header(), data) } else { data_hash(&salt, data) };
                if known != recorded {
                    return Err(VerifyError::Data { position });
                }
            }
            (data, _) => self.redactions.push(Redaction {
                position,
                stream: event.stream.clone(),
                by: event.redacted_by.unwrap_or(0),
                remainder: data.as_deref().map(sha256_hex),
            }),
        }
        let header = if event.sealed { event.header().sealed() } else { event.header() };
        self.hash = chain(&self.hash, &header, &recorded);
        if self.hash[..] != event.hash[..] {
            return Err(VerifyError::Chain { position });
        }
        self.position = position;
        Ok(())
    }
}

/// Checks that a later event of the same stream, of a redacting type, redacted the event. For an envelope it may also be a
/// retention event that expired all envelopes up to its position. An erasure must be a later event that repeats the hash of the
/// remaining data.
async fn check_redaction(tx: &mut Tx<'_>, redaction: &Redaction) -> Result<(), VerifyError> {
    if let Some(remainder) = &redaction.remainder {
        return check_remainder(tx, redaction, remainder).await;
    }
    let found: Option<(String, Option<String>)> = tx
        .optional(
            "SELECT type, data FROM events WHERE position = $1 AND stream IN ($2, $4) AND position > $3",
            values![redaction.by, &redaction.stream, redaction.position, retention::STREAM],
        )
        .await?;
    let is_expired = |event_type: &str, data: Option<&str>| {
        let Ok(RetentionEvent::Expired(expired)) = RetentionEvent::decode(event_type, data.unwrap_or_default()) else {
            return false;
        };
        redaction.stream.starts_with("envelope:") && redaction.position <= expired.up_to
    };
    match found {
        Some((event_type, _)) if Event::redacts(&event_type) => Ok(()),
        Some((event_type, data)) if is_expired(&event_type, data.as_deref()) => Ok(()),
        _ => Err(VerifyError::Unaccounted { position: redaction.position, stream: redaction.stream.clone() }),
    }
}

async fn check_remainder(tx: &mut Tx<'_>, redaction: &Redaction, remainder: &str) -> Result<(), VerifyError> {
    let Redaction { position, stream, by, .. } = redaction;
    let erased = erased_by(tx, *by).await?.filter(|_| by > position);
    let repeats = |known: &Remainder| known.position == *position && known.sha256 == remainder;
    match erased {
        Some(Erased { remainders, .. }) if remainders.iter().any(repeats) => Ok(()),
        _ => Err(VerifyError::Unaccounted { position: *position, stream: stream.clone() }),
    }
}
