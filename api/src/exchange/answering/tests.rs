//! Answers against a store, with a server in the same process to set things up.

use std::{sync::Arc, time::Duration};

use actix_web::{
    dev::ServiceResponse,
    test::{TestRequest, call_service, init_service, read_body},
};
use buildtrack_settings::Settings;
use buildtrack_store::{Database, Secret, Settings as Opening, Store, StoreError, clock::Clock, sha256_hex};
use serde_json::json;

use super::*;
use crate::{http::fallback::Known, openapi::application};

const TEXT: &str = "name: Weather\ndescription: Forecasts of rain for a place.\nmultiround: false\n---\nSend a place.";

struct World {
    app: Arc<App>,
    clock: Clock,
    _folder: tempfile::TempDir,
}

/// An agent with a session.
struct Somebody {
    id: String,
    token: String,
    session: Authenticated,
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let clock = Clock::fixed("2026-03-01T12:00:00Z".parse().unwrap());
        let opening = Opening {
            database: Database::Sqlite(folder.path().join("test.sqlite")),
            secret: Secret::new(&Secret::generate()).unwrap(),
            clock: clock.clone(),
        };
        let settings = Settings {
            public_url: Some("https://build.example".parse().unwrap()),
            rate_limits: "free=1000,anonymous=1000,login=1000".parse().unwrap(),
            ..Settings::default()
        };
        let store = Store::open(opening).await.unwrap();
        let pinger = Box::new(|_| -> futures_util::future::BoxFuture<'static, _> {
            Box::pin(async { Err(StoreError::Closed) })
        });
        Self { app: Arc::new(App::new(store, settings, None, pinger)), clock, _folder: folder }
    }

    /// A request to the server; its answer, which must be a success.
    async fn send(&self, method: &str, path: &str, token: &str, body: Value) -> Value {
        let service = init_service(application(&self.app, &Arc::new(Known::published()))).await;
        let method = method.parse::<actix_web::http::Method>().unwrap();
        let mut request = TestRequest::default().method(method).uri(path);
        if !token.is_empty() {
            request = request.insert_header(("authorization", format!("Bearer {token}")));
        }
        if !body.is_null() {
            request = request.set_json(body);
        }
        let response: ServiceResponse = call_service(&service, request.to_request()).await;
        let status = response.status();
        let body = read_body(response).await;
        assert!(status.is_success(), "{path}: {}", String::from_utf8_lossy(&body));
        serde_json::from_slice(&body).unwrap_or_default()
    }

    async fn agent(&self, name: &str, capabilities: &[&str]) -> Somebody {
        let account = json!({ "email": format!("{name}@example.org"), "password": "correct horse battery" });
        let mut owner = account.clone();
        owner["displayName"] = name.into();
        self.send("POST", "/api/v1/accounts", "", owner).await;
        let token = self.send("POST", "/api/v1/sessions", "", account).await["token"].as_str().unwrap().to_owned();
        let agent = json!({ "name": name, "model": "claude-opus-4-8", "capabilities": capabilities });
        let registered = self.send("POST", "/api/v1/agents", &token, agent).await;
        let session = self.send("POST", "/agent-login", "", json!({ "key": registered["key"] })).await;
        let token = session["token"].as_str().unwrap().to_owned();
        let token_hash = sha256_hex(&token);
        let session = self.app.store.session(&token_hash, true).await.unwrap().unwrap();
        let id = registered["agent"]["id"].as_str().unwrap().to_owned();
        Somebody { id, token, session: Authenticated { session, token_hash: token_hash.into() } }
    }

    async fn open(&self, who: &Somebody, name: &str) -> String {
        let body = json!({ "name": name, "description": "Push, don't poll.", "tags": ["build"], "status": "open", "messageCount": 0 });
        self.send("POST", "/api/v1/workspaces", &who.token, body).await["id"].as_str().unwrap().to_owned()
    }

    async fn register(&self, who: &Somebody, text: &str) -> DocumentHash {
        self.send("POST", "/api/v1/protocols", &who.token, json!({ "text": text })).await;
        DocumentHash::of(text)
    }

    /// Asks by a document of the server's own.
    async fn ask(&self, answerer: Answerer, who: Option<&Somebody>, body: Value) -> Value {
        let hash = own::all().iter().find(|own| own.answerer == answerer).unwrap().hash();
        let asker = who.map(|who| &who.session);
        let turn = Turn { asker, document: Some(&hash), negotiation: false, earlier: &[], body: &body };
        answer(&self.app, turn).await.unwrap().unwrap()
    }

    async fn plainly(&self, body: Value) -> String {
        let turn = Turn { asker: None, document: None, negotiation: false, earlier: &[], body: &body };
        answer(&self.app, turn).await.unwrap().unwrap().as_str().unwrap().to_owned()
    }

    /// The next round of a negotiation.
    async fn negotiate(&self, who: Option<&Somebody>, earlier: &mut Vec<Exchanged>, body: Value) -> Value {
        let turn =
            Turn { asker: who.map(|who| &who.session), document: None, negotiation: true, earlier, body: &body };
        let answered = answer(&self.app, turn).await.unwrap().unwrap();
        earlier.push(Exchanged { asked: body, answered: answered.clone() });
        answered
    }
}

fn names(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

fn codes(body: &Value) -> (&str, Vec<&str>) {
    let faults = body["errors"].as_array().into_iter().flatten();
    (body["code"].as_str().unwrap(), faults.map(|fault| fault["pointer"].as_str().unwrap()).collect())
}

#[actix_web::test]
async fn tracks_are_browsed_searched_and_shown() {
    let world = World::new().await;
    let scout = world.agent("Scout", &[]).await;
    let (first, second) = (world.open(&scout, "Webhooks").await, world.open(&scout, "Weather").await);
    let ask = async |body: Value| world.ask(Answerer::Tracks, None, body).await;
    let page = ask(json!({ "action": "browse", "limit": 1 })).await;
    assert_eq!((&page["tracks"][0]["id"], page["tracks"].as_array().map(Vec::len)), (&json!(second), Some(1)));
    let rest = ask(json!({ "action": "browse", "cursor": page["nextCursor"], "tag": "build", "status": "open" })).await;
    assert_eq!((&rest["tracks"][0]["id"], &rest["nextCursor"]), (&json!(first), &json!(null)));
    assert_eq!(ask(json!({ "action": "browse", "text": "webh" })).await["tracks"][0]["id"], json!(first));
    let shown = ask(json!({ "action": "show", "trackId": first })).await;
    assert_eq!(shown["track"], rest["tracks"][0]);
    let fields = [
        "createdAt", "description", "goal", "id", "memberCount", "messageCount", "name", "ownerId", "ownerName",
        "solutionId", "status", "tags", "updatedAt", "url",
    ];
    assert_eq!(names(&shown["track"]), fields);
    let message = json!({ "kind": "proposal", "content": "Let us retry pushes.", "upvotes": 0 });
    world.send("POST", &format!("/api/v1/workspaces/{first}/messages"), &scout.token, message).await;
    world.app.store.index(1000).await.unwrap();
    let found = ask(json!({ "action": "search", "query": "webhooks" })).await;
    assert_eq!((&found["hits"][0]["trackId"], &found["hits"][0]["messageId"]), (&json!(first), &json!(null)));
    let found = ask(json!({ "action": "search", "query": "retry", "in": "messages" })).await;
    let fields =
        ["authorId", "authorName", "createdAt", "excerpt", "kind", "messageId", "trackId", "trackName", "url"];
    assert_eq!((names(&found["hits"][0]), &found["hits"][0]["trackName"]), (fields.into(), &json!("Webhooks")));
}

#[actix_web::test]
async fn a_string_is_answered_by_a_string() {
    let world = World::new().await;
    let asked = json!({ "action": "browse" });
    let object = world.ask(Answerer::Tracks, None, asked.clone()).await;
    let text = world.ask(Answerer::Tracks, None, asked.to_string().into()).await;
    assert_eq!(serde_json::from_str::<Value>(text.as_str().unwrap()).unwrap(), object);
    let error = world.ask(Answerer::Tracks, None, json!(r#"{"action": "x"}"#)).await;
    assert!(error.as_str().unwrap().contains("unknown_action"));
    assert_eq!(codes(&world.ask(Answerer::Tracks, None, json!("browse")).await), ("invalid_body", vec![]));
}

#[actix_web::test]
async fn what_is_wrong_with_a_request_is_told_in_the_body() {
    let world = World::new().await;
    let scout = world.agent("Scout", &[]).await;
    let nowhere = "ws_01h2e8kqvbfwea724h75qc655w";
    use Answerer::{Agents, Messages, Reputation, Tracks};
    for (answerer, body, expected) in [
        (Tracks, json!({}), ("unknown_action", vec![])),
        (Tracks, json!({ "action": "browse", "limit": 51, "sort": "x" }), ("validation_failed", vec!["/limit", "/sort"])),
        (Tracks, json!({ "action": "browse", "status": "closed" }), ("validation_failed", vec!["/status"])),
        (Tracks, json!({ "action": "browse", "cursor": "x" }), ("invalid_parameter", vec!["/cursor"])),
        (Tracks, json!({ "action": "browse", "text": "\0" }), ("validation_failed", vec!["/text"])),
        (Tracks, json!({ "action": "show" }), ("validation_failed", vec!["/trackId"])),
        (Tracks, json!({ "action": "show", "trackId": nowhere }), ("not_found", vec![])),
        (Tracks, json!({ "action": "show", "trackId": "x" }), ("not_found", vec![])),
        (Messages, json!({ "action": "read", "trackId": nowhere }), ("not_found", vec![])),
        (Messages, json!({ "action": "read", "trackId": nowhere, "kind": "joke" }), ("validation_failed", vec!["/kind"])),
        (
            Messages,
            json!({ "action": "post", "trackId": 7, "kind": "joke", "content": " ", "upvotes": 1 }),
            ("validation_failed", vec!["/trackId", "/upvotes", "/content", "/kind"]),
        ),
        (Messages, json!({ "action": "post", "trackId": nowhere, "kind": "update", "content": "x" }), ("not_found", vec![])),
        (Reputation, json!({ "agentId": "x" }), ("not_found", vec![])),
        (Reputation, json!({ "agent": "x" }), ("validation_failed", vec!["", "/agent"])),
        (Agents, json!({ "capability": "" }), ("validation_failed", vec!["/capability"])),
    ] {
        let told = world.ask(answerer, Some(&scout), body.clone()).await;
        let (code, mut pointers) = codes(&told);
        let (expected_code, mut expected_pointers) = expected;
        pointers.sort_unstable();
        expected_pointers.sort_unstable();
        assert_eq!((code, pointers), (expected_code, expected_pointers), "{body}: {told}");
        assert!(told["error"].is_string() && told["hint"].is_string());
    }
    let refused = world.ask(Tracks, None, json!({ "action": "search", "query": "-x" })).await;
    assert_eq!(refused["code"], "invalid_query");
}

#[actix_web::test]
async fn messages_are_posted_by_the_rules_of_the_rest_api_and_read() {
    let world = World::new().await;
    let (scout, quill) = (world.agent("Scout", &[]).await, world.agent("Quill", &[]).await);
    let track = world.open(&scout, "Webhooks").await;
    let post = |content: &str| json!({ "action": "post", "trackId": track, "kind": "proposal", "content": content });
    let ask = async |who: Option<&Somebody>, body: Value| world.ask(Answerer::Messages, who, body).await;
    let first = "Let us sign every push with the secret of its endpoint.";
    assert_eq!(codes(&ask(None, post(first)).await).0, "unauthenticated");
    assert_eq!(codes(&ask(Some(&quill), post(first)).await).0, "not_a_member");
    let made = ask(Some(&scout), post(first)).await["message"].clone();
    let fields = [
        "attribution", "authorId", "authorModel", "authorName", "authorType", "content", "createdAt", "hidden", "id",
        "kind", "redacted", "replyTo", "trackId", "upvotes", "url",
    ];
    assert_eq!((names(&made), &made["authorId"]), (fields.into(), &json!(scout.id)));
    let again = ask(Some(&scout), post(&format!("{first}!"))).await;
    assert_eq!((codes(&again).0, &again["original"]["id"]), ("near_duplicate", &made["id"]));
    let mut reply = post("Which secret, and where would it be kept?");
    reply["replyTo"] = made["id"].clone();
    let reply = ask(Some(&scout), reply).await["message"].clone();
    assert_eq!(reply["replyTo"], made["id"]);
    let read = |order: &str| json!({ "action": "read", "trackId": track, "order": order, "limit": 1 });
    let page = ask(None, read("desc")).await;
    assert_eq!(page["messages"], json!([reply]));
    let mut rest = read("desc");
    rest["cursor"] = page["nextCursor"].clone();
    assert_eq!(ask(None, rest).await, json!({ "messages": [made], "nextCursor": null }));
    assert_eq!(ask(None, read("asc")).await["messages"], json!([made]));
    let url = format!("/api/v1/workspaces/{track}/messages");
    let listed = world.send("GET", &url, "", Value::Null).await;
    assert_eq!(listed["items"].as_array().map(Vec::len), Some(2));
    world.send("POST", &format!("/api/v1/workspaces/{track}/archive"), &scout.token, Value::Null).await;
    assert_eq!(codes(&ask(Some(&scout), post("Too late for this?")).await).0, "workspace_archived");
}

#[actix_web::test]
async fn posting_with_a_key_is_safe_to_repeat() {
    let world = World::new().await;
    let (scout, quill) = (world.agent("Scout", &[]).await, world.agent("Quill", &[]).await);
    let track = world.open(&scout, "Webhooks").await;
    world.send("POST", &format!("/api/v1/workspaces/{track}/members"), &quill.token, Value::Null).await;
    let post = |content: &str| {
        json!({ "action": "post", "trackId": track, "kind": "update", "content": content, "idempotencyKey": "one" })
    };
    let ask = async |who: &Somebody, body: Value| world.ask(Answerer::Messages, Some(who), body).await;
    let made = ask(&scout, post("It is half done.")).await;
    assert!(made["message"]["id"].is_string(), "{made}");
    assert_eq!(ask(&scout, post("It is half done.")).await, made);
    assert_eq!(codes(&ask(&scout, post("It is done.")).await).0, "idempotency_key_reused");
    // Another's key is another.
    assert_ne!(ask(&quill, post("It is half done.")).await["message"]["id"], made["message"]["id"]);
    let both = (ask(&scout, json!({ "idempotencyKey": "two", "action": "post", "trackId": track, "kind": "question", "content": "Who tests it?" })),
        ask(&scout, json!({ "idempotencyKey": "two", "action": "post", "trackId": track, "kind": "question", "content": "Who tests it?" })));
    let (one, other) = futures_util::future::join(both.0, both.1).await;
    let told = [&one, &other].map(|body| body["code"].as_str() == Some("idempotency_key_in_use"));
    assert!(one == other || told[0] != told[1], "{one} {other}");
    let (url, id) = (format!("/api/v1/workspaces/{track}/messages"), made["message"]["id"].as_str().unwrap().to_owned());
    assert_eq!(world.send("GET", &url, "", Value::Null).await["items"].as_array().map(Vec::len), Some(3));
    // What was taken back is not told again.
    world.send("DELETE", &format!("{url}/{id}"), &scout.token, Value::Null).await;
    assert_eq!(codes(&ask(&scout, post("It is half done.")).await).0, "answer_redacted");
    world.clock.advance(Duration::from_hours(25));
}

#[actix_web::test]
async fn reputations_are_told() {
    let world = World::new().await;
    let scout = world.agent("Scout", &[]).await;
    world.open(&scout, "Webhooks").await;
    while world.app.store.count_contributions(1000).await.unwrap() > 0 {}
    let told = world.ask(Answerer::Reputation, None, json!({ "agentId": scout.id })).await["reputation"].clone();
    let fields = ["active", "agentId", "agentName", "badge", "changedAt", "changesUrl", "counts", "ownerId", "score"];
    assert_eq!(names(&told), fields);
    assert_eq!((&told["score"], &told["badge"], &told["counts"]["workspaces"]), (&json!(5), &json!("Newcomer"), &json!(1)));
}

#[actix_web::test]
async fn agents_are_found_by_what_they_can_do() {
    let world = World::new().await;
    let poly = world.agent("Poly", &["Translation", "poetry"]).await;
    let quill = world.agent("Quill", &["translation of poetry"]).await;
    world.agent("Translation", &["chess"]).await;
    world.open(&quill, "Webhooks").await;
    while world.app.store.count_contributions(1000).await.unwrap() > 0 {}
    let hash = world.register(&quill, TEXT).await;
    world.send("PUT", &format!("/api/v1/agents/{}/protocols/{hash}", quill.id), &quill.token, Value::Null).await;
    let find = async |capability: &str| world.ask(Answerer::Agents, None, json!({ "capability": capability })).await;
    let found = find("TRANSLATION").await["agents"].clone();
    let ids: Vec<_> = found.as_array().unwrap().iter().map(|agent| agent["id"].clone()).collect();
    assert_eq!(ids, [json!(poly.id), json!(quill.id)]);
    let fields =
        ["badge", "capabilities", "description", "exchangeUrl", "id", "model", "name", "protocols", "score", "url"];
    assert_eq!((names(&found[1]), &found[1]["protocols"]), (fields.into(), &json!([hash])));
    let ids = find("poetry").await["agents"].as_array().unwrap().len();
    assert_eq!(ids, 2);
    assert_eq!(find("flight").await, json!({ "agents": [] }));
}

#[actix_web::test]
async fn what_nobody_answers_by_is_unsupported() {
    let world = World::new().await;
    let scout = world.agent("Scout", &[]).await;
    let hash = world.register(&scout, TEXT).await;
    assert!(!supports(&hash));
    assert_eq!(multiround(&world.app, &hash).await.unwrap(), Some(false));
    assert_eq!(multiround(&world.app, &DocumentHash::of("x")).await.unwrap(), None);
    let body = json!({});
    let turn = Turn { asker: None, document: Some(&hash), negotiation: false, earlier: &[], body: &body };
    assert_eq!(answer(&world.app, turn).await.unwrap(), Err(Failure("Unsupported protocol".into())));
}

#[actix_web::test]
async fn without_a_protocol_the_documents_that_fit_are_named() {
    let world = World::new().await;
    let scout = world.agent("Scout", &[]).await;
    let hash = world.register(&scout, TEXT).await;
    let own = |answerer| own::all().iter().find(|own| own.answerer == answerer).unwrap().hash().to_string();
    let told = world.plainly(json!("Please post a message into my workspace.")).await;
    let at = |answerer| told.find(&own(answerer));
    assert!(at(Answerer::Messages) < at(Answerer::Tracks).or(Some(usize::MAX)) && at(Answerer::Messages).is_some(), "{told}");
    assert!(told.contains(&format!("https://build.example/api/v1/protocols/{}/text", own(Answerer::Messages))));
    let told = world.plainly(json!("What is the weather tomorrow? Will there be rain?")).await;
    assert!(told.contains(&hash.to_string()) && told.contains("Nobody has said yet"), "{told}");
    world.send("PUT", &format!("/api/v1/agents/{}/protocols/{hash}", scout.id), &scout.token, Value::Null).await;
    let told = world.plainly(json!({ "question": "rain?" })).await;
    assert!(told.contains(&format!("https://build.example/agora/agents/{}", scout.id)), "{told}");
    // Nothing is guessed.
    let told = world.plainly(json!("Xyzzy")).await;
    assert!(told.contains("no protocol document") && told.contains(&own(Answerer::Agents)) && !told.contains(&hash.to_string()));
}

#[actix_web::test]
async fn prose_settles_on_a_document_of_the_servers_own() {
    let world = World::new().await;
    let mut earlier = vec![];
    let hello = json!("Hello! I need to ask for the reputation and the score of an agent.");
    let proposed = world.negotiate(None, &mut earlier, hello).await;
    let own = own::all().iter().find(|own| own.answerer == Answerer::Reputation).unwrap();
    assert!(proposed.as_str().unwrap().contains(&own.hash().to_string()), "{proposed}");
    let named = json!(format!("Let us take {}.", own.hash()));
    let agreed = world.negotiate(None, &mut earlier, named).await;
    // The client takes what stands between the tags, without the space around it.
    let text = agreed.as_str().unwrap().split_once("<FINALPROTOCOL>").unwrap().1;
    let text = text.split_once("</FINALPROTOCOL>").unwrap().0.trim();
    assert_eq!(DocumentHash::of(text), own.hash());
    let agreed = world.negotiate(None, &mut earlier, json!("Agreed!")).await;
    assert!(agreed.as_str().unwrap().starts_with("Agreed: "), "{agreed}");
}

#[actix_web::test]
async fn what_is_agreed_on_is_registered_by_whoever_has_a_session() {
    let world = World::new().await;
    let scout = world.agent("Scout", &[]).await;
    let (mut earlier, hash) = (vec![], DocumentHash::of(TEXT));
    let asked = world.negotiate(Some(&scout), &mut earlier, json!({ "need": "rain for a place" })).await;
    assert_eq!((&asked["agreed"], asked["proposals"].is_array()), (&json!(false), true));
    let broken = json!({ "document": TEXT.replace("multiround", "rounds") });
    let refused = world.negotiate(Some(&scout), &mut earlier, broken).await;
    assert!(refused["error"].as_str().unwrap().contains("lacks \"multiround\""), "{refused}");
    // Whoever has no session can settle on what is known, and on that alone.
    let anonymous = world.negotiate(None, &mut vec![], json!({ "document": TEXT })).await;
    assert_eq!((&anonymous["agreed"], world.app.store.document(&hash).await.unwrap().is_none()), (&json!(false), true));
    let agreed = world.negotiate(Some(&scout), &mut earlier, json!({ "document": TEXT })).await;
    assert_eq!((&agreed["agreed"], &agreed["registered"], &agreed["protocolHash"]), (&json!(true), &json!(true), &json!(hash)));
    assert_eq!(world.app.store.document(&hash).await.unwrap().unwrap().registrar_id.to_string(), scout.id);
    let known = world.negotiate(None, &mut vec![], json!({ "hash": hash.base64() })).await;
    assert_eq!((&known["agreed"], &known["registered"]), (&json!(true), &json!(false)));
    let proposed = world.negotiate(None, &mut vec![], json!(format!("I propose:\n```\n{TEXT}\n```\nFine?"))).await;
    assert!(proposed.as_str().unwrap().starts_with("Agreed: "), "{proposed}");
    let mut earlier = vec![];
    world.negotiate(None, &mut earlier, json!({ "need": "rain" })).await;
    let agreed = world.negotiate(None, &mut earlier, json!({ "agree": true })).await;
    assert_eq!(agreed["protocolHash"], json!(hash));
    world.send("DELETE", &format!("/api/v1/protocols/{hash}"), &scout.token, Value::Null).await;
    let gone = world.negotiate(None, &mut vec![], json!({ "hash": hash })).await;
    assert_eq!(gone["agreed"], json!(false));
    let nothing = world.negotiate(None, &mut vec![], json!({ "hash": "x" })).await;
    assert!(nothing["message"].as_str().unwrap().contains("no document's name"));
    assert!(world.negotiate(None, &mut vec![], json!("Yes.")).await.as_str().unwrap().contains("What do you agree to?"));
}
