//! A dedicated connection for tasks that follow the log and repeat the same few queries.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use sqlx::{ConnectOptions, Executor, PgConnection, PgPool};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::GENERIC_PLANS;
use crate::StoreError;

/// A connection outside the pool, which checks every connection that is returned to it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Following(Arc<Mutex<Option<PgConnection>>>);

/// Exclusive use of the connection.
pub(crate) struct Held {
    guard: OwnedMutexGuard<Option<PgConnection>>,
    connection: PgConnection,
}

impl Following {
    /// Waits for the connection, and opens it if necessary.
    pub(crate) async fn acquire(&self, pool: &PgPool) -> Result<Held, StoreError> {
        let mut guard = Arc::clone(&self.0).lock_owned().await;
        let connection = if let Some(connection) = guard.take() {
            connection
        } else {
            let mut connection = pool.connect_options().connect().await?;
            connection.execute(GENERIC_PLANS).await?;
            connection
        };
        Ok(Held { guard, connection })
    }
}

impl Held {
    /// Returns the connection for the next user. A connection that failed is not returned, and is closed on drop.
    pub(crate) fn release(mut self) {
        *self.guard = Some(self.connection);
    }
}

impl Deref for Held {
    type Target = PgConnection;

    fn deref(&self) -> &PgConnection {
        &self.connection
    }
}

impl DerefMut for Held {
    fn deref_mut(&mut self) -> &mut PgConnection {
        &mut self.connection
    }
}
