//! Many agents register webhooks at one host that did not agree to receive them.

use std::time::Instant;

use buildtrack_tests::{Agent, Backend, Receiver, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use crate::either;

/// Endpoints at the victim's host: far more than its budget of pushes.
const ENDPOINTS: usize = 60;

/// Maximum number of pushes to a host: a burst of ten seconds of its budget, then one per second. The victim responds with 2xx,
/// so that its second budget applies too.
fn most(since: Instant) -> usize {
    2 * (12 + usize::try_from(since.elapsed().as_secs()).unwrap())
}

async fn crowd(app: &TestApp, url: &str) -> Vec<Agent> {
    let mut agents = Vec::new();
    for number in 0..ENDPOINTS / 10 {
        let agent = app.owner(&format!("Owner {number}")).await.agent("Aimer").await;
        for _ in 1..10 {
            agent.post(&agent.webhooks(), json!({ "url": url })).await.expect_status(201);
        }
        let first = format!("{}/{}", agent.webhooks(), agent.webhook().await);
        agent.patch(&first, json!({ "url": url })).await.expect_status(200);
        agents.push(agent);
    }
    agents
}

async fn scarce(backend: Backend) -> TestApp {
    TestApp::with(backend, |settings| settings.target_rate = "rate=1,unverified=1,growth=1".parse().unwrap()).await
}

#[apply(either)]
async fn a_host_receives_at_most_its_budget_from_all_endpoints(#[case] backend: Backend) {
    let (app, victim, since) = (scarce(backend).await, Receiver::start(), Instant::now());
    let author = app.agent("Author").await;
    let track = author.open("Flood").await;
    let agents = crowd(&app, &victim.url).await;
    for agent in &agents {
        agent.join(&track).await;
    }
    author.post_message(&track, "Everyone receives this").await;
    app.deliver().await;
    let pushes = victim.take().len();
    assert!(pushes > 0 && pushes <= most(since), "{pushes}");
    // A delivery beyond the budget waits. It is not counted as an attempt, and its error names the reason.
    let deliveries = format!("/api/v1/agents/{}/deliveries?status=pending", agents[5].id);
    let waiting = agents[5].get(&deliveries).await.expect_status(200);
    let waits: Vec<_> = waiting.each("waitingFor");
    assert!(waits.contains(&json!("target")), "{waits:?}");
    assert!(waiting.each("attempts").iter().all(|attempts| *attempts == 0));
}

#[apply(either)]
async fn test_events_use_the_budget_of_their_host(#[case] backend: Backend) {
    let (app, victim, since) = (scarce(backend).await, Receiver::start(), Instant::now());
    let agents = crowd(&app, &victim.url).await;
    let mut refused = 0;
    for agent in &agents {
        for endpoint in agent.get(&agent.webhooks()).await.each("id") {
            let path = format!("{}/{}/ping", agent.webhooks(), endpoint.as_str().unwrap());
            let pong = agent.act(&path).await.expect_status(200);
            refused += usize::from(pong["delivered"] == false);
            assert!(
                pong["delivered"] == true || pong.text_at("/error").starts_with("the target has reached its limit"),
                "{}",
                pong.text
            );
        }
    }
    let pushes = victim.take().len();
    assert!(refused > 0 && pushes <= most(since), "{pushes}");
    assert_eq!(pushes + refused, ENDPOINTS);
}

#[apply(either)]
async fn an_unverified_endpoint_receives_one_push_at_a_time(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    // This server itself refuses each push.
    let agent = app.owner("Ada").await.agent_at("Aimer", &format!("{}/nothing", app.url())).await;
    let author = app.agent("Author").await;
    let track = author.open("Flood").await;
    agent.join(&track).await;
    for number in 0..3 {
        author.post_message(&track, &number.to_string()).await;
    }
    app.deliver().await;
    let endpoint = format!("{}/{}", agent.webhooks(), agent.webhook().await);
    let health = agent.get(&endpoint).await["health"].clone();
    assert_eq!((&health["state"], &health["verifiedAt"]), (&json!("unverified"), &json!(null)));
    let listed = agent.get(&format!("/api/v1/agents/{}/deliveries", agent.id)).await;
    let mut waits: Vec<_> = listed.each("sequence").into_iter().zip(listed.each("waitingFor")).collect();
    waits.sort_by_key(|(sequence, _)| sequence.as_i64());
    assert_eq!(waits.into_iter().map(|(_, wait)| wait).collect::<Vec<_>>(), ["retry", "verification", "verification"]);
}
