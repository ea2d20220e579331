//! A connection for those who follow the log and ask the same few questions all day.

use std::{
    ops::{Deref, DerefMut},
    sync::Arc,
};

use sqlx::{ConnectOptions, Executor, PgConnection, PgPool};
use tokio::sync::{Mutex, OwnedMutexGuard};

use super::GENERIC_PLANS;
use crate::StoreError;

/// Beside the pool, which looks each connection over that comes back to it. Cheap to clone.
#[derive(Debug, Clone, Default)]
pub(crate) struct Following(Arc<Mutex<Option<PgConnection>>>);

/// The connection, while it is somebody's.
pub(crate) struct Held {
    place: OwnedMutexGuard<Option<PgConnection>>,
    connection: PgConnection,
}

impl Following {
    /// The connection, which is opened if need be.
    pub(crate) async fn hold(&self, pool: &PgPool) -> Result<Held, StoreError> {
        let mut place = Arc::clone(&self.0).lock_owned().await;
        let connection = if let Some(connection) = place.take() {
            connection
        } else {
            let mut connection = pool.connect_options().connect().await?;
            connection.execute(GENERIC_PLANS).await?;
            connection
        };
        Ok(Held { place, connection })
    }
}

impl Held {
    /// Gives it back for the next one. One that is not given back, because it failed, is closed.
    pub(crate) fn give_back(mut self) {
        *self.place = Some(self.connection);
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
