//! Acceptance of signed declarations: verification, rate limits, validation, recording.

use actix_web::{HttpRequest, http::StatusCode};
use buildtrack_domain::{
    decide::Command,
    relay::directory::{Availability, Declaration, Declare, Entry},
};
use buildtrack_http::{app::App, guard::state_of, problem::Problem};
use buildtrack_store::{NewPresence, RelayChange};
use serde_json::Value;

use super::{
    signed::{Form, Signed, read, verify},
    validation,
};

use crate::relay::{
    Relay,
    allowance::admit_sender,
    budgets::{spend_bytes, spend_registration},
};

/// The form of registrations.
const REGISTRATION: Form = Form { signer: "/agent/id", unsigned };

/// Parses and verifies the signed object of a counted request, and counts it against its signer.
pub(super) async fn admit(app: &App, request: &HttpRequest, bytes: &[u8], form: &Form) -> Result<Signed, Problem> {
    let signed = verify(read(bytes)?, form)?;
    let quota = state_of::<Relay>(request).senders.quota_of(app, signed.did.as_str()).await?;
    admit_sender(app, signed.did.as_str(), quota).await?;
    drop(spend_bytes(app, request, signed.did.as_str(), bytes.len())?);
    Ok(signed)
}

/// Accepts a registration; true if the same one was already accepted.
pub(super) async fn register(app: &App, request: &HttpRequest, bytes: &[u8]) -> Result<(Signed, bool), Problem> {
    let signed = admit(app, request, bytes, &REGISTRATION).await?;
    validation::check(&signed.value)?;
    if app.store.relay().party(&signed.did).await?.is_none() {
        drop(spend_registration(app, request)?);
    }
    let status = signed.value.get("status").and_then(Value::as_str).and_then(|status| status.parse().ok());
    let known = declare(app, &signed, Declaration::Registration, status.unwrap_or(Availability::Online)).await?;
    Ok((signed, known))
}

/// Records the declaration and the agent's presence; true if it was already recorded.
pub(super) async fn declare(
    app: &App,
    signed: &Signed,
    declaration: Declaration,
    availability: Availability,
) -> Result<bool, Problem> {
    let stream = signed.did.directory_stream();
    let done = app
        .store
        .log()
        .transact::<_, Problem>(None, async |unit| {
            let entry = unit.load::<Entry>(&stream).await?;
            let (did, signed_at, text) = (signed.did.clone(), signed.at, signed.text.clone());
            let now = app.store.log().clock().now();
            let events = Declare { did: did.clone(), declaration, signed_at, text, now }.decide(&entry.state)?;
            let known = events.is_empty();
            if !known {
                unit.write_side(RelayChange::Seen(Box::new(NewPresence { did, availability, signed_at })));
            }
            unit.append(&stream, &entry, events);
            Ok(known)
        })
        .await?;
    Ok(done.value)
}

fn unsigned() -> Problem {
    let detail = "The registration is not signed, so its sender cannot be verified.";
    let hint = "Add \"ts\" (the current time, RFC 3339), then \"sig\": the Ed25519 signature, by the key of agent.id, of the \
                RFC 8785 (JCS) form of the whole body without \"sig\"; base64url, unpadded.";
    Problem::new(StatusCode::FORBIDDEN, "registration_unsigned", detail, hint)
}
