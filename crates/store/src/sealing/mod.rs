//! Secrets at rest: values that must be read again are sealed (encrypted), values that must only be recognised are hashed.

pub(crate) mod fingerprint;
mod purposes;

use base64::{Engine, engine::general_purpose::STANDARD};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce, aead::Aead};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

use crate::{StoreError, clock::random};

pub use purposes::Purpose;

/// The server's own secret, from which a key for each [`Purpose`] is derived.
#[derive(Clone)]
pub struct Secret {
    /// From which the keys of all purposes are expanded.
    root: [u8; 32],
    /// The key of e-mail addresses' hashes, which name streams of the log and can never change. Earlier versions hashed other values
    /// with it, too.
    hashing: [u8; 32],
    /// The one key with which earlier versions sealed everything. It opens what they stored.
    sealing: [u8; 32],
    /// Whether what they stored has been sealed anew, so that only values that expire may still be theirs.
    is_resealed: bool,
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// What sealed values begin with. Those of earlier versions are base64 alone, which has no full stop.
pub(crate) const SEALED: &str = "2.";

/// A secret that is too short.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("the secret must have at least 32 characters, such as `openssl rand -hex 32` prints")]
pub struct WeakSecret;

impl Secret {
    /// Derives the keys from a text of at least 32 characters.
    pub fn new(text: &str) -> Result<Self, WeakSecret> {
        let text = text.trim();
        if text.chars().count() < 32 {
            return Err(WeakSecret);
        }
        let derive = |label: &str| keyed(text.as_bytes(), label);
        let (hashing, sealing) = (derive("buildtrack keyed hash v1"), derive("buildtrack sealing v1"));
        Ok(Self { root: purposes::extract(text.as_bytes()), hashing, sealing, is_resealed: false })
    }

    /// The same secret, for a database in which the values of earlier versions have been sealed anew, or not yet.
    pub(crate) fn resealed(self, is_resealed: bool) -> Self {
        Self { is_resealed, ..self }
    }

    /// Generates a new secret: 64 characters of hex.
    pub fn generate() -> String {
        hex::encode(random::<32>())
    }

    /// Encrypts (XChaCha20-Poly1305, random nonce) into base64 after a `2.`.
    pub fn seal(&self, purpose: Purpose, text: &str) -> Result<String, StoreError> {
        let nonce: [u8; 24] = random();
        let sealed = cipher(&purpose.key(self)).encrypt(&XNonce::from(nonce), text.as_bytes());
        let sealed = sealed.map_err(|_| StoreError::Damaged("a value could not be encrypted".into()))?;
        Ok(format!("{SEALED}{}", STANDARD.encode([&nonce[..], &sealed].concat())))
    }

    /// Decrypts a value from [`Self::seal`] with the same purpose, or from an earlier version as long as the database may hold one. The
    /// earlier key had no purpose, so one who can write to the database could put a value in the place of another.
    pub fn open(&self, purpose: Purpose, sealed: &str) -> Result<String, StoreError> {
        let open = || {
            let (key, sealed) = match sealed.strip_prefix(SEALED) {
                Some(sealed) => (purpose.key(self), sealed),
                None if self.is_resealed && !purpose.expires() => return None,
                None => (self.sealing, sealed),
            };
            let bytes = STANDARD.decode(sealed).ok()?;
            let (nonce, sealed) = bytes.split_first_chunk::<24>()?;
            let text = cipher(&key).decrypt(&XNonce::from(*nonce), sealed).ok()?;
            String::from_utf8(text).ok()
        };
        open().ok_or_else(|| StoreError::Damaged("a stored value was sealed with another BUILDTRACK_SECRET".into()))
    }

    /// The hash of an e-mail address, in hex, which only this server can compute. It identifies the address without revealing it.
    pub fn keyed_hash(&self, email: &str) -> String {
        hex::encode(keyed(&self.hashing, email))
    }

    /// Hashes or authenticates a text for one purpose, in hex. Only this server can compute it.
    pub fn mac(&self, purpose: Purpose, text: &str) -> String {
        hex::encode(keyed(&purpose.key(self), text))
    }

    /// What earlier versions made for the same purpose and text, while it may still be stored or used. Otherwise as [`Self::mac`].
    pub fn earlier_mac(&self, purpose: Purpose, text: &str) -> String {
        purpose.earlier_hash(self, text).map_or_else(|| self.mac(purpose, text), hex::encode)
    }
}

fn cipher(key: &[u8; 32]) -> XChaCha20Poly1305 {
    XChaCha20Poly1305::new(&(*key).into())
}

/// HMAC-SHA256.
pub(crate) fn keyed(key: &[u8], text: impl AsRef<[u8]>) -> [u8; 32] {
    // HMAC takes keys of any length.
    Hmac::<Sha256>::new_from_slice(key)
        .map(|mac| mac.chain_update(text).finalize().into_bytes().into())
        .unwrap_or_default()
}

/// SHA-256 in hex, in which keys and tokens of 160 random bits and more are stored.
pub fn sha256_hex(bytes: impl AsRef<[u8]>) -> String {
    hex::encode(Sha256::digest(bytes))
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "a secret of the tests with 32 characters";

    #[test]
    fn a_sealed_value_opens_only_with_the_secret_and_the_purpose_that_sealed_it() {
        let secret = Secret::new(&Secret::generate()).unwrap();
        let sealed = secret.seal(Purpose::WebhookSecret, "whsec_é").unwrap();
        assert_ne!(sealed, secret.seal(Purpose::WebhookSecret, "whsec_é").unwrap());
        for purpose in Purpose::ALL {
            let opened = secret.open(purpose, &sealed).ok();
            assert_eq!(opened.as_deref(), (purpose == Purpose::WebhookSecret).then_some("whsec_é"), "{purpose:?}");
        }
        assert!(Secret::new(&Secret::generate()).unwrap().open(Purpose::WebhookSecret, &sealed).is_err());
        for damaged in ["AAAA", "2.AAAA", "2.", "", &sealed[2..]] {
            assert!(secret.open(Purpose::WebhookSecret, damaged).is_err(), "{damaged}");
        }
    }

    /// Values that a version before the purposes made with this secret.
    #[test]
    fn values_of_earlier_versions_are_still_known() {
        let secret = Secret::new(SECRET).unwrap();
        let nonce = [7; 24];
        let key = keyed(SECRET.as_bytes(), "buildtrack sealing v1");
        let sealed = cipher(&key).encrypt(&XNonce::from(nonce), &b"whsec_1"[..]).unwrap();
        let sealed = STANDARD.encode([&nonce[..], &sealed].concat());
        assert_eq!(secret.open(Purpose::WebhookSecret, &sealed).unwrap(), "whsec_1");
        let resealed = secret.clone().resealed(true);
        let still = Purpose::ALL.into_iter().filter(|purpose| resealed.open(*purpose, &sealed).is_ok());
        assert_eq!(still.collect::<Vec<_>>(), [Purpose::Mail, Purpose::MailToken, Purpose::TaskPush]);
        let hashing = keyed(SECRET.as_bytes(), "buildtrack keyed hash v1");
        let hashed = |text: &str| hex::encode(keyed(&hashing, text));
        assert_eq!(secret.keyed_hash("ada@example.org"), hashed("ada@example.org"));
        assert_eq!(secret.earlier_mac(Purpose::InviteCode, "code"), hashed("code"));
        let client = keyed(&hashing, "buildtrack oauth client v1");
        assert_eq!(secret.earlier_mac(Purpose::OauthClient, "a"), hex::encode(keyed(&client, "a")));
        assert_eq!(secret.earlier_mac(Purpose::Form, "a"), secret.mac(Purpose::Form, "a"));
    }

    #[test]
    fn a_value_for_one_purpose_is_none_for_another() {
        let secret = Secret::new(SECRET).unwrap();
        let macs: std::collections::BTreeSet<_> = Purpose::ALL.map(|purpose| secret.mac(purpose, "a")).into();
        assert_eq!((macs.len(), macs.contains(&secret.keyed_hash("a"))), (Purpose::ALL.len(), false));
        assert_eq!(secret.mac(Purpose::Form, "a"), Secret::new(SECRET).unwrap().mac(Purpose::Form, "a"));
    }

    #[test]
    fn a_short_secret_is_refused() {
        assert!(Secret::new("0123456789012345678901234567890 ").is_err());
    }
}
