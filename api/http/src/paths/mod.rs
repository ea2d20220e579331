//! Request paths: the decoded path for routing and decisions, and the form without secrets for logs and traces.
//!
//! **Invariant:** every decision by path (limits, the format of errors, scopes of idempotency keys, allowed methods) uses
//! the path that actix routes by, in which percent-encoded characters are decoded. The raw path of the URI may differ: the
//! route `/api/v1/sessions` also serves `/api/v1/session%73`.

use std::borrow::Cow;

use actix_web::HttpRequest;

/// The maximum number of characters of a path in logs and traces.
const SHOWN_MAX: usize = 400;
/// The maximum number of decoding rounds before a path is searched for secrets.
const LAYERS: usize = 4;
/// Prefixes of secrets: keys, tokens, webhook secrets, and the ids of conversations, which grant access to them.
const SECRETS: [&str; 4] = ["araf_", "bts_", "whsec_", "conv_"];
/// In paths of the exchange, everything below this segment is a secret.
const EXCHANGE: &str = "agora";
const CONVERSATIONS: &str = "conversations/";

/// The full path that the request is routed by.
pub fn routed(request: &HttpRequest) -> &str {
    request.match_info().as_str()
}

/// The path for logs and traces, cut before the first secret in any encoding. This also applies to unknown paths, because a
/// client that misspells a path has already sent the secret.
pub(crate) fn shown(path: &str) -> Cow<'_, str> {
    let decoded = decoded(path);
    let lower = decoded.to_ascii_lowercase();
    let secrets = SECRETS.iter().filter_map(|secret| lower.find(secret));
    let below =
        lower.find(EXCHANGE).and_then(|from| Some(from + lower[from..].find(CONVERSATIONS)? + CONVERSATIONS.len()));
    let below = below.filter(|at| *at < lower.len());
    let secret = secrets.chain(below).min();
    let long = decoded.char_indices().nth(SHOWN_MAX).map(|(at, _)| at);
    match secret.into_iter().chain(long).min() {
        Some(at) => format!("{}…", &decoded[..at]).into(),
        None => decoded,
    }
}

/// The path after all rounds of percent-decoding.
fn decoded(path: &str) -> Cow<'_, str> {
    let mut decoded = Cow::Borrowed(path);
    for _ in 0..LAYERS {
        if !decoded.contains('%') {
            break;
        }
        decoded = decode_once(&decoded).into();
    }
    decoded
}

fn decode_once(path: &str) -> String {
    let (mut bytes, mut rest) = (Vec::with_capacity(path.len()), path.as_bytes());
    while let [first, tail @ ..] = rest {
        let pair = if *first == b'%' { tail.get(..2) } else { None };
        let byte = pair
            .filter(|pair| pair.iter().all(u8::is_ascii_hexdigit))
            .and_then(|pair| u8::from_str_radix(std::str::from_utf8(pair).ok()?, 16).ok());
        bytes.push(byte.unwrap_or(*first));
        rest = if byte.is_some() { &tail[2..] } else { tail };
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

#[cfg(test)]
mod tests;
