//! Every text that an untrusted caller can publish, and every read that could return it.

use std::time::Duration;

use buildtrack_domain::moderation::has_text;
use buildtrack_store::Database;
use buildtrack_tests::{Agent, Backend, Caller, Owner, Party, TestApp, contract::OPERATIONS};
use serde_json::{Value, json};

use crate::{
    exchange::{ask, asked},
    mcp,
    pages::person,
};

/// Part of every text. Its plain part is not in the e-mail address that tests derive from a name.
pub(super) const MARK: &str = "Xq7märker";
/// For fields that permit plain characters only.
pub(super) const TAG: &str = "xq7tag";
/// Finds both marks, independent of case.
const NEEDLES: [&str; 2] = ["xq7mä", TAG];

/// A hostile agent that marks all of its texts, and the callers that read them.
pub(super) struct World {
    pub(super) app: TestApp,
    pub(super) olga: Owner,
    pub(super) villain: Owner,
    pub(super) agent: Agent,
    pub(super) scout: Agent,
    pub(super) party: Party,
    /// Message, post, reply, workspace, agent and owner.
    pub(super) subjects: Vec<String>,
    /// Every value that may be a parameter of a path.
    ids: Vec<String>,
}

impl World {
    pub(super) async fn new(backend: Backend) -> Self {
        let app = TestApp::start(backend).await;
        let (olga, scout, villain) = (app.operator("Olga").await, app.agent("Scout").await, app.owner(MARK).await);
        let profile = json!({ "description": MARK, "capabilities": [MARK] });
        let agent = villain.agent_with(MARK, profile).await;
        agent.patch(&format!("/api/v1/agents/{}", agent.id), json!({ "model": MARK })).await.expect_status(200);
        let party = app.party(MARK);
        let mut world = Self { app, olga, villain, agent, scout, party, subjects: vec![], ids: vec![] };
        world.write_track().await;
        world.write_forum().await;
        world.write_to_other_apis().await;
        world.appeal().await;
        world.app.deliver().await;
        world
    }

    async fn write_track(&mut self) {
        let Self { agent, scout, villain, .. } = self;
        let track = agent.open(MARK).await;
        let edited = json!({ "description": MARK, "goal": MARK, "tags": [TAG] });
        agent.patch(&track.path(), edited).await.expect_status(200);
        scout.join(&track).await;
        let body = json!({ "kind": "proposal", "content": MARK, "upvotes": 0 });
        let said = agent.post(&track.messages(), body).key("mark").await.expect_status(201);
        agent.put(&format!("{}/invitations/{}", track.path(), self.olga.id)).await.expect_status(200);
        let solution = agent.solve(&track).await;
        agent.accept(&track, &solution).await.expect_status(200);
        let shipment = json!({ "note": MARK, "links": [format!("https://build.example/{TAG}")] });
        agent.post(&format!("{}/ship", track.path()), shipment).await.expect_status(200);
        let own = [said.text_at("/id"), track.id.clone(), agent.id.clone(), villain.id.clone()];
        self.subjects.extend(own.clone());
        self.ids.extend(own);
        self.ids.extend([self.scout.id.clone(), solution]);
    }

    async fn write_forum(&mut self) {
        let question = json!({ "title": MARK, "body": MARK, "tags": [TAG] });
        let post = self.agent.post("/api/v1/forum/posts", question).await.expect_status(201);
        let path = post.header("location").to_owned();
        self.agent.patch(&path, json!({ "body": format!("{MARK}, again") })).await.expect_status(200);
        let theirs = self.scout.ask("How do I verify a push?").await;
        let reply = self.agent.answer(&theirs, MARK).await;
        let helpful = format!("{path}/helpful");
        self.scout.put(&helpful).await;
        self.subjects.extend([post.text_at("/id"), reply.text_at("/id")]);
        self.ids.extend([post.text_at("/id"), reply.text_at("/id"), theirs.text_at("/id")]);
    }

    /// Texts at the relay, in its directory, in a protocol document, an exchange, and a report.
    async fn write_to_other_apis(&mut self) {
        let Self { app, agent, scout, party, .. } = self;
        let payload =
            json!({ "intent": format!("{TAG}.a"), "request_id": format!("{TAG}-1"), "params": { "text": MARK } });
        party.send("REQUEST", "thread_1", payload).await.expect_status(200);
        party.register(vec![Party::manifest(&format!("{TAG}.a"), 1.0)]).await.expect_status(200);
        let text = format!("name: {MARK}\ndescription: {MARK}\nmultiround: false\n---\n{MARK}\n");
        let document = agent.post("/api/v1/protocols", json!({ "text": text })).await.expect_status(201);
        let hash = document.text_at("/hash");
        agent.put(&format!("/api/v1/agents/{}/protocols/{hash}", agent.id)).await.expect_status(204);
        let asking = ask(agent, &format!("/agora/agents/{}", scout.id), json!({ "body": MARK }));
        let request = asked(scout).await;
        let answer = format!("/api/v1/exchange/requests/{}/answer", request["id"].as_str().unwrap());
        scout.post(&answer, json!({ "body": "No" })).await;
        asking.await.unwrap();
        let exchange = scout.get("/api/v1/exchanges").await.expect_status(200).text_at("/items/0/id");
        let report = json!({ "subject": scout.id, "reason": MARK });
        agent.post("/api/v1/reports", report).await.expect_status(201);
        let envelope = app.anonymous().get("/v1/threads/thread_1").await.text_at("/messages/0/id");
        let did = party.did().to_owned();
        self.ids.extend([hash, exchange, envelope, did, "thread_1".to_owned()]);
    }

    /// An appeal against a decision that is reverted afterwards.
    async fn appeal(&mut self) {
        let id = self.subjects[0].clone();
        self.decide(&id, "hide").await;
        let appeal = json!({ "subject": id, "statement": MARK });
        self.villain.post("/api/v1/moderation/appeals", appeal).await.expect_status(201);
        self.decide(&id, "restore").await;
    }

    pub(super) async fn decide(&self, subject: &str, action: &str) {
        let body = json!({ "subject": subject, "action": action, "reason": "Advertising" });
        let decided = self.olga.post("/api/v1/moderation/actions", body).await;
        assert_eq!(decided.status, 201, "{action} {subject}: {}", decided.text);
    }

    /// All subjects: the ones with ids, and every event of the log with a marked text. An envelope's effect on its thread is hidden
    /// together with the envelope.
    pub(super) async fn all_subjects(&self) -> Vec<String> {
        let logged = self.app.store().log().logged(0, 1000).await.unwrap();
        let marked = logged.iter().filter(|event| {
            !event.event_type.starts_with("thread.")
                && has_text(&event.event_type)
                && is_marked(&event.data.clone().unwrap_or_default())
        });
        self.subjects.iter().cloned().chain(marked.map(|event| format!("log_{}", event.position))).collect()
    }

    /// Every read of the document that returns the mark to one of the callers: path and text.
    pub(super) async fn shown(&self) -> Vec<(String, String)> {
        let anonymous = self.app.anonymous();
        let callers: [&Caller; 5] = [&anonymous, &self.olga, &self.scout, &self.villain, &self.agent];
        let mut found = Vec::new();
        for caller in callers {
            for path in self.paths() {
                let reply = caller.get(&path).await;
                if is_marked(&reply.text) {
                    found.push((path, reply.text.clone()));
                }
            }
        }
        found
    }

    /// Every page, feed and tool that shows the mark to a person or to a language model: the path or the tool, and the text.
    pub(super) async fn shown_beside_the_api(&self) -> Vec<(String, String)> {
        let mut found = Vec::new();
        let reader = person(&self.app);
        for path in self.pages() {
            found.push((path.clone(), reader.get(&path).await.text));
        }
        for owner in [&self.villain, &self.olga] {
            let signed_in = reader.with_header("cookie", &format!("buildtrack_session={}", owner.token));
            for path in self.portal_pages() {
                found.push((path.clone(), signed_in.get(&path).await.text));
            }
        }
        for (tool, arguments) in self.tools() {
            found.push((tool.to_owned(), mcp::call(&self.scout, tool, arguments).await.text));
        }
        found.retain(|(_, text)| is_marked(text));
        found
    }

    fn pages(&self) -> Vec<String> {
        let mut pages: Vec<String> =
            ["/", "/build", "/forum", "/people", "/log", "/log?limit=200", "/sitemap.xml", "/tournaments", "/replays"]
                .map(Into::into)
                .into();
        for list in ["build", "forum"] {
            pages.extend(["atom", "json"].map(|format| format!("/feeds/{list}.{format}")));
        }
        for id in &self.ids {
            match id.split('_').next() {
                Some("ws") => pages.extend(["", "/members"].map(|rest| format!("/build/{id}{rest}"))),
                Some("post") => pages.push(format!("/forum/{id}")),
                Some("ag") => pages.extend(["", "/reputation/changes"].map(|rest| format!("/agents/{id}{rest}"))),
                _ => continue,
            }
            let list = if id.starts_with("ag_") {
                "agents"
            } else if id.starts_with("ws_") {
                "build"
            } else {
                "forum"
            };
            pages.extend(["atom", "json"].map(|format| format!("/feeds/{list}/{id}.{format}")));
        }
        pages.extend((1..=self.app.store().log().tail().head()).map(|position| format!("/log/{position}")));
        pages
    }

    fn portal_pages(&self) -> Vec<String> {
        let mut pages: Vec<String> =
            ["", "/account", "/build", "/inbox", "/inbox/own", "/moderation", "/notifications", "/usage"]
                .map(|page| format!("/portal{page}"))
                .into();
        for id in &self.ids {
            match id.split('_').next() {
                Some("ws") => pages.push(format!("/portal/build/{id}")),
                Some("post") => pages.push(format!("/portal/forum/{id}")),
                Some("ag") => pages.extend(["", "/inbox"].map(|rest| format!("/portal/agents/{id}{rest}"))),
                _ => {}
            }
        }
        pages
    }

    fn tools(&self) -> Vec<(&'static str, Value)> {
        let track = self.ids.iter().find(|id| id.starts_with("ws_")).unwrap();
        vec![
            ("find_tracks", json!({})),
            ("read_track", json!({ "track": track })),
            ("search", json!({ "q": MARK })),
            ("inbox", json!({})),
            ("next", json!({})),
        ]
    }

    fn paths(&self) -> Vec<String> {
        let reads =
            OPERATIONS.iter().filter(|operation| operation.method == "GET" && !is_stream(&operation.definition));
        let mut paths: Vec<_> = reads.flat_map(|operation| self.filled(&operation.path)).collect();
        let head = self.app.store().log().tail().head();
        paths.extend((0..=head / 50).map(|page| format!("/api/v1/log?limit=50&after={}", page * 50)));
        for id in self.ids.iter().filter(|id| id.starts_with("ws_")) {
            paths.push(format!("/api/v1/workspaces/{id}/export?format=md"));
            paths.push(format!("/api/v1/workspaces/{id}?asOf={head}"));
            paths.push(format!("/api/v1/workspaces/{id}/messages?asOf={head}"));
        }
        let quoted = "xq7m%C3%A4rker";
        for list in ["search", "agents", "workspaces", "forum/posts", "protocols"] {
            paths.push(format!("/api/v1/{list}?q={quoted}"));
        }
        paths.push(format!("/v1/discover?intent={TAG}.a"));
        paths.push(format!("/api/v1/agents/{}/events?after=0", self.scout.id));
        paths
    }

    fn filled(&self, template: &str) -> Vec<String> {
        let Some(begin) = template.find('{') else {
            let waits = ["/events", "/v1/messages"].contains(&template);
            return vec![if waits { format!("{template}?timeout=0") } else { template.to_owned() }];
        };
        let end = template.find('}').unwrap();
        let before = template[..begin].trim_end_matches('/').rsplit('/').next().unwrap_or_default().to_owned();
        let fitting = self.ids.iter().filter(|id| fits(&before, id));
        fitting.flat_map(|id| self.filled(&format!("{}{id}{}", &template[..begin], &template[end + 1..]))).collect()
    }

    /// The response to a retry of the request that posted the marked message.
    pub(super) async fn replayed(&self) -> String {
        let track = self.ids.iter().find(|id| id.starts_with("ws_")).unwrap();
        let body = json!({ "kind": "proposal", "content": MARK, "upvotes": 0 });
        self.agent.post(&format!("/api/v1/workspaces/{track}/messages"), body).key("mark").await.text
    }

    /// The database files with a marked text, on SQLite: polls until there is none.
    pub(super) async fn marked_files(&self) -> Vec<String> {
        let Database::Sqlite(path) = self.app.settings().database() else { return vec![] };
        let folder = path.parent().unwrap().to_owned();
        let mut marked = vec![];
        for _ in 0..600 {
            marked = files(&folder);
            if marked.is_empty() {
                break;
            }
            tokio::time::sleep(Duration::from_millis(100)).await;
        }
        marked
    }
}

/// The files in a folder that contain a marked text.
fn files(folder: &std::path::Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let marked = |path: &std::path::PathBuf| path.is_file() && std::fs::read(path).is_ok_and(|bytes| holds(&bytes));
    entries.filter(marked).map(|path| path.display().to_string()).collect()
}

fn holds(bytes: &[u8]) -> bool {
    let bytes = bytes.to_ascii_lowercase();
    NEEDLES.iter().any(|needle| bytes.windows(needle.len()).any(|window| window == needle.as_bytes()))
}

pub(super) fn is_marked(text: &str) -> bool {
    let text = text.to_lowercase();
    NEEDLES.iter().any(|needle| text.contains(needle))
}

fn is_stream(definition: &Value) -> bool {
    definition.pointer("/responses/200/content").is_some_and(|content| content.get("text/event-stream").is_some())
        || definition.pointer("/responses/101").is_some()
}

/// Whether an id is possible after this segment of a path.
fn fits(segment: &str, id: &str) -> bool {
    let kinds: &[&str] = match segment {
        "workspaces" => &["ws_"],
        "messages" | "receipts" => &["msg_"],
        "members" => &["ag_", "ow_"],
        "agents" => &["ag_", "did:"],
        "accounts" => &["ow_"],
        "posts" => &["post_"],
        "replies" => &["reply_"],
        "threads" => &["thread_"],
        _ => return true,
    };
    kinds.iter().any(|kind| id.starts_with(kind))
}
