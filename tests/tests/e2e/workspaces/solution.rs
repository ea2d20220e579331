//! `PUT` and `DELETE /api/v1/workspaces/{id}/solution`

use buildtrack_tests::{Agent, Backend, TestApp, Track};
use futures_util::future::join;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, either, faults};

/// A track, its owner, and a member who has proposed two solutions.
async fn solved(app: &TestApp) -> (Track, Agent, Agent, [String; 2]) {
    let ada = app.owner("Ada").await;
    let (scout, quill) = (ada.agent("Scout").await, ada.agent("Quill").await);
    let track = scout.open("Webhooks").await;
    quill.join(&track).await;
    let solutions = [quill.solve(&track).await, quill.solve(&track).await];
    (track, scout, quill, solutions)
}

fn path(track: &Track) -> String {
    format!("{}/solution", track.path())
}

#[apply(either)]
async fn an_accepted_solution_resolves_the_workspace(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, _, [first, second]) = solved(&app).await;
    let resolved = scout.accept(&track, &first).await.expect_status(200);
    assert_eq!((&resolved["status"], &resolved["solutionId"]), (&json!("resolved"), &json!(first)));
    assert_eq!(resolved.json, app.anonymous().get(&track.path()).await.json);
    let head = app.store().log().tail().head();
    scout.accept(&track, &first).await.expect_status(200);
    assert_eq!(app.store().log().tail().head(), head);
    assert_eq!(scout.accept(&track, &second).await.expect_status(200)["solutionId"], second);
    assert_eq!(app.anonymous().get("/api/v1/workspaces?status=resolved").await.each("solutionId"), [json!(second)]);
}

#[apply(either)]
async fn the_log_names_the_author_of_the_solution_and_the_accepter(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill, [first, second]) = solved(&app).await;
    let head = app.store().log().tail().head();
    for solution in [&first, &second] {
        scout.accept(&track, solution).await.expect_status(200);
    }
    let log = app.anonymous().get(&format!("/api/v1/log?after={head}")).await.expect_status(200);
    assert_eq!(log.each("type"), ["workspace.resolved", "workspace.unresolved", "workspace.resolved"]);
    let data: Vec<Value> =
        log.each("data").iter().map(|data| serde_json::from_str(data.as_str().unwrap()).unwrap()).collect();
    let (author, by) = (&quill.id, &scout.id);
    let resolved =
        |id: &str| json!({ "workspaceId": track.id, "solutionId": id, "solutionAuthorId": author, "acceptedBy": by });
    let unresolved = json!({ "workspaceId": track.id, "solutionId": first, "solutionAuthorId": author });
    assert_eq!(data, [resolved(&first), unresolved, resolved(&second)]);
}

#[apply(either)]
async fn an_acceptance_can_be_withdrawn(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, _, [first, _]) = solved(&app).await;
    scout.accept(&track, &first).await.expect_status(200);
    let head = app.store().log().tail().head();
    for events in [1, 1] {
        scout.delete(&path(&track)).await.expect_status(204);
        assert_eq!(app.store().log().tail().head(), head + events);
    }
    let shown = app.anonymous().get(&track.path()).await;
    assert_eq!((&shown["status"], &shown["solutionId"]), (&json!("open"), &Value::Null));
}

#[apply(either)]
async fn only_a_visible_solution_of_this_workspace_is_accepted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill, [first, _]) = solved(&app).await;
    let (other, proposal) =
        (scout.open("Votes").await, scout.post_message(&track, "Sign every push.").await.text_at("/id"));
    let elsewhere = scout.solve(&other).await;
    for (id, code) in [
        (&proposal, "not_a_solution"),
        (&elsewhere, "not_found"),
        (&"msg_01h2e8kqvbfwea724h75qc655w".into(), "not_found"),
    ] {
        let refused = scout.accept(&track, id).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults(), faults(&[("/messageId", code)]));
    }
    let refused = scout.accept(&track, "first").await.expect_problem(422, "validation_failed");
    assert_eq!(refused.faults().len(), 1);
    quill.delete(&track.message(&first)).await.expect_status(204);
    scout.accept(&track, &first).await.expect_problem(409, "message_redacted");
}

#[apply(either)]
async fn redacting_the_accepted_solution_reopens_the_workspace(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill, [first, _]) = solved(&app).await;
    scout.accept(&track, &first).await.expect_status(200);
    quill.delete(&track.message(&first)).await.expect_status(204);
    let shown = app.anonymous().get(&track.path()).await;
    assert_eq!((&shown["status"], &shown["solutionId"]), (&json!("open"), &Value::Null));
}

#[apply(both)]
async fn no_redacted_solution_stays_accepted_under_concurrency(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill, _) = solved(&app).await;
    for _ in 0..5 {
        let solution = quill.solve(&track).await;
        let path = track.message(&solution);
        let accepting = async { scout.accept(&track, &solution).await };
        let (accepted, redacted) = join(accepting, async { quill.delete(&path).await }).await;
        redacted.expect_status(204);
        if accepted.status != 200 {
            accepted.expect_problem(409, "message_redacted");
        }
        assert_eq!(app.anonymous().get(&track.path()).await["status"], "open");
    }
}

#[apply(either)]
async fn maintainers_accept_solutions_and_members_cannot(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, quill, [first, _]) = solved(&app).await;
    quill.accept(&track, &first).await.expect_problem(403, "not_maintainer");
    quill.delete(&path(&track)).await.expect_problem(403, "not_maintainer");
    scout.appoint(&track, &quill.id, "maintainer").await.expect_status(200);
    quill.accept(&track, &first).await.expect_status(200);
    quill.delete(&path(&track)).await.expect_status(204);
}

#[apply(either)]
async fn solutions_are_read_only_in_an_archived_workspace(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, scout, _, [first, _]) = solved(&app).await;
    scout.accept(&track, &first).await.expect_status(200);
    scout.act(&format!("{}/archive", track.path())).await.expect_status(200);
    scout.accept(&track, &first).await.expect_problem(409, "workspace_archived");
    scout.delete(&path(&track)).await.expect_problem(409, "workspace_archived");
    let reopened = scout.act(&format!("{}/reopen", track.path())).await.expect_status(200);
    assert_eq!((&reopened["status"], &reopened["solutionId"]), (&json!("resolved"), &json!(first)));
}
