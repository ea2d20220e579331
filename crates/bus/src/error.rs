/// Why the bus did not do what was asked of it. Each is worth a repetition but [`BusError::Address`].
#[derive(Debug, thiserror::Error)]
pub enum BusError {
    /// The URL is none of RabbitMQ.
    #[error("the broker's address will not do: {0}")]
    Address(String),
    /// The broker cannot be reached, does not let us in, or went away meanwhile.
    #[error("the broker is away: {0}")]
    Away(#[source] lapin::Error),
    /// The broker answers, and refuses the user, the password or the virtual host.
    #[error("the broker at {address} answers, but refuses user \"{user}\": {reason}")]
    AccessDenied {
        /// Host and port.
        address: String,
        /// The user.
        user: String,
        /// What the broker said.
        reason: String,
    },
    /// No broker answers there.
    #[error("no broker answers at {address}: {reason}")]
    Unreachable {
        /// Host and port.
        address: String,
        /// What the system said.
        reason: String,
    },
    /// Nothing was heard from the broker within this many seconds.
    #[error("the broker did not answer within {0} s")]
    Silent(u64),
    /// The connection or channel ended while something was under way.
    #[error("the connection to the broker was lost")]
    Lost,
    /// The broker refuses what was asked, such as a queue that exists with other properties.
    #[error("the broker refuses: {0}")]
    Refused(#[source] lapin::Error),
    /// The broker did not take a message over, or no queue is there for it.
    #[error("the broker did not take over the notice of position {position}: {reason}")]
    NotTaken {
        /// The position that the notice names.
        position: i64,
        /// What the broker said.
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
