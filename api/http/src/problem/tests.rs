//! Tests of the bounds of error answers.

use super::*;
use actix_web::body::{MessageBody, to_bytes};
use buildtrack::contexts::DECLARED;

fn problem(errors: usize, text: &str) -> Problem {
    let error = |index| FieldError::field(format!("/{text}{index}"), "invalid", text, text);
    let mut problem = Problem::new(StatusCode::BAD_REQUEST, "invalid", text, text);
    problem.errors = (0..errors).map(error).collect();
    problem
}

#[actix_web::test]
async fn an_error_that_is_too_large_is_shortened_in_every_dialect() {
    for text in ["\u{1}".repeat(300_000), "😀".repeat(80_000), "\"".repeat(300_000)] {
        for errors in [0, 1, 20, 200] {
            let mut problem = problem(errors, &text);
            // The public field allows changes after construction, too.
            problem.detail.clone_from(&text);
            for dialect in DECLARED.dialects() {
                let answer = dialect.tell(&problem, "01h2e8kqvbfwea724h75qc655w");
                let answer = to_bytes(answer.into_body().boxed()).await.unwrap_or_else(|error| panic!("{error}"));
                let answer: serde_json::Value = serde_json::from_slice(&answer).unwrap_or_default();
                // The A2A protocol has its own names for both.
                let details = &answer["error"]["details"];
                let list = if details.is_array() { &details[1]["fieldViolations"] } else { &answer["errors"] };
                let named = list.as_array().map_or(0, Vec::len);
                let more = details[0]["metadata"]["moreErrors"].as_str().and_then(|more| more.parse().ok());
                let more = more.or_else(|| answer["moreErrors"].as_u64()).unwrap_or(0);
                assert!(answer.to_string().len() < ERROR_BYTES_MAX && named <= 20, "{dialect:?}");
                assert_eq!(named as u64 + more, errors as u64, "{dialect:?}");
            }
        }
    }
}

#[test]
fn a_text_is_cut_between_characters() {
    assert_eq!(shortened("ééé".into(), 3), "ééé");
    assert_eq!(shortened("éééé".into(), 3), "ééé…");
}
