//! The operator's commands, next to a running server.

use std::time::Duration;

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{
    cast::{Agent, Owner, Track},
    checks::{assert_complete, assert_in_order, digests},
    load::Load,
    site::Site,
    waiting::within,
};
use crate::both;

/// How soon the server must apply a command.
const SOON: Duration = Duration::from_secs(2);

#[apply(both)]
async fn a_tier_takes_effect_without_a_restart(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_RATE_LIMITS", "anonymous=100000");
    let server = site.serve().await;
    let agent = Agent::new(&server, "Scout").await;
    let client = server.with(&agent.token);
    let policy = async || client.get("/api/v1/me").await.header("ratelimit-policy").to_owned();
    assert_eq!(policy().await, r#""free";q=15;w=60"#);
    for (tier, quota) in [("enterprise", 300), ("pro", 60)] {
        let said = site.succeeds(&["admin", "set-tier", &agent.id, tier]).await;
        assert_eq!(said, format!("{} is in the tier {tier}.\n", agent.id));
        let wanted = format!("\"{tier}\";q={quota};w=60");
        within(SOON, &wanted, async || (policy().await == wanted).then_some(())).await;
    }
}

#[apply(both)]
async fn an_operator_is_one_without_a_restart(backend: Backend, #[values(true, false)] by_email: bool) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let owner = Owner::sign_up(&server).await;
    let me = server.with(&owner.token);
    assert_eq!(me.get("/api/v1/me").await.expect(200)["operator"], false);
    let named = if by_email { &owner.email } else { &owner.id };
    let said = site.succeeds(&["admin", "grant-operator", named]).await;
    assert_eq!(said, format!("{} may moderate.\n", owner.id));
    within(SOON, "the owner is an operator", async || {
        (me.get("/api/v1/me").await.expect(200)["operator"] == true).then_some(())
    })
    .await;
}

#[apply(both)]
async fn a_password_that_is_reset_ends_the_old_one_and_its_sessions(
    backend: Backend,
    #[values(true, false)] by_email: bool,
) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let owner = Owner::sign_up(&server).await;
    server.with(&owner.token).get("/api/v1/me").await.expect(200);
    let named = if by_email { &owner.email } else { &owner.id };
    let said = site.succeeds(&["admin", "reset-password", named]).await;
    let password =
        said.trim_end().strip_prefix(&format!("{} has a new password, shown this once: ", owner.id)).unwrap();
    within(SOON, "the old session's end", async || {
        (server.with(&owner.token).get("/api/v1/me").await.status == 401).then_some(())
    })
    .await;
    Owner::log_in(&server, &owner.email, &owner.password).await.expect(401);
    Owner::log_in(&server, &owner.email, password).await.expect(201);
}

#[apply(both)]
async fn every_operator_command_is_on_the_log_with_its_reason(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_REGISTRATION", "invite");
    site.succeeds(&["migrate"]).await;
    let invited = site.succeeds(&["admin", "invite", "--expires", "1h", "--reason", "A friend"]).await;
    let code = invited.lines().next().unwrap();
    assert!(code.starts_with("bti_"), "{invited}");
    let server = site.serve().await;
    let body = json!({ "email": "ada@example.org", "password": "correct horse", "displayName": "Ada", "invite": code });
    let owner = server.anyone().post("/api/v1/accounts", body).await.expect(201)["id"].as_str().unwrap().to_owned();
    for (arguments, said) in [
        (["grant-operator", &owner].as_slice(), "may moderate."),
        (&["set-agent-limit", &owner, "7"], "may have 7 active agents."),
        (&["revoke-operator", &owner], "may no longer moderate."),
    ] {
        let reason = format!("Because of {}", arguments[0]);
        let arguments = [&["admin", arguments[0], "--reason", &reason], &arguments[1..]].concat();
        assert_eq!(site.succeeds(&arguments).await, format!("{owner} {said}\n"));
        let operators = site.succeeds(&["admin", "list-operators"]).await;
        assert_eq!(operators.contains(&owner), !said.contains("no longer"), "{operators}");
    }
    let log = server.anyone().get("/api/v1/log?after=0&limit=200").await.expect(200);
    let events = log["items"].as_array().unwrap();
    let reasons: Vec<_> = events
        .iter()
        .filter(|event| event["type"] == "operation.done")
        .map(|event| serde_json::from_str::<Value>(event["data"].as_str().unwrap()).unwrap()["reason"].clone())
        .collect();
    assert_eq!(
        reasons,
        ["A friend", "Because of grant-operator", "Because of set-agent-limit", "Because of revoke-operator"]
    );
}

#[apply(both)]
async fn operators_see_the_settings_in_force_without_secrets(backend: Backend) {
    let secret = "hunter2-hunter2-hunter2-hunter2-hunter2";
    let site = Site::new(backend).await.with("BUILDTRACK_SECRET", secret).with("BUILDTRACK_LIVE_AGE", "1234");
    let server = site.serve().await;
    let owner = Owner::sign_up(&server).await;
    site.succeeds(&["admin", "grant-operator", &owner.id]).await;
    let cookie = format!("buildtrack_session={}", owner.token);
    let browser = server.anyone().sending("accept", "text/html").sending("cookie", &cookie);
    let page = within(SOON, "the operator's page", async || {
        let answer = browser.get("/portal/operator/settings").await;
        (answer.status == 200).then(|| answer.body.as_str().unwrap().to_owned())
    })
    .await;
    for shown in ["BUILDTRACK_SECRET", "(set; not shown)", "BUILDTRACK_LIVE_AGE", "1234", "https://build.example"] {
        assert!(page.contains(shown), "{shown}: {page}");
    }
    for hidden in [Some(secret), site.setting("DATABASE_URL")].into_iter().flatten() {
        assert!(!page.contains(hidden), "{page}");
    }
}

#[apply(both)]
async fn unknown_ids_are_named(backend: Backend) {
    let site = Site::new(backend).await.with("BUILDTRACK_LOG", "error");
    site.succeeds(&["migrate"]).await;
    let unknown = "ag_01h2e8kqvbfwea724h75qc655w";
    for arguments in [
        ["admin", "set-tier", unknown, "pro"].as_slice(),
        &["admin", "grant-operator", "unknown@example.org"],
        &["admin", "reset-password", "ow_01h2e8kqvbfwea724h75qc655w"],
    ] {
        let finished = site.run(arguments).await;
        assert_eq!((finished.code, &*finished.stdout), (Some(1), ""), "{arguments:?}");
        assert_eq!(finished.stderr.lines().count(), 1, "{}", finished.stderr);
    }
}

#[apply(both)]
async fn migrating_rebuilding_and_verifying_disturb_no_writer(backend: Backend) {
    let site = Site::new(backend).await;
    let server = site.serve().await;
    let agent = Agent::new(&server, "Scout").await;
    let track = Track::open(&server, &agent, &[]).await;
    let mut load = Load::on(&server, &agent, &track);
    for command in ["migrate", "verify-log", "rebuild", "verify-log", "rebuild"] {
        load.wait_for_messages(40).await;
        site.succeeds(&[command]).await;
    }
    load.wait_for_messages(40).await;
    let written = load.finish().await;
    assert_eq!((&written.refused[..], written.cut), (&[][..], 0));
    assert_eq!(assert_complete(&server, &track, &written).await, 0);
    assert_in_order(&site).await;
}

#[apply(both)]
async fn a_rebuild_restores_lost_tables(backend: Backend) {
    // No contribution is counted during the test.
    let site = Site::new(backend).await.with("BUILDTRACK_WORKER", "off");
    let server = site.serve().await;
    let agent = Agent::new(&server, "Scout").await;
    let track = Track::open(&server, &agent, &[]).await;
    agent.posts(&server, &track, "Still here").await;
    let before = site.succeeds(&["verify-log"]).await;
    for table in ["messages", "workspaces", "workspace_tags", "memberships", "agents", "owners"] {
        assert_ne!(site.database().await.execute(&format!("DELETE FROM {table}")).await, 0, "{table}");
    }
    let rebuilt = site.succeeds(&["rebuild"]).await;
    assert_eq!(digests(&rebuilt), digests(&before));
    assert_eq!(track.read(&server).await[0].1, "Still here");
}
