/// Why an operation of the bus failed. All but [`BusError::Address`] are worth a retry.
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// The URL is not an AMQP URL.
    #[error("the broker's address is not valid: {0}")]
    Address(String),
    /// The broker is unreachable, refuses the connection, or closed it.
    #[error("the broker is unreachable: {0}")]
    Away(#[source] lapin::Error),
    /// The broker refuses the user, the password or the virtual host.
    #[error("the broker at {address} answers, but refuses user \"{user}\": {reason}")]
    AccessDenied {
        /// Host and port.
        address: String,
        /// The user.
        user: String,
        /// The broker's reason.
        reason: String,
    },
    /// No broker answers at the address.
    #[error("no broker answers at {address}: {reason}")]
    Unreachable {
        /// Host and port.
        address: String,
        /// The operating system's reason.
        reason: String,
    },
    /// The broker sent nothing within this many seconds.
    #[error("the broker did not answer within {0} s")]
    Silent(u64),
    /// The connection or channel ended during an operation.
    #[error("the connection to the broker was lost")]
    Lost,
    /// The broker refuses the operation, for example because a queue exists with other properties.
    #[error("the broker refused the operation: {0}")]
    Refused(#[source] lapin::Error),
    /// The broker did not confirm a message, or no queue is bound for it.
    #[error("the broker did not confirm the notice of position {position}: {reason}")]
    NotTaken {
        /// The position in the notice.
        position: i64,
        /// The broker's reason.
        reason: String,
    },
    /// The process is stopping.
    #[error("the process is stopping")]
    Stopping,
}

impl BusError {
    pub(crate) fn not_taken(position: i64, reason: impl Into<String>) -> Self {
        Self::NotTaken { position, reason: reason.into() }
    }
}

impl From<lapin::Error> for BusError {
    fn from(error: lapin::Error) -> Self {
        if error.is_amqp_soft_error() { Self::Refused(error) } else { Self::Away(error) }
    }
}
