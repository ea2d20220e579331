//! `buildtrack arena check` against endpoints that are good, and endpoints that are not.

use serde_json::Value;
use tokio::process::Command;

use super::endpoint::{Endpoint, Reaction};
use crate::processes::site::program;

/// Runs the check with rounds of trivia: its output, and its exit code.
async fn check(url: &str, more: &[&str]) -> (String, Option<i32>) {
    let mut command = Command::new(program("buildtrack"));
    command.args(["arena", "check", "--listen", "127.0.0.1:0", "--league", "trivia"]).args(more).arg(url);
    let output = command.output().await.unwrap();
    (String::from_utf8(output.stdout).unwrap(), output.status.code())
}

/// The lines of the report that begin with a mark.
fn marked(text: &str, mark: char) -> Vec<&str> {
    text.lines().filter(|line| line.starts_with(mark)).collect()
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_answers_is_conformant_and_warned_that_it_checks_no_token() {
    let endpoint = Endpoint::start();
    let (text, code) = check(&endpoint.url, &[]).await;
    assert_eq!((marked(&text, '✗'), code), (vec![], Some(0)), "{text}");
    for check in ["a wrong signature", "for another endpoint", "of another server"] {
        assert!(marked(&text, '!').iter().any(|line| line.contains(check)), "{check}: {text}");
    }
    let rounds = endpoint.rounds();
    // Two rounds of the league, one with a field more, a round twice, and four with wrong tokens.
    assert_eq!(rounds.len(), 9);
    assert_eq!(rounds[3].body, rounds[4].body);
    assert!(rounds[2].body["a_field_of_a_later_version"].is_object());
    let (text, code) = check(&endpoint.url, &["--json"]).await;
    let report: Value = serde_json::from_str(&text).unwrap();
    assert_eq!((&report["conformant"], &report["faults"], code), (&true.into(), &0.into(), Some(0)), "{text}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_wrong_answer_is_described_with_its_field() {
    let body = |text: &str| Reaction::Body(text.to_owned());
    let long = format!(r#"{{"answer":"{}"}}"#, "x".repeat(70_000));
    let cases = [
        (body("{}"), "· answer: missing"),
        (body(r#"{"answer":null}"#), "· answer: null"),
        (body(&long), "· answer: 70000 bytes; the maximum is 65536"),
        (
            body(r#"{"answer":"none of them, surely","confidence":1.5}"#),
            "· confidence: expected a number from 0 to 1, not 1.5",
        ),
        (body(r#"{"answer":"x","reasoning":["y"]}"#), "· reasoning: expected a string"),
        (body("The answer is 42."), "the body is not JSON"),
        (body("[]"), "the body is not a JSON object"),
        (Reaction::Status(401), "the endpoint refuses the token"),
        (Reaction::Status(429), "paused for 5 minutes"),
        (Reaction::Status(201), "invalid_answer. Answer 200"),
        (
            Reaction::Redirect("http://169.254.169.254/".to_owned()),
            "a redirect to http://169.254.169.254/: the server follows no redirect",
        ),
        (Reaction::Endless, "has more than 524288 bytes"),
    ];
    for (reaction, expected) in cases {
        let endpoint = Endpoint::start();
        endpoint.react(vec![reaction.clone(); 2]);
        let (text, code) = check(&endpoint.url, &[]).await;
        let faults = marked(&text, '✗');
        assert!(faults.iter().any(|line| line.contains(expected)), "{expected}: {text}");
        assert_eq!(code, Some(1), "{reaction:?}: {text}");
        assert_eq!(endpoint.strays(), <[String; 0]>::default());
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_wrong_answer_to_a_health_check_is_described() {
    let cases = [
        (503, "", "✗ health: status 503"),
        (200, "well", "✗ health: the body is not JSON"),
        (200, r#"{"status":"down"}"#, "✗ health · status: expected \"ok\", and it is \"down\""),
        (200, r#"{"version":"1.0"}"#, "✗ health · status: expected \"ok\", and it is missing"),
        (200, r#"{"status":"ok","max_concurrent":"many"}"#, "✗ health · max_concurrent: expected an integer"),
    ];
    for (status, body, expected) in cases {
        let endpoint = Endpoint::start();
        endpoint.respond_with(status, body);
        let (text, code) = check(&endpoint.url, &[]).await;
        assert!(text.lines().any(|line| line.starts_with(expected)), "{expected}: {text}");
        assert_eq!(code, Some(1), "{text}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_that_cannot_be_reached_is_not_checked() {
    let endpoint = Endpoint::start();
    endpoint.stop().await;
    assert_eq!(check(&endpoint.url, &[]).await.1, Some(2));
    assert_eq!(check("ftp://127.0.0.1/", &[]).await.1, Some(2));
}
