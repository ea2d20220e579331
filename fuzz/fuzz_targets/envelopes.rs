//! Fuzz target: envelopes, alone, wrapped or in a batch. Any bytes are parsed or refused, and an envelope has one canonical
//! form.

#![no_main]

use agora_envelope::{Envelope, Limits};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let limits = Limits::default();
    let single = [Envelope::parse(bytes, &limits), Envelope::parse_wrapped(bytes, &limits)];
    let batch = Envelope::parse_batch(bytes, &limits, 64).into_iter().flatten();
    for envelope in single.into_iter().chain(batch).flatten() {
        let canonical = envelope.canonical();
        assert!(canonical.len() <= limits.bytes);
        let again = Envelope::parse(canonical.as_bytes(), &limits);
        assert_eq!(again.as_ref().map(Envelope::canonical), Ok(canonical));
        drop(envelope.verify());
    }
});
