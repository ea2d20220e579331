//! Every end of a right against every door that stays open: what the caller had open ends, and what others have open goes on.

use std::time::Duration;

use buildtrack_domain::ids::MatchId;
use buildtrack_tests::{Agent, Backend, Caller, Owner, TestApp, eventually, message};
use futures_util::{StreamExt, future::join_all};
use rstest_reuse::apply;
use serde_json::{Value, json};
use tokio::{
    task::{JoinHandle, spawn_local},
    time::timeout,
};
use tokio_tungstenite::{
    connect_async,
    tungstenite::{Message, client::IntoClientRequest},
};

use crate::{
    a2a, either,
    oauth::{TOKEN, approved, browser, form, redeeming, registered, renewing},
};

/// How long a door may take to close: the server promises five seconds, and other tests use the processor.
const PATIENCE: Duration = Duration::from_secs(20);

/// What opened a door.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Bearer {
    /// A session that the agent's key opened.
    Session,
    /// A session of a client that the owner let act as the agent.
    Client,
    ArenaToken,
    /// The token of a round of a match.
    Round,
}

use Bearer::{ArenaToken, Client, Round, Session};

/// How a right ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum End {
    AgentsSuspended,
    OwnerSuspended,
    Deactivation,
    KeyRotated,
    TokenReplaced,
    SessionEnded,
    ConsentWithdrawn,
    ScopeLowered,
    AccountDeleted,
}

impl End {
    /// The bearers whose doors close, and the code of the sessions' refusal.
    fn closes(self) -> (&'static [Bearer], &'static str) {
        match self {
            Self::AgentsSuspended | Self::OwnerSuspended => (&[Session, Client, ArenaToken, Round], "suspended"),
            Self::Deactivation | Self::AccountDeleted => (&[Session, Client, ArenaToken, Round], "invalid_token"),
            Self::KeyRotated => (&[Session, Client], "invalid_token"),
            Self::TokenReplaced => (&[ArenaToken], "invalid_token"),
            Self::SessionEnded => (&[Session], "invalid_token"),
            Self::ConsentWithdrawn | Self::ScopeLowered => (&[Client], "invalid_token"),
        }
    }
}

/// An owner with an agent for each kind of token; the agent that is asked is another owner's.
struct Cast {
    app: TestApp,
    olga: Owner,
    ada: Owner,
    scout: Agent,
    helper: Agent,
    player: Agent,
    browser: Caller,
    client: String,
    access_token: String,
    refresh_token: String,
    arena_token: String,
    round_token: String,
    track: String,
    asked: Agent,
}

impl Cast {
    async fn new(backend: Backend) -> Self {
        let app = TestApp::start(backend).await;
        let (olga, ada, asked) = (app.operator("Olga").await, app.owner("Ada").await, app.agent("Asked").await);
        let (scout, helper) = (ada.agent("Scout").await, ada.agent("Helper").await);
        let player = ada.agent("Player").await;
        let (client, browser) = (registered(&app, "Editor").await, browser(&app, &ada));
        let code = approved(&browser, &client, &helper).await;
        let tokens = form(&app, TOKEN, &redeeming(&client, &code)).await.expect_status(200);
        let arena_token = player.act(&format!("/api/v1/agents/{}/arena/token", player.id)).await.expect_status(201);
        let match_id = MatchId::new(app.store().log().clock().uuid()).to_string();
        let exp = app.store().log().clock().now().timestamp() + 3600;
        let claims = json!({ "agent_id": player.id, "match_id": match_id, "exp": exp }).to_string();
        let round_token = app.store().log().sign_token(&claims).await.unwrap();
        Self {
            access_token: tokens.text_at("/access_token"),
            refresh_token: tokens.text_at("/refresh_token"),
            arena_token: arena_token.text_at("/token"),
            track: asked.open("A track").await.path(),
            round_token,
            app,
            olga,
            ada,
            scout,
            helper,
            player,
            browser,
            client,
            asked,
        }
    }

    async fn end(&self, end: End) {
        let agents = [&self.scout, &self.helper, &self.player];
        let suspend = async |subject: &str| {
            let body = json!({ "subject": subject, "action": "suspend", "reason": "Advertising" });
            self.olga.post("/api/v1/moderation/actions", body).await.expect_status(201);
        };
        match end {
            End::AgentsSuspended => drop(join_all(agents.map(async |agent| suspend(&agent.id).await)).await),
            End::OwnerSuspended => suspend(&self.ada.id).await,
            End::Deactivation => {
                for agent in agents {
                    self.ada.delete(&format!("/api/v1/agents/{}", agent.id)).await.expect_status(204);
                }
            }
            End::KeyRotated => {
                for agent in agents {
                    self.ada.act(&format!("/api/v1/agents/{}/keys", agent.id)).await.expect_status(201);
                }
            }
            End::TokenReplaced => {
                let path = format!("/api/v1/agents/{}/arena/token", self.player.id);
                self.player.act(&path).await.expect_status(201);
            }
            End::SessionEnded => drop(self.scout.delete("/api/v1/sessions/current").await.expect_status(204)),
            End::ConsentWithdrawn => {
                let page = format!("/portal/agents/{}", self.helper.id);
                let shown = self.browser.get(&page).await.expect_status(200);
                let consent = shown.text.split("name=\"consent\" value=\"").nth(1).unwrap().split('"').next().unwrap();
                let token = shown.text.split("name=\"form-token\" value=\"").nth(1).unwrap().split('"').next().unwrap();
                let fields = format!("form-token={token}&consent={consent}");
                let posted = self.browser.send("POST", &format!("{page}/consents"));
                posted.body("application/x-www-form-urlencoded", fields).await.expect_status(303);
            }
            End::ScopeLowered => {
                let mut fields = renewing(&self.client, &self.refresh_token);
                fields.push(("scope", "read"));
                form(&self.app, TOKEN, &fields).await.expect_status(200);
            }
            End::AccountDeleted => {
                let body = json!({ "password": self.ada.password, "texts": "keep" });
                self.ada.delete("/api/v1/me").json(body).await.expect_status(204);
            }
        }
    }

    /// Opens every door of a session, and waits until the server holds all of them.
    async fn doors(&self, bearer: Bearer, agent: &Agent, token: &str) -> Vec<Door> {
        let caller = self.app.anonymous().with_token(token);
        let own = |rest: &str| format!("/api/v1/agents/{}/{rest}", agent.id);
        let mut doors = vec![
            Door::socket(bearer, "reporting socket", &self.app, "/v1/stream", token).await,
            Door::socket(bearer, "EvalDuel socket", &self.app, "/agent/connect", token).await,
        ];
        for (name, path) in [
            ("live log", "/api/v1/live".to_owned()),
            ("live workspace", format!("{}/live", self.track)),
            ("live agent", own("live")),
            ("live pushes", own("live?form=push")),
        ] {
            doors.push(Door::stream(bearer, name, &caller, &path).await);
        }
        for (name, path) in [
            ("inbox", "/api/v1/me/inbox?wait=30".to_owned()),
            ("events", own("events?wait=30")),
            ("requests of the exchange", "/api/v1/me/exchange/requests?wait=30".to_owned()),
        ] {
            doors.push(Door::reply(bearer, name, caller.get(&path)));
        }
        let attending = caller.put("/api/v1/arena/presence").json(json!({ "wait": 30 }));
        doors.push(Door::reply(bearer, "presence in the arena", attending));
        let arguments = json!({ "name": "arena", "arguments": { "action": "wait", "wait": 30 } });
        let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": arguments });
        doors.push(Door::reply(bearer, "tool", caller.post("/mcp", call)));
        let asking = json!({ "protocolHash": null, "body": "Hello" });
        let to_agent = format!("/agora/agents/{}", self.asked.id);
        doors.push(Door::reply(bearer, "request to an agent", caller.post(&to_agent, asking)));
        let task = format!("/a2a/agents/{}/message:stream", self.asked.id);
        doors.push(Door::reply(bearer, "task", a2a::speaking(&caller).post(&task, a2a::message("Hello"))));
        self.hold(agent, "live", 9).await;
        self.hold(agent, "waiting", 4).await;
        doors
    }

    /// Waits until the server holds so many permits of a kind for an agent.
    async fn hold(&self, agent: &Agent, kind: &str, count: u32) {
        let share = format!("{kind} agent {}", agent.id);
        eventually(async || self.app.store().limits().hold_here(&share, count).is_none()).await;
    }
}

/// A request or a connection that stays open.
struct Door {
    bearer: Bearer,
    name: &'static str,
    /// What the server said at its end.
    ended: JoinHandle<String>,
}

impl Door {
    async fn socket(bearer: Bearer, name: &'static str, app: &TestApp, path: &str, token: &str) -> Self {
        let mut request = format!("{}{path}", app.url().replacen("http", "ws", 1)).into_client_request().unwrap();
        request.headers_mut().insert("authorization", format!("Bearer {token}").parse().unwrap());
        let (mut stream, _) = connect_async(request).await.unwrap();
        let ended = spawn_local(async move {
            loop {
                match stream.next().await {
                    Some(Ok(Message::Close(Some(frame)))) => {
                        return format!("{}: {}", u16::from(frame.code), frame.reason);
                    }
                    Some(Ok(_)) => {}
                    other => return format!("{other:?}"),
                }
            }
        });
        Self { bearer, name, ended }
    }

    async fn stream(bearer: Bearer, name: &'static str, caller: &Caller, path: &str) -> Self {
        let mut live = caller.follow(path).await;
        let ended = spawn_local(async move {
            let mut last = String::new();
            while let Some(frame) = live.event().await {
                last = format!("{} {}", frame.event, frame.data);
            }
            last
        });
        Self { bearer, name, ended }
    }

    fn reply(bearer: Bearer, name: &'static str, request: buildtrack_tests::Request) -> Self {
        let ended = spawn_local(async move {
            let reply = request.await;
            format!("{} {}", reply.status, reply.text)
        });
        Self { bearer, name, ended }
    }
}

#[apply(either)]
async fn every_open_door_closes_with_its_right(
    #[case] backend: Backend,
    #[values(
        End::AgentsSuspended,
        End::OwnerSuspended,
        End::Deactivation,
        End::KeyRotated,
        End::TokenReplaced,
        End::SessionEnded,
        End::ConsentWithdrawn,
        End::ScopeLowered,
        End::AccountDeleted
    )]
    end: End,
) {
    tokio::task::LocalSet::new().run_until(Box::pin(check(backend, end))).await;
}

async fn check(backend: Backend, end: End) {
    let cast = Cast::new(backend).await;
    let mut doors = cast.doors(Session, &cast.scout, &cast.scout.token).await;
    doors.extend(cast.doors(Client, &cast.helper, &cast.access_token).await);
    doors.push(Door::socket(ArenaToken, "reporting socket", &cast.app, "/v1/stream", &cast.arena_token).await);
    doors.push(Door::socket(ArenaToken, "EvalDuel socket", &cast.app, "/agent/connect", &cast.arena_token).await);
    doors.push(Door::socket(Round, "reporting socket", &cast.app, "/v1/stream", &cast.round_token).await);
    let (closed, code) = end.closes();
    let anyone = cast.app.anonymous().follow("/api/v1/live").await;

    cast.end(end).await;
    let (closing, open): (Vec<_>, Vec<_>) = doors.into_iter().partition(|door| closed.contains(&door.bearer));
    for Door { bearer, name, ended } in closing {
        let said =
            timeout(PATIENCE, ended).await.unwrap_or_else(|_| panic!("{bearer:?} keeps the {name} after {end:?}"));
        let said = said.unwrap().to_lowercase();
        assert!(said.starts_with("1008: ") || said.contains(code), "{bearer:?}, {name}, {end:?}: {said}");
    }
    for Door { bearer, name, ended } in open {
        assert!(!ended.is_finished(), "{bearer:?} loses the {name} by {end:?}: {:?}", ended.await);
        ended.abort();
    }
    drop(anyone);
}

#[apply(either)]
async fn a_session_that_only_reads_asks_no_agent_under_its_name(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (scout, asked) = (app.agent("Scout").await, app.agent("Asked").await);
    let reader = scout.session(&["read"]).await;
    let body = json!({ "protocolHash": null, "body": "Hello", "multiround": true });
    let begun = scout.post("/agora", body.clone()).await.expect_status(200);
    let conversation = format!("/agora/conversations/{}", begun.text_at("/conversationId"));
    for path in ["/agora".to_owned(), format!("/agora/agents/{}", asked.id), conversation.clone()] {
        let refused = reader.post(&path, body.clone()).await.expect_status(403);
        assert!(refused.text.contains("missing_scope"), "{path}: {}", refused.text);
    }
    reader.delete(&conversation).await.expect_status(403);
    assert_eq!(asked.get("/api/v1/me/exchange/requests").await.expect_status(200)["items"], json!([]));
    reader.get("/agora/wellknown").await.expect_status(200);
    app.anonymous().post("/agora", json!({ "protocolHash": null, "body": "Hello" })).await.expect_status(200);
}

#[apply(either)]
async fn an_export_breaks_off_when_its_caller_is_suspended(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| {
        settings.rate_limits = "free=100000,pro=5,anonymous=1000".parse().unwrap();
    })
    .await;
    let (olga, ada, scout) = (app.operator("Olga").await, app.owner("Ada").await, app.agent("Scout").await);
    let track = scout.open("Long").await;
    // The server refuses texts that resemble each other.
    let texts = (0..510_u64).map(|number| format!("{:016x}", number.wrapping_mul(0x9e37_79b9_7f4a_7c15)));
    join_all(texts.map(async |text| scout.post(&track.messages(), message(&text)).await.expect_status(201))).await;
    // The export costs more than the remainder of the owner's limit.
    let left = async || {
        let reply = ada.get("/api/v1/me").await.expect_status(200);
        let (_, rest) = reply.header("ratelimit").split_once(";r=").unwrap();
        rest.split(';').next().unwrap().parse::<u32>().unwrap()
    };
    while left().await > 1 {}
    let client = reqwest::Client::builder().no_proxy().build().unwrap();
    let exporting = client.get(format!("{}{}/export", app.url(), track.path())).bearer_auth(&ada.token);
    let response = exporting.send().await.unwrap();
    assert_eq!(response.status(), 200);
    let body = json!({ "subject": ada.id, "action": "suspend", "reason": "Advertising" });
    olga.post("/api/v1/moderation/actions", body).await.expect_status(201);
    let read: Result<Vec<Value>, _> =
        timeout(PATIENCE, response.text()).await.expect("it breaks off in time").map(|_| vec![]);
    assert!(read.is_err(), "the export is complete");
}
