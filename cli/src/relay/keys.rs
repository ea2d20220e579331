//! Private keys of the relay: files that their owner alone can read.

use std::{
    fs::File,
    io::Read,
    os::unix::fs::MetadataExt,
    path::{Path, PathBuf},
};

use agora_envelope::Signer;
use clap::Args;
use serde_json::json;

use crate::{
    client::{Client, Options},
    failure::Failure,
    profiles::write_private,
};

/// The environment variable with a private key, as 64 hexadecimal digits.
const SEED: &str = "AGORA_SEED";
/// The bytes of a key's file that are read.
const KEY_MAX: u64 = 1000;

/// Makes a key, writes it to a new file, and prints its did.
#[derive(Debug, Args)]
pub struct Keygen {
    /// The new file
    file: PathBuf,
    #[command(flatten)]
    options: Options,
}

/// The private key of a command.
#[derive(Debug, Args)]
pub(super) struct Key {
    /// The file of the key [default: the key in the environment variable `AGORA_SEED`]
    #[arg(long, value_name = "FILE")]
    key: Option<PathBuf>,
}

impl Keygen {
    pub(super) fn options(&self) -> &Options {
        &self.options
    }

    pub(super) fn run(&self, client: &Client<'_>) -> Result<(), Failure> {
        let seed = (client.surroundings.random)();
        let path = self.file.display();
        write_private(&self.file, &format!("{}\n", hex::encode(seed)))
            .map_err(|error| Failure::Failed(format!("{path}: {error}")))?;
        let did = Signer::from_seed(&seed).did().to_string();
        client.output.show(&json!({ "did": did, "file": self.file.display().to_string() }), || did.clone())
    }
}

impl Key {
    pub(super) fn signer(&self) -> Result<Signer, Failure> {
        let (named, text) = match &self.key {
            Some(path) => (path.display().to_string(), read_key(path)?),
            None => (
                SEED.to_owned(),
                std::env::var(SEED).map_err(|_| Failure::Usage(format!("Name a key: --key FILE, or {SEED}.")))?,
            ),
        };
        let seed = hex::decode(text.trim()).ok().and_then(|bytes| <[u8; 32]>::try_from(bytes).ok());
        let seed = seed.ok_or_else(|| Failure::Failed(format!("{named} is not a key of 64 hexadecimal digits.")))?;
        Ok(Signer::from_seed(&seed))
    }
}

/// Reads the file of a key, which no other user may open.
fn read_key(path: &Path) -> Result<String, Failure> {
    let failed = |reason: String| Failure::Failed(format!("{}: {reason}", path.display()));
    let file = File::open(path).map_err(|error| failed(error.to_string()))?;
    if file.metadata().map_err(|error| failed(error.to_string()))?.mode() & 0o077 != 0 {
        return Err(failed("other users of this machine may open the key. Run chmod 600 on it.".to_owned()));
    }
    let mut text = String::new();
    file.take(KEY_MAX).read_to_string(&mut text).map_err(|error| failed(error.to_string()))?;
    Ok(text)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_that_others_may_open_is_refused() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("key");
        write_private(&path, &format!("{}\n", "07".repeat(32))).unwrap();
        let key = Key { key: Some(path.clone()) };
        assert_eq!(key.signer().unwrap().did(), Signer::from_seed(&[7; 32]).did());
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o644)).unwrap();
        assert!(key.signer().unwrap_err().to_string().contains("chmod 600"));
    }
}
