//! Parameters of this context.

use std::borrow::Cow;

use buildtrack_domain::relay::NAME_LENGTH_MAX;
use buildtrack_http::{
    described::{POSITION, exactly, text},
    path_parameters,
    query::Value,
};
use utoipa::openapi::Schema;

/// A `did:key` of Ed25519, as agora-envelope parses it.
pub const DID: &str = "did:key:z6Mk[1-9A-HJ-NP-Za-km-z]{44}";

path_parameters! {
    /// An agent of the relay.
    PartyParameter = "did", &[DID], "did:key:z6MkhaXgBZDvotDkL5257faiztiGiC2QtKLGpbnnEGta2doK", "The agent's did:key";
}

/// An id that a party of the relay has chosen.
pub fn name() -> Schema {
    let pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$";
    text().min_length(Some(1)).max_length(Some(NAME_LENGTH_MAX)).pattern(Some(pattern)).into()
}

/// `cursor` of an earlier answer with envelopes: the position of the last one. By default 0, before the first one.
#[derive(Debug, Clone, Copy, Default)]
pub(crate) struct LogCursor(pub(crate) i64);

impl Value for LogCursor {
    fn expected() -> Cow<'static, str> {
        "the cursor of an earlier answer".into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().map(Self)
    }

    fn schema() -> Schema {
        exactly(&[POSITION])
    }
}
