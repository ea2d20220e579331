//! Every kind of what a client makes against every end of its consent, and what is made at the moment of the end.

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use super::{Cast, KINDS, Kind};
use crate::{both, oauth::form};

/// How a consent ends.
#[derive(Debug, Clone, Copy)]
enum End {
    Withdrawn,
    RemovedFromTheList,
    RevokedByTheClient,
    LoggedOutByTheClient,
    KeyRotated,
    OtherSessionsEnded,
    Deactivated,
    Expired,
}

const ENDS: [End; 8] = [
    End::Withdrawn,
    End::RemovedFromTheList,
    End::RevokedByTheClient,
    End::LoggedOutByTheClient,
    End::KeyRotated,
    End::OtherSessionsEnded,
    End::Deactivated,
    End::Expired,
];

impl Cast {
    async fn end(&self, end: End) {
        match end {
            End::Withdrawn => self.withdraw().await,
            End::RemovedFromTheList => {
                let path = self.own(&format!("access/grant/{}", self.consent().await));
                self.ada.delete(&path).await.expect_status(204);
            }
            End::RevokedByTheClient => {
                let fields = [("client_id", &*self.client), ("token", &*self.refresh_token)];
                form(&self.app, "/oauth/revoke", &fields).await.expect_status(200);
            }
            End::LoggedOutByTheClient => {
                self.editor.delete("/api/v1/sessions/current").await.expect_status(204);
            }
            End::KeyRotated => drop(self.ada.act(&self.own("keys")).await.expect_status(201)),
            End::OtherSessionsEnded => drop(self.scout.delete("/api/v1/me/sessions").await.expect_status(204)),
            End::Deactivated => {
                self.ada.delete(&format!("/api/v1/agents/{}", self.scout.id)).await.expect_status(204);
            }
            End::Expired => {
                // The clock stays, so that the owner's session does.
                self.app.tamper("UPDATE consents SET expires_at = created_at").await;
                self.app.store().prune(100, Duration::MAX).await.unwrap();
            }
        }
    }
}

#[apply(both)]
async fn what_a_client_made_is_listed_and_falls_with_its_consent(#[case] backend: Backend) {
    for end in ENDS {
        let cast = Cast::new(backend).await;
        let made = cast.make_all(&cast.editor).await;
        assert_eq!(cast.acting(&made).await, KINDS);
        for one in &made {
            let entry = cast.entry(one).await;
            assert_eq!((&entry["state"], &entry["madeBy"]["how"]), (&json!("falls_with_grant"), &json!("grant")));
            assert_eq!((&entry["madeBy"]["name"], &entry["madeBy"]["active"]), (&json!("Editor"), &json!(true)));
        }
        cast.end(end).await;
        cast.app.deliver().await;
        assert_eq!(cast.acting(&made).await, [], "{end:?}");
        for one in &made {
            assert_eq!(cast.entry(one).await, json!(null), "{end:?}");
        }
        assert_eq!(cast.app.store().origins_of(cast.scout.id.parse().unwrap()).await.unwrap(), [], "{end:?}");
    }
}

#[apply(both)]
async fn an_arena_token_and_a_push_config_end_with_the_commit(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let made = cast.make_all(&cast.editor).await;
    cast.withdraw().await;
    // No worker has run since.
    let acting = cast.acting(&made).await;
    assert!(!acting.contains(&Kind::ArenaToken) && !acting.contains(&Kind::PushConfig), "{acting:?}");
}

#[apply(both)]
async fn what_is_made_while_a_consent_ends_does_not_survive(#[case] backend: Backend) {
    for _ in 0..4 {
        let cast = Cast::new(backend).await;
        let task_id = cast.begin_task(&cast.editor).await;
        let (consent, (token, webhook)) = (cast.consent().await, (cast.own("arena/token"), cast.own("webhooks")));
        let making = async {
            let token = cast.editor.act(&token).await;
            (token.status == 201).then(|| token.text_at("/token"))
        };
        let adding = async {
            let webhook = cast.editor.post(&webhook, json!({ "url": super::PUSH_URL })).await;
            (webhook.status == 201).then(|| webhook.text_at("/webhook/id"))
        };
        let ending = cast.press("consents", ("consent", &consent));
        let setting = cast.set_config(&cast.editor, &task_id, "one");
        let (token, webhook, ended, _) = tokio::join!(making, adding, ending, setting);
        ended.expect_status(303);
        cast.app.deliver().await;
        let made = |kind, id: String| super::Made { kind, detail: id.clone(), id };
        let made = [
            token.map(|token| made(Kind::ArenaToken, token)),
            webhook.map(|id| made(Kind::Webhook, id)),
            Some(made(Kind::PushConfig, task_id)),
        ];
        assert_eq!(cast.acting(&made.into_iter().flatten().collect::<Vec<_>>()).await, []);
    }
}

#[apply(both)]
async fn an_endpoint_falls_with_the_client_that_changed_it(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let webhook = cast.make(Kind::Webhook, &cast.ada).await;
    let path = cast.own(&format!("webhooks/{}", webhook.id));
    assert_eq!(cast.entry(&webhook).await["madeBy"]["id"], json!(cast.ada.id));
    // A change of its description makes no other endpoint of it.
    cast.editor.patch(&path, json!({ "description": "Mine" })).await.expect_status(200);
    assert_eq!(cast.entry(&webhook).await["madeBy"]["how"], json!("session"));
    cast.editor.patch(&path, json!({ "url": "http://127.0.0.1:9/elsewhere" })).await.expect_status(200);
    assert_eq!(cast.entry(&webhook).await["madeBy"]["how"], json!("grant"));
    cast.withdraw().await;
    cast.app.deliver().await;
    assert!(!cast.acts(&webhook).await);
    cast.ada.patch(&path, json!({ "url": super::PUSH_URL, "enabled": true })).await.expect_status(200);
    cast.app.deliver().await;
    assert!(cast.acts(&webhook).await);
    assert_eq!(cast.entry(&webhook).await["madeBy"]["id"], json!(cast.ada.id));
}

#[apply(both)]
async fn a_new_secret_is_the_clients_that_asked_for_it(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let webhook = cast.make(Kind::Webhook, &cast.ada).await;
    let path = cast.own(&format!("webhooks/{}/secret", webhook.id));
    cast.editor.post(&path, json!({})).await.expect_status(201);
    cast.withdraw().await;
    cast.app.deliver().await;
    assert!(!cast.acts(&webhook).await);
}

#[apply(both)]
async fn what_the_owner_makes_anew_does_not_fall(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    cast.make(Kind::ArenaToken, &cast.editor).await;
    let token = cast.make(Kind::ArenaToken, &cast.ada).await;
    cast.withdraw().await;
    cast.app.deliver().await;
    assert!(cast.acts(&token).await);
}

#[apply(both)]
async fn the_account_takes_everything_with_it(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let token = cast.make(Kind::ArenaToken, &cast.editor).await;
    let body = json!({ "password": cast.ada.password, "texts": "keep" });
    cast.ada.delete("/api/v1/me").json(body).await.expect_status(204);
    assert!(!cast.acts(&token).await);
    let app: &TestApp = &cast.app;
    app.deliver().await;
    assert!(app.store().origins_of(cast.scout.id.parse().unwrap()).await.unwrap().is_empty());
}
