//! Changes to the log's own side tables, and removal of texts from the log.

use buildtrack_domain::moderation::{Erasure, LogPosition};
use chrono::{DateTime, Utc};

use super::resealing::Resealed;
use crate::{
    StoreError,
    database::{Db, Tx, values},
    log::context::{Enqueued, Expiry, Phase, Rule, SideTable},
    sealing::fingerprint,
};

/// One change to a side table of the log, or a removal of texts. Secrets are sealed.
#[derive(Debug, Clone)]
pub enum Change {
    /// Store the server's identity, from which the other signing keys are derived.
    SigningKey {
        /// The key's id.
        id: String,
        /// The public key: 32 bytes, unpadded base64url.
        public: String,
        /// The seed in hex, sealed.
        secret_sealed: String,
    },
    /// Replace a sealed value of an earlier version.
    Resealed(Resealed),
    /// Replace the fingerprint of the server's secret.
    SecretFingerprint {
        /// The new one.
        fingerprint: String,
    },
    /// Redact a stream: delete the data of its earlier events, and everything derived from them.
    Redaction {
        /// The stream's name.
        stream: String,
    },
    /// Hide a text: cancel its pending pushes, remove it from the search index, and clear stored answers that contain it.
    Hiding {
        /// The stream's name, or the id of the subject.
        stream: String,
    },
    /// Erase parts of events' data. The last event of the stream `erasures` lists the remaining data.
    Erasure {
        /// Each event's position and remaining data.
        remainders: Vec<(i64, String)>,
    },
    /// Advance a consumer's offset to `to`. Conflicts unless the offset is `from`.
    Consumed {
        /// The consumer's name.
        consumer: &'static str,
        /// The previous offset.
        from: i64,
        /// The new offset.
        to: i64,
    },
    /// Record that a consumer has processed these events. Conflicts if it had processed one of them before.
    Handled {
        /// The consumer's name.
        consumer: &'static str,
        /// The events' positions.
        positions: Vec<i64>,
    },
}

/// A text that a transaction removes from the log or from responses. Contexts that hold copies remove them too.
#[derive(Debug, Clone, Copy)]
pub(crate) enum TextRemoval<'c> {
    /// The texts of a stream, or of the subject with this id.
    Stream(&'c str),
    /// Parts of the event at this position.
    Event(i64),
}

impl SideTable for Change {
    fn rule(&self) -> Rule {
        match self {
            Self::SigningKey { .. } | Self::Handled { .. } => Rule::ROW,
            Self::Redaction { .. } => Rule::in_phase(Phase::Redactions).essential().removing_texts(),
            Self::Hiding { .. } => Rule::in_phase(Phase::Hidings).essential(),
            Self::Erasure { .. } => Rule::in_phase(Phase::Erasures).removing_texts(),
            // After a crash, the events are consumed, and the values sealed, again.
            Self::Consumed { .. } | Self::Resealed(_) | Self::SecretFingerprint { .. } => {
                Rule::ROW.essential().repeatable()
            }
        }
    }

    async fn write(tx: &mut Tx<'_>, changes: &[&Self], now: DateTime<Utc>, _: &mut Enqueued) -> Result<(), StoreError> {
        for change in changes {
            change.write_one(tx, now).await?;
        }
        Ok(())
    }
}

impl Change {
    /// The removals that this change consists of.
    pub(crate) fn removals(&self) -> Vec<TextRemoval<'_>> {
        match self {
            Self::Redaction { stream } | Self::Hiding { stream } => vec![TextRemoval::Stream(stream)],
            Self::Erasure { remainders } => {
                remainders.iter().map(|(position, _)| TextRemoval::Event(*position)).collect()
            }
            Self::SigningKey { .. }
            | Self::Resealed(_)
            | Self::SecretFingerprint { .. }
            | Self::Consumed { .. }
            | Self::Handled { .. } => vec![],
        }
    }

    async fn write_one(&self, tx: &mut Tx<'_>, now: DateTime<Utc>) -> Result<(), StoreError> {
        match self {
            Self::SigningKey { id, public, secret_sealed } => {
                tx.execute(
                    // The first key is kept if another process stored one meanwhile.
                    "INSERT INTO signing_keys (id, public, secret_sealed, created_at) SELECT $1, $2, $3, $4 \
                 WHERE NOT EXISTS (SELECT 1 FROM signing_keys)",
                    values![id, public, secret_sealed, now],
                )
                .await?;
            }
            Self::Resealed(resealed) => resealed.write(tx).await?,
            Self::SecretFingerprint { fingerprint } => fingerprint::replace(tx, fingerprint).await?,
            Self::Redaction { stream } => redact(tx, stream).await?,
            Self::Hiding { stream } => clear_answers(tx, stream).await?,
            Self::Erasure { remainders } => {
                for (position, remainder) in remainders {
                    erase(tx, *position, remainder).await?;
                }
            }
            // The head module writes them once for the transaction.
            Self::Consumed { .. } | Self::Handled { .. } => {}
        }
        Ok(())
    }
}

/// Clears stored answers about a subject: those stored for its text, and those that contain its id.
async fn clear_answers(tx: &mut Tx<'_>, subject: &str) -> Result<(), StoreError> {
    tx.execute("UPDATE answers SET body = NULL WHERE subject = $1", values![subject]).await?;
    let statement = "UPDATE answers SET body = NULL WHERE body LIKE $1";
    match subject.parse::<LogPosition>() {
        Ok(LogPosition(position)) => {
            tx.execute(
                "UPDATE answers SET body = NULL WHERE subject = (SELECT stream FROM events WHERE position = $1)",
                values![position],
            )
            .await?;
            for end in [',', '}'] {
                tx.execute(statement, values![format!("%\"position\":{position}{end}%")]).await?;
            }
        }
        Err(_) => {
            tx.execute(statement, values![format!("%\"{subject}\"%")]).await?;
        }
    }
    Ok(())
}

/// Replaces an event's data with the remaining data. Has no effect if the author has redacted the event meanwhile.
async fn erase(tx: &mut Tx<'_>, position: i64, remainder: &str) -> Result<(), StoreError> {
    tx.execute(
        "UPDATE events SET data = $2, salt = NULL, \
         redacted_by = (SELECT max(position) FROM events WHERE stream = $3) WHERE position = $1 AND data IS NOT NULL",
        values![position, remainder, Erasure::STREAM],
    )
    .await?;
    Ok(())
}

/// Deletes the data of a stream's events before its last one, and the stored answers about them.
async fn redact(tx: &mut Tx<'_>, stream: &str) -> Result<(), StoreError> {
    tx.execute("UPDATE answers SET body = NULL WHERE subject = $1", values![stream]).await?;
    tx.execute(
        "UPDATE events SET data = NULL, salt = NULL, \
         redacted_by = (SELECT max(position) FROM events WHERE stream = $1) \
         WHERE stream = $1 AND data IS NOT NULL \
         AND version < (SELECT max(version) FROM events WHERE stream = $1)",
        values![stream],
    )
    .await?;
    Ok(())
}

/// Deletes expired stored answers.
pub(crate) async fn prune(tx: &mut Tx<'_>, expiry: Expiry, now: DateTime<Utc>) -> Result<(), StoreError> {
    tx.execute(
        "DELETE FROM answers WHERE scope IN (SELECT scope FROM answers WHERE expires_at <= $1 LIMIT $2)",
        values![now, expiry.limit],
    )
    .await?;
    Ok(())
}

pub(crate) async fn has_expired(db: &Db, _: Expiry, now: DateTime<Utc>) -> Result<bool, StoreError> {
    let statement = "SELECT EXISTS (SELECT 1 FROM answers WHERE expires_at <= $1)";
    db.one(statement, values![now]).await
}
