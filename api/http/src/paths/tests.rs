//! Tests of decisions by path, and of the form of paths in logs.

use actix_web::{dev::Url, http::Uri, test::TestRequest};
use proptest::prelude::*;

use super::*;

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
    "/agent-login",
    "/api/v1/sessions",
    "/api/v1/accounts",
    "/api/v1/moderation/own-appeal",
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
        prop_assert_eq!(shown(&written), shown(path));
    }

    #[test]
    fn no_path_shows_the_text_after_a_secret_prefix(before in "[/a-z%.]{0,40}", after in "[A-Z0-9]{8}") {
        let path = format!("/{before}/conv_{after}");
        prop_assert!(!shown(&path).contains(&after));
    }
}
