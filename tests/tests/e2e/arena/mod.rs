//! The arena: agents of different owners play matches, over EvalDuel's socket and as AAP endpoints.
//!
//! **Invariant:** the clock of a [`TestApp`] moves only with [`Arena::pass`], which also keeps the sockets' server alive; no test
//! waits for a turn's real time limit.

mod challenges;
mod checking;
mod connections;
mod debates;
mod documents;
mod duels;
mod endpoint;
mod enrolment;
mod faults;
mod floods;
mod head_to_heads;
mod health;
mod limits;
mod messages;
mod pages;
mod playing;
mod programs;
mod queue;
mod reports;
mod restarts;
mod rounds;
mod sealing;
mod seals;
mod seasons;
pub(crate) mod socket;
mod socket_checks;
mod sparring;
mod spectators;
mod tournaments;

use std::time::Duration;

use buildtrack_bus::Bus;
use buildtrack_domain::arena::tasks::{Bank, League};
use buildtrack_settings::Settings;
use buildtrack_store::ArenaChange;
use buildtrack_tests::{Agent, Backend, Reply, TestApp, eventually};
use buildtrack_worker::{Worker, WorkerSettings, queues};
use serde_json::{Value, json};
use tokio::task::JoinHandle;
use tokio_util::sync::CancellationToken;

use socket::Duelist;

/// The longest step of the clock: less than the lease of the server that holds the sockets.
const STEP: Duration = Duration::from_secs(10);

/// A server with an arena.
struct Arena {
    /// Closed before the server stops, which would wait for it.
    open_socket: Duelist,
    app: TestApp,
    /// Its connection renews the lease of the server.
    bystander: Agent,
}

impl std::ops::Deref for Arena {
    type Target = TestApp;

    fn deref(&self) -> &TestApp {
        &self.app
    }
}

impl Arena {
    async fn start(backend: Backend) -> Self {
        Self::with(backend, |_| ()).await
    }

    async fn with(backend: Backend, configure: impl FnOnce(&mut Settings)) -> Self {
        let app = TestApp::with(backend, configure).await;
        let bystander = app.agent("Bystander").await;
        let connected = Duelist::connect(&app, &bystander).await;
        let arena = Self { app, bystander, open_socket: connected };
        arena.open_leagues().await;
        arena
    }

    /// Opens the leagues that need no sandbox, as the worker does when it starts. Debates need judges too.
    async fn open_leagues(&self) {
        let leagues = vec![League::Trivia, League::Reasoning, League::Structured, League::Debate];
        self.store().log().write_side([ArenaChange::LeaguesOpened { leagues }]).await.unwrap();
    }

    /// An agent of a new owner, enrolled for trivia, that accepts challenges.
    async fn contestant(&self, name: &str) -> Agent {
        let agent = self.agent(name).await;
        self.enrol(&agent, json!({ "leagues": ["trivia"], "acceptsChallenges": true })).await;
        agent
    }

    /// The same with an open socket.
    async fn duelist(&self, name: &str) -> (Agent, Duelist) {
        let agent = self.contestant(name).await;
        let duelist = Duelist::connect(self, &agent).await;
        (agent, duelist)
    }

    async fn enrol(&self, agent: &Agent, enrolment: Value) -> Reply {
        agent.put(&enrolment_of(agent)).json(enrolment).await.expect_status(200)
    }

    /// Starts an unrated match; the first agent's owner calls. Returns its id.
    async fn challenge(&self, agents: &[&Agent]) -> String {
        let ids: Vec<_> = agents.iter().map(|agent| &agent.id).collect();
        let started = agents[0].post("/api/v1/arena/matches", json!({ "league": "trivia", "agentIds": ids })).await;
        started.expect_status(201).text_at("/id")
    }

    /// A match as the API shows it.
    async fn shown(&self, match_id: &str) -> Reply {
        self.unchecked(&format!("/api/v1/arena/matches/{match_id}")).await
    }

    /// A response that is not compared with the document.
    async fn unchecked(&self, path: &str) -> Reply {
        let text = self.anonymous().get(path).read_after(async || ()).await;
        let (json, size) = (serde_json::from_str(&text).unwrap(), text.len());
        Reply { line: format!("GET {path}"), status: 200, headers: reqwest::header::HeaderMap::new(), text, size, json }
    }

    /// Waits until a match has ended; returns it.
    async fn ended(&self, match_id: &str) -> Reply {
        eventually(async || self.shown(match_id).await["status"] != "playing").await;
        self.shown(match_id).await
    }

    /// Advances the clock, and renews the lease of the sockets' server.
    async fn pass(&mut self, time: Duration) {
        let mut left = time;
        while !left.is_zero() {
            let step = left.min(STEP);
            self.app.advance(step);
            self.open_socket = Duelist::connect(&self.app, &self.bystander).await;
            left -= step;
        }
    }

    /// Advances the clock beyond the deadline of a trivia turn, but not so far that no server watched it.
    async fn pass_turn(&mut self) {
        self.pass(Duration::from_secs(32)).await;
    }

    /// Stops the server in order, and starts it again at another address.
    async fn restart(self) -> Self {
        let Self { app, bystander, open_socket } = self;
        drop(open_socket);
        let app = app.restart().await;
        let connected = Duelist::connect(&app, &bystander).await;
        let arena = Self { app, bystander, open_socket: connected };
        arena.open_leagues().await;
        arena
    }

    /// Runs the worker's background tasks, as `serve` does, until the value is dropped.
    fn work(&self) -> Working {
        let settings = WorkerSettings::from(self.app.settings());
        let worker = Worker::new(self.app.store().clone(), Bus::local(&queues()), settings).unwrap();
        let stop = CancellationToken::new();
        let done = tokio::spawn(worker.run(stop.clone()));
        Working { stop, done: Some(done) }
    }
}

/// A running worker.
struct Working {
    stop: CancellationToken,
    done: Option<JoinHandle<()>>,
}

impl Working {
    /// Stops the worker, and waits for its end.
    async fn stop(mut self) {
        self.stop.cancel();
        self.done.take().unwrap().await.unwrap();
    }
}

impl Drop for Working {
    fn drop(&mut self) {
        self.stop.cancel();
    }
}

fn enrolment_of(agent: &Agent) -> String {
    format!("/api/v1/agents/{}/arena", agent.id)
}

/// An answer that scores 1, or one that scores 0.
fn answer_to(task_id: &str, right: bool) -> String {
    let task = Bank::bundled().get(task_id).unwrap_or_else(|| panic!("{task_id} is not in the bank"));
    if right { task.accepted_answers().next().unwrap().as_str().to_owned() } else { "I do not know".to_owned() }
}

/// An answer to an AAP round: the task is known by its description.
fn answer_to_round(round: &Value, right: bool) -> String {
    let task = Bank::bundled().iter().find(|task| task.public().instruction == round["task"]["description"]);
    answer_to(&task.expect("the description is that of a task").id().to_string(), right)
}

/// The events of a match of one type, as its replay shows them.
fn events_of(shown: &Reply, event_type: &str) -> Vec<Value> {
    let events = shown["events"].as_array().unwrap();
    events.iter().filter(|event| event["type"] == event_type).map(|event| event["data"].clone()).collect()
}
