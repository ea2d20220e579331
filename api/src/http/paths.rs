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
pub(crate) fn routed(request: &HttpRequest) -> &str {
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
mod tests {
    use actix_web::{dev::Url, http::Uri, test::TestRequest};
    use proptest::prelude::*;

    use super::*;
    use crate::http::{dialect::Dialect, guard::LOGINS};

    #[test]
    fn log_lines_omit_the_ids_of_conversations() {
        assert_eq!(shown("/agora/conversations/xyz"), "/agora/conversations/…");
        assert_eq!(shown("/agora/agents/ag_x/conversations/xyz/y"), "/agora/agents/ag_x/conversations/…");
        for path in ["/agora", "/agora/conversations/", "/api/v1/conversations/x", "/api/v1/agents/ag_x", "/a%20"] {
            assert_eq!(shown(path), path.replace("%20", " "));
        }
    }

    #[test]
    fn log_lines_omit_secrets_in_every_encoding() {
        for path in [
            "/%61gora/conversations/conv_Zk0",
            "/agora/conversation%73/conv_Zk0",
            "/agora%2Fconversations%2fconv_Zk0",
            "/agora%252Fconversations%252Fconv_Zk0",
            "//agora//conversations//conv_Zk0",
            "/AGORA/CONVERSATIONS/conv_Zk0",
            "/v1/conv_Zk0",
            "/agora/conversations/%63onv_Zk0",
            "/api/v1/bts_Zk0",
            "/araf%5FZk0/x",
            "/é/whsec_Zk0",
        ] {
            assert!(!shown(path).contains("Zk0"), "{path}: {}", shown(path));
            assert!(shown(path).ends_with('…'), "{path}: {}", shown(path));
        }
    }

    #[test]
    fn a_long_path_is_cut_off() {
        assert_eq!(shown(&"/é".repeat(50_000)).chars().count(), SHOWN_MAX + 1);
    }

    /// Paths that decisions before routing depend on.
    const DECIDING: [&str; 9] = [
        LOGINS[0],
        LOGINS[1],
        LOGINS[2],
        LOGINS[3],
        "/agora/conversations/xyz",
        "/agora/wellknown",
        "/v1/messages",
        "/events",
        "/api/v1/agents",
    ];

    /// The path with these characters percent-encoded.
    fn encoded(path: &str, which: &[bool], upper: bool) -> String {
        let encode = |(at, letter): (usize, char)| match which.get(at) {
            Some(true) if at > 0 && letter != '/' && upper => format!("%{:02X}", u32::from(letter)),
            Some(true) if at > 0 && letter != '/' => format!("%{:02x}", u32::from(letter)),
            _ => letter.to_string(),
        };
        path.chars().enumerate().map(encode).collect()
    }

    proptest! {
        #[test]
        fn decisions_by_an_encoded_path_match_those_of_its_route(
            which_path in 0..DECIDING.len(), which in prop::collection::vec(any::<bool>(), 40), upper in any::<bool>()
        ) {
            let path = DECIDING[which_path];
            let written = encoded(path, &which, upper);
            let url = Url::new(written.parse::<Uri>().unwrap());
            prop_assert_eq!(url.path(), path);
            let request = TestRequest::with_uri(&written).to_http_request();
            prop_assert_eq!(routed(&request), path);
            prop_assert_eq!(Dialect::of(&request), Dialect::at(path));
            prop_assert_eq!(LOGINS.contains(&routed(&request)), LOGINS.contains(&path));
            prop_assert_eq!(shown(&written), shown(path));
        }

        #[test]
        fn no_path_shows_the_text_after_a_secret_prefix(before in "[/a-z%.]{0,40}", after in "[A-Z0-9]{8}") {
            let path = format!("/{before}/conv_{after}");
            prop_assert!(!shown(&path).contains(&after));
        }
    }
}
