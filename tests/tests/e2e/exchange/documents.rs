//! `POST /api/v1/protocols`, `GET …`, `GET …/{hash}`, `GET …/{hash}/text`, `DELETE …/{hash}`

use base64::{Engine, engine::general_purpose::STANDARD};
use buildtrack_domain::exchange::documents::{DocumentHash, encode_source};
use buildtrack_store::verification;
use buildtrack_tests::{Backend, TestApp, shorten_ids};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{document, protocol};
use crate::{either, faults};

const PROTOCOLS: &str = "/api/v1/protocols";

#[apply(either)]
async fn a_document_is_registered_and_shown_with_the_hashed_text(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let text = document("Weather", "Says what comes.");
    let made = scout.post(PROTOCOLS, json!({ "text": text })).key("one").await.expect_status(201);
    assert_eq!(made["hash"], json!(DocumentHash::of(&text)));
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&made.json), @r#"
        {
          "answeredHere": false,
          "description": "Says what comes.",
          "hash": "726103842136753862f29186e8d40942b9b48678",
          "hashBase64": "cmEDhCE2dThi8pGG6NQJQrm0hng=",
          "multiround": false,
          "name": "Weather",
          "position": 5,
          "registeredAt": "2026-03-01T12:00:00.000001Z",
          "registrar": {
            "id": "ag_…",
            "model": "claude-opus-4-8",
            "name": "Scout",
            "type": "ai-agent"
          },
          "sha256": "d26bec320aab0051de34e63a1b4078fdd55b4b440b5ead754406a451413dc895",
          "textUrl": "https://build.example/api/v1/protocols/726103842136753862f29186e8d40942b9b48678/text",
          "url": "https://build.example/api/v1/protocols/726103842136753862f29186e8d40942b9b48678",
          "withdrawnAt": null
        }
        "#);
    }
    let again = scout.post(PROTOCOLS, json!({ "text": text })).key("one").await.expect_status(201);
    assert_eq!((&again.json, again.header("idempotency-replayed")), (&made.json, "true"));
    let path = made.header("location").to_owned();
    let shown = app.anonymous().get(&path).await.expect_status(200);
    assert_eq!((&shown["text"], &shown["name"], &shown["supporters"]), (&json!(text), &json!("Weather"), &json!([])));
    assert_eq!(shown["versions"].as_array().map(Vec::len), Some(1));
    let read = app.anonymous().get(&format!("{path}/text")).await.expect_status(200);
    assert_eq!((&*read.text, read.header("content-type")), (&*text, "text/plain; charset=utf-8"));
    assert_eq!(read.header("x-content-type-options"), "nosniff");
    let tag = read.header("etag").to_owned();
    app.anonymous().get(&format!("{path}/text")).header("if-none-match", &tag).await.expect_status(304);
    // The client's notation of the hash is an alias, also in a path.
    let base64 = made.text_at("/hashBase64").replace('/', "%2F").replace('+', "%2B");
    let alias = app.anonymous().get(&format!("{PROTOCOLS}/{base64}")).await.expect_status(200);
    assert_eq!(alias.json, shown.json);
    app.anonymous().get(&format!("{PROTOCOLS}/{}", DocumentHash::of("x"))).await.expect_problem(404, "not_found");
    app.anonymous().get(&format!("{PROTOCOLS}/x")).await.expect_problem(404, "not_found");
    assert!(
        verification::verify(app.store().log(), app.store().reputation(), |_| ()).await.unwrap().differing().is_empty()
    );
}

#[apply(either)]
async fn the_same_text_is_registered_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, ada) = (app.agent("Scout").await, app.owner("Ada").await);
    let text = document("Weather", "Says what comes: é, % and +.").replace(": é", " é");
    let made = scout.post(PROTOCOLS, json!({ "text": text })).await.expect_status(201);
    let head = app.store().log().tail().head();
    let base64 = format!("data:text/plain;charset=utf-8;base64,{}", STANDARD.encode(&text));
    for body in [
        json!({ "text": text, "hash": made["hash"] }),
        json!({ "source": encode_source(&text), "hash": made["hashBase64"] }),
        json!({ "source": base64 }),
    ] {
        assert_eq!(ada.post(PROTOCOLS, body).await.expect_status(200).json, made.json);
    }
    assert_eq!(app.store().log().tail().head(), head);
    let other = json!({ "source": encode_source(&document("Tides", "Says when.")) });
    assert_eq!(ada.post(PROTOCOLS, other).await.expect_status(201)["registrar"]["type"], "human");
}

#[apply(either)]
async fn invalid_documents_are_refused_with_a_reason(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let (text, head) = (document("Weather", "Says what comes."), app.store().log().tail().head());
    for (body, expected) in [
        (json!({}), ("", "invalid")),
        (json!({ "text": text, "source": "data:,x" }), ("", "invalid")),
        (json!({ "text": text, "hash": DocumentHash::of("x") }), ("/hash", "hash_differs")),
        (json!({ "text": text, "hash": "x" }), ("/hash", "hash_differs")),
        (json!({ "text": "name: n" }), ("/text", "invalid_document")),
        (json!({ "text": text.replace("name", "nome") }), ("/text", "invalid_document")),
        (json!({ "text": format!("{text}{}", "x".repeat(40_000)) }), ("/text", "invalid_document")),
        (json!({ "source": "data:,name%00" }), ("/source", "invalid_document")),
        (json!({ "source": "https://example.org/weather.txt" }), ("/source", "invalid_source")),
        (json!({ "source": "data:application/yaml,x" }), ("/source", "invalid_source")),
        (json!({ "text": format!("{text}\u{0}") }), ("/text", "nul_character")),
    ] {
        let refused = scout.post(PROTOCOLS, body).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults(), faults(&[expected]), "{}", refused.text);
    }
    let missing = scout.post(PROTOCOLS, json!({ "text": text.replace("multiround", "rounds") })).await;
    assert!(missing.text_at("/errors/0/message").contains("lacks \"multiround\""), "{}", missing.text);
    app.anonymous().post(PROTOCOLS, json!({ "text": text })).await.expect_problem(401, "unauthenticated");
    assert_eq!(app.store().log().tail().head(), head);
}

#[apply(either)]
async fn documents_are_listed_page_by_page_with_the_servers_own_at_the_end(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    scout.post(PROTOCOLS, protocol("Weather", "Says what comes.")).await.expect_status(201);
    scout.post(PROTOCOLS, protocol("Weather", "Says what comes, and when.")).await.expect_status(201);
    quill.post(PROTOCOLS, protocol("Tides", "Messages on water.")).await.expect_status(201);
    let all = app.anonymous().get(PROTOCOLS).await.expect_status(200);
    let own = ["Buildtrack tracks", "Buildtrack messages", "Buildtrack reputation", "Buildtrack agents"];
    let names = ["Tides", "Weather", "Weather"].into_iter().chain(own).map(Value::from).collect::<Vec<_>>();
    assert_eq!(all.each("name"), names);
    assert_eq!((&all["items"][3]["answeredHere"], &all["items"][3]["registrar"]), (&json!(true), &json!(null)));
    // Independent of the page size, each document is listed once.
    for limit in 1..=8 {
        let (mut seen, mut path) = (vec![], format!("{PROTOCOLS}?limit={limit}"));
        loop {
            let page = app.anonymous().get(&path).await.expect_status(200);
            seen.extend(page.each("hash"));
            let Some(cursor) = page["nextCursor"].as_str() else { break };
            path = format!("{PROTOCOLS}?limit={limit}&cursor={cursor}");
        }
        assert_eq!(seen, all.each("hash"), "{limit}");
    }
    let list = async |query: &str| scout.get(&format!("{PROTOCOLS}?{query}")).await.expect_status(200).each("name");
    assert_eq!(list("q=what%20comes%20-when").await, ["Weather"]);
    assert_eq!(list("q=messages").await, ["Tides", "Buildtrack messages"]);
    assert_eq!(list("name=Weather").await, ["Weather", "Weather"]);
    assert_eq!(list("name=Buildtrack%20agents").await, ["Buildtrack agents"]);
    assert_eq!(list(&format!("registrar={}", quill.id)).await, ["Tides"]);
    assert_eq!(list("registrar=me&q=when").await, ["Weather"]);
    assert_eq!(list("supportedBy=me").await, [] as [&str; 0]);
    app.anonymous().get(&format!("{PROTOCOLS}?q=-x")).await.expect_problem(422, "invalid_query");
    app.anonymous().get(&format!("{PROTOCOLS}?supportedBy=x")).await.expect_problem(400, "invalid_parameter");
    app.anonymous().get(&format!("{PROTOCOLS}?registrar=me")).await.expect_problem(401, "unauthenticated");
}

#[apply(either)]
async fn the_registrar_withdraws_a_document_and_may_register_it_again(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, quill) = (ada.agent("Scout").await, app.agent("Quill").await);
    let made = scout.post(PROTOCOLS, protocol("Weather", "Says what comes.")).await.expect_status(201);
    let path = made.header("location").to_owned();
    quill.delete(&path).await.expect_problem(403, "not_registrar");
    scout.delete(&path).await.expect_status(204);
    scout.delete(&path).await.expect_status(204);
    let list = async || app.anonymous().get(&format!("{PROTOCOLS}?q=weather")).await.expect_status(200).each("name");
    assert_eq!(list().await, [] as [&str; 0]);
    let shown = app.anonymous().get(&path).await.expect_status(200);
    assert!(shown["withdrawnAt"].is_string() && shown["versions"][0]["withdrawnAt"].is_string());
    app.anonymous().get(&format!("{path}/text")).await.expect_status(200);
    let again =
        async |who: &buildtrack_tests::Caller| who.post(PROTOCOLS, protocol("Weather", "Says what comes.")).await;
    again(&quill).await.expect_problem(409, "protocol_withdrawn");
    assert_eq!(again(&scout).await.expect_status(200).json, made.json);
    assert_eq!(list().await, ["Weather"]);
    // The owner of the registering agent may withdraw it, too.
    ada.delete(&path).await.expect_status(204);
    assert_eq!(list().await, [] as [&str; 0]);
    scout.delete(&format!("{PROTOCOLS}/{}", DocumentHash::of("x"))).await.expect_problem(404, "not_found");
}

#[apply(either)]
async fn documents_with_one_name_are_versions(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    let register = async |who: &buildtrack_tests::Agent, description: &str| {
        who.post(PROTOCOLS, protocol("Weather", description)).await.expect_status(201).text_at("/hash")
    };
    let (first, others) = (register(&scout, "One.").await, register(&quill, "Another.").await);
    let second = register(&scout, "Two.").await;
    let versions = async |hash: &str| {
        let shown = app.anonymous().get(&format!("{PROTOCOLS}/{hash}")).await.expect_status(200);
        let versions = shown["versions"].as_array().unwrap().iter();
        versions.map(|version| version["hash"].as_str().unwrap().to_owned()).collect::<Vec<_>>()
    };
    assert_eq!(versions(&first).await, [&*first, &second]);
    assert_eq!(versions(&second).await, [&*first, &second]);
    assert_eq!(versions(&others).await, [&*others]);
}

#[apply(either)]
async fn the_servers_own_documents_are_known(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let own = app.anonymous().get(&format!("{PROTOCOLS}?name=Buildtrack%20messages")).await.expect_status(200);
    let (hash, head) = (own["items"][0]["hash"].as_str().unwrap(), app.store().log().tail().head());
    let shown = app.anonymous().get(&format!("{PROTOCOLS}/{hash}")).await.expect_status(200);
    let text = shown.text_at("/text");
    assert_eq!(DocumentHash::of(&text).to_string(), hash);
    assert_eq!(app.anonymous().get(&format!("{PROTOCOLS}/{hash}/text")).await.expect_status(200).text, text);
    let known = scout.post(PROTOCOLS, json!({ "text": text })).await.expect_status(200);
    assert_eq!((&known["answeredHere"], &known["position"]), (&json!(true), &json!(null)));
    scout.delete(&format!("{PROTOCOLS}/{hash}")).await.expect_problem(404, "not_found");
    assert_eq!(app.store().log().tail().head(), head);
}
