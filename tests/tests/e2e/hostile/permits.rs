//! Capacity for waiting requests and streams: the shares of one owner, agent or network

use buildtrack_settings::Settings;
use buildtrack_tests::{Agent, Backend, Reply, TestApp, eventually};
use rstest_reuse::apply;
use tokio::task::JoinHandle;

use crate::either;

const INBOX: &str = "/api/v1/me/inbox";

/// A request that waits. It has its permit as soon as another request of the same agent is refused.
async fn waits(agent: &Agent) -> JoinHandle<Reply> {
    let waiting = agent.clone();
    let request = tokio::spawn(async move {
        loop {
            let reply = waiting.get(&format!("{INBOX}?wait=30")).await;
            // The request below may have been faster.
            if reply.status != 429 {
                return reply;
            }
        }
    });
    eventually(async || agent.get(&format!("{INBOX}?wait=1")).await.status == 429).await;
    request
}

fn shares(settings: &mut Settings) {
    (settings.waiting, settings.waiting_per_owner, settings.waiting_per_agent) = (3, 2, 1);
}

#[apply(either)]
async fn the_agents_of_one_owner_cannot_take_all_waiting_permits(#[case] backend: Backend) {
    let app = TestApp::with(backend, shares).await;
    let greedy = app.owner("Greedy").await;
    let agents = [greedy.agent("One").await, greedy.agent("Two").await, greedy.agent("Three").await];
    let held = [waits(&agents[0]).await, waits(&agents[1]).await];
    let refused = agents[2].get(&format!("{INBOX}?wait=1")).await.expect_problem(429, "too_many_waiting_held");
    assert_eq!((refused.header("retry-after"), &refused["retryable"]), ("5", &true.into()));
    let events = format!("/api/v1/agents/{}/events?wait=1", agents[2].id);
    agents[2].get(&events).await.expect_problem(429, "too_many_waiting_held");
    greedy.get(&events).await.expect_problem(429, "too_many_waiting_held");
    // A poll without waiting needs no permit, and an agent of another owner gets one.
    agents[2].get(INBOX).await.expect_status(200);
    let (modest, late) = (app.agent("Modest").await, app.agent("Late").await);
    let third = waits(&modest).await;
    late.get(&format!("{INBOX}?wait=1")).await.expect_problem(503, "too_many_waiting");
    third.abort();
    held.iter().for_each(JoinHandle::abort);
    // A client that disconnects releases its permit.
    eventually(async || agents[2].get(&format!("{INBOX}?wait=1")).await.status == 200).await;
    let metrics = app.anonymous().get("/metrics").await.text;
    for reason in ["waiting_share", "waiting_total"] {
        assert!(metrics.contains(&format!("buildtrack_refused_total{{reason=\"{reason}\"}}")), "{reason}");
    }
}

#[apply(either)]
async fn one_network_cannot_take_all_waiting_permits(#[case] backend: Backend) {
    let configure = |settings: &mut Settings| {
        settings.waiting_per_network = 1;
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    };
    let app = TestApp::with(backend, configure).await;
    let (scout, ranger) = (app.agent("Scout").await, app.agent("Ranger").await);
    // Both connect from this machine's address.
    let held = waits(&scout).await;
    ranger.get(&format!("{INBOX}?wait=1")).await.expect_problem(429, "too_many_waiting_held");
    let elsewhere = ranger.with_header("x-forwarded-for", "192.0.2.1");
    elsewhere.get(&format!("{INBOX}?wait=1")).await.expect_status(200);
    held.abort();
}

#[apply(either)]
async fn streams_are_limited_per_owner_and_per_agent_from_any_address(#[case] backend: Backend) {
    let configure = |settings: &mut Settings| {
        (settings.live_streams_per_owner, settings.live_streams_per_agent) = (2, 1);
        settings.trusted_proxies = vec!["127.0.0.1/32".parse().unwrap()];
    };
    let app = TestApp::with(backend, configure).await;
    let ada = app.owner("Ada").await;
    let agents = [ada.agent("One").await, ada.agent("Two").await, ada.agent("Three").await];
    let at = |agent: &Agent, number: u8| agent.with_header("x-forwarded-for", &format!("192.0.2.{number}"));
    let first = at(&agents[0], 1).follow("/api/v1/live").await;
    at(&agents[0], 2).get("/api/v1/live").await.expect_problem(429, "too_many_streams_held");
    let second = at(&agents[1], 3).follow("/api/v1/live").await;
    at(&agents[2], 4).get("/api/v1/live").await.expect_problem(429, "too_many_streams_held");
    let requests = "/api/v1/me/exchange/requests?wait=1";
    at(&agents[2], 4).get(requests).await.expect_problem(429, "too_many_streams_held");
    let stranger = app.agent("Stranger").await;
    at(&stranger, 5).get(requests).await.expect_status(200);
    drop((first, second));
    eventually(async || at(&agents[2], 4).get("/api/v1/live?types=message.posted").has_status_200().await).await;
}
