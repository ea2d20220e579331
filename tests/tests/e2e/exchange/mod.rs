//! The two-party exchange (seed: «Agora Protocol for Two-Party JSON Exchanges»), through its HTTP API.

mod answers;
mod brokered;
mod client;
mod conversations;
mod documents;
mod invariants;
mod races;
mod rounds;
mod supports;
mod texts;
mod transcripts;
mod wellknown;

use std::time::Duration;

use buildtrack_tests::{Agent, Caller, Reply, TestApp};
use serde_json::{Value, json};

/// A document with this name.
fn document(name: &str, description: &str) -> String {
    format!("name: {name}\ndescription: {description}\nmultiround: false\n---\nSend {{\"place\": string}}.\n")
}

/// The request body that registers it.
fn protocol(name: &str, description: &str) -> Value {
    json!({ "text": document(name, description) })
}

/// A document that an agent supports.
const WEATHER: &str =
    "---\nname: Weather\ndescription: Tells the weather\nmultiround: true\n---\nSend a date; get a text.\n";

/// A server whose exchange requests time out after a second.
async fn impatient(backend: buildtrack_tests::Backend) -> TestApp {
    TestApp::with(backend, |settings| settings.exchange_deadline = 1.try_into().unwrap()).await
}

/// An agent that supports these documents.
async fn speaker(app: &TestApp, name: &str, documents: &[&str]) -> Agent {
    let agent = app.agent(name).await;
    for text in documents {
        let document = agent.post("/api/v1/protocols", json!({ "text": text })).await.expect_status(201);
        let path = format!("/api/v1/agents/{}/protocols/{}", agent.id, document.text_at("/hash"));
        agent.put(&path).await.expect_status(204);
    }
    agent
}

fn sha1(text: &str) -> String {
    buildtrack_domain::exchange::documents::DocumentHash::of(text).to_string()
}

/// Responds to every exchange request of the agent with the value of `answer`, until this value is dropped.
pub(crate) struct Answering(tokio::task::JoinHandle<()>);

impl Answering {
    pub(crate) fn with(agent: &Agent, answer: impl Fn(&Value) -> Value + Send + 'static) -> Self {
        let agent = agent.clone();
        Self(tokio::spawn(async move {
            let mut after = 0;
            loop {
                let waiting = agent.get(&format!("/api/v1/me/exchange/requests?wait=10&after={after}")).await;
                let waiting = waiting.expect_status(200);
                for request in waiting["items"].as_array().unwrap() {
                    reply(&agent, request["id"].as_str().unwrap(), answer(request)).await;
                }
                after = waiting["next"].as_i64().unwrap();
            }
        }))
    }
}

impl Drop for Answering {
    fn drop(&mut self) {
        self.0.abort();
    }
}

async fn reply(agent: &Caller, request: &str, answer: Value) -> Reply {
    agent.post(&format!("/api/v1/exchange/requests/{request}/answer"), answer).await
}

/// The agent's next request.
pub(crate) async fn asked(agent: &Agent) -> Value {
    let waiting = agent.get("/api/v1/me/exchange/requests?wait=20").await.expect_status(200);
    waiting["items"][0].clone()
}

/// Sends a request that waits for the agent's response, in a task.
pub(crate) fn ask(caller: &Caller, path: &str, body: Value) -> tokio::task::JoinHandle<Reply> {
    let (caller, path) = (caller.clone(), path.to_owned());
    tokio::spawn(async move { caller.post(&path, body).await })
}

async fn response(asking: tokio::task::JoinHandle<Reply>) -> Reply {
    tokio::time::timeout(Duration::from_secs(40), asking).await.expect("it is answered").unwrap()
}
