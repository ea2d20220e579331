//! Updates of tasks (Agent2Agent protocol) that are pushed to the addresses of their clients.

use std::time::Duration;

use buildtrack_domain::{
    decide::Command,
    exchange::{
        conversations::{
            AnswerRequest, Asking, Body, Exchange, ExchangeError, ExchangeEvent, ExchangeOpened, OpenExchange,
            Settlement, Timing,
        },
        documents::DocumentHash,
        tasks::PushConfig,
    },
    ids::{ExchangeId, RequestId, SessionId},
};
use buildtrack_store::{ExchangeChange, NewTaskPush, Purpose, Store, TaskPush, sha256_hex};
use chrono::TimeDelta;
use rstest_reuse::apply;

use crate::{
    both,
    cast::{Member, RETRY, agent_of, commit, owner, worker},
    database::{Kind, TestDatabase},
    process::Running,
    receiver::{Reaction, Received, Receiver},
};

const TIMING: Timing = Timing { deadline: TimeDelta::seconds(20), lifetime: TimeDelta::seconds(300) };

/// A conversation between two agents. The first has a config for it.
struct Scene {
    asker: Member,
    answerer: Member,
    task: ExchangeId,
    request_id: RequestId,
}

impl Scene {
    async fn new(store: &Store, url: &str) -> Self {
        let asker = agent_of(store, owner(store).await, "Ada").await;
        let answerer = agent_of(store, owner(store).await, "Ben").await;
        let (task, request_id) =
            (ExchangeId::new(store.log().clock().uuid()), RequestId::new(store.log().clock().uuid()));
        let opened = ExchangeOpened {
            exchange_id: task,
            asker: Some(asker.actor.clone()),
            answerer: Some(answerer.agent_id),
            document: Some(DocumentHash::of("A")),
            negotiation: false,
            key_hash: Some(sha256_hex(task.to_string())),
        };
        let (body, now) = (Body::from("Which way?"), store.log().clock().now());
        let asking = Asking { request_id, asker: Some(asker.actor.clone()), body, now, timing: TIMING };
        let opening = OpenExchange { opened, asking };
        commit(store, Some(&asker.actor), async |unit| {
            unit.begin(task, opening.decide(()).unwrap());
            Ok(())
        })
        .await;
        let scene = Self { asker, answerer, task, request_id };
        scene.set(store, url).await;
        scene
    }

    /// Sets the config, which is told what follows from now on.
    async fn set(&self, store: &Store, url: &str) {
        let config = PushConfig { url: url.to_owned(), token: Some("of the client".into()), authentication: None };
        let push = Box::new(NewTaskPush {
            id: "one".to_owned(),
            requester_id: self.asker.actor.id,
            session_id: SessionId::new(store.log().clock().uuid()),
            config_sealed: store
                .log()
                .secret()
                .seal(Purpose::TaskPush, &serde_json::to_string(&config).unwrap())
                .unwrap(),
            pushed_to: Some(store.log().tail().head()),
            next_at: Some(store.log().clock().now()),
            expires_at: store.log().clock().after(Duration::from_hours(1)),
        });
        store.log().write_side([ExchangeChange::TaskPushSet { exchange_id: self.task, push }]).await.unwrap();
    }

    async fn decide(&self, store: &Store, decide: impl Fn(&Exchange) -> Result<Vec<ExchangeEvent>, ExchangeError>) {
        commit(store, None, async |unit| {
            let exchange = unit.load::<Exchange>(self.task).await?;
            unit.append(self.task, &exchange, decide(&exchange.state).unwrap());
            Ok(())
        })
        .await;
    }

    async fn answer(&self, store: &Store) {
        let (request_id, by, now) = (self.request_id, self.answerer.agent_id, store.log().clock().now());
        let settlement = Settlement::Answered(Body::from("That way."));
        self.decide(store, |state| AnswerRequest { request_id, by, settlement: settlement.clone(), now }.decide(state))
            .await;
    }

    async fn pushes(&self, store: &Store) -> Vec<TaskPush> {
        store.exchange().task_pushes(self.task).await.unwrap()
    }
}

/// The states and the artifacts of updates, in order.
fn states_and_artifacts(updates: &[Received]) -> Vec<String> {
    let states_and_artifacts = updates.iter().map(|update| {
        let body = update.json();
        match body["statusUpdate"]["status"]["state"].as_str() {
            Some(state) => state.to_owned(),
            None => body["artifactUpdate"]["artifact"]["parts"][0].to_string(),
        }
    });
    states_and_artifacts.collect()
}

#[apply(both)]
async fn a_config_gets_each_update_of_its_task_until_it_ends(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let (store, mut client) = (database.open().await, Receiver::friendly().await);
    let scene = Scene::new(&store, &client.url()).await;
    let worker = worker(&store);
    worker.drain().await.unwrap();
    assert!(client.rest().is_empty(), "nothing has followed yet");
    scene.answer(&store).await;
    worker.drain().await.unwrap();
    let updates = client.rest();
    assert!(updates.iter().all(|update| update.header("x-a2a-notification-token") == "of the client"));
    assert!(updates.iter().all(|update| update.header("content-type") == "application/a2a+json"), "{updates:?}");
    let shown = states_and_artifacts(&updates);
    assert_eq!(shown.len(), 2, "{shown:?}");
    assert!(shown[0].contains("That way."), "{shown:?}");
    assert_eq!(shown[1], "TASK_STATE_INPUT_REQUIRED");
    worker.drain().await.unwrap();
    assert!(client.rest().is_empty(), "each update is pushed once");

    // The conversation expires: its task is complete, and nothing follows.
    database.clock.advance(Duration::from_mins(6));
    worker.drain().await.unwrap();
    assert_eq!(states_and_artifacts(&client.rest()), ["TASK_STATE_COMPLETED"]);
    worker.drain().await.unwrap();
    assert!(client.rest().is_empty());
}

#[apply(both)]
async fn an_update_that_is_not_accepted_is_retried_and_given_up(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let (store, mut client) = (database.open().await, Receiver::with_plan(vec![Reaction::Status(500)]).await);
    let scene = Scene::new(&store, &client.url()).await;
    let worker = worker(&store);
    scene.answer(&store).await;
    let before = scene.pushes(&store).await[0].pushed_to;
    for failures in 1..=3 {
        worker.drain().await.unwrap();
        assert_eq!(client.rest().len(), 1, "attempt {failures}");
        let push = &scene.pushes(&store).await[0];
        assert_eq!((push.failures, push.pushed_to), (failures, before));
        worker.drain().await.unwrap();
        assert!(client.rest().is_empty(), "it waits");
        database.clock.advance(RETRY);
    }
    worker.drain().await.unwrap();
    let push = &scene.pushes(&store).await[0];
    assert_eq!((push.failures, client.rest().len()), (0, 1), "the update is given up after the last retry");
    assert!(push.pushed_to > before);
}

#[apply(both)]
async fn a_receiver_that_is_gone_receives_nothing_more(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let plan = vec![Reaction::Status(410), Reaction::Status(200)];
    let (store, mut client) = (database.open().await, Receiver::with_plan(plan).await);
    let scene = Scene::new(&store, &client.url()).await;
    let worker = worker(&store);
    scene.answer(&store).await;
    worker.drain().await.unwrap();
    database.clock.advance(Duration::from_mins(6));
    worker.drain().await.unwrap();
    assert_eq!(client.rest().len(), 1);
}

#[apply(both)]
async fn a_receiver_that_asks_for_it_is_left_alone_for_longer(kind: Kind) {
    let database = TestDatabase::at_noon(kind).await;
    let plan = vec![Reaction::Responds(503, "Retry-After: 60\r\n", String::new()), Reaction::Status(200)];
    let (store, mut client) = (database.open().await, Receiver::with_plan(plan).await);
    let scene = Scene::new(&store, &client.url()).await;
    let worker = worker(&store);
    scene.answer(&store).await;
    worker.drain().await.unwrap();
    database.clock.advance(Duration::from_secs(59));
    worker.drain().await.unwrap();
    assert_eq!(client.rest().len(), 1);
    database.clock.advance(Duration::from_secs(1));
    worker.drain().await.unwrap();
    assert_eq!(client.rest().len(), 2, "the artifact and the state");
}

#[apply(both)]
async fn the_running_worker_pushes_updates(kind: Kind) {
    let database = TestDatabase::now(kind).await;
    let (store, mut client) = (database.open().await, Receiver::friendly().await);
    let scene = Scene::new(&store, &client.url()).await;
    let running = Running::new(&store);
    scene.answer(&store).await;
    client.next().await;
    client.next().await;
    running.stop().await;
}
