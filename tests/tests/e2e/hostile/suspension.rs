//! Suspension of an owner with many agents, and the limit of agents per owner.

use buildtrack_domain::{
    decide::Command,
    identity::{AgentProfile, Owner as State, RegisterAgent, Registrations, SetAgentLimit},
    ids::{AgentId, OwnerId},
};
use buildtrack_store::StoreError;
use buildtrack_tests::{Backend, Caller, Owner, Receiver, Reply, TestApp};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::json;

use crate::{both, either};

async fn decide(operator: &Caller, subject: &str, action: &str) -> Reply {
    let body = json!({ "subject": subject, "action": action, "reason": "Advertising" });
    operator.post("/api/v1/moderation/actions", body).await
}

/// More agents than a page contains, appended directly to the log.
pub(crate) async fn crowd(app: &TestApp, owner: &Owner, agents: usize) {
    let owner_id: OwnerId = owner.id.parse().unwrap();
    let none = Registrations { active: 0, recent: 0, limit: 1, daily: 1 };
    let done = app.store().log().transact(None, async |unit| {
        for _ in 0..agents {
            let agent_id = AgentId::new(app.store().log().clock().uuid());
            let profile = AgentProfile { name: "Extra".into(), model: "m".into(), ..AgentProfile::default() };
            unit.begin(agent_id, RegisterAgent { agent_id, owner_id, profile }.decide(none).unwrap_or_default());
        }
        Ok::<_, StoreError>(())
    });
    done.await.unwrap();
}

#[apply(either)]
async fn suspending_an_owner_suspends_its_ten_thousandth_agent(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, ada, bob) = (app.operator("Olga").await, app.owner("Ada").await, app.agent("Bob").await);
    let receiver = Receiver::start();
    let scout = ada.agent_at("Scout", &receiver.url).await;
    let track = bob.open("Webhooks").await;
    scout.join(&track).await;
    let post = bob.ask("How?").await;
    crowd(&app, &ada, 10_050).await;
    app.deliver().await;
    receiver.take();

    let before = app.store().log().head().await.unwrap();
    decide(&olga, &ada.id, "suspend").await.expect_status(201);
    assert!(app.store().log().head().await.unwrap() - before <= 3, "a suspension is a bounded number of events");
    let votes = format!("/api/v1/forum/posts/{}/helpful", post.text_at("/id"));
    let says = json!({ "kind": "update", "content": "Still here", "upvotes": 0 });
    scout.get("/api/v1/me").await.expect_problem(403, "suspended");
    scout.post(&track.messages(), says).await.expect_problem(403, "suspended");
    scout.put(&votes).await.expect_problem(403, "suspended");
    scout.get("/api/v1/requests").await.expect_problem(403, "suspended");
    scout.log_in(&scout.key, json!(null)).await.expect_problem(403, "suspended");
    scout.post("/agora", json!({ "protocolHash": null, "body": "Hi" })).await.expect_status(403);
    bob.post_message(&track, "Anyone there?").await;
    app.deliver().await;
    assert!(receiver.take().is_empty(), "nothing is pushed to an agent of a suspended owner");
    let shown = app.anonymous().get(&format!("/api/v1/agents/{}", scout.id)).await.expect_status(200);
    assert_eq!((&shown["active"], &shown["suspended"]), (&json!(false), &json!(true)));

    decide(&olga, &ada.id, "reinstate").await.expect_status(201);
    scout.get("/api/v1/me").await.expect_problem(401, "invalid_token");
    scout.log_in(&scout.key, json!(null)).await.expect_status(200);
    let shown = app.anonymous().get(&format!("/api/v1/agents/{}", scout.id)).await.expect_status(200);
    assert_eq!((&shown["active"], &shown["suspended"]), (&json!(true), &json!(false)));
}

#[apply(either)]
async fn restoring_an_owner_does_not_reactivate_a_deactivated_agent(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, ada) = (app.operator("Olga").await, app.owner("Ada").await);
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    ada.delete(&format!("/api/v1/agents/{}", scout.id)).await.expect_status(204);
    decide(&olga, &ranger.id, "suspend").await.expect_status(201);
    for action in ["suspend", "reinstate"] {
        decide(&olga, &ada.id, action).await.expect_status(201);
    }
    for agent in [&scout, &ranger] {
        let shown = app.anonymous().get(&format!("/api/v1/agents/{}", agent.id)).await.expect_status(200);
        assert_eq!(shown["active"], false, "{}", agent.name);
    }
}

#[apply(either)]
async fn a_replica_with_a_cached_agent_applies_the_suspension(#[case] backend: Backend) {
    let Backend::Postgres = backend else { return };
    let app = TestApp::start(backend).await;
    let replica = app.replica().await;
    let (olga, ada) = (app.operator("Olga").await, app.owner("Ada").await);
    let scout = ada.agent("Scout").await;
    let there = scout.at(&replica);
    there.get("/api/v1/me").await.expect_status(200);
    decide(&olga, &ada.id, "suspend").await.expect_status(201);
    // The commit names the version of the owner's stream, so that no write is faster than the commit notification.
    there.post("/api/v1/forum/posts", buildtrack_tests::question("Late?")).await.expect_problem(403, "suspended");
}

#[apply(either)]
async fn operators_suspend_others_but_not_themselves(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (olga, oscar) = (app.operator("Olga").await, app.operator("Oscar").await);
    decide(&olga, &olga.id, "suspend").await.expect_problem(409, "operator_stays");
    decide(&olga, &oscar.id, "suspend").await.expect_status(201);
    decide(&oscar, &olga.id, "suspend").await.expect_problem(403, "suspended");
    decide(&olga, &oscar.id, "reinstate").await.expect_status(201);
}

fn agent() -> serde_json::Value {
    json!({ "name": "Scout", "model": "claude-opus-4-8" })
}

#[apply(both)]
async fn the_number_of_agents_per_owner_is_limited_under_concurrency(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.agents_per_owner = 3.try_into().unwrap()).await;
    let ada = app.owner("Ada").await;
    let replies = join_all((0..8).map(async |_| ada.post("/api/v1/agents", agent()).await)).await;
    let (registered, refused): (Vec<_>, Vec<_>) = replies.into_iter().partition(|reply| reply.status == 201);
    assert_eq!(registered.len(), 3);
    for reply in refused {
        let reply = reply.expect_problem(409, "too_many_agents");
        assert!(reply.text_at("/hint").contains("set-agent-limit"), "{}", reply.text);
    }
    let first = registered[0].text_at("/agent/id");
    ada.delete(&format!("/api/v1/agents/{first}")).await.expect_status(204);
    ada.post("/api/v1/agents", agent()).await.expect_status(201);
    app.owner("Bob").await.post("/api/v1/agents", agent()).await.expect_status(201);

    let owner_id: OwnerId = ada.id.parse().unwrap();
    let raised = app.store().log().transact(None, async |unit| {
        let owner = unit.load::<State>(owner_id).await?;
        let set = SetAgentLimit { owner_id, limit: 4 }.decide(&owner.state).unwrap_or_default();
        unit.append(owner_id, &owner, set);
        Ok::<_, StoreError>(())
    });
    raised.await.unwrap();
    ada.post("/api/v1/agents", agent()).await.expect_status(201);
    ada.post("/api/v1/agents", agent()).await.expect_problem(409, "too_many_agents");
}

#[apply(either)]
async fn repeated_registration_and_deactivation_is_limited(#[case] backend: Backend) {
    let limits = |settings: &mut buildtrack_settings::Settings| {
        (settings.agents_per_owner, settings.agents_per_day) = (1.try_into().unwrap(), 3.try_into().unwrap());
    };
    let app = TestApp::with(backend, limits).await;
    let ada = app.owner("Ada").await;
    for _ in 0..3 {
        let registered = ada.post("/api/v1/agents", agent()).await.expect_status(201);
        ada.delete(&format!("/api/v1/agents/{}", registered.text_at("/agent/id"))).await.expect_status(204);
    }
    ada.post("/api/v1/agents", agent()).await.expect_problem(409, "too_many_agents_today");
    app.advance(std::time::Duration::from_hours(23));
    ada.post("/api/v1/agents", agent()).await.expect_problem(409, "too_many_agents_today");
}
