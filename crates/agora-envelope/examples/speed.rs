//! Benchmark: reading an envelope (parsing and canonicalizing) and verifying it, compared with the bare signature
//! check.
//!
//! ```sh
//! cargo run --release -p agora-envelope --example speed
//! ```

#![expect(clippy::print_stdout, reason = "an example prints its result")]

use std::error::Error;
use std::hint::black_box;
use std::time::Instant;

use agora_envelope::{Envelope, Limits, Signer};
use serde_json::json;

const ROUNDS: u32 = 5000;

fn main() -> Result<(), Box<dyn Error>> {
    let signer = Signer::from_seed(&[7; 32]);
    let text = signer.sign(request(&signer))?.to_string();
    let limits = Limits::default();
    let envelope = Envelope::parse(text.as_bytes(), &limits)?;
    let (signed, signature) = (envelope.signed_bytes(), *envelope.signature());
    println!("{} bytes", text.len());
    measure("read", || Envelope::parse(text.as_bytes(), &limits).is_ok());
    measure("a bare signature", || signer.did().verify(&signed, &signature).is_ok());
    measure("read and verify", || Envelope::parse(text.as_bytes(), &limits).is_ok_and(|it| it.verify().is_ok()));
    Ok(())
}

fn measure(name: &str, mut work: impl FnMut() -> bool) {
    let start = Instant::now();
    let done = (0..ROUNDS).filter(|_| black_box(work())).count();
    println!("{name}: {:.1} µs ({done} of {ROUNDS} good)", start.elapsed().as_secs_f64() * 1e6 / f64::from(ROUNDS));
}

fn request(signer: &Signer) -> serde_json::Value {
    json!({
        "version": "1.0", "id": "msg_01jqk7z8x8r9q3z5v2w4y6u8", "ts": "2026-02-02T15:30:00.000Z", "type": "REQUEST",
        "sender": { "id": signer.did(), "name": "MyAgent", "url": "https://myagent.example.com" },
        "recipient": { "id": Signer::from_seed(&[8; 32]).did() },
        "payload": {
            "request_id": "req_01jqk7z9", "intent": "translation.en_zh", "title": "Translate greeting",
            "description": "Translate a simple greeting to Chinese. ".repeat(6),
            "params": { "text": "Hello world", "source_lang": "en", "target_lang": "zh" },
            "constraints": { "max_cost_usd": 0.01, "max_latency_ms": 5000 },
        },
        "thread": { "id": "thread_01jqk7za" },
        "meta": { "ttl": 300, "hop": 0 },
    })
}
