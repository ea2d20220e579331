//! `GET /api/v1/agents/{id}/access` and what the owner does with its entries: what a client made for an agent falls with its consent.

mod falling;
mod keeping;
mod removing;

use buildtrack_tests::{Agent, Backend, Caller, Owner, Party, Reply, TestApp};
use serde_json::{Value, json};

use crate::{
    a2a::{message, speaking},
    oauth::{TOKEN, approved_for, browser, form, press_on, redeeming, registered},
};

const PUSH_URL: &str = "http://127.0.0.1:9/pushes";

/// A kind of what a client makes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    ArenaToken,
    ArenaEndpoint,
    Webhook,
    Did,
    PushConfig,
}

const KINDS: [Kind; 5] = [Kind::ArenaToken, Kind::ArenaEndpoint, Kind::Webhook, Kind::Did, Kind::PushConfig];

impl Kind {
    fn name(self) -> &'static str {
        match self {
            Self::ArenaToken => "arena_token",
            Self::ArenaEndpoint => "arena_endpoint",
            Self::Webhook => "webhook",
            Self::Did => "did",
            Self::PushConfig => "push_config",
        }
    }
}

/// Something that was made: its kind, its id, and for some kinds a token or path.
#[derive(Debug)]
struct Made {
    kind: Kind,
    id: String,
    detail: String,
}

/// An owner with an agent, and a client that acts as the agent.
struct Cast {
    app: TestApp,
    ada: Owner,
    scout: Agent,
    asked: Agent,
    browser: Caller,
    client: String,
    /// The client's caller.
    editor: Caller,
    refresh_token: String,
    party: Party,
}

impl Cast {
    async fn new(backend: Backend) -> Self {
        let app = TestApp::start(backend).await;
        let (ada, asked) = (app.owner("Ada").await, app.agent("Asked").await);
        let scout = ada.agent("Scout").await;
        let (client, browser, party) = (registered(&app, "Editor").await, browser(&app, &ada), app.party("Poly"));
        let code = approved_for(&browser, &client, &scout, &["read", "write", "webhooks"]).await;
        let tokens = form(&app, TOKEN, &redeeming(&client, &code)).await.expect_status(200);
        let editor = app.anonymous().with_token(&tokens.text_at("/access_token"));
        Self { refresh_token: tokens.text_at("/refresh_token"), app, ada, scout, asked, browser, client, editor, party }
    }

    fn own(&self, rest: &str) -> String {
        format!("/api/v1/agents/{}/{rest}", self.scout.id)
    }

    /// Makes one thing of a kind.
    async fn make(&self, kind: Kind, by: &Caller) -> Made {
        let (id, detail) = match kind {
            Kind::ArenaToken => {
                let reply = by.act(&self.own("arena/token")).await.expect_status(201);
                (self.scout.id.clone(), reply.text_at("/token"))
            }
            Kind::ArenaEndpoint => {
                let enrolment = json!({ "leagues": ["trivia"], "endpointUrl": "http://127.0.0.1:9/arena" });
                by.put(&self.own("arena")).json(enrolment).await.expect_status(200);
                (self.scout.id.clone(), String::new())
            }
            Kind::Webhook => {
                let reply = by.post(&self.own("webhooks"), json!({ "url": PUSH_URL })).await.expect_status(201);
                (reply.text_at("/webhook/id"), String::new())
            }
            Kind::Did => {
                let asked = by.post(&self.own("did/challenge"), json!({ "did": self.party.did() })).await;
                let signed = self.party.sign(asked.expect_status(200)["sign"].clone());
                by.put(&self.own("did")).json(signed).await.expect_status(200);
                (self.scout.id.clone(), String::new())
            }
            Kind::PushConfig => {
                let task_id = self.begin_task(by).await;
                let set = self.set_config(by, &task_id, "one").await.expect_status(200);
                (format!("{task_id}:{}", set.text_at("/id")), self.configs(&task_id))
            }
        };
        Made { kind, id, detail }
    }

    async fn make_all(&self, by: &Caller) -> Vec<Made> {
        let mut made = vec![];
        for kind in KINDS {
            made.push(self.make(kind, by).await);
        }
        made
    }

    /// Begins a task that waits for its answer.
    async fn begin_task(&self, by: &Caller) -> String {
        let mut body = message("Hello");
        body["message"]["metadata"] = json!({ "multiround": true });
        body["configuration"] = json!({ "returnImmediately": true });
        let path = format!("/a2a/agents/{}/message:send", self.asked.id);
        speaking(by).post(&path, body).await.expect_status(200).text_at("/task/id")
    }

    fn configs(&self, task_id: &str) -> String {
        format!("/a2a/agents/{}/tasks/{task_id}/pushNotificationConfigs", self.asked.id)
    }

    async fn set_config(&self, by: &Caller, task_id: &str, id: &str) -> Reply {
        speaking(by).post(&self.configs(task_id), json!({ "id": id, "url": PUSH_URL })).await
    }

    /// Whether something is there and acts for the agent.
    async fn acts(&self, made: &Made) -> bool {
        match made.kind {
            Kind::ArenaToken => self.app.anonymous().with_token(&made.detail).get("/status.json").await.status == 200,
            Kind::ArenaEndpoint => {
                let shown = self.ada.get(&self.own("arena")).await.expect_status(200);
                shown["endpointUrl"] != json!(null)
            }
            Kind::Webhook => {
                let shown = self.ada.get(&self.own(&format!("webhooks/{}", made.id))).await.expect_status(200);
                shown["enabled"] == json!(true)
            }
            Kind::Did => {
                let shown = self.app.anonymous().get(&format!("/api/v1/agents/{}", self.scout.id)).await;
                shown.expect_status(200)["relay"] != json!(null)
            }
            Kind::PushConfig => {
                let task_id = made.id.split(':').next().unwrap().parse().unwrap();
                !self.app.store().exchange().task_pushes(task_id).await.unwrap().is_empty()
            }
        }
    }

    /// The kinds of which something acts for the agent.
    async fn acting(&self, made: &[Made]) -> Vec<Kind> {
        let mut acting = vec![];
        for one in made {
            if self.acts(one).await {
                acting.push(one.kind);
            }
        }
        acting
    }

    /// What the list says of something; null if it does not list it.
    async fn entry(&self, made: &Made) -> Value {
        self.entry_of(made.kind.name(), &made.id).await
    }

    async fn entry_of(&self, kind: &str, id: &str) -> Value {
        let list = self.ada.get(&self.own("access")).await.expect_status(200);
        let entries = list["items"].as_array().unwrap().iter();
        let mut found = entries.filter(|entry| entry["kind"] == kind && entry["id"] == id);
        found.next().cloned().unwrap_or_default()
    }

    async fn page(&self) -> String {
        self.browser.get(&self.portal_page()).await.expect_status(200).text
    }

    fn portal_page(&self) -> String {
        format!("/portal/agents/{}", self.scout.id)
    }

    /// The id of the client's consent, as the page of the agent names it.
    async fn consent(&self) -> String {
        let page = self.page().await;
        page.split("name=\"consent\" value=\"").nth(1).unwrap().split('"').next().unwrap().to_owned()
    }

    /// The owner withdraws the consent in the portal.
    async fn withdraw(&self) {
        let consent = self.consent().await;
        self.press("consents", ("consent", &consent)).await.expect_status(303);
    }

    /// The owner presses a button on the page of the agent.
    async fn press(&self, form: &str, button: (&str, &str)) -> Reply {
        let page = self.portal_page();
        press_on(&self.browser, (&page, &format!("{page}/{form}")), &[button]).await
    }

    fn path_of(&self, made: &Made) -> String {
        self.own(&format!("access/{}/{}", made.kind.name(), made.id))
    }
}
