//! The server's own secret: given, or made once and kept.

use std::{fs::OpenOptions, io::Write, path::Path};

use buildtrack_store::Secret;

use crate::{Settings, SettingsError};

/// The secret of the settings; with SQLite and none given, the one in the data directory, made at the first start
/// and readable for its owner only.
pub fn secret(settings: &Settings) -> Result<Secret, SettingsError> {
    let text = match (&settings.secret, &settings.database_url) {
        (Some(text), _) => text.clone(),
        (None, Some(_)) => {
            return Err(SettingsError::Contradiction(
                "BUILDTRACK_SECRET is required with PostgreSQL, the same for all processes; `openssl rand -hex 32` makes one",
            ));
        }
        (None, None) => kept(&settings.data_dir)?,
    };
    Secret::new(&text).map_err(|error| SettingsError::Invalid(format!("BUILDTRACK_SECRET: {error}")))
}

fn kept(folder: &Path) -> Result<String, SettingsError> {
    let path = folder.join("secret");
    let fault = |error: std::io::Error| SettingsError::File { path: path.clone(), reason: error.to_string() };
    make_private(folder).map_err(fault)?;
    let mut options = OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    // Written beside and linked into place, so that nobody ever reads half a secret, whoever starts at once.
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

/// Makes the data directory, for its owner only; one that is there stays as it is.
fn make_private(folder: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    #[cfg(unix)]
    std::os::unix::fs::DirBuilderExt::mode(&mut builder, 0o700);
    builder.recursive(true).create(folder)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_made_once_and_kept_for_its_owner_only() {
        let folder = tempfile::tempdir().unwrap();
        let first = kept(folder.path()).unwrap();
        assert_eq!(kept(folder.path()).unwrap(), first);
        assert_eq!(first.len(), 64);
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = folder.path().join("secret").metadata().unwrap().permissions().mode();
            assert_eq!(mode & 0o777, 0o600);
        }
    }

    #[test]
    fn postgresql_needs_a_given_one() {
        let settings = Settings { database_url: Some("postgres://localhost/x".into()), ..Settings::default() };
        assert!(secret(&settings).is_err());
    }
}
