//! Errors of the store.

use buildtrack_domain::{actors::ActorId, event::DecodeError, near_duplicates::TextRef};

/// A stored response.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StoredAnswer {
    /// See [`Ticket::scope`](crate::Ticket::scope).
    pub scope: String,
    /// See [`Ticket::fingerprint`](crate::Ticket::fingerprint).
    pub fingerprint: String,
    /// The HTTP status; 0 while the first request still runs.
    pub status: i64,
    /// The `Location` header.
    pub location: Option<String>,
    /// The JSON text; none where it held a secret or has been redacted.
    pub body: Option<String>,
    /// See [`Answer::withheld`](crate::Answer::withheld).
    pub withheld: Option<String>,
}

/// A text that is equal or similar to an earlier one of the same author.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct NearDuplicate {
    pub(crate) author: ActorId,
    /// The earlier text.
    pub original: TextRef,
}

/// Why a read or a write failed.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another write changed a stream that the decision had read. Nothing was written.
    #[error("stream {stream} has changed since it was read")]
    Conflict {
        /// The first stream whose version differs.
        stream: String,
    },
    /// A request with the same idempotency key was answered before. Nothing was written.
    #[error("a request with the same idempotency key was already answered")]
    Answered(Box<StoredAnswer>),
    /// The text equals or resembles a recent text of its author. Nothing was written.
    #[error("the text is a near-duplicate of a recent text of its author")]
    NearDuplicate(NearDuplicate),
    /// The database is unreachable or refused the statement. A commit may or may not have succeeded.
    #[error("the database is not available: {0}")]
    Database(#[from] sqlx::Error),
    /// Stored data cannot be decoded.
    #[error("stored data is damaged: {0}")]
    Damaged(String),
    /// A newer version of the server created the database, or it was changed by hand.
    #[error("the database's schema cannot be used: {0}")]
    Schema(String),
    /// Too little storage is left on the disk or in the database. Nothing was written.
    #[error("too little storage is left to write")]
    StorageLow,
    /// The database server is unreachable. The address contains no password.
    #[error("DATABASE_URL: no PostgreSQL answers at {address}: {reason}")]
    Unreachable {
        /// Host and port.
        address: String,
        /// The operating system's error.
        reason: String,
    },
    /// The database server refuses the user, the password or the database.
    #[error("DATABASE_URL: the PostgreSQL at {address} answers, but refuses user \"{user}\": {reason}")]
    AccessDenied {
        /// Host and port.
        address: String,
        /// The PostgreSQL role.
        user: String,
        /// The server's error.
        reason: String,
    },
    /// The database's content was sealed with another secret.
    #[error(
        "BUILDTRACK_SECRET is not the secret of this database: its secrets, e-mail addresses and signing keys cannot be \
         read with it. Set BUILDTRACK_SECRET to the secret that this database was first started with (with SQLite, the \
         file `secret` in the data directory, which a backup of the directory holds)"
    )]
    ForeignSecret,
    /// The folder of the SQLite file cannot be created or written.
    #[error("BUILDTRACK_DATA_DIR: {path} cannot be used: {reason}")]
    Folder {
        /// The folder, or the file in it.
        path: String,
        /// The operating system's error.
        reason: std::io::Error,
    },
    /// Another server has the SQLite file open.
    #[error(
        "another server{} uses {path}: stop it first, or give this one a data directory of its own in BUILDTRACK_DATA_DIR. \
         Several servers need PostgreSQL (DATABASE_URL)",
        process.as_deref().map(|process| format!(" (process {process})")).unwrap_or_default()
    )]
    Locked {
        /// The data directory.
        path: String,
        /// The other server's process id, if it could be read.
        process: Option<String>,
    },
    /// The store is shutting down.
    #[error("the store is closed")]
    Closed,
}

impl StoreError {
    pub(crate) fn folder(path: &std::path::Path, reason: std::io::Error) -> Self {
        Self::Folder { path: path.display().to_string(), reason }
    }

    /// The error's kind in one word, for traces.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Conflict { .. } => "conflict",
            Self::Answered(_) => "answered",
            Self::NearDuplicate(_) => "repeated",
            Self::Database(_) => "database",
            Self::Damaged(_) => "damaged",
            Self::Schema(_) => "schema",
            Self::StorageLow => "storage_low",
            Self::Unreachable { .. } => "unreachable",
            Self::AccessDenied { .. } => "access_denied",
            Self::ForeignSecret => "foreign_secret",
            Self::Folder { .. } => "folder",
            Self::Locked { .. } => "locked",
            Self::Closed => "closed",
        }
    }

    /// A copy of the error for another caller of the same batch.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Damaged(text) => Self::Damaged(text.clone()),
            Self::Closed => Self::Closed,
            error if error.is_disk_full() => Self::StorageLow,
            Self::Conflict { stream } => Self::Conflict { stream: stream.clone() },
            other => Self::Database(sqlx::Error::Protocol(other.to_string())),
        }
    }

    /// Whether the database's disk is full (PostgreSQL: `disk_full`; SQLite: `SQLITE_FULL`).
    pub(crate) fn is_disk_full(&self) -> bool {
        match self {
            Self::StorageLow => true,
            Self::Database(sqlx::Error::Database(error)) => matches!(error.code().as_deref(), Some("53100" | "13")),
            _ => false,
        }
    }

    /// Whether a row could not be decoded. Other rows may be readable.
    pub(crate) fn is_unreadable(&self) -> bool {
        use sqlx::Error::{ColumnDecode, Decode};
        matches!(self, Self::Damaged(_) | Self::Database(ColumnDecode { .. } | Decode(_)))
    }

    /// Whether PostgreSQL aborted the transaction to resolve a deadlock. It was rolled back completely, and may be retried.
    pub(crate) fn is_deadlock(&self) -> bool {
        let Self::Database(sqlx::Error::Database(error)) = self else { return false };
        error.code().as_deref() == Some("40P01")
    }

    /// Whether the table of events refused a stream's version that already exists.
    pub(crate) fn is_duplicate_version(&self) -> bool {
        let Self::Database(sqlx::Error::Database(error)) = self else { return false };
        error.is_unique_violation() && error.message().contains("events")
    }
}

impl From<DecodeError> for StoreError {
    fn from(error: DecodeError) -> Self {
        Self::Damaged(error.to_string())
    }
}

impl From<sqlx::migrate::MigrateError> for StoreError {
    fn from(error: sqlx::migrate::MigrateError) -> Self {
        match error {
            sqlx::migrate::MigrateError::Execute(source) => Self::Database(source),
            sqlx::migrate::MigrateError::VersionMissing(version) => {
                Self::Schema(format!("it was created by a newer version of Buildtrack (migration {version})"))
            }
            other => Self::Schema(other.to_string()),
        }
    }
}
