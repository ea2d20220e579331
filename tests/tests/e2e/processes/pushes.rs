//! Recipients and bodies of pushes.

use buildtrack_tests::Backend;
use chrono::{DateTime, Utc};
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    cast::{MODEL, Owner, Track, agents},
    client::text,
    receiver::{Push, Receiver},
    site::{Server, Site},
};
use crate::either;

/// The time of an event in whole seconds, according to the public log.
async fn recorded_at(server: &Server, event_type: &str) -> i64 {
    let log = server.anyone().get("/api/v1/log?limit=200").await.expect(200);
    let events = log["items"].as_array().unwrap();
    let event = events.iter().rfind(|event| event["type"] == event_type).unwrap();
    text(event, "/recordedAt").parse::<DateTime<Utc>>().unwrap().timestamp()
}

fn contents(pushes: &[Push]) -> Vec<&str> {
    let mut contents: Vec<_> = pushes.iter().map(Push::content).collect();
    contents.sort_unstable();
    contents
}

#[apply(either)]
async fn a_message_is_pushed_to_every_member_except_its_author(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let [ada, ben, cai, outsider] = agents(&server, ["Ada", "Ben", "Cai", "Dan"]).await;
    let track = Track::open(&server, &ada, &[&ben, &cai]).await;
    let mut receivers = Vec::new();
    for agent in [&ada, &ben, &cai, &outsider] {
        receivers.push(Receiver::of(&server, agent).await);
    }
    ada.posts(&server, &track, "by Ada").await;
    ben.posts(&server, &track, "by Ben").await;
    site.wait_until_idle().await;
    for (receiver, expected) in receivers.into_iter().zip([&["by Ben"][..], &["by Ada"], &["by Ada", "by Ben"], &[]]) {
        let pushes = receiver.end().await;
        assert_eq!(contents(&pushes), expected);
        assert!(pushes.iter().all(|push| push.status == 200), "{pushes:?}");
    }
}

#[apply(either)]
async fn a_message_by_a_human_is_pushed_to_agents(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let owner = Owner::sign_up(&server).await;
    let agent = owner.agent(&server, "Scout").await;
    let track = Track::open(&server, &agent, &[]).await;
    let mut receiver = Receiver::of(&server, &agent).await;
    let human = server.with(&owner.token);
    human.post(&format!("{}/members", track.path()), json!({})).await.expect(200);
    let message = json!({"kind": "decision", "content": "We ship.", "upvotes": 0});
    human.post(&track.messages(), message).await.expect(201);
    let pushes = receiver.next_ones(2).await;
    let joined = pushes.iter().find(|push| push.event() == "workspace.join").unwrap();
    let posted = pushes.iter().find(|push| push.event() == "workspace.message").unwrap();
    assert_eq!((joined.status, posted.status), (200, 200));
    assert_eq!(
        (&joined.body["data"]["memberType"], &joined.body["data"]["memberModel"]),
        (&json!("human"), &Value::Null)
    );
    assert_eq!(
        (&posted.body["data"]["authorType"], &posted.body["data"]["authorModel"]),
        (&json!("human"), &Value::Null)
    );
}

#[apply(either)]
async fn a_pushed_message_has_the_shape_of_the_seed(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let [ada, ben] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &ada, &[&ben]).await;
    let mut receiver = Receiver::of(&server, &ben).await;
    let first = ada.posts(&server, &track, "Push, don't poll").await;
    receiver.next().await;
    let mut reply = ada.message("And sign it");
    reply["replyTo"] = first["id"].clone();
    let reply = server.with(&ada.token).post(&track.messages(), reply).await.expect(201);
    let push = receiver.next().await;
    let url = format!("https://build.example/build/{}/messages/{}", track.id, text(&reply, "/id"));
    let expected = json!({
        "event": "workspace.message",
        "agentId": ben.id,
        "data": {
            "workspaceId": track.id,
            "kind": "proposal",
            "authorName": "Ada",
            "content": "And sign it",
            "messageId": reply["id"],
            "authorId": ada.id,
            "authorType": "ai-agent",
            "authorModel": MODEL,
            "replyTo": first["id"],
            "url": url,
        },
        "sentAt": recorded_at(&server, "message.posted").await,
    });
    assert_eq!((push.status, push.body), (200, expected));
}

#[apply(either)]
async fn a_pushed_join_has_the_shape_of_the_seed(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let [ada, ben] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &ada, &[]).await;
    let mut receiver = Receiver::of(&server, &ada).await;
    ben.joins(&server, &track).await;
    let push = receiver.next().await;
    let expected = json!({
        "event": "workspace.join",
        "agentId": ada.id,
        "data": {
            "workspaceId": track.id,
            "workspaceName": "Agent Webhook Events",
            "memberId": ben.id,
            "memberName": "Ben",
            "memberType": "ai-agent",
            "memberModel": MODEL,
            "url": format!("https://build.example/build/{}", track.id),
        },
        "sentAt": recorded_at(&server, "workspace.joined").await,
    });
    assert_eq!((push.status, push.body), (200, expected));
}

#[apply(either)]
async fn a_push_carries_the_headers_of_the_seed(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let [ada, ben, cai] = agents(&server, ["Ada", "Ben", "Cai"]).await;
    let track = Track::open(&server, &ada, &[&ben]).await;
    let mut receiver = Receiver::of(&server, &ben).await;
    for event in ["workspace.message", "workspace.join"] {
        match event {
            "workspace.join" => cai.joins(&server, &track).await,
            _ => drop(ada.posts(&server, &track, "hello").await),
        }
        let push = receiver.next().await;
        assert_eq!((push.status, push.header("x-araf-event"), push.event()), (200, event, event));
        assert_eq!(push.header("content-type"), "application/json");
        assert_eq!(push.header("x-araf-attempt"), "1");
        assert!(push.header("x-araf-delivery").starts_with("dlv_"), "{push:?}");
        let signature = push.header("x-araf-signature").strip_prefix("sha256=").unwrap();
        assert!(
            signature.len() == 64 && signature.bytes().all(|byte| b"0123456789abcdef".contains(&byte)),
            "{signature}"
        );
        assert_eq!(push.header("user-agent"), concat!("Buildtrack/", env!("CARGO_PKG_VERSION")));
    }
}

#[apply(either)]
async fn an_agent_receives_only_subscribed_events(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let [ada, ben, cai] = agents(&server, ["Ada", "Ben", "Cai"]).await;
    let track = Track::open(&server, &ada, &[&ben]).await;
    let joins = Receiver::of(&server, &ada).await;
    let messages = Receiver::of(&server, &ben).await;
    ada.changes(&server, json!({"webhookEvents": ["workspace.join"]})).await;
    ben.changes(&server, json!({"webhookEvents": ["workspace.message"]})).await;
    cai.joins(&server, &track).await;
    cai.posts(&server, &track, "hello").await;
    site.wait_until_idle().await;
    for (receiver, event) in [(joins, "workspace.join"), (messages, "workspace.message")] {
        let pushes = receiver.end().await;
        assert_eq!(pushes.iter().map(Push::event).collect::<Vec<_>>(), [event]);
    }
}

#[apply(either)]
async fn an_agent_without_a_webhook_receives_no_pushes(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let [ada, ben] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &ada, &[&ben]).await;
    let receiver = Receiver::of(&server, &ben).await;
    for (url, content) in [(Some(receiver.url()), "heard"), (None, "unheard"), (Some(receiver.url()), "heard again")] {
        ben.changes(&server, json!({"webhookUrl": url})).await;
        ada.posts(&server, &track, content).await;
        site.wait_until_idle().await;
    }
    assert_eq!(contents(&receiver.end().await), ["heard", "heard again"]);
}

#[apply(either)]
async fn a_deactivated_agent_receives_no_pushes(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let owner = Owner::sign_up(&server).await;
    let (ada, ben) = (owner.agent(&server, "Ada").await, owner.agent(&server, "Ben").await);
    let track = Track::open(&server, &ada, &[&ben]).await;
    let receiver = Receiver::of(&server, &ben).await;
    ada.posts(&server, &track, "to the living").await;
    site.wait_until_idle().await;
    server.with(&owner.token).delete(&format!("/api/v1/agents/{}", ben.id)).await.expect(204);
    ada.posts(&server, &track, "to the departed").await;
    site.wait_until_idle().await;
    assert_eq!(contents(&receiver.end().await), ["to the living"]);
}

#[apply(either)]
async fn a_former_member_receives_no_pushes(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let [ada, ben] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &ada, &[&ben]).await;
    let receiver = Receiver::of(&server, &ben).await;
    ada.posts(&server, &track, "to the members").await;
    server.with(&ben.token).delete(&format!("{}/members/me", track.path())).await.expect(204);
    ada.posts(&server, &track, "to nobody").await;
    site.wait_until_idle().await;
    assert_eq!(contents(&receiver.end().await), ["to the members"]);
}

#[apply(either)]
async fn a_private_address_is_refused_unless_permitted(backend: Backend) {
    let site = Site::new(backend).await.without("BUILDTRACK_ALLOW_PRIVATE_TARGETS");
    let server = site.serve().await;
    let owner = Owner::sign_up(&server).await;
    let agent = json!({"name": "Scout", "model": MODEL, "webhookUrl": "http://127.0.0.1:9/araf/webhook"});
    let problem = server.with(&owner.token).post("/api/v1/agents", agent).await.expect(422);
    assert_eq!(problem["errors"][0]["pointer"], "/webhookUrl", "{problem}");
    let scout = owner.agent(&server, "Scout").await;
    for url in ["http://127.0.0.1:9/", "https://127.0.0.1:9/", "https://localhost/", "https://[::ffff:10.0.0.1]/"] {
        let client = server.with(&scout.token);
        let problem =
            client.patch(&format!("/api/v1/agents/{}", scout.id), json!({"webhookUrl": url})).await.expect(422);
        assert_eq!(problem["errors"][0]["pointer"], "/webhookUrl", "{url}: {problem}");
    }
}

#[apply(either)]
async fn a_registered_private_address_is_not_called_unless_permitted(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_RETRY_SCHEDULE", "0.05");
    let server = site.serve().await;
    let [ada, ben] = agents(&server, ["Ada", "Ben"]).await;
    let track = Track::open(&server, &ada, &[&ben]).await;
    let receiver = Receiver::of(&server, &ben).await;
    server.stop().await;
    let site = site.without("BUILDTRACK_ALLOW_PRIVATE_TARGETS");
    let server = site.serve().await;
    ada.posts(&server, &track, "nobody may know").await;
    site.wait_for_only_delivery("failed", 2).await;
    assert!(receiver.end().await.is_empty());
}
