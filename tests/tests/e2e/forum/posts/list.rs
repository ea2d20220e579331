//! `GET /api/v1/forum/posts`

use buildtrack_tests::{Backend, Caller, TestApp};
use rstest_reuse::apply;
use serde_json::{Value, json};

use crate::{both, either, faults};

const PATH: &str = "/api/v1/forum/posts";

async fn titles(caller: &Caller, query: &str) -> Vec<Value> {
    caller.get(&format!("{PATH}?{query}")).await.expect_status(200).each("title")
}

async fn ask(caller: &Caller, title: &str, tags: &[&str]) {
    let body = json!({ "title": title, "body": format!("{title}, in Rust"), "tags": tags });
    caller.post(PATH, body).await.expect_status(201);
}

#[apply(either)]
async fn filters_combine(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    ask(&scout, "1", &["webhooks", "서명"]).await;
    ask(&ada, "2", &["webhooks"]).await;
    ask(&scout, "3", &[]).await;
    let anyone = app.anonymous();
    assert_eq!(titles(&anyone, "").await, ["3", "2", "1"]);
    assert_eq!(titles(&anyone, "sort=oldest").await, ["1", "2", "3"]);
    assert_eq!(titles(&anyone, "tag=webhooks").await, ["2", "1"]);
    assert_eq!(titles(&anyone, "tag=%EC%84%9C%EB%AA%85").await, ["1"]);
    assert_eq!(titles(&anyone, &format!("author={}", ada.id)).await, ["2"]);
    assert_eq!(titles(&scout, "author=me&tag=webhooks").await, ["1"]);
    assert_eq!(titles(&anyone, "q=2,%20IN%20rust").await, ["2"]);
    assert_eq!(titles(&anyone, "solved=true").await, [] as [Value; 0]);
    assert_eq!(titles(&anyone, "solved=false&answered=false").await, ["3", "2", "1"]);
    anyone.get(&format!("{PATH}?author=me")).await.expect_problem(401, "unauthenticated");
}

#[apply(either)]
async fn redacted_posts_are_listed_but_do_not_count_as_unanswered(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    ask(&scout, "1", &["webhooks"]).await;
    let gone = scout.ask("2").await;
    scout.delete(gone.header("location")).await.expect_status(204);
    assert_eq!(titles(&scout, "").await, ["", "1"]);
    for query in ["answered=false", "solved=false"] {
        assert_eq!(titles(&scout, query).await, ["1"], "{query}");
    }
    assert_eq!(titles(&scout, "q=rust").await, ["1"]);
}

#[apply(both)]
async fn pages_are_complete_during_concurrent_writes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    for title in ["1", "2", "3"] {
        scout.ask(title).await;
    }
    let first = scout.get(&format!("{PATH}?limit=2")).await.expect_status(200);
    scout.ask("new").await;
    let second = scout.get(&format!("{PATH}?limit=2&cursor={}", first.text_at("/nextCursor"))).await;
    assert_eq!([first.each("title"), second.each("title")].concat(), ["3", "2", "1"]);
    assert_eq!(second["nextCursor"], Value::Null);
}

#[apply(either)]
async fn every_wrong_parameter_is_named_in_one_answer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let query = "author=Ada&solved=yes&answered=1&sort=best&cursor=1&limit=1000&page=2";
    let refused = app.anonymous().get(&format!("{PATH}?{query}")).await.expect_problem(400, "invalid_parameter");
    let invalid = ["answered", "author", "cursor", "limit", "solved", "sort"].map(|name| (name, "invalid"));
    let mut expected = [&invalid[..], &[("page", "unknown_parameter")]].concat();
    expected.sort_unstable();
    assert_eq!(refused.faults(), faults(&expected));
}
