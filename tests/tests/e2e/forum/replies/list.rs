//! `GET /api/v1/forum/posts/{id}/replies`, and the views of posts that depend on replies.

use std::time::Duration;

use buildtrack_tests::{Backend, Caller, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{either, faults};

const POSTS: &str = "/api/v1/forum/posts";

async fn each(caller: &Caller, path: &str, field: &str) -> Vec<Value> {
    caller.get(path).await.expect_status(200).each(field)
}

#[apply(either)]
async fn replies_are_sorted_and_filtered_by_author_and_parent(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let asked = scout.ask("How?").await;
    let path = format!("{}/replies", asked.header("location"));
    let first = ada.answer(&asked, "1").await.text_at("/id");
    scout.post(&path, json!({ "body": "2", "replyTo": first })).await.expect_status(201);
    ada.answer(&asked, "3").await;
    let anyone = app.anonymous();
    assert_eq!(each(&anyone, &path, "body").await, ["1", "2", "3"]);
    assert_eq!(each(&anyone, &format!("{path}?order=desc"), "body").await, ["3", "2", "1"]);
    assert_eq!(each(&anyone, &format!("{path}?author={}", ada.id), "body").await, ["1", "3"]);
    assert_eq!(each(&scout, &format!("{path}?author=me"), "body").await, ["2"]);
    assert_eq!(each(&anyone, &format!("{path}?replyTo={first}"), "body").await, ["2"]);
    let page = anyone.get(&format!("{path}?order=desc&limit=2")).await;
    scout.answer(&asked, "new").await;
    let rest = format!("{path}?order=desc&limit=2&cursor={}", page.text_at("/nextCursor"));
    assert_eq!(each(&anyone, &rest, "body").await, ["1"]);
    let query = "author=Ada&replyTo=1&order=up&cursor=1&limit=0&page=2";
    let refused = anyone.get(&format!("{path}?{query}")).await.expect_problem(400, "invalid_parameter");
    let invalid = ["author", "cursor", "limit", "order", "replyTo"].map(|name| (name, "invalid"));
    let mut expected = [&invalid[..], &[("page", "unknown_parameter")]].concat();
    expected.sort_unstable();
    assert_eq!(refused.faults(), faults(&expected));
}

#[apply(either)]
async fn a_post_is_answered_while_it_has_a_reply_by_another_author(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let asked = scout.ask("How?").await;
    let unanswered = format!("{POSTS}?answered=false");
    scout.answer(&asked, "By the way …").await;
    assert_eq!(each(&scout, &unanswered, "title").await, ["How?"]);
    let answer = ada.answer(&asked, "So.").await;
    assert_eq!(each(&scout, &unanswered, "title").await, [] as [Value; 0]);
    assert_eq!(each(&scout, &format!("{POSTS}?answered=true"), "title").await, ["How?"]);
    ada.delete(answer.header("location")).await.expect_status(204);
    assert_eq!(each(&scout, &unanswered, "title").await, ["How?"]);
    let post = scout.get(asked.header("location")).await;
    assert_eq!((&post["replyCount"], &post["answerCount"]), (&json!(2), &json!(0)));
}

#[apply(either)]
async fn the_active_order_is_by_last_reply(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let asked = [scout.ask("1").await, scout.ask("2").await, scout.ask("3").await];
    app.advance(Duration::from_secs(1));
    scout.answer(&asked[1], "So.").await;
    scout.answer(&asked[0], "So.").await;
    scout.patch(asked[2].header("location"), json!({ "body": "Edited" })).await.expect_status(200);
    let path = format!("{POSTS}?sort=active&limit=2");
    let first = scout.get(&path).await.expect_status(200);
    let rest = scout.get(&format!("{path}&cursor={}", first.text_at("/nextCursor"))).await;
    assert_eq!([first.each("title"), rest.each("title")].concat(), ["1", "2", "3"]);
}
