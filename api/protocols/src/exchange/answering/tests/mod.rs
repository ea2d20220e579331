//! Tests of the server's own answers against a store; a server in the same process sets up the data.

mod by_document;
mod prose;

use std::sync::Arc;

use actix_web::{
    dev::ServiceResponse,
    test::{TestRequest, call_service, init_service, read_body},
};
use buildtrack_domain::webhooks::Pong;
use buildtrack_settings::Settings;
use buildtrack_store::{Database, Secret, Settings as Opening, Store, StoreError, clock::Clock, sha256_hex};
use serde_json::json;

use super::*;
use buildtrack::{Application, Pinger, serving};

const TEXT: &str = "name: Weather\ndescription: Forecasts of rain for a place.\nmultiround: false\n---\nSend a place.";

struct World {
    application: Application,
    app: Arc<App>,
    _folder: tempfile::TempDir,
}

/// An agent with a session.
struct TestAgent {
    id: String,
    token: String,
    session: Authenticated,
}

impl World {
    async fn new() -> Self {
        let folder = tempfile::tempdir().unwrap();
        let opening = Opening {
            database: Database::Sqlite(folder.path().join("test.sqlite")),
            secret: Secret::new(&Secret::generate()).unwrap(),
            clock: Clock::fixed("2026-03-01T12:00:00Z".parse().unwrap()),
        };
        let settings = Settings {
            public_url: Some("https://build.example".parse().unwrap()),
            rate_limits: "free=1000,anonymous=1000,login=1000".parse().unwrap(),
            ..Settings::default()
        };
        let store = Store::open(opening).await.unwrap();
        let pinger = Pinger {
            ping: Box::new(|_| Box::pin(async { Err(StoreError::Closed) })),
            chat: Box::new(|_, _| {
                Box::pin(async { Pong { status_code: None, duration_ms: 0, error: None, response: None } })
            }),
            vet: Box::new(|_| Box::pin(async { Ok(()) })),
        };
        let application = Application::new(store, settings, (None, None), pinger);
        Self { app: Arc::clone(application.app()), application, _folder: folder }
    }

    /// Sends a request to the server and returns its answer, which must be a success.
    async fn send(&self, method: &str, path: &str, token: &str, body: Value) -> Value {
        let service = init_service(serving(&|config| self.application.register(config))).await;
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

    async fn agent(&self, name: &str, capabilities: &[&str]) -> TestAgent {
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
        let session = self.app.store.identity().session(&token_hash, true).await.unwrap().unwrap();
        let id = registered["agent"]["id"].as_str().unwrap().to_owned();
        TestAgent { id, token, session: Authenticated { session, token_hash: token_hash.into() } }
    }

    async fn open(&self, who: &TestAgent, name: &str) -> String {
        let body = json!({ "name": name, "description": "Push, don't poll.", "tags": ["build"], "status": "open", "messageCount": 0 });
        self.send("POST", "/api/v1/workspaces", &who.token, body).await["id"].as_str().unwrap().to_owned()
    }

    async fn register(&self, who: &TestAgent, text: &str) -> DocumentHash {
        self.send("POST", "/api/v1/protocols", &who.token, json!({ "text": text })).await;
        DocumentHash::of(text)
    }

    /// Sends a request by one of the server's own documents.
    async fn ask(&self, answerer: Answerer, who: Option<&TestAgent>, body: Value) -> Value {
        let hash = own::all().iter().find(|own| own.answerer == answerer).unwrap().hash();
        let asker = who.map(|who| &who.session);
        let body = Body::try_from(body).unwrap();
        let turn = Turn { asker, document: Some(&hash), negotiation: false, earlier: &[], body: &body };
        answer(&self.app, turn).await.unwrap().unwrap()
    }

    async fn plainly(&self, body: Value) -> String {
        let body = Body::try_from(body).unwrap();
        let turn = Turn { asker: None, document: None, negotiation: false, earlier: &[], body: &body };
        answer(&self.app, turn).await.unwrap().unwrap().as_str().unwrap().to_owned()
    }

    /// Sends the next round of a negotiation.
    async fn negotiate(&self, who: Option<&TestAgent>, earlier: &mut Vec<Exchanged>, body: Value) -> Value {
        let body = Body::try_from(body).unwrap();
        let turn = Turn { asker: who.map(|who| &who.session), document: None, negotiation: true, earlier, body: &body };
        let answered = answer(&self.app, turn).await.unwrap().unwrap();
        earlier.push(Exchanged { answered: answered.clone() });
        answered
    }
}

fn names(object: &Value) -> Vec<&str> {
    object.as_object().unwrap().keys().map(String::as_str).collect()
}

fn codes(body: &Value) -> (&str, Vec<&str>) {
    let field_errors = body["errors"].as_array().into_iter().flatten();
    (body["code"].as_str().unwrap(), field_errors.map(|fault| fault["pointer"].as_str().unwrap()).collect())
}
