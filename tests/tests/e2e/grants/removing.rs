//! The list of what acts for an agent, and its removal entry by entry or maker by maker.

use buildtrack_tests::Backend;
use rstest_reuse::apply;
use serde_json::{Value, json};

use super::{Cast, KINDS, Kind};
use crate::either;

#[apply(either)]
async fn the_list_names_everything_once_and_no_secret(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let made = cast.make_all(&cast.editor).await;
    let named = json!({ "name": "Laptop" });
    let key = cast.ada.post(&cast.own("keys/named"), named).await.expect_status(201);
    let list = cast.ada.get(&cast.own("access")).await.expect_status(200);
    let items = list["items"].as_array().unwrap();
    let kinds: Vec<_> = items.iter().map(|item| item["kind"].as_str().unwrap()).collect();
    // The agent has a session of its primary key and one of its client.
    let expected = ["grant", "key", "key", "session", "session"].into_iter().chain(KINDS.map(Kind::name));
    assert_eq!(kinds, expected.collect::<Vec<_>>());
    assert_eq!(list["nextCursor"], json!(null));
    let target = |kind: &str| items.iter().find(|item| item["kind"] == kind).unwrap()["target"].clone();
    for kind in ["arena_endpoint", "webhook", "push_config"] {
        assert_eq!(target(kind), json!("127.0.0.1:9"));
    }
    assert_eq!(target("grant"), json!("client.example"));
    for secret in [&made[0].detail, &key.text_at("/key"), &cast.refresh_token, &cast.scout.key] {
        assert!(!list.text.contains(secret.as_str()));
    }
    let of_session = |how: &str| {
        let mut sessions = items.iter().filter(|item| item["kind"] == "session" && item["madeBy"]["how"] == how);
        sessions.next().map(|item| item["madeBy"]["id"].clone()).unwrap()
    };
    assert_eq!((of_session("key"), of_session("grant")), (json!("primary"), json!(cast.consent().await)));
    let tag = list.header("etag").to_owned();
    cast.ada.get(&cast.own("access")).header("if-none-match", &tag).await.expect_status(304);
    cast.ada.get(&cast.own("access?limit=1")).await.expect_status(400);
}

#[apply(either)]
async fn an_agent_sees_of_the_makers_only_its_own(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let of_client = cast.make(Kind::ArenaToken, &cast.editor).await;
    let of_key = cast.make(Kind::Webhook, &cast.scout).await;
    let named = json!({ "name": "Laptop" });
    cast.ada.post(&cast.own("keys/named"), named).await.expect_status(201);
    for (caller, how, own, other) in
        [(&cast.editor, "grant", &of_client, &of_key), (&*cast.scout, "key", &of_key, &of_client)]
    {
        let list = caller.get(&cast.own("access")).await.expect_status(200);
        let items = list["items"].as_array().unwrap();
        let kinds: Vec<_> = items.iter().map(|item| item["kind"].as_str().unwrap()).collect();
        assert_eq!(kinds, [how, "session", "arena_token", "webhook"]);
        let maker_of = |made: &super::Made| {
            let mut items = items.iter().filter(|item| item["kind"] == made.kind.name());
            items.next().unwrap()["madeBy"].clone()
        };
        assert_eq!((&maker_of(own)["how"], &maker_of(own)["id"]), (&json!(how), &items[1]["madeBy"]["id"]));
        assert_ne!(maker_of(own)["id"], json!(null));
        assert_eq!((&maker_of(other)["id"], &maker_of(other)["name"]), (&json!(null), &json!(null)));
        assert!(!list.text.contains("Laptop"));
    }
}

#[apply(either)]
async fn the_page_of_the_agent_says_what_falls_before_it_does(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    assert!(
        cast.page().await.contains("Falls with it: \u{2068}0\u{2069}.")
            || cast.page().await.contains("Falls with it: 0.")
    );
    cast.make_all(&cast.editor).await;
    let page = cast.page().await;
    let row = page.split("Falls with it: ").nth(1).unwrap().split("</p>").next().unwrap();
    for text in
        ["5", "Arena token", "Arena endpoint", "Webhook endpoint", "Linked did", "Push of a task", "127.0.0.1:9"]
    {
        assert!(row.contains(text), "{text}: {row}");
    }
    let section = page.split("id=\"access\"").nth(1).unwrap().split("</section>").next().unwrap();
    assert_eq!(section.matches("name=\"keep\"").count(), KINDS.len(), "{section}");
    // Its two sessions can be removed, too.
    assert_eq!(section.matches("name=\"remove\"").count(), KINDS.len() + 2, "{section}");
    assert!(section.contains("<bdi>Editor</bdi>") && section.contains("Primary key"), "{section}");
}

#[apply(either)]
async fn the_owner_removes_entries_of_every_kind(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let made = cast.make_all(&cast.editor).await;
    for (number, one) in made.iter().enumerate() {
        if number % 2 == 0 {
            cast.ada.delete(&cast.path_of(one)).await.expect_status(204);
        } else {
            let value = format!("{}/{}", one.kind.name(), one.id);
            cast.press("access", ("remove", &value)).await.expect_status(303);
        }
        assert_eq!(cast.entry(one).await, json!(null));
        cast.ada.delete(&cast.path_of(one)).await.expect_problem(404, "not_found");
    }
    assert_eq!(cast.acting(&made).await, []);

    let named = cast.ada.post(&cast.own("keys/named"), json!({ "name": "Laptop" })).await.expect_status(201);
    let list = cast.ada.get(&cast.own("access")).await.expect_status(200);
    let is_agents = |item: &&Value| item["kind"] == "session" && item["madeBy"]["id"] == "primary";
    let session = list["items"].as_array().unwrap().iter().find(is_agents).unwrap()["id"].clone();
    for path in [
        format!("access/key/{}", named.text_at("/id")),
        format!("access/session/{}", session.as_str().unwrap()),
        format!("access/grant/{}", cast.consent().await),
    ] {
        cast.ada.delete(&cast.own(&path)).await.expect_status(204);
        cast.ada.delete(&cast.own(&path)).await.expect_problem(404, "not_found");
    }
    cast.ada.delete(&cast.own("access/key/primary")).await.expect_problem(409, "primary_key");
    cast.scout.get("/api/v1/me").await.expect_status(401);
    cast.editor.get("/api/v1/me").await.expect_status(401);
}

#[apply(either)]
async fn what_an_earlier_primary_key_made_is_removed_with_one_call(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let made = cast.make_all(&cast.scout).await;
    for one in &made {
        let entry = cast.entry(one).await;
        assert_eq!((&entry["madeBy"]["id"], &entry["state"]), (&json!("primary"), &json!("live")));
    }
    cast.app.advance(std::time::Duration::from_secs(1));
    let key = cast.ada.act(&cast.own("keys")).await.expect_status(201).text_at("/key");
    cast.app.deliver().await;
    assert_eq!(cast.acting(&made).await, KINDS, "what a key made outlasts it");
    for one in &made {
        let made_by = cast.entry(one).await["madeBy"].clone();
        assert_eq!((&made_by["id"], &made_by["active"]), (&json!("former_primary"), &json!(false)));
    }
    let login = cast.app.anonymous().post("/agent-login", json!({ "key": key })).await.expect_status(200);
    let again = cast.app.anonymous().with_token(&login.text_at("/token"));
    let webhook = cast.make(Kind::Webhook, &again).await;
    for wrong in ["access", "access?maker=", "access?makers=primary"] {
        cast.ada.delete(&cast.own(wrong)).await.expect_problem(400, "invalid_parameter");
    }
    cast.ada.delete(&cast.own("access?maker=former_primary")).await.expect_status(204);
    assert_eq!(cast.acting(&made).await, []);
    assert!(cast.acts(&webhook).await);
}

#[apply(either)]
async fn what_was_made_before_origins_were_recorded_is_listed(#[case] backend: Backend) {
    let cast = Cast::new(backend).await;
    let made = cast.make_all(&cast.editor).await;
    cast.app.tamper("DELETE FROM origins").await;
    for one in &made {
        let entry = cast.entry(one).await;
        assert_eq!((&entry["madeBy"]["how"], &entry["madeBy"]["id"]), (&json!("unknown"), &json!(null)));
    }
    cast.ada.delete(&cast.own("access?maker=unknown")).await.expect_status(204);
    assert_eq!(cast.acting(&made).await, []);
}
