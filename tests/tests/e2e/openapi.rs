//! `GET /openapi.json`: complete, current, and with examples that work unchanged.

use std::num::NonZeroU16;

use buildtrack_domain::arena::tasks::League;
use buildtrack_store::{ArenaChange, EndpointState, IdentityChange, sha256_hex};
use buildtrack_tests::{
    Agent, Backend, TestApp,
    contract::{DOCUMENT, OPERATIONS, Operation},
};
use chrono::TimeDelta;
use rstest_reuse::apply;
use serde_json::{Map, Value, json};

use crate::{
    either,
    exchange::{Answering, ask, asked},
};

#[apply(either)]
async fn the_served_document_is_the_committed_one(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let served = app.anonymous().get("/openapi.json").await.expect_status(200);
    assert_eq!(served.header("content-type"), "application/json");
    let committed = include_str!("../../../openapi/openapi.json");
    let committed = committed.replace("http://127.0.0.1:8080", "https://build.example");
    let committed: Value = serde_json::from_str(&committed).unwrap();
    assert!(served.json == committed, "run: cargo run -- openapi > openapi/openapi.json");
    assert_eq!((&served["openapi"], &served["servers"][0]["url"]), (&"3.1.0".into(), &"https://build.example".into()));
    let known = app.anonymous().with_header("if-none-match", served.header("etag"));
    known.get("/openapi.json").await.expect_status(304);
}

#[test]
fn every_operation_is_described() {
    let mut ids = Vec::new();
    for operation in OPERATIONS.iter() {
        let (name, definition) = (format!("{} {}", operation.method, operation.path), &operation.definition);
        for field in ["summary", "description", "operationId"] {
            assert!(definition[field].as_str().is_some_and(|text| !text.is_empty()), "{name} has no {field}");
        }
        let summary = definition["summary"].as_str().unwrap();
        assert!(summary.split_whitespace().count() <= 10, "{name}: more than ten words in {summary:?}");
        assert_eq!(definition["tags"].as_array().map(Vec::len), Some(1), "{name}");
        ids.push(definition["operationId"].clone().to_string());
        for parameter in operation.path.split('/').filter_map(|part| part.strip_prefix('{')) {
            let parameter = parameter.trim_end_matches('}');
            let known = definition["parameters"].as_array().into_iter().flatten();
            assert!(
                known.filter(|known| known["name"] == parameter && known["in"] == "path").count() == 1,
                "{name}: {parameter}"
            );
        }
        for (status, response) in definition["responses"].as_object().unwrap() {
            assert!(response["description"].as_str().is_some_and(|text| !text.is_empty()), "{name} {status}");
        }
    }
    let count = ids.len();
    ids.sort();
    ids.dedup();
    assert_eq!(ids.len(), count, "an operationId is given twice");
}

#[test]
fn both_names_of_a_position_are_documented() {
    for id in ["pollEvents", "pollMessages"] {
        let operation = OPERATIONS.iter().find(|operation| operation.definition["operationId"] == id).unwrap();
        let parameters = operation.definition["parameters"].as_array().unwrap();
        for name in ["cursor", "after"] {
            assert!(parameters.iter().any(|parameter| parameter["name"] == name), "{id}: {name}");
        }
    }
    let replay = &DOCUMENT["components"]["schemas"]["NewReplay"]["properties"];
    assert!(replay["after"].is_object() && replay["sincePosition"].is_object());
}

#[test]
fn every_reference_resolves_and_every_schema_is_used() {
    let text = DOCUMENT.to_string();
    for kind in ["schemas", "responses", "headers", "parameters"] {
        let components = DOCUMENT["components"][kind].as_object().unwrap();
        let prefix = format!("#/components/{kind}/");
        let references = text.split(&prefix).skip(1).map(|rest| rest.split('"').next().unwrap());
        let references: std::collections::BTreeSet<_> = references.collect();
        assert_eq!(references, components.keys().map(String::as_str).collect(), "{kind}");
    }
}

/// The body that the documentation's «try it» suggests.
pub(crate) fn example(schema: &Value) -> Value {
    if let Some(reference) = schema["$ref"].as_str() {
        return example(DOCUMENT.pointer(reference.trim_start_matches('#')).unwrap());
    }
    let given = [schema.get("example"), schema["examples"].get(0), schema["enum"].get(0), schema.get("const")];
    if let Some(given) = given.into_iter().flatten().next() {
        return given.clone();
    }
    if let Some(branch) = ["oneOf", "anyOf"].iter().find_map(|several| schema[*several].as_array()) {
        return example(branch.iter().find(|branch| branch["type"] != "null").unwrap());
    }
    let kind = schema["type"].as_array().and_then(|kinds| kinds.first()).unwrap_or(&schema["type"]);
    match kind.as_str().unwrap_or_default() {
        "object" => {
            let fields = schema["properties"].as_object().into_iter().flatten();
            Value::Object(fields.map(|(name, field)| (name.clone(), example(field))).collect::<Map<_, _>>())
        }
        "array" => json!([example(&schema["items"])]),
        "integer" | "number" => json!(0),
        "boolean" => json!(true),
        "string" => json!("string"),
        // Any value is valid.
        "" => json!({}),
        other => panic!("no example for {other:?}: {schema}"),
    }
}

/// The schema of an operation's body; `None` at the relay, whose bodies must be signed when they are sent.
fn body_schema(operation: &Operation) -> Option<&Value> {
    if operation.definition["tags"][0] == "Relay" {
        return None;
    }
    operation.definition.pointer("/requestBody/content/application~1json/schema")
}

#[apply(either)]
async fn the_example_of_every_body_is_accepted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.operator("Bea").await;
    let scout = ada.agent_at("Scout", "http://127.0.0.1:9/").await;
    let webhook = scout.webhook().await;
    let grace = app.owner("Grace").await;
    let decide = async |subject: &str, action: &str| {
        let body = json!({ "subject": subject, "action": action, "reason": "Why not" });
        ada.post("/api/v1/moderation/actions", body).await.expect_status(201);
    };
    let post = scout.ask("How?").await;
    let answer = scout.answer(&post, "So.").await.text_at("/id");
    // A balance to tip from.
    let quill = app.agent("Quill").await;
    scout.open("Tips").await;
    app.count().await;
    let _answering = Answering::with(&quill, |_| json!({ "body": "So." }));
    let converse = async |root: String| {
        let begun = app.anonymous().post(&root, json!({ "body": "How?", "multiround": true })).await;
        format!("{root}/conversations/{}", begun.text_at("/conversationId"))
    };
    let mut tried = 0;
    for operation in OPERATIONS.iter() {
        let Some(schema) = body_schema(operation).filter(|_| !needs_mail(operation)) else { continue };
        let (mut body, anyone) = (example(schema), app.anonymous());
        // A new workspace for each operation, because some of them end it. The example's actor does not exist: replaced here.
        let track = scout.open("Webhooks").await;
        ada.join(&track).await;
        let solution = ada.solve(&track).await;
        scout.accept(&track, &solution).await.expect_status(200);
        let ids = [
            ("messageId", &solution),
            ("memberId", &ada.id),
            ("replyId", &answer),
            ("to", &quill.id),
            ("subject", &solution),
        ];
        for (field, id) in ids {
            if body.get(field).is_some() {
                body[field] = id.as_str().into();
            }
        }
        let path = operation.path.replace("/workspaces/{id}", &format!("/workspaces/{}", track.id));
        let path = path.replace("/agents/{id}", &format!("/agents/{}", scout.id));
        let path = path.replace("{webhookId}", &webhook).replace("{memberId}", &ada.id);
        let path = path.replace("/api/v1/forum/posts/{id}", post.header("location"));
        let path = path.replace("{replyId}", &answer).replace("{agentId}", &quill.id);
        let path = match path.strip_suffix("/conversations/{id}") {
            Some(root) => converse(root.to_owned()).await,
            None => path,
        };
        let asking = path
            .contains("/requests/{id}")
            .then(|| ask(&anyone, &format!("/agora/agents/{}", scout.id), json!({ "body": "How?" })));
        let path = match asking {
            Some(_) => path.replace("{id}", asked(&scout).await["id"].as_str().unwrap()),
            None => path,
        };
        let path = match path.strip_prefix("/api/v1/arena/matches/{id}/turns/{turn}/") {
            Some(rest) => {
                make_reachable(&app, &[&scout]).await;
                let against_the_bot = json!({ "league": "trivia", "agentIds": [scout.id, "sparring"] });
                let started =
                    scout.post("/api/v1/arena/matches", against_the_bot).await.expect_status(201).text_at("/id");
                format!("/api/v1/arena/matches/{started}/turns/turn_1/{rest}")
            }
            None => path,
        };
        let grace_herself;
        let caller = match &*format!("{} {}", operation.method, operation.path) {
            "POST /agent-login" => {
                // The example's key belongs to no agent: a real one replaces it.
                let agent_id = ada.agent("Ranger").await.id.parse().unwrap();
                let key_hash = sha256_hex(body["key"].as_str().unwrap());
                app.store().log().write_side(vec![IdentityChange::Credential { agent_id, key_hash }]).await.unwrap();
                &anyone
            }
            "POST /api/v1/sessions" => {
                let mut account = body.clone();
                account["displayName"] = "Grace".into();
                // It may exist already, because the account's example is the same.
                anyone.post("/api/v1/accounts", account).await;
                &anyone
            }
            "POST /api/v1/accounts" => &anyone,
            "PUT /api/v1/me/password" | "PUT /api/v1/me/email" | "DELETE /api/v1/me" => {
                // A new owner, whose password is that of the example.
                let email = format!("grace{tried}@example.org");
                let account = json!({ "email": email, "password": body["password"], "displayName": "Grace" });
                anyone.post("/api/v1/accounts", account).await.expect_status(201);
                let login = json!({ "email": email, "password": body["password"] });
                let token = anyone.post("/api/v1/sessions", login).await.expect_status(201).text_at("/token");
                grace_herself = anyone.with_token(&token);
                &grace_herself
            }
            "POST /api/v1/agents" | "POST /api/v1/agents/{id}/keys/named" | "POST /api/v1/moderation/actions" => &*ada,
            "POST /api/v1/moderation/appeals" => {
                decide(&solution, "hide").await;
                &*ada
            }
            "POST /api/v1/moderation/own-appeal" => {
                decide(&grace.id, "suspend").await;
                body["password"] = grace.password.as_str().into();
                &anyone
            }
            "POST /api/v1/arena/matches" => {
                make_reachable(&app, &[&scout, &quill]).await;
                body["agentIds"] = json!([scout.id, quill.id]);
                &*scout
            }
            "POST /api/v1/arena/tournaments" => {
                make_reachable(&app, &[]).await;
                &*scout
            }
            "POST /api/v1/arena/head-to-heads" => {
                let wren = ada.agent("Wren").await;
                make_reachable(&app, &[&scout, &wren]).await;
                body["agentIds"] = json!([scout.id, wren.id]);
                &*scout
            }
            _ => &*scout,
        };
        let reply = caller.send(&operation.method, &path).json(body.clone()).await;
        assert!((200..300).contains(&reply.status), "{}: {body}: {}", reply.line, reply.text);
        tried += 1;
    }
    let expected = OPERATIONS.iter().filter(|operation| body_schema(operation).is_some() && !needs_mail(operation));
    assert_eq!(tried, expected.count());
}

/// Enrols agents in the arena with an endpoint that counts as well, and opens the leagues.
pub(crate) async fn make_reachable(app: &TestApp, agents: &[&Agent]) {
    let mut changes = vec![ArenaChange::LeaguesOpened { leagues: League::ALL.to_vec() }];
    for agent in agents {
        let endpoint_url = "http://127.0.0.1:9".to_owned();
        let enrolment = json!({ "endpointUrl": endpoint_url, "leagues": ["trivia"], "acceptsChallenges": true });
        let path = format!("/api/v1/agents/{}/arena", agent.id);
        agent.send("PUT", &path).json(enrolment).await.expect_status(200);
        let check_at = app.store().log().clock().now() + TimeDelta::days(1);
        let state = Box::new(EndpointState { is_healthy: true, check_at, ..EndpointState::default() });
        changes.push(ArenaChange::EndpointChecked { agent_id: agent.id.parse().unwrap(), endpoint_url, state });
    }
    app.store().log().write_side(changes).await.unwrap();
}

/// Whether the operation uses a token from a mail, or sends one: see `identity`.
fn needs_mail(operation: &Operation) -> bool {
    ["/api/v1/account-confirmations", "/api/v1/email-confirmations", "/api/v1/password-resets", "/api/v1/new-passwords"]
        .contains(&&*operation.path)
}

#[apply(either)]
async fn null_is_refused_where_the_document_does_not_allow_it(#[case] backend: Backend) {
    // No agent responds to exchange requests here, so they time out soon.
    let app = TestApp::with(backend, |settings| settings.exchange_deadline = NonZeroU16::MIN).await;
    let ada = app.operator("Ada").await;
    let scout = ada.agent("Scout").await;
    let (track, webhook) = (scout.open("Webhooks").await, scout.webhook().await);
    let quill = app.agent("Quill").await;
    for operation in OPERATIONS.iter() {
        let Some(schema) = body_schema(operation) else { continue };
        let definition = DOCUMENT.pointer(schema["$ref"].as_str().unwrap().trim_start_matches('#')).unwrap();
        let path = operation.path.replace("/workspaces/{id}", &format!("/workspaces/{}", track.id));
        let path = path.replace("/agents/{id}", &format!("/agents/{}", scout.id));
        let path = path.replace("{webhookId}", &webhook).replace("{memberId}", &ada.id);
        let path = path.replace("{agentId}", &quill.id);
        let owners = ["/api/v1/moderation/", "/api/v1/me/"].iter().any(|begin| operation.path.starts_with(begin))
            || ["/api/v1/agents", "/api/v1/agents/{id}/keys/named", "/api/v1/me"].contains(&&*operation.path);
        let caller = if owners { &*ada } else { &*scout };
        for (field, property) in definition["properties"].as_object().unwrap() {
            let mut body = example(schema);
            if body.get("to").is_some() {
                body["to"] = quill.id.as_str().into();
            }
            body[field] = Value::Null;
            let nullable = property["not"].is_null() && property.to_string().contains("\"null\"");
            let reply = caller.send(&operation.method, &path).json(body).await;
            if nullable {
                assert_ne!(reply.status, 422, "{field}: {}", reply.text);
            } else {
                let exchange = path.starts_with("/agora");
                let (status, code) = if exchange { (400, "invalid_fields") } else { (422, "validation_failed") };
                let named = reply.expect_problem(status, code).faults();
                assert!(named.iter().any(|(pointer, _)| *pointer == format!("/{field}")), "{path} {field}: {named:?}");
            }
        }
    }
}
