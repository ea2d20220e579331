//! Signed checkpoints of the log's head. With a checkpoint, a client can prove later that no event before it was changed.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_domain::{ids::WorkspaceId, log::Hash};
use chrono::{DateTime, Utc};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::Change;
use crate::{Store, StoreError, clock::random, database::read, sealing::sha256_hex};

/// A public Ed25519 key of this server.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PublicKey {
    /// The key's id: the first 16 hex digits of the SHA-256 of `x`.
    pub id: String,
    /// 32 bytes, unpadded base64url: `x` of its JWK (RFC 8037).
    pub x: String,
}

impl PublicKey {
    /// The decoded key.
    pub(crate) fn bytes(&self) -> Option<[u8; 32]> {
        URL_SAFE_NO_PAD.decode(&self.x).ok()?.try_into().ok()
    }
}

/// The log's head, signed.
#[derive(Debug, Clone)]
pub struct Checkpoint {
    /// The last position.
    pub position: i64,
    /// Its hash, in hex.
    pub hash: String,
    /// When the last event was recorded.
    pub recorded_at: DateTime<Utc>,
    /// When this checkpoint was signed.
    pub issued_at: DateTime<Utc>,
    /// A compact JWS (RFC 7515, `EdDSA`) over `{"position":…,"hash":"…","iat":…}`.
    pub jws: String,
}

/// The payload that a checkpoint's signature covers.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize)]
pub struct SignedHead {
    /// The last position.
    pub position: i64,
    /// Its hash, in hex.
    pub hash: String,
    /// When it was signed, in seconds since the Unix epoch.
    pub iat: i64,
}

/// The payload of an export's signature: all events that a workspace had at the log's head.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct SignedTrack {
    /// The workspace.
    pub workspace_id: String,
    /// Number of the workspace's events.
    pub events: i64,
    /// Their hashes, in order, [gathered](buildtrack_domain::log::gather), in hex.
    pub digest: String,
    /// The last position of the log.
    pub position: i64,
    /// Its hash, in hex.
    pub hash: String,
    /// When it was signed, in seconds since the Unix epoch.
    pub iat: i64,
}

/// The id of the key that a checkpoint names in its header.
pub fn signed_with(jws: &str) -> Option<String> {
    #[derive(Deserialize)]
    struct Protected {
        kid: String,
    }
    let header = URL_SAFE_NO_PAD.decode(jws.split('.').next()?).ok()?;
    serde_json::from_slice::<Protected>(&header).ok().map(|header| header.kid)
}

/// A checkpoint's payload, if this key signed it.
pub fn signed_head(jws: &str, key: &PublicKey) -> Option<SignedHead> {
    signed(jws, key)
}

/// An export's payload, if this key signed it.
pub fn signed_track(jws: &str, key: &PublicKey) -> Option<SignedTrack> {
    signed(jws, key)
}

fn signed<T: DeserializeOwned>(jws: &str, key: &PublicKey) -> Option<T> {
    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
    let key = VerifyingKey::from_bytes(&key.bytes()?).ok()?;
    let (signed, signature) = jws.rsplit_once('.')?;
    let signature = Signature::from_slice(&decode(signature)?).ok()?;
    key.verify_strict(signed.as_bytes(), &signature).ok()?;
    serde_json::from_slice(&decode(signed.split_once('.')?.1)?).ok()
}

impl Store {
    /// Signs the log's current head.
    pub async fn checkpoint(&self) -> Result<Checkpoint, StoreError> {
        let (position, hash, recorded_at): (i64, Vec<u8>, DateTime<Utc>) = read!(&self.db, |pool| {
            sqlx::query_as("SELECT position, hash, recorded_at FROM log_head").fetch_one(pool).await?
        });
        let (hash, issued_at) = (hex::encode(hash), self.clock.now());
        let jws = self.sign_position(position, &hash).await?;
        Ok(Checkpoint { position, hash, recorded_at, issued_at, jws })
    }

    /// Signs that the event at `position` has this hash (in hex).
    pub(crate) async fn sign_position(&self, position: i64, hash: &str) -> Result<String, StoreError> {
        let iat = self.clock.now().timestamp();
        self.sign("checkpoint+jwt", &format!(r#"{{"position":{position},"hash":"{hash}","iat":{iat}}}"#)).await
    }

    /// Signs the claims of a JSON Web Token (RFC 7519), a JSON object. Returns a compact JWS.
    pub async fn sign_token(&self, claims: &str) -> Result<String, StoreError> {
        self.sign("JWT", claims).await
    }

    /// The claims of a token that [`Self::sign_token`] signed; `None` if another key signed it. The caller checks the times.
    pub async fn token_claims<T: DeserializeOwned>(&self, token: &str) -> Result<Option<T>, StoreError> {
        let Some(id) = signed_with(token) else { return Ok(None) };
        let keys = self.public_keys().await?;
        Ok(keys.iter().filter(|key| key.id == id).find_map(|key| signed(token, key)))
    }

    /// Signs that these are all events that a workspace had when the log ended at `head`. Returns a compact JWS over a
    /// [`SignedTrack`].
    pub async fn sign_track(
        &self,
        workspace_id: WorkspaceId,
        events: i64,
        digest: &Hash,
        head: &Checkpoint,
    ) -> Result<String, StoreError> {
        let (position, hash, iat) = (head.position, head.hash.clone(), self.clock.now().timestamp());
        let (workspace_id, digest) = (workspace_id.to_string(), hex::encode(digest));
        let track = SignedTrack { workspace_id, events, digest, position, hash, iat };
        self.sign("track+jwt", &serde_json::to_string(&track).unwrap_or_default()).await
    }

    /// Signs a text that its reader has already, and names the address of the keys in the header: the protected header and the
    /// signature of a JWS (RFC 7515), both in base64url.
    pub async fn sign_detached(&self, payload: &str, keys_url: &str) -> Result<(String, String), StoreError> {
        let (key, signing) = self.signing_key().await?;
        let header = serde_json::json!({ "alg": "EdDSA", "typ": "JOSE", "kid": key.id, "jku": keys_url });
        let header = URL_SAFE_NO_PAD.encode(header.to_string());
        let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(payload));
        Ok((header, URL_SAFE_NO_PAD.encode(signing.sign(signed.as_bytes()).to_bytes())))
    }

    async fn sign(&self, kind: &str, payload: &str) -> Result<String, StoreError> {
        let (key, signing) = self.signing_key().await?;
        let header = format!(r#"{{"alg":"EdDSA","typ":"{kind}","kid":"{}"}}"#, key.id);
        let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(payload));
        let signature = URL_SAFE_NO_PAD.encode(signing.sign(signed.as_bytes()).to_bytes());
        Ok(format!("{signed}.{signature}"))
    }

    /// The public keys of all checkpoints.
    pub async fn public_keys(&self) -> Result<Vec<PublicKey>, StoreError> {
        self.signing_key().await?;
        let keys: Vec<(String, String)> = read!(&self.db, |pool| {
            sqlx::query_as("SELECT id, public FROM signing_keys ORDER BY created_at, id").fetch_all(pool).await?
        });
        Ok(keys.into_iter().map(|(id, x)| PublicKey { id, x }).collect())
    }

    /// The server's signing key, created at its first use. If two replicas create one each, both remain published.
    pub(crate) async fn signing_key(&self) -> Result<(PublicKey, SigningKey), StoreError> {
        if let Some(known) = self.stored_signing_key().await? {
            return Ok(known);
        }
        let seed = random::<32>();
        let public = URL_SAFE_NO_PAD.encode(SigningKey::from_bytes(&seed).verifying_key().as_bytes());
        let id = sha256_hex(&public).chars().take(16).collect::<String>();
        let sealed = self.secret.seal(&hex::encode(seed))?;
        self.write_side([Change::SigningKey { id, public, secret_sealed: sealed }]).await?;
        self.stored_signing_key()
            .await?
            .ok_or_else(|| StoreError::Damaged("the signing key is missing after it was stored".into()))
    }

    async fn stored_signing_key(&self) -> Result<Option<(PublicKey, SigningKey)>, StoreError> {
        let row: Option<(String, String, String)> = read!(&self.db, |pool| {
            sqlx::query_as("SELECT id, public, secret_sealed FROM signing_keys ORDER BY created_at, id LIMIT 1")
                .fetch_optional(pool)
                .await?
        });
        let Some((id, x, sealed)) = row else { return Ok(None) };
        let seed = hex::decode(self.secret.open(&sealed)?).ok().and_then(|seed| <[u8; 32]>::try_from(seed).ok());
        let seed = seed.ok_or_else(|| StoreError::Damaged("the stored signing key does not have 32 bytes".into()))?;
        Ok(Some((PublicKey { id, x }, SigningKey::from_bytes(&seed))))
    }
}
