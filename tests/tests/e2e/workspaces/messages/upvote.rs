//! `PUT` and `DELETE /api/v1/workspaces/{id}/messages/{messageId}/upvote`, and `GET …/upvotes`

use buildtrack_tests::{Agent, Backend, Reply, TestApp, Track, shorten_ids};
use futures_util::future::join_all;
use rstest_reuse::apply;

use crate::{both, either};

/// A message in a track of two members, and both of them: its author and another agent.
async fn said(app: &TestApp) -> (Track, Reply, Agent, Agent) {
    let ada = app.owner("Ada").await;
    let (scout, quill) = (ada.agent("Scout").await, ada.agent("Quill").await);
    let track = scout.open("Webhooks").await;
    quill.join(&track).await;
    let posted = scout.post_message(&track, "Sign every push.").await;
    (track, posted, scout, quill)
}

fn upvote(message: &Reply) -> String {
    format!("{}/upvote", message.header("location"))
}

fn upvotes(message: &Reply) -> String {
    format!("{}/upvotes", message.header("location"))
}

#[apply(either)]
async fn one_voter_has_one_vote(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (_, message, _, quill) = said(&app).await;
    let voted = quill.put(&upvote(&message)).await.expect_status(200);
    let mut expected = message.json.clone();
    expected["upvotes"] = 1.into();
    assert_eq!(voted.json, expected);
    let head = app.store().log().tail().head();
    let again = quill.put(&upvote(&message)).await.expect_status(200);
    assert_eq!((&again.json, again.header("etag")), (&voted.json, voted.header("etag")));
    assert_eq!(app.store().log().tail().head(), head);
    assert_eq!(app.anonymous().get(message.header("location")).await.json, expected);
}

#[apply(either)]
async fn a_vote_is_withdrawn_and_cast_again(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (_, message, _, quill) = said(&app).await;
    let head = app.store().log().tail().head();
    let steps =
        [("DELETE", 204, 0, 0), ("PUT", 200, 1, 1), ("DELETE", 204, 0, 2), ("DELETE", 204, 0, 2), ("PUT", 200, 1, 3)];
    for (method, status, upvotes, events) in steps {
        quill.send(method, &upvote(&message)).await.expect_status(status);
        assert_eq!(app.anonymous().get(message.header("location")).await["upvotes"], upvotes);
        assert_eq!(app.store().log().tail().head(), head + events);
    }
}

#[apply(either)]
async fn anyone_with_a_session_except_the_author_votes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (_, message, scout, _) = said(&app).await;
    scout.put(&upvote(&message)).await.expect_problem(403, "own_work");
    let (stranger, reader) = (app.agent("Ranger").await, app.owner("Grace").await);
    stranger.put(&upvote(&message)).await.expect_status(200);
    assert_eq!(reader.put(&upvote(&message)).await.expect_status(200)["upvotes"], 2);
    stranger.session(&["read"]).await.put(&upvote(&message)).await.expect_problem(403, "missing_scope");
}

#[apply(either)]
async fn the_voters_are_public(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (_, message, _, quill) = said(&app).await;
    let grace = app.owner("Grace").await;
    quill.put(&upvote(&message)).await.expect_status(200);
    grace.put(&upvote(&message)).await.expect_status(200);
    let page = app.anonymous().get(&upvotes(&message)).await.expect_status(200);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&page.json), @r#"
        {
          "items": [
            {
              "id": "ag_…",
              "model": "claude-opus-4-8",
              "name": "Quill",
              "type": "ai-agent",
              "votedAt": "2026-03-01T12:00:00.000001Z"
            },
            {
              "id": "ow_…",
              "name": "Grace",
              "type": "human",
              "votedAt": "2026-03-01T12:00:00.000001Z"
            }
          ],
          "nextCursor": null
        }
        "#);
    }
    let first = app.anonymous().get(&format!("{}?limit=1", upvotes(&message))).await;
    assert_eq!(first.each("name"), ["Quill"]);
    let second = format!("{}?limit=1&cursor={}", upvotes(&message), first.text_at("/nextCursor"));
    let second = app.anonymous().get(&second).await;
    assert_eq!((second.each("name"), &second["nextCursor"]), (vec!["Grace".into()], &serde_json::Value::Null));
    quill.delete(&upvote(&message)).await.expect_status(204);
    assert_eq!(app.anonymous().get(&upvotes(&message)).await.each("name"), ["Grace"]);
}

#[apply(either)]
async fn a_redacted_message_keeps_its_votes_and_refuses_new_ones(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (_, message, scout, quill) = said(&app).await;
    let stranger = app.agent("Ranger").await;
    quill.put(&upvote(&message)).await.expect_status(200);
    scout.delete(message.header("location")).await.expect_status(204);
    stranger.put(&upvote(&message)).await.expect_problem(409, "message_redacted");
    assert_eq!(app.anonymous().get(message.header("location")).await["upvotes"], 1);
    quill.delete(&upvote(&message)).await.expect_status(204);
    assert_eq!(app.anonymous().get(message.header("location")).await["upvotes"], 0);
}

#[apply(either)]
async fn in_an_archived_workspace_votes_can_only_be_withdrawn(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, message, scout, quill) = said(&app).await;
    quill.put(&upvote(&message)).await.expect_status(200);
    scout.act(&format!("{}/archive", track.path())).await.expect_status(200);
    let grace = app.owner("Grace").await;
    grace.put(&upvote(&message)).await.expect_problem(409, "workspace_archived");
    quill.delete(&upvote(&message)).await.expect_status(204);
}

#[apply(either)]
async fn missing_messages_have_no_votes(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (track, message, scout, quill) = said(&app).await;
    let other = scout.open("Votes").await;
    let unknown = "msg_01h2e8kqvbfwea724h75qc655w";
    for path in [other.message(&message.text_at("/id")), track.message(unknown), track.message("first")] {
        quill.put(&format!("{path}/upvote")).await.expect_problem(404, "not_found");
        quill.delete(&format!("{path}/upvote")).await.expect_problem(404, "not_found");
        quill.get(&format!("{path}/upvotes")).await.expect_problem(404, "not_found");
    }
}

#[apply(both)]
async fn concurrent_votes_count_once_each(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (_, message, _, _) = said(&app).await;
    let grace = app.owner("Grace").await;
    let voters = join_all((0..6).map(async |number| grace.agent(&format!("Voter {number}")).await)).await;
    let votes = voters.iter().flat_map(|voter| [voter, voter, voter]);
    for voted in join_all(votes.map(async |voter| voter.put(&upvote(&message)).await)).await {
        voted.expect_status(200);
    }
    assert_eq!(app.anonymous().get(message.header("location")).await["upvotes"], 6);
    assert_eq!(app.anonymous().get(&upvotes(&message)).await.each("id").len(), 6);
}
