//! Why remembering failed.

use buildtrack_domain::event::DecodeError;

/// Why a read or a write did not happen.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// Another write came first: what the decision looked at has changed. Nothing was written.
    #[error("stream {stream} has changed meanwhile")]
    Conflict {
        /// The first stream whose version differs.
        stream: String,
    },
    /// A request with the same idempotency key was answered first. Nothing was written.
    #[error("the request has been answered already")]
    Answered(Box<crate::StoredAnswer>),
    /// The author has said the same before. Nothing was written.
    #[error("the author has said the same before")]
    Repeated(crate::Repeat),
    /// The database cannot be reached or refuses; a commit may or may not have happened.
    #[error("the database is not available: {0}")]
    Database(#[from] sqlx::Error),
    /// What is stored cannot be read back.
    #[error("stored data is damaged: {0}")]
    Damaged(String),
    /// The database was made by a newer version, or changed by hand.
    #[error("the database's schema cannot be used: {0}")]
    Schema(String),
    /// Too little room is left on the disk, or in the database. Nothing was written.
    #[error("too little room is left to write")]
    StorageLow,
    /// The database's server cannot be reached. The address has no password.
    #[error("DATABASE_URL: no PostgreSQL answers at {address}: {reason}")]
    Unreachable {
        /// Host and port.
        address: String,
        /// What the system said.
        reason: String,
    },
    /// The database's server answers, and refuses the user, the password or the database.
    #[error("DATABASE_URL: the PostgreSQL at {address} answers, but refuses user \"{user}\": {reason}")]
    AccessDenied {
        /// Host and port.
        address: String,
        /// The role.
        user: String,
        /// What the server said.
        reason: String,
    },
    /// What the database holds was sealed with another secret.
    #[error(
        "BUILDTRACK_SECRET is not the secret of this database: its secrets, e-mail addresses and signing keys cannot be \
         read with it. Set BUILDTRACK_SECRET to the secret that this database was first started with (with SQLite, the \
         file `secret` in the data directory, which a backup of the directory holds)"
    )]
    ForeignSecret,
    /// The folder of the SQLite file cannot be made or written.
    #[error("BUILDTRACK_DATA_DIR: {path} cannot be used: {reason}")]
    Folder {
        /// The folder, or the file in it.
        path: String,
        /// What the system said.
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
        /// The other server's process id, where it could be read.
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

    /// In one word, for traces.
    pub(crate) fn kind(&self) -> &'static str {
        match self {
            Self::Conflict { .. } => "conflict",
            Self::Answered(_) => "answered",
            Self::Repeated(_) => "repeated",
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

    /// The same for somebody else whom it concerns.
    pub(crate) fn again(&self) -> Self {
        match self {
            Self::Damaged(text) => Self::Damaged(text.clone()),
            Self::Closed => Self::Closed,
            error if error.is_disk_full() => Self::StorageLow,
            Self::Conflict { stream } => Self::Conflict { stream: stream.clone() },
            other => Self::Database(sqlx::Error::Protocol(other.to_string())),
        }
    }

    /// Whether the database has no room on its disk (PostgreSQL: `disk_full`; SQLite: `SQLITE_FULL`).
    pub(crate) fn is_disk_full(&self) -> bool {
        match self {
            Self::StorageLow => true,
            Self::Database(sqlx::Error::Database(error)) => matches!(error.code().as_deref(), Some("53100" | "13")),
            _ => false,
        }
    }

    /// Whether a row could not be read back, as another row may well be.
    pub(crate) fn is_unreadable(&self) -> bool {
        use sqlx::Error::{ColumnDecode, Decode};
        matches!(self, Self::Damaged(_) | Self::Database(ColumnDecode { .. } | Decode(_)))
    }

    /// Whether PostgreSQL gave this transaction up to end a deadlock: all of it was rolled back, and it may be run again.
    pub(crate) fn is_deadlock(&self) -> bool {
        let Self::Database(sqlx::Error::Database(error)) = self else { return false };
        error.code().as_deref() == Some("40P01")
    }

    /// Whether the table of events refused a version that is taken.
    pub(crate) fn is_second_beginning(&self) -> bool {
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
                Self::Schema(format!("it was made by a newer version of Buildtrack (migration {version})"))
            }
            other => Self::Schema(other.to_string()),
        }
    }
}
