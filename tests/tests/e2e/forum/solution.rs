//! `PUT`, `DELETE /api/v1/forum/posts/{id}/solution`

use buildtrack_tests::{Backend, Reply, TestApp};
use futures_util::future::join;
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{either, faults};

fn solution(post: &Reply) -> String {
    format!("{}/solution", post.header("location"))
}

#[apply(either)]
async fn the_posts_author_accepts_one_reply_at_a_time(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let asked = ada.ask("How?").await;
    let [first, second] = [scout.answer(&asked, "1").await, scout.answer(&asked, "2").await];
    let accept = |reply: &Reply| ada.put(&solution(&asked)).json(json!({ "replyId": reply["id"] }));
    let accepted = async || {
        let replies = app.anonymous().get(&format!("{}/replies", asked.header("location"))).await;
        replies.each("accepted")
    };
    let solved = accept(&first).await.expect_status(200);
    assert_eq!(solved["solutionId"], first["id"]);
    assert_eq!(solved.json, app.anonymous().get(asked.header("location")).await.json);
    assert_eq!(accepted().await, [true, false]);
    accept(&second).await.expect_status(200);
    assert_eq!(accepted().await, [false, true]);
    let head = app.store().log().tail().head();
    accept(&second).await.expect_status(200);
    assert_eq!(app.store().log().tail().head(), head);
    for (query, titles) in [("solved=true", json!(["How?"])), ("solved=false", json!([]))] {
        let listed = app.anonymous().get(&format!("/api/v1/forum/posts?{query}")).await;
        assert_eq!(json!(listed.each("title")), titles, "{query}");
    }
    ada.delete(&solution(&asked)).await.expect_status(204);
    ada.delete(&solution(&asked)).await.expect_status(204);
    assert_eq!(accepted().await, [false, false]);
    assert_eq!(app.anonymous().get(asked.header("location")).await["solutionId"], Value::Null);
    let log = app.anonymous().get(&format!("/api/v1/log?after={}", second["position"])).await;
    let types =
        ["post.solution_accepted", "post.solution_withdrawn", "post.solution_accepted", "post.solution_withdrawn"];
    assert_eq!(log.each("type"), types);
}

#[apply(either)]
async fn a_reply_redacted_during_its_acceptance_solves_nothing(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, scout) = (app.owner("Ada").await, app.agent("Scout").await);
    for _ in 0..10 {
        let asked = ada.ask("How?").await;
        let reply = scout.answer(&asked, "So.").await;
        let accept = async { ada.put(&solution(&asked)).json(json!({ "replyId": reply["id"] })).await };
        let (accepted, taken_back) = join(accept, async { scout.delete(reply.header("location")).await }).await;
        taken_back.expect_status(204);
        if accepted.status != 200 {
            accepted.expect_problem(409, "redacted");
        }
        assert_eq!(ada.get(asked.header("location")).await["solutionId"], Value::Null);
        assert_eq!(ada.get(reply.header("location")).await["accepted"], false);
    }
}

#[apply(either)]
async fn only_the_posts_author_accepts_and_withdraws_the_acceptance(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let asked = ada.ask("How?").await;
    let reply = scout.answer(&asked, "So.").await;
    let choice = json!({ "replyId": reply["id"] });
    scout.put(&solution(&asked)).json(choice.clone()).await.expect_problem(403, "not_asker");
    ada.put(&solution(&asked)).json(choice.clone()).await.expect_status(200);
    scout.delete(&solution(&asked)).await.expect_problem(403, "not_asker");
    let nowhere = "/api/v1/forum/posts/post_01h2e8kqvbfwea724h75qc655w/solution";
    ada.put(nowhere).json(choice).await.expect_problem(404, "not_found");
    ada.delete(nowhere).await.expect_problem(404, "not_found");
}

#[apply(either)]
async fn only_a_visible_reply_to_this_post_solves_it(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (asked, other) = (ada.ask("How?").await, ada.ask("Why?").await);
    let (gone, elsewhere) = (ada.answer(&asked, "So.").await, ada.answer(&other, "Because.").await);
    ada.delete(gone.header("location")).await.expect_status(204);
    let accept = |reply: &Value| ada.put(&solution(&asked)).json(json!({ "replyId": reply }));
    accept(&gone["id"]).await.expect_problem(409, "redacted");
    for reply in [&elsewhere["id"], &json!("reply_01h2e8kqvbfwea724h75qc655w")] {
        let refused = accept(reply).await.expect_problem(422, "validation_failed");
        assert_eq!(refused.faults(), faults(&[("/replyId", "not_found")]));
    }
    assert_eq!(accept(&json!("first")).await.expect_status(422).faults(), faults(&[("/replyId", "wrong_form")]));
}

#[apply(either)]
async fn redacting_an_accepted_reply_removes_the_solution(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let asked = ada.ask("How?").await;
    let [first, second] = [scout.answer(&asked, "1").await, scout.answer(&asked, "2").await];
    ada.put(&solution(&asked)).json(json!({ "replyId": first["id"] })).await.expect_status(200);
    scout.delete(second.header("location")).await.expect_status(204);
    assert_eq!(ada.get(asked.header("location")).await["solutionId"], first["id"]);
    scout.delete(first.header("location")).await.expect_status(204);
    assert_eq!(ada.get(asked.header("location")).await["solutionId"], Value::Null);
    let shown = ada.get(first.header("location")).await;
    assert_eq!((&shown["accepted"], &shown["redacted"]), (&json!(false), &json!(true)));
}

#[apply(either)]
async fn an_acceptance_stays_after_the_post_is_redacted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let asked = ada.ask("How?").await;
    let reply = scout.answer(&asked, "So.").await;
    ada.put(&solution(&asked)).json(json!({ "replyId": reply["id"] })).await.expect_status(200);
    ada.delete(asked.header("location")).await.expect_status(204);
    let shown = app.anonymous().get(asked.header("location")).await;
    assert_eq!((&shown["redacted"], &shown["solutionId"]), (&json!(true), &reply["id"]));
}
