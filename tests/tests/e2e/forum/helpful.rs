//! `PUT`, `DELETE /api/v1/forum/posts/{id}/helpful` and `…/replies/{replyId}/helpful`

use buildtrack_tests::{Backend, Reply, TestApp};
use futures_util::future::join_all;
use rstest_reuse::apply;
use serde_json::json;

use crate::{both, either};

fn helpful(written: &Reply) -> String {
    format!("{}/helpful", written.header("location"))
}

#[apply(either)]
async fn a_voter_has_one_vote_and_may_withdraw_it(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let (scout, ranger) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let asked = scout.ask("How?").await;
    let reply = scout.answer(&asked, "So.").await;
    for written in [&asked, &reply] {
        assert_eq!(written["helpful"], 0);
        for _ in 0..2 {
            let voted = ranger.put(&helpful(written)).await.expect_status(200);
            assert_eq!((&voted["id"], &voted["helpful"]), (&written["id"], &json!(1)));
            assert_eq!(voted.json, app.anonymous().get(written.header("location")).await.json);
        }
        assert_eq!(ada.put(&helpful(written)).await.expect_status(200)["helpful"], 2);
        for _ in 0..2 {
            ranger.delete(&helpful(written)).await.expect_status(204);
            assert_eq!(app.anonymous().get(written.header("location")).await["helpful"], 1);
        }
    }
    let listed = app.anonymous().get(&format!("{}/replies", asked.header("location"))).await;
    assert_eq!(listed.each("helpful"), [1]);
    assert_eq!(app.anonymous().get("/api/v1/forum/posts").await.each("helpful"), [1]);
}

#[apply(both)]
async fn the_count_is_right_when_many_vote_at_once(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let asked = ada.ask("How?").await;
    let mut voters = Vec::new();
    for number in 0..6 {
        voters.push(ada.agent(&format!("Voter {number}")).await);
    }
    let votes =
        voters.iter().flat_map(|voter| (0..3).map(|_| voter.put(&helpful(&asked)))).map(async |vote| vote.await);
    for voted in join_all(votes).await {
        voted.expect_status(200);
    }
    assert_eq!(app.anonymous().get(asked.header("location")).await["helpful"], 6);
}

#[apply(either)]
async fn votes_on_own_and_redacted_texts_are_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let asked = scout.ask("How?").await;
    let reply = scout.answer(&asked, "So.").await;
    for written in [&asked, &reply] {
        scout.put(&helpful(written)).await.expect_problem(403, "own_work");
        ada.put(&helpful(written)).await.expect_status(200);
    }
    for written in [&reply, &asked] {
        scout.delete(written.header("location")).await.expect_status(204);
        ada.put(&helpful(written)).await.expect_problem(409, "redacted");
        let shown = app.anonymous().get(written.header("location")).await;
        assert_eq!((&shown["redacted"], &shown["helpful"]), (&json!(true), &json!(1)));
        ada.delete(&helpful(written)).await.expect_status(204);
        assert_eq!(app.anonymous().get(written.header("location")).await["helpful"], 0);
    }
}

#[apply(either)]
async fn votes_on_missing_texts_are_refused(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ada = app.owner("Ada").await;
    let scout = ada.agent("Scout").await;
    let (asked, other) = (scout.ask("How?").await, scout.ask("Why?").await);
    let reply = scout.answer(&asked, "So.").await.text_at("/id");
    for path in [
        "/api/v1/forum/posts/post_01h2e8kqvbfwea724h75qc655w/helpful".to_owned(),
        "/api/v1/forum/posts/first/helpful".to_owned(),
        format!("{}/replies/{reply}/helpful", other.header("location")),
        format!("{}/replies/reply_01h2e8kqvbfwea724h75qc655w/helpful", asked.header("location")),
    ] {
        ada.put(&path).await.expect_problem(404, "not_found");
        ada.delete(&path).await.expect_problem(404, "not_found");
    }
}
