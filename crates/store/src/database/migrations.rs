//! The migrations that are part of the program.

use futures_util::{FutureExt, future::BoxFuture};
use sqlx::{
    error::BoxDynError,
    migrate::{MigrateError, Migration, MigrationSource, MigrationType, Migrator},
};

/// Names and texts of files such as `0001_events.sql`.
#[derive(Debug)]
pub(super) struct Migrations(pub(super) &'static [(&'static str, &'static str)]);

impl Migrations {
    pub(super) async fn migrator(&'static self) -> Result<Migrator, MigrateError> {
        Migrator::new(self).await
    }
}

impl MigrationSource<'static> for &'static Migrations {
    fn resolve(self) -> BoxFuture<'static, Result<Vec<Migration>, BoxDynError>> {
        let migration = |(name, text): &(&str, &'static str)| {
            let (version, description) = name.split_once('_').ok_or_else(|| format!("{name} has no version"))?;
            let description = description.trim_end_matches(".sql").replace('_', " ");
            Ok(Migration::new(version.parse()?, description.into(), MigrationType::Simple, (*text).into(), false))
        };
        let migrations = self.0.iter().map(migration).collect();
        async move { migrations }.boxed()
    }
}
