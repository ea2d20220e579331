//! Several server processes on one database.

use buildtrack_tests::Backend;

use super::{
    cast::{Agent, Track},
    checks::{assert_complete, assert_in_order},
    load::Load,
    site::{Server, Site},
    waiting::within,
};

/// How long a replica may return an older state than another, in all these tests.
const LAG: std::time::Duration = std::time::Duration::from_secs(2);

async fn four_at_once(site: &Site) -> [Server; 4] {
    let (one, two, three, four) = tokio::join!(site.serve(), site.serve(), site.serve(), site.serve());
    [one, two, three, four]
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn four_replicas_start_at_once_on_an_empty_database() {
    let site = Site::new(Backend::Postgres).await;
    let replicas = four_at_once(&site).await;
    let agent = Agent::new(&replicas[0], "Scout").await;
    let track = Track::open(&replicas[1], &agent, &[]).await;
    agent.posts(&replicas[2], &track, "Everywhere at once").await;
    assert_eq!(track.read(&replicas[3]).await[0].1, "Everywhere at once");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn concurrent_writes_of_two_processes_make_one_log() {
    let site = Site::new(Backend::Postgres).await;
    let (one, two) = tokio::join!(site.serve(), site.serve());
    let agent = Agent::new(&one, "Scout").await;
    let track = Track::open(&two, &agent, &[]).await;
    let (mut here, mut there) = (Load::on(&one, &agent, &track), Load::on(&two, &agent, &track));
    tokio::join!(here.wait_for_messages(150), there.wait_for_messages(150));
    let (mut written, more) = (here.finish().await, there.finish().await);
    assert_eq!((&written.refused[..], &more.refused[..]), (&[][..], &[][..]));
    written.receipts.extend(more.receipts);
    assert_eq!(assert_complete(&one, &track, &written).await, 0);
    assert_in_order(&site).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_rotation_revokes_sessions_on_every_replica() {
    let site = Site::new(Backend::Postgres).await;
    let (one, two) = tokio::join!(site.serve(), site.serve());
    let owner = super::cast::Owner::sign_up(&one).await;
    let agent = owner.agent(&one, "Scout").await;
    two.with(&agent.token).get("/api/v1/me").await.expect(200);
    let path = format!("/api/v1/agents/{}/keys", agent.id);
    one.with(&owner.token).post(&path, serde_json::json!({})).await.expect(201);
    within(LAG, "the session's end on the other replica", async || {
        (two.with(&agent.token).get("/api/v1/me").await.status == 401).then_some(())
    })
    .await;
}
