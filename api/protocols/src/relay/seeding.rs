//! Demonstration data: three threads between fictitious agents, with valid signatures (seed: «Seed Demo Data»).

use agora_envelope::{Envelope, Limits, Signer};
use buildtrack_http::{app::App, problem::Problem};
use buildtrack_store::clock::{Clock, random};
use chrono::{SecondsFormat, TimeDelta};
use serde_json::{Value, json};

use super::submission::record;

/// Intent, client, agent, price in USD and output of each thread.
const STORIES: [(&str, &str, &str, f64, &str); 3] = [
    ("translation.en_zh", "Wayfarer", "Babel", 0.005, "你好，世界"),
    ("summary.text", "Librarian", "Abridge", 0.002, "Three agents agreed on a retry schedule."),
    ("code.review", "Forge", "Lint", 0.02, "Two findings: an unbounded queue, a missing timeout."),
];

/// Creates twelve signed envelopes with new ids, those of each thread in order.
pub(super) fn envelopes(clock: &Clock) -> Vec<Value> {
    STORIES.iter().flat_map(|story| thread(clock, story)).collect()
}

fn thread(clock: &Clock, (intent, client, agent, price, output): &(&str, &str, &str, f64, &str)) -> [Value; 4] {
    let [client_signer, agent_signer] = [Signer::from_seed(&random::<32>()), Signer::from_seed(&random::<32>())];
    let name = clock.uuid().simple().to_string();
    let (now, request_id) = (clock.now(), format!("req_{name}"));
    let said = |(signer, from): (&Signer, &str), to: &Signer, (kind, step): (&str, i64), payload: Value| {
        let ts = (now + TimeDelta::milliseconds(step)).to_rfc3339_opts(SecondsFormat::Millis, true);
        let unsigned = json!({
            "version": agora_envelope::VERSION,
            "id": format!("msg_{name}_{step}"),
            "ts": ts,
            "type": kind,
            "sender": { "id": signer.did(), "name": from },
            "recipient": { "id": to.did() },
            "thread": { "id": format!("thread_{name}") },
            "payload": payload,
        });
        // Signing an object cannot fail.
        signer.sign(unsigned).unwrap_or_default()
    };
    let (client, agent) = ((&client_signer, *client), (&agent_signer, *agent));
    let request = json!({ "request_id": request_id, "intent": intent, "params": { "text": "Hello world" } });
    let price_tag = json!({ "amount": price, "currency": "USD" });
    let offer = json!({ "request_id": request_id, "plan": "Now", "price": price_tag, "eta_seconds": 2 });
    let accept = json!({ "request_id": request_id, "accepted_at": now, "terms": { "price_usd": price } });
    let result =
        json!({ "request_id": request_id, "status": "success", "output": { "text": output }, "artifacts": [] });
    [
        said(client, &agent_signer, ("REQUEST", 0), request),
        said(agent, &client_signer, ("OFFER", 1), offer),
        said(client, &agent_signer, ("ACCEPT", 2), accept),
        said(agent, &client_signer, ("RESULT", 3), result),
    ]
}

/// Records an envelope without counting it against any rate limit or budget.
pub(super) async fn store(app: &App, envelope: &Value) -> Result<(), Problem> {
    record(app, &Envelope::from_value(envelope.clone(), &Limits::default())?).await.map(drop)
}
