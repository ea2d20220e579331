//! The hash chain of the log: which bytes are hashed, in which order.
//!
//! `data_hash = SHA-256(salt ‖ data)` and `hash = SHA-256(previous hash ‖ header ‖ data_hash)`. The header is the text
//! that [`Header::to_text`] writes. A redaction clears salt and data; the chain still verifies, and a short text cannot
//! be guessed from its hash.
//!
//! For a private event, the hashed header is the sealed one, which holds only position and time. Stream, version, type
//! and metadata are hashed with the data, behind the salt. Earlier versions hashed the whole header of a private event.
//! The server shows those events with the sealed header too; only the server can verify their hashes.

use chrono::{DateTime, SecondsFormat, Utc};
use sha2::{Digest, Sha256};

/// A SHA-256 digest.
pub type Hash = [u8; 32];

/// The random bytes that are hashed before an event's data.
pub type Salt = [u8; 16];

/// The hash that precedes the first event.
pub const GENESIS: Hash = [0; 32];

/// The public part of every event, independent of the visibility of its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// The position: from 1, without gaps, in commit order.
    pub position: i64,
    /// The stream's name.
    pub stream: &'a str,
    /// The version: from 1 within the stream, without gaps.
    pub version: i64,
    /// The wire name.
    pub event_type: &'a str,
    /// A JSON object without personal data, as stored.
    pub metadata: &'a str,
    /// When the event was recorded: UTC, truncated to microseconds.
    pub recorded_at: DateTime<Utc>,
}

impl Header<'_> {
    /// The hashed text: six lines, each terminated by a line feed: position, stream, version, type, metadata, and the
    /// time as RFC 3339 with six fractional digits and `Z`. No value can contain a line feed.
    pub fn to_text(self) -> String {
        format!(
            "{}\n{}\n{}\n{}\n{}\n{}\n",
            self.position,
            self.stream,
            self.version,
            self.event_type,
            self.metadata,
            self.recorded_at.to_rfc3339_opts(SecondsFormat::Micros, true),
        )
    }
}

/// The value of stream, type and metadata in the public header of a private event. Outsiders verify the chain with it,
/// and learn neither the event nor its subject.
pub const SEALED: &str = "private";

impl Header<'_> {
    /// The public header of a private event, which is also the hashed one: position and time only.
    pub fn sealed(self) -> Header<'static> {
        let Self { position, recorded_at, .. } = self;
        Header { position, stream: SEALED, version: 0, event_type: SEALED, metadata: "{}", recorded_at }
    }

    /// The values that the sealed header omits: stream, version, type and metadata, each terminated by a line feed.
    /// They are hashed between salt and data, so that they cannot be guessed.
    pub fn withheld(self) -> String {
        format!("{}\n{}\n{}\n{}\n", self.stream, self.version, self.event_type, self.metadata)
    }
}

/// SHA-256(salt ‖ omitted header values ‖ data).
pub fn sealed_data_hash(salt: &Salt, header: &Header<'_>, data: &str) -> Hash {
    Sha256::new().chain_update(salt).chain_update(header.withheld()).chain_update(data).finalize().into()
}

/// SHA-256(salt ‖ data).
pub fn data_hash(salt: &Salt, data: &str) -> Hash {
    Sha256::new().chain_update(salt).chain_update(data).finalize().into()
}

/// SHA-256(previous ‖ header ‖ `data_hash`).
pub fn chain(previous: &Hash, header: &Header<'_>, data_hash: &Hash) -> Hash {
    Sha256::new().chain_update(previous).chain_update(header.to_text()).chain_update(data_hash).finalize().into()
}

/// SHA-256(before ‖ hash): folds hashes into one digest of a set of events and their order. The first `before` is
/// [`GENESIS`].
pub fn gather(before: &Hash, hash: &Hash) -> Hash {
    Sha256::new().chain_update(before).chain_update(hash).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    #[test]
    fn sealed_headers_differ_only_in_position_and_time() {
        let header = |stream, event_type, metadata| Header {
            position: 7,
            stream,
            version: 3,
            event_type,
            metadata,
            recorded_at: Utc.timestamp_opt(1_750_000_000, 5_000).single().unwrap_or_default(),
        };
        let filed = header("report:msg_1:ag_2", "report.filed", r#"{"actor":"ag_2"}"#);
        let ended = header("ses_1", "session.ended", r#"{"actor":"ow_2"}"#);
        assert_eq!(filed.sealed().to_text(), "7\nprivate\n0\nprivate\n{}\n2025-06-15T15:06:40.000005Z\n");
        assert_eq!(filed.sealed(), ended.sealed());
        assert_ne!(sealed_data_hash(&[7; 16], &filed, "{}"), sealed_data_hash(&[7; 16], &ended, "{}"));
        // A reader that has the salt and the omitted values hashes both as one salt.
        let mut salt = vec![7; 16];
        salt.extend_from_slice(filed.withheld().as_bytes());
        let hash: Hash = Sha256::new().chain_update(salt).chain_update("{}").finalize().into();
        assert_eq!(sealed_data_hash(&[7; 16], &filed, "{}"), hash);
    }

    #[test]
    fn the_chain_is_pinned() {
        let header = Header {
            position: 1,
            stream: "ws_01h2e8kqvbfwea724h75qc655w",
            version: 1,
            event_type: "workspace.opened",
            metadata: "{}",
            recorded_at: Utc.timestamp_opt(1_750_000_000, 5_000).single().unwrap_or_default(),
        };
        assert_eq!(
            header.to_text(),
            "1\nws_01h2e8kqvbfwea724h75qc655w\n1\nworkspace.opened\n{}\n2025-06-15T15:06:40.000005Z\n"
        );
        // Computed with Python's hashlib over the same text.
        let data_hash = data_hash(&[7; 16], "{}");
        assert_eq!(hex::encode(data_hash), "b41fc38fe99d3097c65af3b58644d503f2a3f5d5dc7fb9b53d9ca83cc9ff5cfb");
        assert_eq!(
            hex::encode(chain(&GENESIS, &header, &data_hash)),
            "b55976266f5e2dc3b00c0a8660b821de73d048cb953d9943326b3e3693ce2a5b"
        );
    }
}
