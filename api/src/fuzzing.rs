//! Entry points for fuzzing this crate's private parsers, used by `fuzz/` and by the property tests below.
//!
//! Each function panics if a parser breaks its contract: an error answer has at most 20 errors and fewer than 32 KiB.

use std::sync::LazyLock;

use buildtrack_accounts::identity::{
    schemas::{NewAccount, NewAgent},
    session_schemas::AgentLogin,
};
use buildtrack_community::{
    forum::schemas::NewPost,
    webhooks::schemas::NewWebhook,
    workspaces::{message_schemas::NewMessage, schemas::NewWorkspace},
};
use buildtrack_domain::ids::DeliveryId;
use buildtrack_http::{
    addresses::hop_address,
    field_errors::NAMED_MAX,
    forms::Forms,
    page::{Cursor, IdCursor, RankCursor},
    problem::{ERROR_BYTES_MAX, Problem},
    query::{Descending, Limit, Paging, Parameters, Query, Value},
    validation::parse,
};
use buildtrack_protocols::{exchange::conversations::read_request, relay::directory::validation::check};
use buildtrack_store::Sort;

use crate::{contexts::DECLARED, discovery::manifests::PUBLISHED};

/// The published schemas.
static FORMS: LazyLock<Forms> = LazyLock::new(|| Forms::of(PUBLISHED));

/// Parses bytes as the body of several operations, as a request of the exchange, and as a registration at the relay.
///
/// # Panics
///
/// If an error answer exceeds its bounds.
pub fn bodies(bytes: &[u8]) {
    refused(parse::<AgentLogin>(&FORMS, bytes, None));
    refused(parse::<NewAccount>(&FORMS, bytes, None));
    refused(parse::<NewAgent>(&FORMS, bytes, None));
    refused(parse::<NewWorkspace>(&FORMS, bytes, None));
    refused(parse::<NewMessage>(&FORMS, bytes, None));
    refused(parse::<NewPost>(&FORMS, bytes, None));
    refused(parse::<NewWebhook>(&FORMS, bytes, None));
    refused(read_request(bytes));
    if let Ok(value) = serde_json::from_slice(bytes) {
        refused(check(&value));
    }
}

/// Parses a text as a query string.
///
/// # Panics
///
/// If an error answer or a parsed value exceeds its bounds.
pub fn query(text: &str) {
    for strict in [true, false] {
        let mut parameters = Parameters::read(text, &["cursor", "limit", "order", "sort", "q"], strict);
        let Paging { limit: Limit(limit), .. } = Paging::read(&mut parameters);
        let (_, _) = (Descending::read(&mut parameters, "order"), Sort::read(&mut parameters, "sort"));
        let q = String::read(&mut parameters, "q");
        assert!(q.is_none_or(|q| q.chars().count() <= 200));
        if refused(parameters.finish()) {
            assert!((1..=200).contains(&limit));
        }
    }
}

/// Parses a text as a cursor of every kind.
///
/// # Panics
///
/// If more than one kind accepts the text.
pub fn cursor(text: &str) {
    let read = [
        text.parse::<Cursor>().is_ok(),
        text.parse::<IdCursor<DeliveryId>>().is_ok(),
        text.parse::<RankCursor>().is_ok(),
    ];
    assert!(read.into_iter().filter(|read| *read).count() <= 1, "{text:?} is a cursor of several kinds");
}

/// Parses a text as an entry of `X-Forwarded-For`.
///
/// # Panics
///
/// If the parsed address, formatted and parsed again, is a different address.
pub fn forwarded_hop(text: &str) {
    if let Some(address) = hop_address(text) {
        assert_eq!(hop_address(&address.to_string()), Some(address));
    }
}

/// Checks the bounds of an error answer in each dialect. Returns true if the outcome is no error.
fn refused<T>(outcome: Result<T, Problem>) -> bool {
    let Err(problem) = outcome else { return true };
    assert!(problem.errors.len() <= NAMED_MAX, "{} errors are named", problem.errors.len());
    for dialect in DECLARED.dialects() {
        let bytes = (dialect.serialize)(&problem, "01h2e8kqvbfwea724h75qc655w").len();
        assert!(bytes < ERROR_BYTES_MAX, "{dialect:?}: {bytes} bytes");
    }
    false
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::*;

    /// Arbitrary JSON values, wide or deep, some with member names that real bodies have.
    fn values() -> impl Strategy<Value = Value> {
        let texts = prop_oneof![
            "\\PC{0,12}",
            "[a-z@\\[\\]`\u{0}\"\\\\~/]{0,8}",
            (1_usize..2000).prop_map(|length| "é".repeat(length)),
            Just("2026-03-01T12:00:00Z".to_owned()),
        ];
        let names = prop_oneof![
            "key|scopes|name|description|tags|status|content|kind|title|body|email|password|url|filter|agent|capabilities|ts|sig",
            "\\PC{0,6}",
            (1_usize..2000).prop_map(|length| "~/".repeat(length)),
        ];
        let leaf = prop_oneof![
            Just(Value::Null),
            any::<bool>().prop_map(Value::from),
            any::<i64>().prop_map(Value::from),
            any::<f64>().prop_map(|number| json!(number)),
            texts.prop_map(Value::from),
        ];
        leaf.prop_recursive(5, 200, 40, move |inner| {
            prop_oneof![
                prop::collection::vec(inner.clone(), 0..40).prop_map(Value::from),
                (inner.clone(), 1_usize..3000).prop_map(|(value, count)| {
                    let count = count / value.to_string().len().clamp(1, 3000) + 1;
                    json!(vec![value; count])
                }),
                prop::collection::vec((names.clone(), inner), 0..40)
                    .prop_map(|members| Value::Object(members.into_iter().collect())),
            ]
        })
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(64))]

        #[test]
        fn an_invalid_body_gets_a_bounded_answer(value in values(), cut in any::<prop::sample::Index>()) {
            let text = value.to_string();
            bodies(text.as_bytes());
            bodies(&text.as_bytes()[..cut.index(text.len())]);
        }

        #[test]
        fn an_invalid_query_gets_a_bounded_answer(
            text in "\\PC{0,80}",
            pairs in prop::collection::vec("(limit|order|sort|q|cursor|[a-z%]{1,4})=[%a-z0-9+]{0,8}", 0..100),
        ) {
            query(&text);
            query(&pairs.join("&"));
        }

        #[test]
        fn a_text_is_a_cursor_of_one_kind_at_most(text in "[A-Za-z0-9_-]{0,40}", number in any::<i64>(), kind in "[pir]") {
            use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
            cursor(&text);
            cursor(&URL_SAFE_NO_PAD.encode(format!("{kind}{number}")));
            cursor(&URL_SAFE_NO_PAD.encode(format!("{kind}{number}.{number}")));
        }

        #[test]
        fn a_forwarded_hop_is_an_address_or_none(text in "[0-9a-f:.\\[\\]% ]{0,50}", address in any::<std::net::IpAddr>(), port in any::<u16>()) {
            forwarded_hop(&text);
            forwarded_hop(&format!(" {address} "));
            forwarded_hop(&std::net::SocketAddr::new(address, port).to_string());
        }
    }
}
