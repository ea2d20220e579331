//! Signed checkpoints of the log's head. With a checkpoint, a client can prove later that no event before it was changed.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_domain::{ids::WorkspaceId, log::Hash};
use buildtrack_macros::boxed;
use chrono::{DateTime, Utc};
use ed25519_dalek::{Signature, Signer, SigningKey, VerifyingKey};
use serde::{Deserialize, Serialize, de::DeserializeOwned};

use super::{Change, Log};
use crate::{
    StoreError,
    clock::random,
    sealing::{Purpose, keyed, sha256_hex},
};

/// The types of what the server signs, in the header `typ`.
const CHECKPOINT: &str = "checkpoint+jwt";
const TRACK: &str = "track+jwt";
const RECEIPT: &str = "receipt+jwt";
const TOKEN: &str = "JWT";

/// What a key is used for beside the relay, which signs with the server's identity itself.
#[derive(Debug, Clone, Copy)]
enum Use {
    /// Checkpoints of the log.
    Checkpoints,
    /// Exports of workspaces.
    Exports,
    /// JSON Web Tokens.
    Tokens,
    /// Signatures of documents that their readers have, such as agent cards.
    Documents,
}

impl Use {
    /// The text from which the key is derived.
    fn label(self) -> &'static str {
        match self {
            Self::Checkpoints => "buildtrack signing of checkpoints v1",
            Self::Exports => "buildtrack signing of exports v1",
            Self::Tokens => "buildtrack signing of tokens v1",
            Self::Documents => "buildtrack signing of documents v1",
        }
    }
}

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

/// The id of the key with this `x`.
fn id_of(x: &str) -> String {
    sha256_hex(x).chars().take(16).collect()
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
    signed(jws, key, CHECKPOINT)
}

/// An export's payload, if this key signed it.
pub fn signed_track(jws: &str, key: &PublicKey) -> Option<SignedTrack> {
    signed(jws, key, TRACK)
}

/// The payload of a compact JWS of this type, if this key signed it (RFC 8725, section 3.11: a token of another type is none).
fn signed<T: DeserializeOwned>(jws: &str, key: &PublicKey, kind: &str) -> Option<T> {
    #[derive(Deserialize)]
    struct Protected {
        alg: String,
        typ: String,
    }

    let decode = |part: &str| URL_SAFE_NO_PAD.decode(part).ok();
    let key = VerifyingKey::from_bytes(&key.bytes()?).ok()?;
    let (signed, signature) = jws.rsplit_once('.')?;
    let signature = Signature::from_slice(&decode(signature)?).ok()?;
    key.verify_strict(signed.as_bytes(), &signature).ok()?;
    let (header, payload) = signed.split_once('.')?;
    let header: Protected = serde_json::from_slice(&decode(header)?).ok()?;
    if header.alg != "EdDSA" || header.typ != kind {
        return None;
    }
    serde_json::from_slice(&decode(payload)?).ok()
}

/// Signs a payload as a compact JWS of a type.
fn sign((key, signing): (PublicKey, SigningKey), kind: &str, payload: &str) -> String {
    let header = format!(r#"{{"alg":"EdDSA","typ":"{kind}","kid":"{}"}}"#, key.id);
    let signed = format!("{}.{}", URL_SAFE_NO_PAD.encode(header), URL_SAFE_NO_PAD.encode(payload));
    let signature = URL_SAFE_NO_PAD.encode(signing.sign(signed.as_bytes()).to_bytes());
    format!("{signed}.{signature}")
}

#[boxed]
impl Log {
    /// Signs the log's current head.
    pub async fn checkpoint(&self) -> Result<Checkpoint, StoreError> {
        let (position, hash, recorded_at): (i64, Vec<u8>, DateTime<Utc>) =
            self.db.one("SELECT position, hash, recorded_at FROM log_head", &[]).await?;
        let (hash, issued_at) = (hex::encode(hash), self.clock.now());
        let jws = sign(self.derived_key(Use::Checkpoints).await?, CHECKPOINT, &self.position_claims(position, &hash));
        Ok(Checkpoint { position, hash, recorded_at, issued_at, jws })
    }

    /// Signs for the relay that the event at `position` has this hash (in hex).
    pub(crate) async fn sign_receipt(&self, position: i64, hash: &str) -> Result<String, StoreError> {
        Ok(sign(self.signing_key().await?, RECEIPT, &self.position_claims(position, hash)))
    }

    fn position_claims(&self, position: i64, hash: &str) -> String {
        format!(r#"{{"position":{position},"hash":"{hash}","iat":{}}}"#, self.clock.now().timestamp())
    }

    /// Signs the claims of a JSON Web Token (RFC 7519), a JSON object. Returns a compact JWS.
    pub async fn sign_token(&self, claims: &str) -> Result<String, StoreError> {
        Ok(sign(self.derived_key(Use::Tokens).await?, TOKEN, claims))
    }

    /// The claims of a token that [`Self::sign_token`] signed; `None` if another key signed it. The caller checks the times.
    pub async fn token_claims<T: DeserializeOwned>(&self, token: &str) -> Result<Option<T>, StoreError> {
        let Some(id) = signed_with(token) else { return Ok(None) };
        let (key, _) = self.derived_key(Use::Tokens).await?;
        Ok(Some(key).filter(|key| key.id == id).and_then(|key| signed(token, &key, TOKEN)))
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
        Ok(sign(self.derived_key(Use::Exports).await?, TRACK, &serde_json::to_string(&track).unwrap_or_default()))
    }

    /// Signs a text that its reader has already, and names the address of the keys in the header: the protected header and the
    /// signature of a JWS (RFC 7515), both in base64url.
    pub async fn sign_detached(&self, payload: &str, keys_url: &str) -> Result<(String, String), StoreError> {
        let (key, signing) = self.derived_key(Use::Documents).await?;
        let header = serde_json::json!({ "alg": "EdDSA", "typ": "JOSE", "kid": key.id, "jku": keys_url });
        let header = URL_SAFE_NO_PAD.encode(header.to_string());
        let signed = format!("{header}.{}", URL_SAFE_NO_PAD.encode(payload));
        Ok((header, URL_SAFE_NO_PAD.encode(signing.sign(signed.as_bytes()).to_bytes())))
    }

    /// Every public key that this server signs with: [`Self::public_keys`], and those for tokens and documents.
    pub async fn published_keys(&self) -> Result<Vec<PublicKey>, StoreError> {
        let mut keys = self.public_keys().await?;
        for derived in [Use::Tokens, Use::Documents] {
            keys.push(self.derived_key(derived).await?.0);
        }
        Ok(keys)
    }

    /// A key for one use, derived from the server's identity.
    async fn derived_key(&self, derived: Use) -> Result<(PublicKey, SigningKey), StoreError> {
        let (_, log) = self.signing_key().await?;
        let signing = SigningKey::from_bytes(&keyed(log.as_bytes(), derived.label()));
        let x = URL_SAFE_NO_PAD.encode(signing.verifying_key().as_bytes());
        Ok((PublicKey { id: id_of(&x), x }, signing))
    }

    /// The public keys of the log: the server's identity, which signs for the relay and signed every checkpoint and export of earlier
    /// versions, then the key of checkpoints, then that of exports.
    pub async fn public_keys(&self) -> Result<Vec<PublicKey>, StoreError> {
        let mut keys = self.identities().await?;
        for derived in [Use::Checkpoints, Use::Exports] {
            keys.push(self.derived_key(derived).await?.0);
        }
        Ok(keys)
    }

    async fn identities(&self) -> Result<Vec<PublicKey>, StoreError> {
        self.signing_key().await?;
        let keys: Vec<(String, String)> =
            self.db.all("SELECT id, public FROM signing_keys ORDER BY created_at, id", &[]).await?;
        Ok(keys.into_iter().map(|(id, x)| PublicKey { id, x }).collect())
    }

    /// The server's identity, created at its first use. If two replicas create one each, both remain published.
    pub(crate) async fn signing_key(&self) -> Result<(PublicKey, SigningKey), StoreError> {
        if let Some(known) = self.stored_signing_key().await? {
            return Ok(known);
        }
        let seed = random::<32>();
        let public = URL_SAFE_NO_PAD.encode(SigningKey::from_bytes(&seed).verifying_key().as_bytes());
        let id = id_of(&public);
        let sealed = self.secret.seal(Purpose::SigningKey, &hex::encode(seed))?;
        self.write_side([Change::SigningKey { id, public, secret_sealed: sealed }]).await?;
        self.stored_signing_key()
            .await?
            .ok_or_else(|| StoreError::Damaged("the signing key is missing after it was stored".into()))
    }

    async fn stored_signing_key(&self) -> Result<Option<(PublicKey, SigningKey)>, StoreError> {
        let row: Option<(String, String, String)> = self
            .db
            .optional("SELECT id, public, secret_sealed FROM signing_keys ORDER BY created_at, id LIMIT 1", &[])
            .await?;
        let Some((id, x, sealed)) = row else { return Ok(None) };
        let seed = hex::decode(self.secret.open(Purpose::SigningKey, &sealed)?)
            .ok()
            .and_then(|seed| <[u8; 32]>::try_from(seed).ok());
        let seed = seed.ok_or_else(|| StoreError::Damaged("the stored signing key does not have 32 bytes".into()))?;
        Ok(Some((PublicKey { id, x }, SigningKey::from_bytes(&seed))))
    }
}
