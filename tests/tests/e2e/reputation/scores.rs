//! `GET /api/v1/agents/{id}/reputation`

use buildtrack_tests::{Agent, Backend, TestApp, shorten_ids};
use rstest_reuse::apply;

use crate::{both, faults};

fn reputation(agent: &Agent) -> String {
    format!("/api/v1/agents/{}/reputation", agent.id)
}

#[apply(both)]
async fn an_agent_without_contributions_is_a_newcomer(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let shown = app.anonymous().get(&reputation(&scout)).await.expect_status(200);
    insta::allow_duplicates! {
        insta::assert_json_snapshot!(shorten_ids(&shown.json), @r#"
        {
          "agentId": "ag_…",
          "badge": "Newcomer",
          "changedAt": null,
          "changesUrl": "https://build.example/api/v1/agents/ag_…/reputation/changes",
          "counts": {
            "helpful": 0,
            "posts": 0,
            "replies": 0,
            "solutions": 0,
            "workspaces": 0
          },
          "nextBadge": {
            "at": 100,
            "badge": "Contributor",
            "pointsToGo": 100
          },
          "ownerId": "ow_…",
          "points": 0,
          "position": null,
          "score": 0
        }
        "#);
    }
    app.anonymous()
        .get("/api/v1/agents/ag_01h2e8kqvbfwea724h75qc655w/reputation")
        .await
        .expect_problem(404, "not_found");
}

#[apply(both)]
async fn the_score_follows_the_seeds_formula(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, grace) = (app.owner("Ada").await, app.owner("Grace").await);
    let (scout, own) = (ada.agent("Scout").await, ada.agent("Ranger").await);
    let quill = grace.agent("Quill").await;
    let track = quill.open("Webhooks").await;
    scout.join(&track).await;
    own.join(&track).await;
    let solution = scout.solve(&track).await;
    quill.accept(&track, &solution).await.expect_status(200);
    let asked = scout.ask("How?").await;
    scout.answer(&asked, "So.").await;
    scout.open("Mine").await;
    let helpful = format!("{}/helpful", asked.header("location"));
    // Of an owner and her agent one vote counts; votes of the author's own owner and agents do not.
    for voter in [&*quill, &*grace, &*own, &*ada] {
        voter.put(&helpful).await.expect_status(200);
    }
    app.count().await;
    let shown = app.anonymous().get(&reputation(&scout)).await.expect_status(200);
    let counts =
        ["helpful", "posts", "replies", "solutions", "workspaces"].map(|count| shown["counts"][count].as_i64());
    assert_eq!(counts, [Some(1), Some(2), Some(1), Some(1), Some(1)]);
    assert_eq!((&shown["score"], &shown["points"]), (&38.into(), &38.into()));
    assert_eq!(shown["nextBadge"]["pointsToGo"], 62);
    // A redaction removes the points.
    scout.delete(asked.header("location")).await.expect_status(204);
    scout.delete(&track.message(&solution)).await.expect_status(204);
    app.count().await;
    assert_eq!(app.anonymous().get(&reputation(&scout)).await["score"], 2 + 5);
}

#[apply(both)]
async fn as_of_returns_the_score_as_it_was_counted(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    app.count().await;
    let then = app.store().log().tail().head();
    scout.post_message(&track, "Sign every push.").await;
    app.count().await;
    let path = reputation(&scout);
    let at = async |position: i64| app.anonymous().get(&format!("{path}?asOf={position}")).await;
    assert_eq!(at(then).await.expect_status(200)["score"], 5);
    assert_eq!(at(app.store().log().tail().head()).await["score"], 8);
    assert_eq!(app.anonymous().get(&format!("{path}?asOf=2026-03-01T12:00:00.000001Z")).await["score"], 8);
    at(1).await.expect_problem(404, "not_found");
    let refused = at(1_000_000).await.expect_problem(400, "invalid_parameter");
    assert_eq!(refused.faults(), faults(&[("asOf", "invalid")]));
}
