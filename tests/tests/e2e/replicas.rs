//! Two servers on one PostgreSQL database.

use buildtrack_tests::{Backend, Reply, TestApp, eventually, message};
use futures_util::future::{join, join_all};
use serde_json::json;
use tokio::{io::AsyncWriteExt, net::TcpListener};

async fn two() -> (TestApp, TestApp) {
    let here = TestApp::start(Backend::Postgres).await;
    let there = here.replica().await;
    (here, there)
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_member_posts_at_the_other_server_at_once() {
    let (here, there) = two().await;
    let ada = here.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let track = scout.open("Webhooks").await;
    // The other server has the workspace's earlier state in its cache.
    ranger.at(&there).post(&track.messages(), message("Early")).await.expect_problem(403, "not_a_member");
    for _ in 0..10 {
        ranger.join(&track).await;
        ranger.at(&there).post_message(&track, "Here I am").await;
        ranger.at(&there).delete(&track.membership()).await.expect_status(204);
        ranger.post(&track.messages(), message("Late")).await.expect_problem(403, "not_a_member");
    }
    assert_eq!(here.anonymous().get(&track.path()).await["messageCount"], 10);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn an_archived_workspace_refuses_messages_at_the_other_server() {
    let (here, there) = two().await;
    let scout = here.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for _ in 0..5 {
        scout.at(&there).post_message(&track, "Still open").await;
        scout.act(&format!("{}/archive", track.path())).await.expect_status(200);
        scout.at(&there).post(&track.messages(), message("Late")).await.expect_problem(409, "workspace_archived");
        scout.at(&there).act(&format!("{}/reopen", track.path())).await.expect_status(200);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_key_rotation_revokes_sessions_at_the_other_server() {
    let (here, there) = two().await;
    let ada = here.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    scout.at(&there).post_message(&track, "Known there").await;
    ada.act(&format!("/api/v1/agents/{}/keys", scout.id)).await.expect_status(201);
    scout.at(&there).post(&track.messages(), message("Late")).await.expect_problem(401, "invalid_token");
    eventually(async || scout.at(&there).get("/api/v1/me").await.status == 401).await;
    scout.at(&there).log_in(&scout.key, json!(null)).await.expect_problem(401, "wrong_credentials");
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_logout_applies_at_the_other_server() {
    let (here, there) = two().await;
    let scout = here.agent("Scout").await;
    scout.at(&there).get("/api/v1/me").await.expect_status(200);
    scout.delete("/api/v1/sessions/current").await.expect_status(204);
    eventually(async || scout.at(&there).get("/api/v1/me").await.status == 401).await;
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn a_new_name_applies_at_the_other_server_at_once() {
    let (here, there) = two().await;
    let scout = here.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    for number in 0..5 {
        let name = format!("Scout {number}");
        scout.at(&there).get("/api/v1/me").await.expect_status(200);
        scout.patch(&format!("/api/v1/agents/{}", scout.id), json!({ "name": name })).await.expect_status(200);
        let mut body = message("Who am I?");
        body["authorName"] = name.into();
        scout.at(&there).post(&track.messages(), body).await.expect_status(201);
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn one_idempotency_key_at_both_servers_has_one_effect() {
    let (here, there) = two().await;
    let scout = here.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let callers = [scout.at(&here), scout.at(&there)];
    for key in ["one", "two", "three", "four"] {
        let posts =
            (0..8).map(async |number: usize| callers[number % 2].post(&track.messages(), message(key)).key(key).await);
        for reply in join_all(posts).await.into_iter().filter(|reply| reply.status != 201) {
            reply.expect_problem(409, "idempotency_key_in_use");
        }
        let again =
            join_all(callers.iter().map(async |caller| caller.post(&track.messages(), message(key)).key(key).await))
                .await;
        assert_eq!(again[0].clone().expect_status(201).json, again[1].json);
    }
    assert_eq!(scout.get(&track.path()).await["messageCount"], 4);
}

/// Checks that both servers gave the same response to the same request and key, or one reported that it is in progress.
fn one_answer(replies: [Reply; 2], status: u16) {
    for reply in replies.into_iter().filter(|reply| reply.status != status) {
        reply.expect_problem(409, "idempotency_key_in_use");
    }
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn unrepeatable_requests_have_one_response_at_both_servers() {
    let (here, there) = two().await;
    let (scout, quill) = (here.agent("Scout").await, here.agent("Quill").await);
    for number in 0..8 {
        let (track, key) = (scout.open("Webhooks").await, number.to_string());
        scout.accept(&track, &scout.solve(&track).await).await.expect_status(200);
        let ship = async |app: &TestApp| {
            let shipment = json!({ "note": "Pushes are signed." });
            scout.at(app).post(&format!("{}/ship", track.path()), shipment).key(&key).await
        };
        one_answer(join(ship(&here), ship(&there)).await.into(), 200);
        ship(&there).await.expect_status(200);
        scout.put(&format!("{}/invitations/{}", track.path(), quill.id)).await.expect_status(200);
        let path = format!("/api/v1/me/invitations/{}/decline", track.id);
        let decline = async |app: &TestApp| quill.at(app).act(&path).key(&key).await;
        one_answer(join(decline(&here), decline(&there)).await.into(), 204);
        decline(&there).await.expect_status(204);
    }
}

/// A receiver that reads two requests and responds to one of them; returns its URL.
async fn unreliable_receiver() -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let url = format!("http://{}/hook", listener.local_addr().unwrap());
    tokio::spawn(async move {
        let mut calls = [listener.accept().await.unwrap().0, listener.accept().await.unwrap().0];
        for (call, status) in calls.iter_mut().zip(["200 OK", "500 Out of Order"]) {
            let answer = format!("HTTP/1.1 {status}\r\ncontent-length: 0\r\nconnection: close\r\n\r\n");
            call.write_all(answer.as_bytes()).await.unwrap();
            call.shutdown().await.unwrap();
            // Waits until the other side has closed, so that the data it sent are read before the connection ends.
            tokio::io::copy(call, &mut tokio::io::sink()).await.unwrap();
        }
    });
    url
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn requests_with_external_effects_have_one_response_at_both_servers() {
    let (here, there) = two().await;
    let scout = here.owner("Ada").await.agent_at("Scout", &unreliable_receiver().await).await;
    let ping = format!("{}/{}/ping", scout.webhooks(), scout.webhook().await);
    let ask = async |app: &TestApp| scout.at(app).act(&ping).key("one").await.expect_status(200).json;
    let (one, other) = join(ask(&here), ask(&there)).await;
    assert_eq!(one, other);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn both_servers_sign_with_one_key_and_read_one_log() {
    let (here, there) = two().await;
    // Even if both generated one at the same moment: both are published, and the first one signs.
    let mut keys = Vec::new();
    for _ in 0..2 {
        keys = join_all([&here, &there].map(async |app| app.anonymous().get("/.well-known/jwks.json").await)).await;
    }
    assert_eq!(keys[0].json, keys[1].json);
    let kid = async |app: &TestApp| {
        let jws = app.anonymous().get("/api/v1/log/checkpoint").await.text_at("/jws");
        jws.split('.').next().unwrap().to_owned()
    };
    assert_eq!(kid(&here).await, kid(&there).await);
    here.owner("Ada").await;
    let [first, second] = [&here, &there].map(|app| app.anonymous().get("/api/v1/log"));
    assert_eq!(first.await["items"], second.await["items"]);
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn the_count_is_right_during_writes_at_both_servers() {
    let (here, there) = two().await;
    let scout = here.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let callers = [scout.at(&here), scout.at(&there)];
    join_all((0..64).map(async |number| callers[number % 2].post_message(&track, &format!("Quick, {number}")).await))
        .await;
    for caller in &callers {
        assert_eq!(caller.get(&track.path()).await["messageCount"], 64);
    }
}
