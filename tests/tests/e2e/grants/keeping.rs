//! What an owner keeps outlasts its consent; a client keeps nothing.

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::json;

use super::{Cast, KINDS, Kind};
use crate::either;

#[apply(either)]
async fn what_the_owner_keeps_outlasts_its_consent(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let made = cast.make_all(&cast.editor).await;
    for (number, one) in made.iter().enumerate() {
        // Both doors do the same.
        if number % 2 == 0 {
            cast.ada.act(&format!("{}/keep", cast.path_of(one))).await.expect_status(204);
        } else {
            let made_at = cast.entry(one).await["madeAt"].as_str().unwrap().to_owned();
            let value = format!("{}/{}@{made_at}", one.kind.name(), one.id);
            assert!(cast.page().await.contains(&format!("name=\"keep\" value=\"{value}\"")), "{value}");
            cast.press("access", ("keep", &value)).await.expect_status(303);
        }
        assert_eq!(cast.entry(one).await["state"], json!("kept"));
    }
    assert_eq!(cast.page().await.matches("name=\"release\"").count(), KINDS.len());
    cast.withdraw().await;
    cast.app.deliver().await;
    assert_eq!(cast.acting(&made).await, KINDS);
    for one in &made {
        let entry = cast.entry(one).await;
        assert_eq!((&entry["state"], &entry["madeBy"]["active"]), (&json!("kept"), &json!(false)));
    }
    // What is kept no longer falls at once, because its consent has ended.
    for one in &made {
        cast.ada.delete(&format!("{}/keep", cast.path_of(one))).await.expect_status(204);
    }
    cast.app.deliver().await;
    assert_eq!(cast.acting(&made).await, []);
}

#[apply(either)]
async fn what_is_kept_no_longer_falls_with_its_consent_again(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let token = cast.make(Kind::ArenaToken, &cast.editor).await;
    let keep = format!("{}/keep", cast.path_of(&token));
    for _ in 0..2 {
        cast.ada.act(&keep).await.expect_status(204);
    }
    for _ in 0..2 {
        cast.ada.delete(&keep).await.expect_status(204);
    }
    assert_eq!(cast.entry(&token).await["state"], json!("falls_with_grant"));
    assert!(cast.acts(&token).await);
    // A client that makes it anew makes something else.
    cast.ada.act(&keep).await.expect_status(204);
    let token = cast.make(Kind::ArenaToken, &cast.editor).await;
    assert_eq!(cast.entry(&token).await["state"], json!("falls_with_grant"));
    cast.withdraw().await;
    assert!(!cast.acts(&token).await);
}

#[apply(either)]
async fn the_owner_keeps_what_the_list_showed_and_nothing_newer(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let token = cast.make(Kind::ArenaToken, &cast.editor).await;
    let keep = async || {
        let seen = cast.entry(&token).await["madeAt"].as_str().unwrap().to_owned();
        (seen.clone(), format!("{}/keep?madeAt={seen}", cast.path_of(&token)))
    };
    let (seen, stale) = keep().await;
    cast.app.advance(std::time::Duration::from_secs(1));
    cast.make(Kind::ArenaToken, &cast.editor).await;
    cast.ada.act(&stale).await.expect_problem(409, "made_anew");
    let value = format!("arena_token/{}@{seen}", token.id);
    assert_ne!(cast.press("access", ("keep", &value)).await.status, 303);
    cast.ada.act(&format!("{}/keep?madeAt=now", cast.path_of(&token))).await.expect_status(400);
    assert_eq!(cast.entry(&token).await["state"], json!("falls_with_grant"));
    cast.ada.act(&keep().await.1).await.expect_status(204);
    assert_eq!(cast.entry(&token).await["state"], json!("kept"));
}

#[apply(either)]
async fn only_the_owner_keeps_and_only_what_a_client_made(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let token = cast.make(Kind::ArenaToken, &cast.editor).await;
    let (path, keep) = (cast.path_of(&token), format!("{}/keep", cast.path_of(&token)));
    for agent in [&cast.editor, &*cast.scout] {
        agent.act(&keep).await.expect_problem(403, "owner_required");
        agent.delete(&keep).await.expect_problem(403, "owner_required");
        agent.delete(&path).await.expect_problem(403, "owner_required");
        agent.delete(&cast.own("access?maker=primary")).await.expect_problem(403, "owner_required");
        agent.get(&cast.own("access")).await.expect_status(200);
    }
    let grace = cast.app.owner("Grace").await;
    grace.act(&keep).await.expect_problem(404, "not_found");
    grace.delete(&path).await.expect_problem(404, "not_found");
    grace.get(&cast.own("access")).await.expect_problem(404, "not_found");
    assert_eq!(cast.entry(&token).await["state"], json!("falls_with_grant"));

    let webhook = cast.make(Kind::Webhook, &cast.scout).await;
    let of_key = format!("{}/keep", cast.path_of(&webhook));
    cast.ada.act(&of_key).await.expect_problem(409, "not_under_grant");
    cast.ada.delete(&of_key).await.expect_problem(409, "not_under_grant");
    for unknown in ["access/did/x/keep", "access/session/x/keep", "access/nothing/x/keep"] {
        cast.ada.act(&cast.own(unknown)).await.expect_problem(404, "not_found");
    }
    cast.withdraw().await;
    cast.ada.act(&keep).await.expect_problem(404, "not_found");
}
