//! The check of a developer's own endpoint: what it sends, and what it finds.

use buildtrack_domain::arena::tasks::League;
use buildtrack_worker::{
    conformance::{EndpointCheck, Finding, Findings, Level, Unchecked},
    outbound::Client,
};

use super::{answers, good, rounds};
use crate::{
    database::{Kind, TestDatabase},
    receiver::{Reaction, Receiver},
};

/// Checks an endpoint with rounds of these leagues. Returns the number of faults, with all findings.
async fn check(base: String, leagues: Vec<League>) -> Result<(usize, Vec<Finding>), Unchecked> {
    let database = TestDatabase::now(Kind::Sqlite).await;
    let (store, client) = (database.open().await, Client::new(true).unwrap());
    let check = EndpointCheck { store, client, issuer: "https://build.example".into(), base, leagues };
    let mut findings = Vec::new();
    assert!(format!("{:?}", Findings::new(&mut |_| ())).contains("faults: 0"));
    let faults = check.run(&mut |finding| findings.push(finding)).await?;
    assert_eq!(findings.iter().filter(|finding| finding.level == Level::Fault).count(), faults);
    Ok((faults, findings))
}

/// The findings of a level that are about a check: each field with its message.
fn found<'f>(findings: &'f [Finding], level: Level, check: &str) -> Vec<(Option<&'f str>, &'f str)> {
    let found = findings.iter().filter(|finding| finding.level == level && finding.check == check);
    found.map(|finding| (finding.field.as_deref(), &*finding.message)).collect()
}

/// A reaction that is well, and answers any task of programs.
fn program(more: &str) -> Reaction {
    answers(&format!(r#"{{"status":"ok","version":"1.0","capabilities":["python"],"answer":"def f(): pass"{more}}}"#))
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_good_endpoint_has_no_fault_and_is_warned_that_it_checks_no_token() {
    let mut endpoint = Receiver::with_plan(vec![program("")]).await;
    let (faults, findings) = check(endpoint.base(), vec![]).await.unwrap();
    assert_eq!(faults, 0, "{findings:?}");
    let requests = endpoint.rest();
    assert_eq!(
        requests.len(),
        10,
        "a health check, two rounds of the league that it names, three probes, four wrong tokens"
    );
    assert_eq!(requests[0].request_line, "GET /agora/health HTTP/1.1");
    let bodies: Vec<_> = requests[1..].iter().map(crate::receiver::Received::json).collect();
    assert!(bodies.iter().all(|body| body["league"] == "python"), "{bodies:?}");
    assert_eq!((&bodies[0]["round"], &bodies[1]["round"]), (&1.into(), &2.into()));
    assert_ne!(bodies[0]["task"], bodies[1]["task"]);
    assert_eq!(bodies[3], bodies[4], "a round is sent twice");
    assert!(bodies[2]["a_field_of_a_later_version"].is_object());
    let mut tokens: Vec<_> = requests.iter().map(|request| request.header("authorization").to_owned()).collect();
    tokens.sort();
    tokens.dedup();
    assert_eq!(tokens.len(), 10);
    for check in
        ["token with a wrong signature", "token for another endpoint", "token of another server", "expired token"]
    {
        let warnings = found(&findings, Level::Warning, check);
        assert!(matches!(warnings[..], [(None, message)] if message.contains("does not check this")), "{findings:?}");
    }
    for check in ["health", "python, round 1", "python, round 2", "a round", "the same round again"] {
        assert_eq!(found(&findings, Level::Good, check).len(), 1, "{check}: {findings:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn what_an_endpoint_does_with_wrong_tokens_is_reported() {
    let plan = [vec![program(""); 6], [401, 500, 403].map(Reaction::Status).into(), vec![Reaction::HangsUp]].concat();
    let endpoint = Receiver::with_plan(plan).await;
    let (faults, findings) = check(endpoint.base(), vec![]).await.unwrap();
    assert_eq!(faults, 0, "{findings:?}");
    let good = |check| found(&findings, Level::Good, check);
    assert_eq!(good("token with a wrong signature"), [(None, "refused with 401")]);
    assert_eq!(good("token of another server"), [(None, "refused with 403")]);
    let warned = |check| found(&findings, Level::Warning, check);
    assert_eq!(warned("token for another endpoint"), [(None, "status 500; expected 401")]);
    assert!(warned("expired token")[0].1.ends_with("; expected 401"), "{findings:?}");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_wrong_answer_to_a_health_check_is_described() {
    let health = |more: &str| answers(&format!(r#"{{"version":"1.0","capabilities":[],{more}}}"#));
    let fault = |field, message| vec![(field, message)];
    for (reaction, expected) in [
        (Reaction::Status(503), fault(None, "status 503; a well agent answers 200")),
        (Reaction::Redirect("/".into()), fault(None, "status 307, a redirect to /: the server follows no redirect")),
        (answers("[]"), fault(None, "the body is not a JSON object")),
        (health(r#""status":"down""#), fault(Some("status"), "expected \"ok\", and it is \"down\"")),
        (health(r#""status":null"#), fault(Some("status"), "expected \"ok\", and it is missing")),
        (
            health(r#""status":"ok","max_concurrent":-1"#),
            fault(Some("max_concurrent"), "expected an integer from 0 on: the server ignores this one"),
        ),
        (health(r#""status":"ok","max_concurrent":0"#), vec![]),
    ] {
        let mut endpoint = Receiver::with_plan(vec![reaction.clone(), Reaction::Status(404)]).await;
        let (_, findings) = check(endpoint.base(), vec![]).await.unwrap();
        assert_eq!(found(&findings, Level::Fault, "health"), expected, "{reaction:?}");
        assert_eq!(found(&findings, Level::Good, "health").is_empty(), !expected.is_empty(), "{reaction:?}");
        // Without a league, rounds of trivia are sent; and no probes, because none was answered.
        assert_eq!(rounds(&mut endpoint).len(), 2);
        assert_eq!(found(&findings, Level::Warning, "probes").len(), 1);
    }
    let odd = r#"{"status":"ok","version":"2.0","avg_latency_ms":"fast","capabilities":["python","python","chess"]}"#;
    let endpoint = Receiver::with_plan(vec![answers(odd)]).await;
    let (_, findings) = check(endpoint.base(), vec![]).await.unwrap();
    let warnings = [
        (Some("version"), "expected \"1.0\""),
        (Some("avg_latency_ms"), "expected a number"),
        (Some("capabilities"), "\"chess\" is no league of this server"),
    ];
    assert_eq!(found(&findings, Level::Warning, "health"), warnings);
    let unlabelled = Receiver::with_plan(vec![Reaction::Responds(200, "", r#"{"status":"ok"}"#.into())]).await;
    let (_, findings) = check(unlabelled.base(), vec![]).await.unwrap();
    let warnings = [
        (Some("Content-Type"), "expected application/json, and it is missing"),
        (Some("version"), "expected \"1.0\""),
        (Some("capabilities"), "expected a list of leagues; rounds of trivia are sent"),
    ];
    assert_eq!(found(&findings, Level::Warning, "health"), warnings);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn each_wrong_answer_to_a_round_is_described() {
    let long = format!(r#"{{"answer":"{}"}}"#, "x".repeat(70_000));
    let reasoning = format!(r#","reasoning":"{}""#, "y".repeat(20_000));
    let others = r#","confidence":1.5,"reasoning":["y"],"tokens":"many","latency_ms":[],"tools_used":"none""#;
    let fault = |field, message| vec![(Level::Fault, field, message)];
    for (reaction, expected) in [
        (program(""), vec![]),
        (program(r#","confidence":null,"reasoning":null,"tokens":null,"tools_used":null"#), vec![]),
        (program(r#","confidence":1,"reasoning":"y","tokens":5,"tools_used":[]"#), vec![]),
        (answers(r#"{"answer":null}"#), fault(Some("answer"), "null: send a string")),
        (answers("{}"), fault(Some("answer"), "missing")),
        (answers(&long), fault(Some("answer"), "70000 bytes; the maximum is 65536")),
        (answers(r#"{"answer":"a\u0000"}"#), fault(Some("answer"), "contains the character U+0000")),
        (answers("42"), fault(None, "the body is not a JSON object")),
        (answers("the answer"), fault(None, "the body is not JSON")),
        (Reaction::Endless, fault(None, "the body is cut off, or has more than 524288 bytes")),
        // It is sent once more.
        (Reaction::HangsUp, vec![]),
        (Reaction::Redirect("/".into()), fault(None, "status 307, a redirect to")),
        (
            Reaction::Status(403),
            fault(None, "status 403: the endpoint refuses the token. Its issuer is https://build.example"),
        ),
        (Reaction::Status(405), fault(None, "status 405: rounds are sent with POST")),
        (Reaction::Status(408), fault(None, "status 408: the round is lost: timeout")),
        (Reaction::Status(429), fault(None, "status 429: the round is lost, and the agent paused")),
        (Reaction::Status(500), fault(None, "status 500: the server would send the round once more")),
        (Reaction::Status(501), fault(None, "status 501: the round is lost: server_error")),
        (Reaction::Status(503), fault(None, "status 503: the agent is unavailable")),
        (Reaction::Status(201), fault(None, "status 201: the round is lost: invalid_answer")),
        (program(&reasoning), vec![(Level::Warning, Some("reasoning"), "the server keeps the first")]),
        (
            program(others),
            vec![
                (Level::Fault, Some("confidence"), "expected a number from 0 to 1, not 1.5"),
                (Level::Fault, Some("reasoning"), r#"expected a string, not ["y"]"#),
                (Level::Warning, Some("tokens"), "expected a number"),
                (Level::Warning, Some("latency_ms"), "expected a number"),
                (Level::Warning, Some("tools_used"), "expected a list"),
            ],
        ),
    ] {
        let endpoint = Receiver::with_plan(vec![program(""), reaction.clone(), program("")]).await;
        let (_, findings) = check(endpoint.base(), vec![]).await.unwrap();
        // The endless body does not say that it is JSON.
        let of_first = |finding: &&Finding| {
            finding.check == "python, round 1"
                && finding.level != Level::Good
                && finding.field.as_deref() != Some("Content-Type")
        };
        let first: Vec<_> = findings.iter().filter(of_first).collect();
        assert_eq!(first.len(), expected.len(), "{reaction:?}: {first:?}");
        for (finding, (level, field, message)) in first.iter().zip(&expected) {
            assert_eq!((finding.level, finding.field.as_deref()), (*level, *field), "{reaction:?}: {finding:?}");
            assert!(finding.message.starts_with(message), "{reaction:?}: {finding:?}");
        }
        let is_good = !expected.iter().any(|(level, ..)| *level == Level::Fault);
        assert_eq!(found(&findings, Level::Good, "python, round 1").len(), usize::from(is_good), "{reaction:?}");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_endpoint_is_held_to_the_options_of_a_task_and_one_that_is_gone_is_not_checked() {
    let endpoint = Receiver::with_plan(vec![good()]).await;
    let (_, findings) = check(endpoint.base(), vec![League::Trivia]).await.unwrap();
    let wrong = findings.iter().filter(|finding| finding.field.as_deref() == Some("answer"));
    assert!(
        wrong.clone().all(|finding| finding.message.ends_with("is none of the options of the task")),
        "{findings:?}"
    );
    let base = endpoint.base();
    drop(endpoint);
    assert!(matches!(check(base, vec![]).await, Err(Unchecked::Unreachable(_))));
}
