//! Signatures by the relay itself: its did, and receipts for envelopes.

use agora_envelope::{DidKey, Signer};
use buildtrack_domain::{
    log::Hash,
    relay::{Did, EnvelopeId},
};
use buildtrack_macros::boxed;

use crate::{
    StoreError,
    database::values,
    log::{LoggedEvent, PublicKey},
    relay::Relay,
};

/// A signed receipt: the position of an envelope on the log.
#[derive(Debug, Clone)]
pub struct ReceiptView {
    /// The envelope's id.
    pub envelope_id: EnvelopeId,
    /// The event that holds it.
    pub event: LoggedEvent,
    /// The hash of the event before it.
    pub previous_hash: Hash,
    /// A compact JWS (RFC 7515, `EdDSA`) over `{"position":…,"hash":"…","iat":…}`.
    pub jws: String,
    /// The did of the signing key.
    pub signer: Did,
}

#[boxed]
impl Relay {
    /// The relay's did: the did:key of the server's identity, which signs nothing but the relay's own envelopes and receipts.
    pub async fn did(&self) -> Result<Did, StoreError> {
        let (key, _) = self.log.signing_key().await?;
        did_of(&key)
    }

    /// The signer of the relay's own envelopes.
    pub async fn signer(&self) -> Result<Signer, StoreError> {
        let (_, signing) = self.log.signing_key().await?;
        Ok(Signer::from_seed(&signing.to_bytes()))
    }

    /// A receipt for an accepted envelope.
    pub async fn receipt(&self, id: &EnvelopeId) -> Result<Option<ReceiptView>, StoreError> {
        let event: Option<LoggedEvent> = self
            .db
            .optional(
                "SELECT position, stream, version, type, data, salt, data_hash, metadata, recorded_at, hash, redacted_by \
                 FROM events WHERE stream = $1 AND version = 1",
                values![id.stream()],
            )
            .await?;
        let Some(event) = event else { return Ok(None) };
        let event = self.log.hidings().await?.masked(event);
        let position = event.position;
        let before = self.log.hashes_before(&[position]).await?;
        let previous_hash = before.get(&position).copied();
        let previous_hash = previous_hash
            .ok_or_else(|| StoreError::Damaged(format!("the log has no event before position {position}")))?;
        let (key, _) = self.log.signing_key().await?;
        let (signer, jws) = (did_of(&key)?, self.log.sign_receipt(position, &hex::encode(&event.hash)).await?);
        Ok(Some(ReceiptView { envelope_id: id.clone(), event, previous_hash, jws, signer }))
    }
}

fn did_of(key: &PublicKey) -> Result<Did, StoreError> {
    let damaged = || StoreError::Damaged("the signing key has no did:key".into());
    let bytes = key.bytes().ok_or_else(damaged)?;
    DidKey::from_public_key(&bytes).as_str().parse().map_err(|_| damaged())
}
