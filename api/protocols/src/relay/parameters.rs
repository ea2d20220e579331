//! Path parameters of this context.

use buildtrack_http::path_parameters;

/// A `did:key` of Ed25519, as agora-envelope parses it.
pub const DID: &str = "did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}";

path_parameters! {
    /// An agent of the relay.
    PartyParameter = "did", &[DID], "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK", "The agent's did:key";
}
