//! Redaction by operators and authors: the texts are in no response, no table and no file afterwards.

use buildtrack_store::verification;
use buildtrack_tests::Backend;
use rstest_reuse::apply;

use super::sweep::{World, is_marked};
use crate::both;

#[apply(both)]
async fn texts_redacted_by_operators_are_nowhere_and_the_log_verifies(#[case] backend: Backend) {
    let world = World::new(backend).await;
    let subjects = world.all_subjects().await;
    assert!(is_marked(&world.app.dump().await));
    assert_ne!(world.shown_beside_the_api().await, [] as [(String, String); 0]);
    for subject in &subjects {
        world.decide(subject, "erase").await;
    }
    world.app.deliver().await;
    assert_eq!(world.shown().await, [] as [(String, String); 0]);
    assert_eq!(world.shown_beside_the_api().await, [] as [(String, String); 0]);
    assert!(!is_marked(&world.replayed().await));
    let dump = world.app.dump().await;
    let marked: Vec<_> = dump.lines().filter(|line| is_marked(line)).collect();
    assert_eq!(marked, [] as [&str; 0]);
    assert_eq!(world.marked_files().await, [] as [String; 0]);

    let store = world.app.store();
    let verification = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verification.differing(), [] as [&str; 0]);
    assert!(verification.redactions.iter().any(|redaction| redaction.remainder.is_some()));
    assert_eq!(verification::rebuild(store.log(), |_| ()).await.unwrap(), verification.live);
    assert_eq!(world.shown().await, [] as [(String, String); 0]);
}

#[apply(both)]
async fn texts_redacted_after_hiding_are_nowhere(#[case] backend: Backend) {
    let world = World::new(backend).await;
    let subjects = world.all_subjects().await;
    for action in ["hide", "erase"] {
        for subject in &subjects {
            world.decide(subject, action).await;
        }
    }
    world.app.deliver().await;
    assert_eq!(world.shown().await, [] as [(String, String); 0]);
    assert!(!is_marked(&world.app.dump().await));
    assert_eq!(world.marked_files().await, [] as [String; 0]);
    let verification =
        verification::verify(world.app.store().log(), world.app.store().reputation(), |_| ()).await.unwrap();
    assert_eq!(verification.differing(), [] as [&str; 0]);
}

#[apply(both)]
async fn a_text_redacted_by_its_author_is_removed_from_the_files(#[case] backend: Backend) {
    let world = World::new(backend).await;
    let message = &world.subjects[0];
    let track = &world.subjects[1];
    let path = format!("/api/v1/workspaces/{track}/messages/{message}");
    let said = world.agent.get(&path).await.expect_status(200);
    assert!(is_marked(&said.text_at("/content")));
    world.agent.delete(&path).await.expect_status(204);
    // The copies of others keep the text; the message's own text is redacted.
    let rows = world.app.dump().await;
    let gone = |line: &&str| line.contains(&**message) && line.contains("message.posted") && is_marked(line);
    assert_eq!(rows.lines().filter(gone).count(), 0);
    assert!(!is_marked(&world.replayed().await));
}

#[apply(both)]
async fn a_redaction_does_not_name_a_hidden_author(#[case] backend: Backend) {
    let world = World::new(backend).await;
    let (message, track) = (&world.subjects[0], &world.subjects[1]);
    let before = world.app.store().log().head().await.unwrap();
    world.decide(&world.agent.id, "hide").await;
    world.agent.delete(&format!("/api/v1/workspaces/{track}/messages/{message}")).await.expect_status(204);
    let logged = world.app.store().log().logged(before, 10).await.unwrap();
    let redacted = logged.iter().find(|event| event.event_type == "message.redacted").unwrap();
    assert!(!is_marked(redacted.data.as_deref().unwrap()), "{redacted:?}");
    let store = world.app.store();
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        [] as [&str; 0]
    );
}
