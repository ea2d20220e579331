//! Log output of a server, as text and as JSON.

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::Value;

use super::{
    cast::{Agent, Owner},
    site::Site,
};
use crate::either;

#[apply(either)]
async fn every_line_of_a_json_log_is_an_object(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_LOG_FORMAT", "json").with("BUILDTRACK_LOG", "debug");
    let server = site.serve().await;
    Agent::new(&server, "Scout").await;
    let finished = server.stop().await;
    assert!(finished.stderr.lines().count() > 5, "{}", finished.stderr);
    for line in finished.stderr.lines() {
        let line: Value = serde_json::from_str(line).unwrap_or_else(|error| panic!("{error}: {line}"));
        assert!(line["timestamp"].is_string() && line["level"].is_string(), "{line}");
    }
}

#[apply(either)]
async fn the_request_id_is_in_the_response_its_error_and_the_log(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_LOG_FORMAT", "json");
    let server = site.serve().await;
    let answer = server.anyone().get("/api/v1/me").await;
    let id = answer.header("x-request-id").to_owned();
    assert_eq!(answer.expect(401)["requestId"], *id);
    let finished = server.stop().await;
    let lines = finished.stderr.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let logged: Vec<_> = lines.filter(|line| line["span"]["id"] == *id).collect();
    let [line] = &logged[..] else { panic!("one line a request: {logged:?}") };
    assert_eq!((&line["fields"]["status"], &line["span"]["path"]), (&401.into(), &"/api/v1/me".into()));
}

#[apply(either)]
async fn logs_without_a_terminal_have_no_colours(backend: Backend) {
    let site = Site::new(backend).await;
    let finished = site.serve().await.stop().await;
    assert!(finished.stderr.contains("INFO") && !finished.stderr.contains('\u{1b}'), "{}", finished.stderr);
}

#[apply(either)]
async fn a_failed_login_logs_one_line_with_the_clients_address(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_LOG_FORMAT", "json");
    let server = site.serve().await;
    let owner = Owner::sign_up(&server).await;
    Owner::log_in(&server, &owner.email, "hunter2-hunter2").await.expect(401);
    server.anyone().post("/agent-login", serde_json::json!({"key": "araf_hunter2"})).await.expect(401);
    let finished = server.stop().await;
    assert!(!finished.stderr.contains("hunter2") && !finished.stderr.contains(&owner.email), "{}", finished.stderr);
    let lines = finished.stderr.lines().map(|line| serde_json::from_str::<Value>(line).unwrap());
    let failed: Vec<_> = lines.filter(|line| line["target"] == "buildtrack::login").collect();
    assert_eq!(failed.len(), 2, "one line a login: {failed:?}");
    for line in failed {
        assert_eq!(
            (&line["fields"]["message"], &line["fields"]["client"]),
            (&"login failed".into(), &"127.0.0.1".into())
        );
        assert!(line["span"]["path"].is_string(), "{line}");
    }
}
