//! `buildtrack-worker` next to servers: with any number of workers, each push is sent once.

use std::collections::HashSet;

use buildtrack_tests::Backend;
use rustix::process::Signal;

use super::{
    cast::{Track, agents},
    load::Load,
    receiver::{Push, Receiver},
    site::{Server, Site},
};

const MESSAGES: usize = 120;

/// Posts with concurrent writers; returns the pushes of two receivers and the number of messages.
async fn pushes_of_a_load(site: &Site, server: &Server) -> (usize, [Vec<Push>; 2]) {
    let [author, one, two] = agents(server, ["Ada", "Ben", "Cai"]).await;
    let track = Track::open(server, &author, &[&one, &two]).await;
    let receivers = tokio::join!(Receiver::of(server, &one), Receiver::of(server, &two));
    let mut load = Load::on(server, &author, &track);
    load.wait_for_messages(MESSAGES).await;
    let written = load.finish().await;
    assert_eq!((&written.refused[..], written.cut), (&[][..], 0));
    site.wait_until_idle().await;
    (written.receipts.len(), [receivers.0.end().await, receivers.1.end().await])
}

fn assert_each_once(messages: usize, pushes: &[Push]) {
    let distinct: HashSet<_> = pushes.iter().map(|push| push.body["data"]["messageId"].as_str().unwrap()).collect();
    assert_eq!((distinct.len(), pushes.len()), (messages, messages));
    assert!(pushes.iter().all(|push| push.status == 200));
}

#[rstest::rstest]
#[case::one_worker(1)]
#[case::two_workers(2)]
#[case::three_workers(3)]
#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn workers_push_each_message_once(#[case] count: usize) {
    let site = Site::new(Backend::Postgres).await.with("BUILDTRACK_WORKER", "off");
    let server = site.serve().await;
    let workers: Vec<_> = (0..count).map(|_| site.work()).collect();
    let (messages, pushes) = pushes_of_a_load(&site, &server).await;
    for pushes in &pushes {
        assert_each_once(messages, pushes);
    }
    for worker in workers {
        worker.signal(Signal::TERM);
        assert_eq!(worker.end().await.code, Some(0));
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn servers_with_their_own_workers_push_each_message_once() {
    let site = Site::new(Backend::Postgres).await;
    let (server, _other) = tokio::join!(site.serve(), site.serve());
    let (messages, pushes) = pushes_of_a_load(&site, &server).await;
    for pushes in &pushes {
        assert_each_once(messages, pushes);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_server_whose_worker_is_off_pushes_nothing() {
    let site = Site::new(Backend::Postgres).await.with("BUILDTRACK_WORKER", "off");
    let server = site.serve().await;
    assert!(server.process.stdout.so_far().contains("off (run buildtrack-worker)"));
    let [author, reader] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &author, &[&reader]).await;
    author.posts(&server, &track, "hello").await;
    server.stop().await;
    let mut database = site.database().await;
    let looked_at = "SELECT count(*) FROM consumers";
    assert_eq!((database.number(looked_at).await, database.deliveries().await.len()), (0, 0));
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn another_worker_takes_over_after_a_kill() {
    let site = Site::new(Backend::Postgres).await.with("BUILDTRACK_WORKER", "off");
    let server = site.serve().await;
    let [author, reader] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &author, &[&reader]).await;
    let mut receiver = Receiver::of(&server, &reader).await;
    let (first, _second) = (site.work(), site.work());
    author.posts(&server, &track, "to whoever is there").await;
    assert_eq!(receiver.next().await.content(), "to whoever is there");
    first.kill().await;
    author.posts(&server, &track, "to who is left").await;
    // A push may arrive twice if the first worker was killed before it could record the outcome.
    while receiver.next().await.content() != "to who is left" {}
}
