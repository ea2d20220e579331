//! The running worker with the system clock. Tests wait for the expected pushes and for nothing else.

use std::time::Duration;

use buildtrack_domain::webhooks::PushType;
use buildtrack_store::{WebhookView, verification};
use buildtrack_worker::{
    WorkerSettings,
    webhooks::{Client, Pinger},
};
use rstest_reuse::apply;
use tokio::time::{sleep, timeout};

use crate::{
    both,
    cast::{agent, agent_with_events, changes, join, leave, moves, post, settings, worker, workspace},
    database::{Kind, TestDatabase},
    process::Running,
    receiver::{PATIENCE, Reaction, Receiver},
};

#[apply(both)]
async fn a_push_goes_out_when_its_message_is_posted(kind: Kind) {
    let (database, mut ben) = tokio::join!(TestDatabase::now(kind), Receiver::friendly());
    let store = database.open().await;
    let running = Running::new(&store);
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    post(&store, workspace_id, &author, "hello").await;
    assert_eq!(ben.next().await.said(), "hello");
    let processed = async {
        loop {
            let depth = store.webhooks().queue_depth("webhooks").await.unwrap();
            if (depth.pending, depth.behind) == (0, 0) {
                break;
            }
        }
    };
    timeout(PATIENCE, processed).await.expect("some events or deliveries remain");
    running.stop().await;
    assert_eq!(database.deliveries().await, [("workspace.message".into(), "delivered".into(), vec!["200".into()])]);
}

#[apply(both)]
async fn settled_deliveries_are_deleted_after_their_retention(kind: Kind) {
    let (database, ben) = tokio::join!(TestDatabase::now(kind), Receiver::friendly());
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    post(&store, workspace_id, &author, "hello").await;
    worker(&store).drain().await.unwrap();
    assert_eq!(database.deliveries().await.len(), 1);
    let running = Running::with(&store, WorkerSettings { delivery_retention: Duration::ZERO, ..settings() });
    let deleted = async {
        while !database.deliveries().await.is_empty() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, deleted).await.expect("the delivery is still stored");
    running.stop().await;
}

#[apply(both)]
async fn contributions_are_counted_and_pushed_when_workers_come_and_go(kind: Kind) {
    let (database, mut ada) = tokio::join!(TestDatabase::now(kind), Receiver::friendly());
    let store = database.open().await;
    let author = agent_with_events(&store, "Ada", Some(ada.url()), &[PushType::ReputationChanged]).await;
    let (first, second) = (Running::new(&store), Running::new(&store));
    let workspace_id = workspace(&store, &[&author]).await;
    let push = ada.next().await;
    assert_eq!((push.header("x-araf-event"), &push.json()["data"]["newScore"]), ("reputation.changed", &5.into()));
    first.stop().await;
    post(&store, workspace_id, &author, "one").await;
    assert_eq!(ada.next().await.json()["data"]["newScore"], 8);
    second.stop().await;
    let third = Running::new(&store);
    post(&store, workspace_id, &author, "two").await;
    assert_eq!(ada.next().await.json()["data"]["newScore"], 11);
    third.stop().await;
    assert_eq!(ada.rest(), []);
}

#[apply(both)]
async fn a_slow_endpoint_delays_only_itself(kind: Kind) {
    let (database, mut fast, mut slow) =
        tokio::join!(TestDatabase::now(kind), Receiver::friendly(), Receiver::with_plan(vec![Reaction::Silence]));
    let store = database.open().await;
    let author = agent(&store, "Ada", None).await;
    let (ben, cyd) = (agent(&store, "Ben", Some(slow.url())).await, agent(&store, "Cyd", Some(fast.url())).await);
    let workspace_id = workspace(&store, &[&author, &ben, &cyd]).await;
    let patient = WorkerSettings { call_timeout: Duration::from_secs(15), ..settings() };
    for number in 0..100 {
        post(&store, workspace_id, &author, &number.to_string()).await;
    }
    let running = Running::with(&store, patient);
    for _ in 0..100 {
        fast.next().await;
    }
    // No push was answered, so this is the only running attempt: an unverified endpoint gets one at a time.
    slow.next().await;
    assert_eq!(slow.rest(), []);
    running.kill();
}

#[apply(both)]
async fn a_failed_push_is_retried_on_schedule(kind: Kind) {
    let plan = vec![Reaction::Status(500), Reaction::HangsUp, Reaction::Status(200)];
    let (database, mut ben) = tokio::join!(TestDatabase::now(kind), Receiver::with_plan(plan));
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    let running =
        Running::with(&store, WorkerSettings { retry_schedule: "0.05,0.1,0.1".parse().unwrap(), ..settings() });
    post(&store, workspace_id, &author, "hello").await;
    for attempt in ["1", "2", "3"] {
        assert_eq!(ben.next().await.header("x-araf-attempt"), attempt);
    }
    running.stop().await;
    let deliveries = database.deliveries().await;
    assert_eq!((&*deliveries[0].1, deliveries[0].2.len()), ("delivered", 3));
}

#[apply(both)]
async fn joins_leaves_and_new_addresses_take_effect(kind: Kind) {
    let (database, mut ben, mut cyd) =
        tokio::join!(TestDatabase::now(kind), Receiver::friendly(), Receiver::friendly());
    let store = database.open().await;
    let running = Running::new(&store);
    let author = agent(&store, "Ada", None).await;
    let (stays, comes) = (agent(&store, "Ben", None).await, agent(&store, "Cyd", Some(cyd.url())).await);
    let workspace_id = workspace(&store, &[&author, &stays]).await;
    post(&store, workspace_id, &author, "no recipient").await;
    join(&store, workspace_id, &comes).await;
    post(&store, workspace_id, &author, "Cyd listens").await;
    assert_eq!(cyd.next().await.said(), "Cyd listens");
    moves(&store, &stays, Some(ben.url())).await;
    post(&store, workspace_id, &author, "both listen").await;
    assert_eq!((ben.next().await.said(), cyd.next().await.said()), ("both listen".into(), "both listen".into()));
    leave(&store, workspace_id, &comes).await;
    post(&store, workspace_id, &author, "Ben listens").await;
    assert_eq!(ben.next().await.said(), "Ben listens");
    moves(&store, &stays, None).await;
    post(&store, workspace_id, &author, "no recipient").await;
    join(&store, workspace_id, &comes).await;
    post(&store, workspace_id, &author, "the end").await;
    assert_eq!(cyd.next().await.said(), "the end");
    running.stop().await;
    assert_eq!((ben.rest(), cyd.rest()), (vec![], vec![]));
}

#[apply(both)]
async fn stopping_waits_for_running_attempts(kind: Kind) {
    let (database, mut ben) = tokio::join!(TestDatabase::now(kind), Receiver::with_plan(vec![Reaction::Silence]));
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    let running = Running::new(&store);
    post(&store, workspace_id, &author, "hello").await;
    ben.next().await;
    running.stop().await;
    let answers = vec!["no answer in time".to_owned()];
    assert_eq!(database.deliveries().await, [("workspace.message".into(), "pending".into(), answers)]);
}

#[apply(both)]
async fn stopping_releases_deliveries_that_were_not_attempted(kind: Kind) {
    let (database, mut ben) = tokio::join!(TestDatabase::now(kind), Receiver::with_plan(vec![Reaction::Silence]));
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    for content in ["one", "two", "three"] {
        post(&store, workspace_id, &author, content).await;
    }
    // The attempt under way outlasts the stop.
    let patient = WorkerSettings { call_timeout: Duration::from_secs(15), ..settings() };
    let running = Running::with(&store, patient);
    // The endpoint is unverified: one attempt runs at a time, and the others wait.
    assert_eq!(ben.next().await.said(), "one");
    running.stop().await;
    // Another process gets them at once, and not when their leases expire. The first one is leased.
    let claimed = store.webhooks().claim_due(Duration::from_secs(30), 10).await.unwrap();
    assert_eq!((claimed.len(), ben.rest()), (2, vec![]));
}

#[apply(both)]
async fn pushes_beyond_the_budget_of_their_target_wait_for_it_and_are_made_once(kind: Kind) {
    let (database, mut host) = tokio::join!(TestDatabase::now(kind), Receiver::friendly());
    let store = database.open().await;
    let author = agent(&store, "Ada", None).await;
    let mut everyone = vec![author.clone()];
    for name in ["Ben", "Cyd", "Dan"] {
        everyone.push(agent(&store, name, Some(host.url())).await);
    }
    let workspace_id = workspace(&store, &everyone.iter().collect::<Vec<_>>()).await;
    for number in 0..10 {
        post(&store, workspace_id, &author, &number.to_string()).await;
    }
    // The host takes eleven pushes at once and then one a second. With three endpoints, a push waits in the lane at first, and then
    // in the database.
    let target_rate = "rate=1,unverified=1,growth=1".parse().unwrap();
    let running = Running::with(&store, WorkerSettings { target_rate, ..settings() });
    for _ in 0..16 {
        host.next().await;
    }
    let postponed = async {
        let query = "SELECT waits_for FROM deliveries WHERE waits_for = 'target'";
        while database.texts(query).await.is_empty() {
            sleep(Duration::from_millis(20)).await;
        }
    };
    timeout(PATIENCE, postponed).await.expect("no delivery was postponed for the budget");
    running.stop().await;
    let running = Running::new(&store);
    let settled = async { while store.webhooks().queue_depth("webhooks").await.unwrap().pending > 0 {} };
    timeout(PATIENCE, settled).await.expect("not everything was delivered");
    running.stop().await;
    let deliveries = database.deliveries().await;
    // Ten messages and one arrival of another agent each.
    assert_eq!(deliveries.len(), 33);
    assert!(
        deliveries.iter().all(|(_, status, answers)| status == "delivered" && answers.len() == 1),
        "{deliveries:?}"
    );
}

#[apply(both)]
async fn another_worker_continues_where_the_first_stopped(kind: Kind) {
    let (database, mut ben) = tokio::join!(TestDatabase::now(kind), Receiver::friendly());
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    let (first, second) = (Running::new(&store), Running::new(&store));
    post(&store, workspace_id, &author, "one").await;
    assert_eq!(ben.next().await.said(), "one");
    first.stop().await;
    post(&store, workspace_id, &author, "two").await;
    assert_eq!(ben.next().await.said(), "two");
    second.stop().await;
    assert_eq!(ben.rest(), []);
}

#[apply(both)]
async fn a_recovered_receiver_gets_all_missed_events(kind: Kind) {
    let (database, mut ben) = tokio::join!(TestDatabase::now(kind), Receiver::with_plan(vec![Reaction::Status(503)]));
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    let often = "0.1,".repeat(200) + "0.1";
    let running = Running::with(&store, WorkerSettings { retry_schedule: often.parse().unwrap(), ..settings() });
    for number in 0..10 {
        post(&store, workspace_id, &author, &number.to_string()).await;
        ben.next().await;
    }
    ben.change_plan(vec![Reaction::Status(200)]);
    let settled = async { while store.webhooks().queue_depth("webhooks").await.unwrap().pending > 0 {} };
    timeout(PATIENCE, settled).await.expect("not everything was delivered");
    running.stop().await;
    assert!(database.deliveries().await.iter().all(|(_, status, _)| status == "delivered"));
}

#[apply(both)]
async fn one_failure_delays_an_ordered_endpoint_by_one_retry(kind: Kind) {
    let plan = vec![Reaction::Status(500), Reaction::Status(200)];
    let (database, mut ben) = tokio::join!(TestDatabase::now(kind), Receiver::with_plan(plan));
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    changes(&store, &reader, |webhook| WebhookView { ordered: true, ..webhook }).await;
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    for number in 0..100 {
        post(&store, workspace_id, &author, &number.to_string()).await;
    }
    let running = Running::with(&store, WorkerSettings { retry_schedule: "0.2".parse().unwrap(), ..settings() });
    let mut said = Vec::new();
    // The leases of the waiting deliveries are longer than this may take, so their expiry cannot help.
    let all = async {
        while said.len() < 101 {
            said.push(ben.next().await.said());
        }
    };
    timeout(PATIENCE, all).await.expect("the endpoint made no progress");
    running.stop().await;
    said.dedup();
    assert_eq!(said, (0..100).map(|number| number.to_string()).collect::<Vec<_>>());
}

#[apply(both)]
async fn a_successful_ping_closes_the_breaker_in_every_worker(kind: Kind) {
    let (database, ben) = tokio::join!(TestDatabase::now(kind), Receiver::with_plan(vec![Reaction::Status(503)]));
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    let long = || WorkerSettings { breaker_wait: Duration::from_hours(1), ..settings() };
    let (first, second) = (Running::with(&store, long()), Running::with(&store, long()));
    for number in 0..12 {
        post(&store, workspace_id, &author, &number.to_string()).await;
    }
    let opened = async {
        while store.webhooks().endpoint_health(reader.webhook_id).await.unwrap().open_until.is_none() {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, opened).await.expect("the breaker stays closed");
    ben.change_plan(vec![Reaction::Status(200)]);
    let client = Client::new(true, settings().call_timeout).unwrap();
    let webhook = store.webhooks().webhook(reader.webhook_id).await.unwrap().unwrap();
    assert!(Pinger::new(store.clone(), client).ping(&webhook).await.unwrap().delivered());
    // Either process may open the breaker again for a failure before the ping: its open time of an hour is longer than this
    // may take.
    let settled = async { while store.webhooks().queue_depth("webhooks").await.unwrap().pending > 0 {} };
    timeout(PATIENCE, settled).await.expect("pending deliveries are not attempted");
    first.stop().await;
    second.stop().await;
    assert!(database.deliveries().await.iter().all(|(_, status, _)| status == "delivered"));
    let health = store.webhooks().endpoint_health(reader.webhook_id).await.unwrap();
    assert_eq!((health.failures, health.open_until), (0, None));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_worker_resumes_when_the_database_is_back() {
    let (database, mut ben) = tokio::join!(TestDatabase::now(Kind::Postgres), Receiver::friendly());
    let store = database.open().await;
    let (author, reader) = (agent(&store, "Ada", None).await, agent(&store, "Ben", Some(ben.url())).await);
    let workspace_id = workspace(&store, &[&author, &reader]).await;
    let running = Running::new(&store);
    post(&store, workspace_id, &author, "before").await;
    assert_eq!(ben.next().await.said(), "before");
    database.cut_connections().await;
    // A store of another process, whose connections were not cut.
    let other = database.open().await;
    post(&other, workspace_id, &author, "after").await;
    // A push before the cut whose outcome was not recorded may come twice.
    while ben.next().await.said() != "after" {}
    running.stop().await;
}

#[apply(both)]
async fn a_new_message_becomes_searchable(kind: Kind) {
    let database = TestDatabase::now(kind).await;
    let store = database.open().await;
    let running = Running::new(&store);
    let author = agent(&store, "Ada", None).await;
    let workspace_id = workspace(&store, &[&author]).await;
    post(&store, workspace_id, &author, "hello").await;
    let head = store.log().head().await.unwrap();
    let indexed = async {
        while store.search().indexed_to().await.unwrap() < head {
            tokio::task::yield_now().await;
        }
    };
    timeout(PATIENCE, indexed).await.unwrap();
    running.stop().await;
    assert_eq!(verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().search.found.rows, 2);
}
