//! Secrets at rest: values that must be read again are sealed (encrypted), values that must only be recognised are hashed.

pub(crate) mod fingerprint;

use base64::{Engine, engine::general_purpose::STANDARD};
use chacha20poly1305::{KeyInit, XChaCha20Poly1305, XNonce, aead::Aead};
use hmac::{Hmac, Mac};
use sha2::{Digest, Sha256};

use crate::{StoreError, clock::random};

/// The server's own secret, from which the keys for sealing and for keyed hashes are derived.
#[derive(Clone)]
pub struct Secret {
    sealing: [u8; 32],
    hashing: [u8; 32],
}

impl std::fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Secret(…)")
    }
}

/// What a value is authenticated for. Each purpose has a key of its own, so that a value made for one is none for another.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Purpose {
    /// The forms of a session in the portal.
    Form,
    /// The ids of OAuth clients.
    OauthClient,
    /// Challenges to the keys of DIDs.
    DidChallenge,
}

impl Purpose {
    /// The text from which the purpose's key is derived.
    fn label(self) -> &'static str {
        match self {
            Self::Form => "buildtrack form v1",
            Self::OauthClient => "buildtrack oauth client v1",
            Self::DidChallenge => "buildtrack did challenge v1",
        }
    }
}

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
        let derive = |purpose: &str| keyed(text.as_bytes(), purpose);
        Ok(Self { sealing: derive("buildtrack sealing v1"), hashing: derive("buildtrack keyed hash v1") })
    }

    /// Generates a new secret: 64 characters of hex.
    pub fn generate() -> String {
        hex::encode(random::<32>())
    }

    /// Encrypts (XChaCha20-Poly1305, random nonce) into base64.
    pub fn seal(&self, text: &str) -> Result<String, StoreError> {
        let nonce: [u8; 24] = random();
        let sealed = self.cipher().encrypt(&XNonce::from(nonce), text.as_bytes());
        let sealed = sealed.map_err(|_| StoreError::Damaged("a value could not be encrypted".into()))?;
        Ok(STANDARD.encode([&nonce[..], &sealed].concat()))
    }

    /// Decrypts a value from [`Self::seal`].
    pub fn open(&self, sealed: &str) -> Result<String, StoreError> {
        let open = || {
            let bytes = STANDARD.decode(sealed).ok()?;
            let (nonce, sealed) = bytes.split_first_chunk::<24>()?;
            let text = self.cipher().decrypt(&XNonce::from(*nonce), sealed).ok()?;
            String::from_utf8(text).ok()
        };
        open().ok_or_else(|| StoreError::Damaged("a stored value was sealed with another BUILDTRACK_SECRET".into()))
    }

    /// A hash that only this server can compute, in hex. It identifies an e-mail address or another stored value without revealing
    /// it. What callers present is authenticated by [`Self::mac`].
    pub fn keyed_hash(&self, text: &str) -> String {
        hex::encode(keyed(&self.hashing, text))
    }

    /// Authenticates a text for one purpose, in hex.
    pub fn mac(&self, purpose: Purpose, text: &str) -> String {
        hex::encode(keyed(&keyed(&self.hashing, purpose.label()), text))
    }

    fn cipher(&self) -> XChaCha20Poly1305 {
        XChaCha20Poly1305::new(&self.sealing.into())
    }
}

pub(crate) fn keyed(key: &[u8], text: &str) -> [u8; 32] {
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

    #[test]
    fn a_sealed_value_opens_only_with_the_secret_that_sealed_it() {
        let secret = Secret::new(&Secret::generate()).unwrap();
        let sealed = secret.seal("whsec_é").unwrap();
        assert_ne!(sealed, secret.seal("whsec_é").unwrap());
        assert_eq!(secret.open(&sealed).unwrap(), "whsec_é");
        assert!(Secret::new(&Secret::generate()).unwrap().open(&sealed).is_err());
        assert!(secret.open("AAAA").is_err());
    }

    #[test]
    fn a_value_for_one_purpose_is_none_for_another() {
        let secret = Secret::new(&Secret::generate()).unwrap();
        let macs = [Purpose::Form, Purpose::OauthClient, Purpose::DidChallenge].map(|purpose| secret.mac(purpose, "a"));
        let [form, client, challenge] = &macs;
        assert!(form != client && client != challenge && challenge != form);
        assert!(!macs.contains(&secret.keyed_hash("a")));
        assert_eq!(*form, secret.mac(Purpose::Form, "a"));
    }

    #[test]
    fn a_short_secret_is_refused() {
        assert!(Secret::new("0123456789012345678901234567890 ").is_err());
    }
}
