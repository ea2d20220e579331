//! `/a2a/…/tasks/{id}/pushNotificationConfigs`, and the pushes of a task's updates.

use std::time::Duration;

use buildtrack_domain::ids::ExchangeId;
use buildtrack_store::TaskPush;
use buildtrack_tests::{Agent, Backend, Caller, Receiver, Reply, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{
    a2a::{expect_reason, message, speaking},
    both,
    exchange::asked,
};

const SECRET: &str = "5f3c5f3c5f3c5f3c";

/// An agent that answers tasks, and the path below which it does.
struct Cast {
    app: TestApp,
    scout: Agent,
    asker: Caller,
    root: String,
}

impl Cast {
    async fn new(app: TestApp) -> Self {
        let (scout, asker) = (app.agent("Scout").await, app.agent("Asker").await);
        let (asker, root) = (speaking(&asker), format!("/a2a/agents/{}", scout.id));
        Self { app, scout, asker, root }
    }

    /// Sends a message of several rounds whose answer is not waited for, with this config and in this task.
    async fn send(&self, config: Option<Value>, task_id: Option<&str>) -> Reply {
        let mut body = message("Hello");
        body["message"]["metadata"] = json!({ "multiround": true });
        body["configuration"] = json!({ "returnImmediately": true });
        if let Some(config) = config {
            body["configuration"]["taskPushNotificationConfig"] = config;
        }
        if let Some(task_id) = task_id {
            body["message"]["taskId"] = json!(task_id);
        }
        self.asker.post(&format!("{}/message:send", self.root), body).await
    }

    /// The id of a new task that waits for its answer.
    async fn begin(&self, config: Option<Value>) -> String {
        self.send(config, None).await.expect_status(200).text_at("/task/id")
    }

    fn configs(&self, task_id: &str) -> String {
        format!("{}/tasks/{task_id}/pushNotificationConfigs", self.root)
    }

    /// The agent answers its oldest request.
    async fn answer(&self, answer: Value) {
        let request = asked(&self.scout).await;
        let path = format!("/api/v1/exchange/requests/{}/answer", request["id"].as_str().unwrap());
        self.scout.post(&path, answer).await.expect_status(200);
    }

    /// The bodies that were pushed since the last call. Every push has the secrets of [`config`].
    async fn pushed(&self, receiver: &Receiver) -> Vec<Value> {
        self.app.deliver().await;
        let pushes = receiver.take();
        for push in &pushes {
            assert_eq!((&*push.authorization, &*push.token), (&*format!("Bearer {SECRET}"), "token-1"));
        }
        pushes.iter().map(buildtrack_tests::Push::json).collect()
    }

    async fn stored(&self, task_id: &str) -> Vec<TaskPush> {
        let id: ExchangeId = task_id.parse().unwrap();
        self.app.store().exchange().task_pushes(id).await.unwrap()
    }
}

fn config(url: &str) -> Value {
    json!({ "url": url, "token": "token-1", "authentication": { "scheme": "Bearer", "credentials": SECRET } })
}

/// The states of status updates; `None` for an artifact.
fn states(bodies: &[Value]) -> Vec<Option<&str>> {
    bodies.iter().map(|body| body["statusUpdate"]["status"]["state"].as_str()).collect()
}

#[apply(both)]
async fn each_change_of_a_task_is_pushed_in_order_with_the_credentials_of_the_config(#[case] backend: Backend) {
    let cast = Cast::new(TestApp::start(backend).await).await;
    let receiver = Receiver::start();
    let task = cast.begin(Some(config(&receiver.url))).await;
    assert_eq!(cast.pushed(&receiver).await, [] as [Value; 0], "the answer to the client has this state");
    cast.answer(json!({ "body": "One" })).await;
    let bodies = cast.pushed(&receiver).await;
    assert_eq!(states(&bodies), [None, Some("TASK_STATE_INPUT_REQUIRED")]);
    let artifact = &bodies[0]["artifactUpdate"];
    assert_eq!((&artifact["taskId"], &artifact["artifact"]["parts"][0]["text"]), (&json!(task), &json!("One")));
    assert_eq!(bodies[1]["statusUpdate"]["contextId"], json!(task));
    assert_eq!(cast.pushed(&receiver).await, [] as [Value; 0], "each update is pushed once");
    // Several changes before the worker looks are several pushes; a second config gets its own.
    cast.asker.post(&cast.configs(&task), config(&receiver.url)).await.expect_status(200);
    cast.send(None, Some(&task)).await.expect_status(200);
    cast.answer(json!({ "failure": "I do not know." })).await;
    cast.asker.act(&format!("{}/tasks/{task}:cancel", cast.root)).await.expect_status(200);
    let mut bodies = cast.pushed(&receiver).await;
    assert_eq!(bodies.len(), 6, "{bodies:?}");
    bodies.sort_by_key(|body| body["statusUpdate"]["status"]["state"].to_string());
    let expected = ["TASK_STATE_CANCELED", "TASK_STATE_INPUT_REQUIRED", "TASK_STATE_WORKING"];
    assert_eq!(states(&bodies), expected.iter().flat_map(|state| [Some(*state); 2]).collect::<Vec<_>>());
    assert_eq!(bodies[2]["statusUpdate"]["status"]["message"]["parts"][0]["text"], "I do not know.");
    // The task has ended: nothing follows, and its configs are kept for a while.
    assert_eq!(cast.pushed(&receiver).await, [] as [Value; 0]);
    let listed = cast.asker.get(&cast.configs(&task)).await.expect_status(200);
    assert_eq!((listed["configs"].as_array().unwrap().len(), &listed["nextPageToken"]), (2, &json!("")));
    cast.app.advance(Duration::from_mins(11));
    cast.app.store().log().prune(100, Duration::from_hours(24)).await.unwrap();
    assert!(cast.stored(&task).await.is_empty());
}

#[apply(both)]
async fn the_end_of_a_task_is_pushed_however_it_ends(#[case] backend: Backend) {
    let cast = Cast::new(TestApp::start(backend).await).await;
    let receiver = Receiver::start();
    // This server's own answer.
    let mut body = message("Which Build Tracks are about webhooks?");
    body["configuration"] = json!({ "taskPushNotificationConfig": config(&receiver.url) });
    cast.asker.post("/a2a/message:send", body).await.expect_status(200);
    assert_eq!(states(&cast.pushed(&receiver).await), [None, Some("TASK_STATE_COMPLETED")]);
    // A conversation that expires.
    let expiring = cast.begin(Some(config(&receiver.url))).await;
    cast.answer(json!({ "body": "One" })).await;
    assert_eq!(cast.pushed(&receiver).await.len(), 2);
    cast.app.advance(Duration::from_hours(1));
    let bodies = cast.pushed(&receiver).await;
    assert_eq!(states(&bodies), [Some("TASK_STATE_COMPLETED")]);
    assert_eq!(bodies[0]["statusUpdate"]["taskId"], json!(expiring));
    // A request without an answer in time.
    cast.begin(Some(config(&receiver.url))).await;
    cast.app.advance(Duration::from_hours(1));
    assert_eq!(states(&cast.pushed(&receiver).await), [Some("TASK_STATE_FAILED")]);
    // A redaction, which leaves no text to push.
    let redacted = cast.begin(Some(config(&receiver.url))).await;
    cast.answer(json!({ "body": "Secret" })).await;
    cast.asker.delete(&format!("/api/v1/exchanges/{redacted}/words")).await.expect_status(204);
    let bodies = cast.pushed(&receiver).await;
    assert_eq!(states(&bodies), [Some("TASK_STATE_CANCELED")]);
    assert!(!bodies[0].to_string().contains("Secret"));
    assert_eq!(cast.pushed(&receiver).await, [] as [Value; 0]);
}

#[apply(both)]
async fn a_push_that_fails_is_repeated_until_its_schedule_ends(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.retry_schedule = "10,60".parse().unwrap()).await;
    let cast = Cast::new(app).await;
    let receiver = Receiver::start();
    // This server itself is a receiver that does not know the path.
    let task = cast.begin(Some(config(&format!("{}/nothing", cast.app.url())))).await;
    let failures = async || cast.stored(&task).await[0].failures;
    cast.answer(json!({ "body": "One" })).await;
    let pushed_to = cast.stored(&task).await[0].pushed_to;
    for (wait, failed) in [(0, 1), (1, 1), (20, 2), (20, 2)] {
        cast.app.advance(Duration::from_secs(wait));
        cast.app.deliver().await;
        assert_eq!((failures().await, cast.stored(&task).await[0].pushed_to), (failed, pushed_to), "after {wait} s");
    }
    cast.app.advance(Duration::from_mins(1));
    cast.app.deliver().await;
    let given_up = cast.stored(&task).await.remove(0);
    assert!(given_up.failures == 0 && given_up.pushed_to > pushed_to, "{given_up:?}");
    // A later update is pushed anew. Another config with the same id takes the place of the first.
    let mut working = config(&receiver.url);
    working["id"] = json!(given_up.id);
    cast.asker.post(&cast.configs(&task), working).await.expect_status(200);
    cast.asker.act(&format!("{}/tasks/{task}:cancel", cast.root)).await.expect_status(200);
    assert_eq!(states(&cast.pushed(&receiver).await), [Some("TASK_STATE_CANCELED")]);
    assert_eq!(cast.stored(&task).await.len(), 1);
}

#[apply(both)]
async fn configs_belong_to_their_task_hide_their_secrets_and_end_when_they_are_deleted(#[case] backend: Backend) {
    let cast = Cast::new(TestApp::start(backend).await).await;
    let (receiver, other) = (Receiver::start(), cast.app.agent("Other").await);
    let other = speaking(&other);
    let task = cast.begin(None).await;
    let configs = cast.configs(&task);
    let created = cast.asker.post(&configs, config(&receiver.url)).await.expect_status(200);
    let id = created.text_at("/id");
    let shown = json!({ "id": id, "taskId": task, "url": receiver.url, "authentication": { "scheme": "Bearer" } });
    assert_eq!(created.json, shown);
    let path = format!("{configs}/{id}");
    assert_eq!(cast.asker.get(&path).await.expect_status(200).json, shown);
    assert_eq!(cast.asker.get(&configs).await.expect_status(200)["configs"], json!([shown]));
    let tables = cast.app.dump().await;
    assert!(tables.contains("task_pushes:") && !tables.contains(SECRET) && !tables.contains(&receiver.url));
    // The tasks of others, and tasks at another address.
    expect_reason(other.get(&path).await, 404, "TASK_NOT_FOUND");
    expect_reason(other.get(&configs).await, 404, "TASK_NOT_FOUND");
    expect_reason(other.delete(&path).await, 404, "TASK_NOT_FOUND");
    expect_reason(other.post(&configs, config(&receiver.url)).await, 404, "TASK_NOT_FOUND");
    let elsewhere = format!("/a2a/tasks/{task}/pushNotificationConfigs");
    expect_reason(cast.asker.post(&elsewhere, config(&receiver.url)).await, 404, "TASK_NOT_FOUND");
    // A deleted config gets nothing.
    cast.answer(json!({ "body": "One" })).await;
    assert_eq!(cast.asker.delete(&path).await.expect_status(200).json, json!({}));
    cast.asker.delete(&path).await.expect_status(200);
    expect_reason(cast.asker.get(&path).await, 404, "TASK_NOT_FOUND");
    assert_eq!(cast.pushed(&receiver).await, [] as [Value; 0]);
}

#[apply(both)]
async fn an_agent_without_rights_gets_no_pushes(#[case] backend: Backend) {
    let cast = Cast::new(TestApp::start(backend).await).await;
    let (receiver, owner) = (Receiver::start(), cast.app.owner("Owner").await);
    let quill = owner.agent("Quill").await;
    let mut body = message("Hello");
    body["configuration"] = json!({ "returnImmediately": true, "taskPushNotificationConfig": config(&receiver.url) });
    speaking(&quill).post(&format!("{}/message:send", cast.root), body).await.expect_status(200);
    owner.delete(&format!("/api/v1/agents/{}", quill.id)).await.expect_status(204);
    cast.answer(json!({ "body": "One" })).await;
    assert_eq!(cast.pushed(&receiver).await, [] as [Value; 0]);
    // The config goes with the account.
    assert!(cast.app.dump().await.contains("task_pushes:"));
    owner.delete("/api/v1/me").json(json!({ "password": owner.password, "texts": "keep" })).await.expect_status(204);
    assert!(!cast.app.dump().await.contains("task_pushes:"));
}

#[apply(both)]
async fn a_task_and_a_caller_have_a_limited_number_of_configs(#[case] backend: Backend) {
    let cast = Cast::new(TestApp::start(backend).await).await;
    let url = "https://agent.example/updates";
    let mut first = String::new();
    for _ in 0..20 {
        first = cast.begin(Some(json!({ "id": "1", "url": url }))).await;
        for id in ["2", "3", "4", "5"] {
            let config = json!({ "id": id, "url": url });
            cast.asker.post(&cast.configs(&first), config).await.expect_status(200);
        }
    }
    let (configs, one) = (cast.configs(&first), json!({ "id": "5", "url": url }));
    cast.asker.post(&configs, one.clone()).await.expect_status(200);
    expect_reason(cast.asker.post(&configs, json!({ "url": url })).await, 400, "UNSUPPORTED_OPERATION");
    let listed = cast.asker.get(&format!("{}/tasks", cast.root)).await.expect_status(200);
    // The caller has as many as it may have: a message with a config begins no task.
    expect_reason(cast.send(Some(one.clone()), None).await, 400, "UNSUPPORTED_OPERATION");
    let again = cast.asker.get(&format!("{}/tasks", cast.root)).await.expect_status(200);
    assert_eq!((&listed["totalSize"], &again["totalSize"]), (&json!(20), &json!(20)));
    cast.asker.delete(&format!("{configs}/5")).await.expect_status(200);
    cast.send(Some(one), None).await.expect_status(200);
}

#[apply(both)]
async fn an_address_that_is_not_public_and_a_field_that_is_not_valid_are_refused(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.allow_private_targets = false).await;
    let cast = Cast::new(app).await;
    let task = cast.begin(None).await;
    let configs = cast.configs(&task);
    let field = |reply: &Reply| reply.text_at("/error/details/1/fieldViolations/0/field");
    for url in
        ["http://127.0.0.1:9/", "https://127.0.0.1/", "https://10.1.2.3/", "https://localhost/", "https://[::1]/", "x"]
    {
        let refused = cast.asker.post(&configs, config(url)).await.expect_status(400);
        assert_eq!(field(&refused), "/url", "{url}");
        expect_reason(refused, 400, "INVALID_PARAMS");
        let refused = cast.send(Some(config(url)), None).await.expect_status(400);
        assert_eq!(field(&refused), "/configuration/taskPushNotificationConfig/url", "{url}");
    }
    let listed = cast.asker.get(&format!("{}/tasks", cast.root)).await.expect_status(200);
    assert_eq!(listed["totalSize"], 1, "a refused message begins no task");
    let invalid = [
        (json!({}), "/url"),
        (json!({ "url": "https://a.example/", "taskId": "another" }), "/taskId"),
        (json!({ "url": "https://a.example/", "id": "a/b" }), "/id"),
        (json!({ "url": "https://a.example/", "token": "a\r\nX-Injected: b" }), "/token"),
        (json!({ "url": "https://a.example/", "authentication": {} }), "/authentication/scheme"),
    ];
    for (body, pointer) in invalid {
        assert_eq!(field(&cast.asker.post(&configs, body).await.expect_status(400)), pointer);
    }
    assert!(cast.stored(&task).await.is_empty());
}
