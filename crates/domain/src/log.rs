//! The chain that makes the log verifiable: what is hashed, in which order.
//!
//! `data_hash = SHA-256(salt ‖ data)` and `hash = SHA-256(previous hash ‖ header ‖ data_hash)`. The header is the
//! text that [`Header::to_text`] writes. A redaction clears salt and data; the chain still verifies, and no short
//! text can be guessed from its hash.
//!
//! Of a private event, the hashed header is the sealed one, which names position and time alone; stream, version, type and
//! metadata are hashed with the data, behind the salt. Private events of servers before that have their whole header
//! hashed, and are shown with the sealed one all the same: that their hashes follow, only the server can tell.

use chrono::{DateTime, SecondsFormat, Utc};
use sha2::{Digest, Sha256};

/// A SHA-256 digest.
pub type Hash = [u8; 32];

/// The random bytes hashed in front of an event's data.
pub type Salt = [u8; 16];

/// The hash before the first event.
pub const GENESIS: Hash = [0; 32];

/// What is public of every event, whoever may read its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Header<'a> {
    /// From 1, without gaps, in commit order.
    pub position: i64,
    /// The stream's name.
    pub stream: &'a str,
    /// From 1 within the stream, without gaps.
    pub version: i64,
    /// The wire name.
    pub event_type: &'a str,
    /// A JSON object without personal data, as stored.
    pub metadata: &'a str,
    /// When it was recorded; UTC, truncated to microseconds.
    pub recorded_at: DateTime<Utc>,
}

impl Header<'_> {
    /// Six lines, each ended by a line feed: position, stream, version, type, metadata, and the time as RFC 3339
    /// with six digits and `Z`. None of them can hold a line feed.
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

/// What stands in the header of a private event in the place of its stream, type and metadata: outsiders verify the chain
/// with it, and learn nothing of what happened and to whom.
pub const SEALED: &str = "private";

impl Header<'_> {
    /// The header that anyone may see of a private event, and that is hashed: position and time, and nothing of its own.
    pub fn sealed(self) -> Header<'static> {
        let Self { position, recorded_at, .. } = self;
        Header { position, stream: SEALED, version: 0, event_type: SEALED, metadata: "{}", recorded_at }
    }

    /// What the sealed header leaves out: stream, version, type and metadata, each followed by a line feed. It is hashed
    /// between salt and data, so that nothing of it can be guessed.
    pub fn withheld(self) -> String {
        format!("{}\n{}\n{}\n{}\n", self.stream, self.version, self.event_type, self.metadata)
    }
}

/// SHA-256(salt ‖ what the sealed header leaves out ‖ data).
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

/// SHA-256(before ‖ hash): in a word, which events there are of something, and in which order. It begins with [`GENESIS`].
pub fn gather(before: &Hash, hash: &Hash) -> Hash {
    Sha256::new().chain_update(before).chain_update(hash).finalize().into()
}

#[cfg(test)]
mod tests {
    use super::*;
    use chrono::TimeZone;

    #[test]
    fn a_sealed_header_tells_two_private_events_apart_by_position_and_time_alone() {
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
        // A reader who is given salt and withheld header checks them as one salt.
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
