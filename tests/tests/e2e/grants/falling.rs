//! Every kind of what a client makes against every end of its consent, and what is made at the moment of the end.

use std::time::Duration;

use buildtrack_tests::{Backend, TestApp};
use rstest_reuse::apply;
use serde_json::json;

use super::{Cast, KINDS, Kind};
use crate::{either, oauth::form};

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
                self.app.store().log().prune(100, Duration::MAX).await.unwrap();
            }
        }
    }
}

#[apply(either)]
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
        // That of the endpoint stays with its address.
        let origins = cast.app.store().identity().origins_of(cast.scout.id.parse().unwrap()).await.unwrap();
        let left: Vec<_> = origins.iter().map(|origin| &*origin.access.subject).collect();
        let webhook = made.iter().find(|one| one.kind == Kind::Webhook).unwrap();
        assert_eq!(left, [&*webhook.id], "{end:?}");
    }
}

#[apply(either)]
async fn an_arena_token_and_a_push_config_end_with_the_commit(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let made = cast.make_all(&cast.editor).await;
    cast.withdraw().await;
    // No worker has run since.
    let acting = cast.acting(&made).await;
    assert!(!acting.contains(&Kind::ArenaToken) && !acting.contains(&Kind::PushConfig), "{acting:?}");
}

#[apply(either)]
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

#[apply(either)]
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
    let notices = cast.ada.get("/api/v1/notices").await.expect_status(200);
    assert_eq!((&notices["items"][0]["kind"], &notices["items"][1]), (&json!("webhook.disabled"), &json!(null)));
    let detail = notices["items"][0]["detail"].as_str().unwrap();
    assert!(detail.contains(&webhook.id) && detail.contains("a program gave it its address"), "{detail}");
    // Enabled as it is, it would be the client's under the owner's name.
    for enabling in [json!({ "enabled": true }), json!({ "enabled": true, "url": "http://127.0.0.1:9/elsewhere" })] {
        cast.ada.patch(&path, enabling).await.expect_problem(409, "fallen_with_grant");
    }
    cast.ada.patch(&path, json!({ "url": super::PUSH_URL, "enabled": true })).await.expect_status(200);
    cast.app.deliver().await;
    assert!(cast.acts(&webhook).await);
    assert_eq!(cast.entry(&webhook).await["madeBy"]["id"], json!(cast.ada.id));
}

#[apply(either)]
async fn an_endpoint_is_that_of_the_one_who_gave_it_its_address(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let (of_owner, of_client) =
        (cast.make(Kind::Webhook, &cast.ada).await, cast.make(Kind::Webhook, &cast.editor).await);
    // A new secret, and the endpoint off and on again.
    for (by, webhook) in [(&cast.editor, &of_owner), (&*cast.ada, &of_client)] {
        let path = cast.own(&format!("webhooks/{}", webhook.id));
        by.post(&format!("{path}/secret"), json!({})).await.expect_status(201);
        for enabled in [false, true] {
            by.patch(&path, json!({ "enabled": enabled })).await.expect_status(200);
        }
    }
    assert_eq!(cast.entry(&of_owner).await["madeBy"]["how"], json!("session"));
    assert_eq!(cast.entry(&of_client).await["madeBy"]["how"], json!("grant"));
    cast.withdraw().await;
    cast.app.deliver().await;
    assert!(cast.acts(&of_owner).await && !cast.acts(&of_client).await);
}

#[apply(either)]
async fn what_has_fallen_is_listed_and_removable_until_it_ends(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let made = cast.make_all(&cast.editor).await;
    cast.withdraw().await;
    // No worker has run since.
    for one in made.iter().filter(|one| matches!(one.kind, Kind::ArenaEndpoint | Kind::Webhook | Kind::Did)) {
        assert_eq!(cast.entry(one).await["state"], json!("ending"));
        cast.ada.act(&format!("{}/keep", cast.path_of(one))).await.expect_problem(409, "fallen_with_grant");
        cast.ada.delete(&cast.path_of(one)).await.expect_status(204);
        assert_eq!(cast.entry(one).await, json!(null));
    }
    assert_eq!(cast.acting(&made).await, []);
}

#[apply(either)]
async fn what_is_not_marked_falls_if_its_consent_is_gone(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let made = cast.make_all(&cast.editor).await;
    cast.app.tamper("DELETE FROM consents").await;
    cast.app.deliver().await;
    assert_eq!(cast.acting(&made).await, []);
}

#[apply(either)]
async fn a_client_ends_its_own_session_alone(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let webhook = cast.make(Kind::Webhook, &cast.editor).await;
    let sessions = cast.editor.get("/api/v1/me/sessions").await.expect_status(200);
    let id_of = |current: bool| {
        let mut items = sessions["items"].as_array().unwrap().iter();
        items.find(|item| item["current"] == json!(current)).unwrap()["id"].as_str().unwrap().to_owned()
    };
    let path_of = |current| format!("/api/v1/me/sessions/{}", id_of(current));
    cast.editor.delete("/api/v1/me/sessions").await.expect_problem(403, "owner_required");
    cast.editor.delete(&path_of(false)).await.expect_problem(403, "owner_required");
    cast.scout.get("/api/v1/me").await.expect_status(200);
    assert!(cast.acts(&webhook).await);
    cast.editor.delete(&path_of(true)).await.expect_status(204);
    cast.editor.get("/api/v1/me").await.expect_status(401);
}

#[apply(either)]
async fn what_the_owner_makes_anew_does_not_fall(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    cast.make(Kind::ArenaToken, &cast.editor).await;
    let token = cast.make(Kind::ArenaToken, &cast.ada).await;
    cast.withdraw().await;
    cast.app.deliver().await;
    assert!(cast.acts(&token).await);
}

#[apply(either)]
async fn the_account_takes_everything_with_it(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let token = cast.make(Kind::ArenaToken, &cast.editor).await;
    let body = json!({ "password": cast.ada.password, "texts": "keep" });
    cast.ada.delete("/api/v1/me").json(body).await.expect_status(204);
    assert!(!cast.acts(&token).await);
    let app: &TestApp = &cast.app;
    app.deliver().await;
    assert!(app.store().identity().origins_of(cast.scout.id.parse().unwrap()).await.unwrap().is_empty());
}
