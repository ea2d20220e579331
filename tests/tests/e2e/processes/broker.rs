//! Servers and workers with RabbitMQ, and failures of the broker. Each test has its own broker.

use std::{
    collections::{HashMap, HashSet},
    time::Duration,
};

use buildtrack_tests::Backend;

use super::{
    cast::{Agent, Track, agents},
    load::Load,
    node::Node,
    process::Process,
    receiver::{Push, Receiver},
    site::{Server, Site},
    waiting::until,
};

/// A server without its own worker, two agents in a workspace, one of which has a webhook, and worker processes.
struct Scene {
    site: Site,
    broker: Node,
    vhost: String,
    server: Server,
    author: Agent,
    track: Track,
    receiver: Receiver,
}

impl Scene {
    async fn start() -> Self {
        let mut broker = Node::new();
        let url = broker.start().await;
        let vhost = url.rsplit('/').next().unwrap().to_owned();
        let site = Site::new(Backend::Postgres).await.with("BUILDTRACK_WORKER", "off").with("AMQP_URL", &url);
        let server = site.serve().await;
        let [author, reader] = agents(&server, ["Ada", "Ben"]).await;
        let track = Track::open(&server, &author, &[&reader]).await;
        let receiver = Receiver::of(&server, &reader).await;
        Self { site, broker, vhost, server, author, track, receiver }
    }

    fn load(&self) -> Load {
        Load::on(&self.server, &self.author, &self.track)
    }

    /// Posts this many messages with concurrent writers; all are accepted.
    async fn accepts(&self, messages: usize) -> usize {
        let mut load = self.load();
        load.wait_for_messages(messages).await;
        accepted(load).await
    }

    /// Waits until the queues are made, and on the disk of the broker.
    async fn wait_for_queues(&mut self) {
        let mut database = self.site.database().await;
        let delivered = "SELECT count(*) FROM deliveries WHERE status = 'delivered'";
        until("a message was pushed", async || (database.number(delivered).await > 0).then_some(())).await;
        self.broker.sync_queues().await;
    }

    /// Waits until everything is delivered. Every accepted message must have one successful delivery and a push. Returns how many
    /// messages were pushed more than once.
    async fn assert_one_outcome_each(self, messages: usize) -> usize {
        // A broker starts slowly on a busy machine, and programs pause between two tries to reach it.
        self.site.wait_until_idle_after(Duration::from_mins(1)).await;
        let deliveries = self.site.database().await.deliveries().await;
        let delivered = deliveries.iter().filter(|(_, status, _)| status == "delivered").count();
        assert_eq!((deliveries.len(), delivered), (messages, messages));
        let pushes = self.receiver.end().await;
        let mut by_message: HashMap<&str, HashSet<&str>> = HashMap::new();
        for push in &pushes {
            let message = push.body["data"]["messageId"].as_str().unwrap();
            by_message.entry(message).or_default().insert(push.header("x-araf-delivery"));
        }
        // A repeated push has the same delivery id.
        assert!(by_message.values().all(|deliveries| deliveries.len() == 1));
        assert_eq!(by_message.len(), messages);
        println!("{messages} accepted, {delivered} delivered, {} pushes", pushes.len());
        pushes.len() - messages
    }
}

/// Ends a load; returns how many messages it wrote.
async fn accepted(load: Load) -> usize {
    let written = load.finish().await;
    assert_eq!((&written.refused[..], written.cut), (&[][..], 0));
    written.receipts.len()
}

/// Ends every other connection to the database, as a restart of PostgreSQL does.
async fn cut_connections(site: &Site) {
    let mut database = site.database().await;
    database
        .number(
            "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity \
             WHERE datname = current_database() AND pid <> pg_backend_pid()",
        )
        .await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killing_the_broker_only_delays_pushes() {
    let mut scene = Scene::start().await;
    let _workers = [scene.site.work(), scene.site.work()];
    let mut load = scene.load();
    load.wait_for_messages(50).await;
    scene.wait_for_queues().await;
    scene.broker.kill().await;
    let mut messages = accepted(load).await;
    messages += scene.accepts(200).await;
    scene.broker.start().await;
    messages += scene.accepts(50).await;
    assert_eq!(scene.assert_one_outcome_each(messages).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn notices_that_the_broker_lost_are_published_again() {
    let mut scene = Scene::start().await;
    let mut database = scene.site.database().await;
    // So that no event is processed.
    database.execute("ALTER TABLE webhooks RENAME TO webhooks_away").await;
    let worker = scene.site.work();
    let messages = scene.accepts(100).await;
    let left =
        "SELECT (SELECT position FROM log_head) - coalesce(max(position), 0) FROM consumers WHERE name = 'publisher'";
    until("all is published", async || (database.number(left).await == 0).then_some(())).await;
    worker.kill().await;
    let lose = format!("delete_queue buildtrack.webhooks --vhost {}", scene.vhost);
    scene.broker.rabbitmqctl(&lose).await;
    database.execute("ALTER TABLE webhooks_away RENAME TO webhooks").await;
    let _worker = scene.site.work();
    assert_eq!(scene.assert_one_outcome_each(messages).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_start_before_their_broker() {
    let mut scene = Scene::start().await;
    scene.broker.kill().await;
    let _workers = [scene.site.work(), scene.site.work()];
    let messages = scene.accepts(100).await;
    scene.broker.start().await;
    assert_eq!(scene.assert_one_outcome_each(messages).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn dropped_broker_connections_lose_nothing() {
    let mut scene = Scene::start().await;
    let _workers = [scene.site.work(), scene.site.work()];
    let mut messages = 0;
    for _ in 0..3 {
        // On a busy machine, `rabbitmqctl` takes several seconds.
        let mut load = Load::paced(&scene.server, &scene.author, &scene.track, Duration::from_millis(200));
        load.wait_for_messages(30).await;
        scene.broker.rabbitmqctl("close_all_connections --global over").await;
        messages += accepted(load).await;
    }
    messages += scene.accepts(30).await;
    assert_eq!(scene.assert_one_outcome_each(messages).await, 0);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn killed_workers_lose_nothing() {
    let scene = Scene::start().await;
    let mut workers: Vec<Process> = (0..3).map(|_| scene.site.work()).collect();
    let mut load = scene.load();
    for kill in 0..4 {
        load.wait_for_messages(50).await;
        workers.remove(kill % 3).kill().await;
        workers.push(scene.site.work());
    }
    let messages = accepted(load).await;
    let again = scene.assert_one_outcome_each(messages).await;
    println!("{again} pushed again, because the answer of the first was not known");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_survive_a_restart_of_the_database() {
    let scene = Scene::start().await;
    let _workers = [scene.site.work(), scene.site.work()];
    let messages = scene.accepts(100).await;
    cut_connections(&scene.site).await;
    scene.site.wait_until_idle().await;
    let pushes: Vec<Push> = scene.receiver.end().await;
    let distinct: HashSet<_> = pushes.iter().map(|push| push.body["data"]["messageId"].to_string()).collect();
    assert_eq!(distinct.len(), messages);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_unreadable_event_becomes_a_dead_letter_that_can_be_retried() {
    let mut scene = Scene::start().await;
    scene.author.posts(&scene.server, &scene.track, "poison").await;
    let mut database = scene.site.database().await;
    database.execute("UPDATE events SET data = data || '}' WHERE type = 'message.posted'").await;
    let _worker = scene.site.work();
    scene.author.posts(&scene.server, &scene.track, "food").await;
    assert_eq!(scene.receiver.next().await.content(), "food");
    let site = &scene.site;
    let listed = until("the event is among the dead letters", async || {
        let listed = site.succeeds(&["dead-letters", "list"]).await;
        listed.contains("message.posted").then_some(listed)
    })
    .await;
    assert_eq!(listed.lines().count(), 1, "{listed}");
    assert_eq!(site.succeeds(&["dead-letters", "count"]).await, "webhooks\t1\n");
    database.execute("UPDATE events SET data = left(data, -1) WHERE type = 'message.posted' AND data LIKE '%}}'").await;
    assert_eq!(site.succeeds(&["dead-letters", "replay"]).await, "webhooks\t1\n");
    assert_eq!(scene.receiver.next().await.content(), "poison");
    assert_eq!(site.succeeds(&["dead-letters", "count"]).await, "webhooks\t0\n");
}
