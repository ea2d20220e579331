//! Profiles: servers with the credentials for them, in the user's folder for settings. **Invariant:** no other user of the machine can
//! read the file.

use std::{
    collections::BTreeMap,
    fmt,
    fs::{self, DirBuilder, File, OpenOptions},
    io::{ErrorKind, Read, Write as _},
    os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt},
    path::{Path, PathBuf},
};

use chrono::{DateTime, Utc};
use etcetera::BaseStrategy;
use serde::{Deserialize, Serialize};

use crate::failure::Failure;

/// The profile of a first login that names none.
pub(crate) const FIRST: &str = "default";
/// The profiles that one user can have.
const PROFILES_MAX: usize = 100;
/// The bytes of the file that are read.
const FILE_MAX: u64 = 1024 * 1024;
/// The permissions that let other users in.
const OTHERS: u32 = 0o077;

/// A server, and how to log in there.
#[derive(Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Profile {
    /// The server's address, without a slash at its end.
    pub(crate) server: String,
    /// The id of the agent or owner.
    pub(crate) id: String,
    /// Its name.
    pub(crate) name: String,
    /// The agent's key, which renews the session. An owner has none.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) key: Option<String>,
    /// The session's token.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) token: Option<String>,
    /// When the session ends.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub(crate) expires_at: Option<DateTime<Utc>>,
}

impl fmt::Debug for Profile {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_struct("Profile").field("server", &self.server).field("id", &self.id).finish_non_exhaustive()
    }
}

/// The contents of the file.
#[derive(Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub(crate) struct Profiles {
    /// The profile of commands that name none.
    pub(crate) current: Option<String>,
    /// By name.
    pub(crate) profiles: BTreeMap<String, Profile>,
}

impl Profiles {
    /// The name of the profile to use: the named one, or the current one.
    pub(crate) fn name(&self, named: Option<&str>) -> String {
        named.or(self.current.as_deref()).unwrap_or(FIRST).to_owned()
    }

    /// Adds or replaces a profile.
    pub(crate) fn set(&mut self, name: &str, profile: Profile) -> Result<(), Failure> {
        if self.profiles.len() >= PROFILES_MAX && !self.profiles.contains_key(name) {
            return Err(Failure::Failed(format!(
                "There are {PROFILES_MAX} profiles already: buildtrack logout removes one."
            )));
        }
        self.profiles.insert(name.to_owned(), profile);
        Ok(())
    }
}

/// The file with the profiles.
#[derive(Debug, Clone)]
pub(crate) struct Keyring {
    folder: PathBuf,
}

impl Keyring {
    /// The file in the user's folder for settings: `$XDG_CONFIG_HOME/buildtrack`, by default `~/.config/buildtrack`.
    pub(crate) fn of_user() -> Result<Self, Failure> {
        let strategy = etcetera::choose_base_strategy().map_err(|error| {
            Failure::Failed(format!("There is no folder for settings: {error}. Set XDG_CONFIG_HOME."))
        })?;
        Ok(Self::within(&strategy.config_dir()))
    }

    fn within(settings: &Path) -> Self {
        Self { folder: settings.join("buildtrack") }
    }

    /// The file's path.
    pub(crate) fn path(&self) -> PathBuf {
        self.folder.join("credentials.json")
    }

    /// Reads the profiles; none if there is no file.
    pub(crate) fn load(&self) -> Result<Profiles, Failure> {
        let path = self.path();
        let failed = |reason: String| Failure::Failed(format!("{}: {reason}", path.display()));
        let file = match File::open(&path) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Profiles::default()),
            opened => opened.map_err(|error| failed(error.to_string()))?,
        };
        let mode = file.metadata().map_err(|error| failed(error.to_string()))?.mode();
        if mode & OTHERS != 0 {
            return Err(failed(
                "other users of this machine may open it. Run chmod 600 on it, and replace the keys in it.".into(),
            ));
        }
        let mut text = String::new();
        file.take(FILE_MAX).read_to_string(&mut text).map_err(|error| failed(error.to_string()))?;
        serde_json::from_str(&text)
            .map_err(|error| failed(format!("{error}. Correct it, or remove it and log in again.")))
    }

    /// Writes the profiles: whole or not at all. `random` names the file until then.
    pub(crate) fn save(&self, profiles: &Profiles, random: &[u8]) -> Result<(), Failure> {
        let text = serde_json::to_string_pretty(profiles).map_err(|error| Failure::Failed(error.to_string()))?;
        let path = self.path();
        let temporary = self.folder.join(format!("credentials-{}.tmp", hex::encode(random.get(..8).unwrap_or(random))));
        let written = DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).and_then(|()| {
            write_private(&temporary, &format!("{text}\n"))?;
            fs::rename(&temporary, &path)
        });
        written.map_err(|error| {
            // It may not exist.
            drop(fs::remove_file(&temporary));
            Failure::Failed(format!("{}: {error}", path.display()))
        })
    }
}

/// Writes a new file that its owner alone can read. Fails if there is a file.
pub(crate) fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

/// Reads a profile's name on the command line.
pub(crate) fn profile_name(text: &str) -> Result<String, String> {
    let is_name = |letter: char| letter.is_ascii_alphanumeric() || matches!(letter, '-' | '_' | '.');
    if (1..=40).contains(&text.len()) && text.chars().all(is_name) {
        Ok(text.to_owned())
    } else {
        Err("expected 1 to 40 letters, digits, -, _ or .".to_owned())
    }
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::PermissionsExt;

    use super::*;

    fn profile(server: &str) -> Profile {
        Profile {
            server: server.into(),
            id: "ag_1".into(),
            name: "Scout".into(),
            key: Some("araf_secret".into()),
            token: None,
            expires_at: None,
        }
    }

    #[test]
    fn profiles_are_read_as_they_were_written_by_their_owner_alone() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::within(&folder.path().join("deep"));
        assert_eq!(keyring.load().unwrap(), Profiles::default());
        let mut profiles = Profiles { current: Some("work".into()), ..Profiles::default() };
        profiles.set("work", profile("http://127.0.0.1:8080")).unwrap();
        for random in [[1; 32], [2; 32]] {
            keyring.save(&profiles, &random).unwrap();
            assert_eq!(keyring.load().unwrap(), profiles);
        }
        assert_eq!(fs::metadata(keyring.path()).unwrap().mode() & 0o777, 0o600);
        assert_eq!(fs::metadata(&keyring.folder).unwrap().mode() & 0o777, 0o700);
        assert_eq!(fs::read_dir(&keyring.folder).unwrap().count(), 1);
        fs::set_permissions(keyring.path(), fs::Permissions::from_mode(0o644)).unwrap();
        assert!(keyring.load().unwrap_err().to_string().contains("chmod 600"));
    }

    #[test]
    fn a_file_that_is_no_list_of_profiles_is_named() {
        let folder = tempfile::tempdir().unwrap();
        let keyring = Keyring::within(folder.path());
        fs::create_dir(&keyring.folder).unwrap();
        write_private(&keyring.path(), "{").unwrap();
        assert!(keyring.load().unwrap_err().to_string().contains("credentials.json"));
        assert!(write_private(&keyring.path(), "{}").is_err(), "a file is never replaced");
    }

    #[test]
    fn the_number_of_profiles_is_bounded() {
        let mut profiles = Profiles::default();
        for number in 0..PROFILES_MAX {
            profiles.set(&number.to_string(), profile("http://a.example")).unwrap();
        }
        profiles.set("0", profile("http://b.example")).unwrap();
        assert!(profiles.set("more", profile("http://a.example")).is_err());
    }

    #[test]
    fn names_are_short_and_plain_and_secrets_are_not_printed() {
        assert!(profile_name("work-2.eu").is_ok());
        for wrong in ["", "a/b", "é", &"x".repeat(41)] {
            assert!(profile_name(wrong).is_err(), "{wrong}");
        }
        assert!(!format!("{:?}", profile("http://a.example")).contains("araf_"));
    }
}
