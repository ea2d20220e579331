//! Signs an envelope with `curl` and without an SDK: reads a JSON object, sets `sender.id` if it is missing, and writes
//! the object with its `sig`.
//!
//! ```sh
//! export AGORA_SEED=$(openssl rand -hex 32)      # the private key; keep it
//! cargo run -q -p agora-envelope --example sign -- did
//! cargo run -q -p agora-envelope --example sign <envelope.json | curl -d @- -H 'Content-Type: application/json' …/events
//! ```

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::io::Read;

use agora_envelope::{Limits, Signer, json::parse_strict};
use serde_json::json;

fn main() -> Result<(), Box<dyn Error>> {
    let seed = std::env::var("AGORA_SEED").map_err(|_| "AGORA_SEED is not set: 64 characters of hex")?;
    let seed = hex::decode(seed.trim())?.try_into().map_err(|_| "AGORA_SEED does not have 64 characters")?;
    let signer = Signer::from_seed(&seed);
    if std::env::args().nth(1).as_deref() == Some("did") {
        println!("{}", signer.did());
        return Ok(());
    }
    let mut text = Vec::new();
    std::io::stdin().read_to_end(&mut text)?;
    let mut envelope = parse_strict(&text, &Limits::default())?;
    let members = envelope.as_object_mut().ok_or("the input is not a JSON object")?;
    let sender = members.entry("sender").or_insert_with(|| json!({}));
    if let Some(sender) = sender.as_object_mut() {
        sender.entry("id").or_insert_with(|| json!(signer.did()));
    }
    println!("{}", signer.sign(envelope)?);
    Ok(())
}
