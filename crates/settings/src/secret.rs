//! The server's secret: read from the settings, or created once in the data directory.

use std::{fs::OpenOptions, io::Write, path::Path};

use buildtrack_store::{Database, Secret, WeakSecret, make_private_folder};

use crate::{Settings, SettingsError};

/// The secret's file in the data directory.
const NAME: &str = "secret";

/// The secret of the settings. With SQLite and no such setting, the secret in the data directory: created at the first start,
/// readable only by its owner. No secret is created beside an existing database.
pub fn secret(settings: &Settings) -> Result<Secret, SettingsError> {
    let text = match &settings.secret {
        Some(text) => text.clone(),
        None => stored(&settings.data_dir, &settings.database())?,
    };
    let not_one = |error: WeakSecret| SettingsError::File {
        path: settings.data_dir.join(NAME),
        reason: format!("{error}; restore it from a backup of the data directory"),
    };
    Secret::new(&text).map_err(not_one)
}

/// Checks that the secret exists or may be created, as [`secret`] does, without creating it.
pub fn check_secret(settings: &Settings) -> Result<(), SettingsError> {
    let path = settings.data_dir.join(NAME);
    let lost = settings.secret.is_none() && has_data(&settings.database()) && !path.exists();
    if lost { Err(SettingsError::SecretLost { path }) } else { Ok(()) }
}

/// Whether a database exists already. With PostgreSQL the secret must come from the settings.
fn has_data(database: &Database) -> bool {
    match database {
        Database::Sqlite(file) => file.metadata().is_ok_and(|file| file.len() > 0),
        Database::Postgres(_) => true,
    }
}

fn stored(folder: &Path, database: &Database) -> Result<String, SettingsError> {
    let path = folder.join(NAME);
    let fault = |error: std::io::Error| SettingsError::File { path: path.clone(), reason: error.to_string() };
    make_private_folder(folder).map_err(fault)?;
    // The process that created the database stored the secret before.
    if has_data(database) && !path.exists() {
        return Err(SettingsError::SecretLost { path });
    }
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // Written to a separate file and linked into place, so that no concurrent process reads an incomplete secret.
    let draft = folder.join(format!("secret.{}", std::process::id()));
    match options.open(&draft) {
        Ok(mut file) if !path.exists() => {
            file.write_all(Secret::generate().as_bytes()).and_then(|()| file.sync_all()).map_err(fault)?;
            match std::fs::hard_link(&draft, &path) {
                Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => return Err(fault(error)),
                _ => {}
            }
        }
        Ok(_) => {}
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {}
        Err(error) => return Err(fault(error)),
    }
    std::fs::remove_file(&draft).map_err(fault)?;
    std::fs::read_to_string(&path).map_err(fault)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_secret_is_created_once_and_readable_only_by_its_owner() {
        let folder = tempfile::tempdir().unwrap();
        let database = Database::Sqlite(folder.path().join("buildtrack.sqlite"));
        let first = stored(folder.path(), &database).unwrap();
        assert_eq!(stored(folder.path(), &database).unwrap(), first);
        assert_eq!(first.len(), 64);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = folder.path().join("secret").metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn no_secret_is_created_beside_an_existing_database() {
        let folder = tempfile::tempdir().unwrap();
        let file = folder.path().join("buildtrack.sqlite");
        std::fs::write(&file, "data").unwrap();
        let lost = stored(folder.path(), &Database::Sqlite(file));
        assert!(matches!(lost, Err(SettingsError::SecretLost { .. })), "{lost:?}");
        assert!(!folder.path().join(NAME).exists());
    }

    #[test]
    fn postgresql_requires_a_secret_in_the_settings() {
        let settings = Settings { database_url: Some("postgres://localhost/x".into()), ..Settings::default() };
        assert!(secret(&settings).is_err());
    }
}
