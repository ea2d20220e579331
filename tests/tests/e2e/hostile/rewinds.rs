//! A database that has lost its last commits, for example after a failover to a replica that was behind

use buildtrack_store::verification;
use buildtrack_tests::{Backend, TestApp, message};
use rstest_reuse::apply;
use serde_json::json;

use crate::either;

/// Reverts the database to a log position, not through the server.
async fn lose(app: &TestApp, beyond: i64) {
    app.tamper(&format!(
        "DELETE FROM events WHERE position > {beyond}; UPDATE log_head SET position = {beyond}, \
         hash = (SELECT hash FROM events WHERE position = {beyond}); \
         DELETE FROM messages WHERE position > {beyond}; UPDATE consumers SET position = {beyond} WHERE position > {beyond}; DELETE FROM consumed WHERE last > {beyond}"
    ))
    .await;
}

/// Waits until the server has detected the loss.
async fn loss_detected(app: &TestApp) {
    tokio::time::timeout(std::time::Duration::from_secs(20), async {
        while app.store().log().tail().rewinds() == 0 {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
    })
    .await
    .expect("the server notices that the log was rewound");
}

#[apply(either)]
async fn the_server_continues_at_the_new_end_of_the_log(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ranger, scout) = (app.agent("Ranger").await, app.agent("Scout").await);
    let track = ranger.open("Failover").await;
    ranger.post_message(&track, "A first message that is kept").await.expect_status(201);
    app.deliver().await;
    let before = app.store().log().head().await.unwrap();
    scout.join(&track).await;
    ranger.post_message(&track, "A second message that is lost").await.expect_status(201);
    scout.post_message(&track, "An answer that is lost with it").await.expect_status(201);
    lose(&app, before).await;
    loss_detected(&app).await;
    assert_eq!(app.store().log().tail().head(), before);
    verification::rebuild(app.store().log(), |_| ()).await.unwrap();
    // The lost message was never written, and the lost member did not join.
    scout.post(&track.messages(), message("An answer that is lost with it")).await.expect_problem(403, "not_a_member");
    ranger.post_message(&track, "A second message that is lost").await.expect_status(201);
    assert_eq!(app.store().log().head().await.unwrap(), before + 1);
    scout.join(&track).await;
    scout.post_message(&track, "An answer that is lost with it").await.expect_status(201);
    app.deliver().await;
    let verified = verification::verify(app.store().log(), app.store().reputation(), |_| ()).await.unwrap();
    assert_eq!((verified.position, &verified.live), (before + 3, &verified.rebuilt));
}

/// A write may detect the loss before the poll does.
#[apply(either)]
async fn the_first_write_after_the_loss_is_retried(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ranger = app.agent("Ranger").await;
    let track = ranger.open("Failover").await;
    let before = app.store().log().head().await.unwrap();
    for content in ["A message that is lost", "Another message that is lost"] {
        ranger.post_message(&track, content).await.expect_status(201);
    }
    lose(&app, before).await;
    ranger.post_message(&track, "A message that comes after the loss").await.expect_status(201);
    assert_eq!(app.store().log().head().await.unwrap(), before + 1);
    assert!(app.store().log().tail().rewinds() >= 1);
    verification::rebuild(app.store().log(), |_| ()).await.unwrap();
    verification::verify(app.store().log(), app.store().reputation(), |_| ()).await.unwrap();
}

/// The log may have grown by then, beyond the position that this process knew.
#[apply(either)]
async fn a_different_event_at_a_known_position_is_detected(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ranger = app.agent("Ranger").await;
    let track = ranger.open("Failover").await;
    ranger.post_message(&track, "A message that another one replaces").await.expect_status(201);
    // The poll has read the log's end.
    tokio::time::sleep(std::time::Duration::from_millis(600)).await;
    app.tamper(
        "UPDATE events SET hash = (SELECT hash FROM events WHERE position = 1) \
         WHERE position = (SELECT position FROM log_head)",
    )
    .await;
    loss_detected(&app).await;
}

#[apply(either)]
async fn a_stream_ends_with_the_new_end_of_the_log(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let ranger = app.agent("Ranger").await;
    let track = ranger.open("Failover").await;
    let before = app.store().log().head().await.unwrap();
    ranger.post_message(&track, "A message that is lost").await.expect_status(201);
    let known = app.store().log().head().await.unwrap();
    lose(&app, before).await;
    loss_detected(&app).await;
    let again = app.anonymous().get(&format!("/api/v1/live?after={known}")).await;
    assert_eq!(again.expect_status(400)["errors"][0]["code"], json!("beyond_the_end"));
}
