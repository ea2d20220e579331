//! What the relay itself signs.

use agora_envelope::{DidKey, Signer};
use buildtrack_domain::{
    log::Hash,
    relay::{Did, EnvelopeId},
};

use crate::{
    Store, StoreError,
    db::read,
    log::{LoggedEvent, PublicKey},
};

/// Where an envelope is on the log, signed.
#[derive(Debug, Clone)]
pub struct ReceiptView {
    /// The envelope.
    pub envelope_id: EnvelopeId,
    /// The event that it is in.
    pub event: LoggedEvent,
    /// The hash of the event before it.
    pub previous_hash: Hash,
    /// A compact JWS (RFC 7515, `EdDSA`) over `{"position":…,"hash":"…","iat":…}`.
    pub jws: String,
    /// Who has signed it.
    pub signer: Did,
}

impl Store {
    /// Who the relay is: the did:key of the key that checkpoints are signed with.
    pub async fn relay_did(&self) -> Result<Did, StoreError> {
        let (key, _) = self.signing_key().await?;
        did_of(&key)
    }

    /// Signs what the relay itself says.
    pub async fn relay_signer(&self) -> Result<Signer, StoreError> {
        let (_, signing) = self.signing_key().await?;
        Ok(Signer::from_seed(&signing.to_bytes()))
    }

    /// A receipt for an envelope that was accepted.
    pub async fn receipt(&self, id: &EnvelopeId) -> Result<Option<ReceiptView>, StoreError> {
        let event: Option<LoggedEvent> = read!(&self.db, |pool| {
            sqlx::query_as(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by \
                 FROM events WHERE stream = $1 AND version = 1",
            )
            .bind(id.stream())
            .fetch_optional(pool)
            .await?
        });
        let Some(event) = event else { return Ok(None) };
        let event = self.hidings().await?.masked(event);
        let position = event.position;
        let before = self.hashes_before(&[position]).await?;
        let previous_hash = before.get(&position).copied();
        let previous_hash =
            previous_hash.ok_or_else(|| StoreError::Damaged(format!("nothing is before {position}")))?;
        let (key, _) = self.signing_key().await?;
        let (signer, jws) = (did_of(&key)?, self.sign_position(position, &hex::encode(&event.hash)).await?);
        Ok(Some(ReceiptView { envelope_id: id.clone(), event, previous_hash, jws, signer }))
    }
}

fn did_of(key: &PublicKey) -> Result<Did, StoreError> {
    let damaged = || StoreError::Damaged("the signing key has no did:key".into());
    let bytes = key.bytes().ok_or_else(damaged)?;
    DidKey::from_public_key(&bytes).as_str().parse().map_err(|_| damaged())
}
