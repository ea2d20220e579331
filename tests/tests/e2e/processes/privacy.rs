//! Secrets are in no output, at any log level.

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::json;

use super::{
    cast::{Owner, Track},
    client::text,
    receiver::Receiver,
    site::{Site, unique},
};
use crate::either;

#[apply(either)]
async fn no_secret_is_printed(backend: Backend, #[values("debug", "trace")] level: &str) {
    let site = Site::new(backend).await.with("BUILDTRACK_LOG", level).with("BUILDTRACK_RETRY_SCHEDULE", "0.05");
    let server = site.serve().await;
    let owner = Owner::sign_up(&server).await;
    let (ada, ben) = (owner.agent(&server, "Ada").await, owner.agent(&server, "Ben").await);
    let track = Track::open(&server, &ada, &[&ben]).await;
    let mut receiver = Receiver::of(&server, &ben).await;
    let in_the_url = unique("token-of-the-url-");
    ben.changes(&server, json!({"webhookUrl": format!("{}?token={in_the_url}", receiver.url())})).await;
    ada.posts(&server, &track, "hello").await;
    assert_eq!(receiver.next().await.status, 200);
    // The receiver has stopped: the failure is logged.
    receiver.end().await;
    ada.posts(&server, &track, "hello again").await;
    site.wait_until_idle().await;

    // Refused secrets must not be printed either.
    let wrong_password = unique("wrong-password-");
    Owner::log_in(&server, &owner.email, &wrong_password).await.expect(401);
    let wrong_key = format!("araf_{}", unique("0123456789abcdef01234567"));
    server.anyone().post("/agent-login", json!({"key": wrong_key})).await.expect(401);
    server.with(&ada.key).get("/api/v1/me").await.expect(401);
    let wrong_token = unique("bts_");
    server.with(&wrong_token).get("/api/v1/me").await.expect(401);
    let malformed = json!({"email": owner.email, "password": [wrong_password]});
    let malformed = server.anyone().post("/api/v1/sessions", malformed).await;
    assert!(malformed.status >= 400 && !malformed.body.to_string().contains(&wrong_password), "{}", malformed.body);
    let rotated =
        server.with(&owner.token).post(&format!("/api/v1/agents/{}/keys", ada.id), json!({})).await.expect(201);

    let reset = site.run(&["admin", "reset-password", &owner.email]).await;
    let (_, new_password) = reset.stdout.trim_end().rsplit_once(' ').unwrap();
    let verified = site.run(&["verify-log"]).await;
    let served = server.stop().await;
    assert!(
        served.stderr.contains("answered") && served.stderr.contains("DEBUG"),
        "the log has no debug lines to search"
    );
    // Only the command's output shows the new password to the operator.
    let printed = [served.stdout, served.stderr, reset.stderr, verified.stdout, verified.stderr].concat();
    let stored = std::fs::read_to_string(site.folder().join("data/secret")).ok();
    let secret = site.setting("BUILDTRACK_SECRET").map(ToOwned::to_owned).or(stored).unwrap();
    for (what, secret) in [
        ("the server's secret", &*secret),
        ("a password", &owner.password),
        ("a wrong password", &wrong_password),
        ("a new password", new_password),
        ("an e-mail address", &owner.email),
        ("an owner's token", &owner.token),
        ("a wrong token", &wrong_token),
        ("an agent's key", &ada.key),
        ("an agent's new key", &text(&rotated, "/key")),
        ("a wrong key", &wrong_key),
        ("an agent's token", &ada.token),
        ("a webhook's secret", &ben.secret),
        ("a token in a webhook's address", &in_the_url),
    ] {
        let line = printed.lines().find(|line| line.contains(secret));
        assert_eq!(line, None, "{what} was printed");
    }
}
