//! `/portal/inbox` and the inboxes of single agents.

use buildtrack_tests::{Backend, Caller, Owner, TestApp};
use rstest_reuse::apply;

use super::{
    HOSTILE, person,
    portal::{form_token, own, send},
};
use crate::{either, hostile::suspension::crowd};

/// Signs an owner in with a form. Returns the browser with its cookie, and the form token.
pub(super) async fn enter(app: &TestApp, owner: &Owner) -> (Caller, String) {
    let browser = own(&person(app));
    let login = [("email", &*owner.email), ("password", &*owner.password)];
    let entered = send(&browser, "/portal/sign-in", &login).await.expect_status(303);
    let cookie = entered.header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    let browser = browser.with_header("cookie", &cookie);
    let page = browser.get("/portal").await.expect_status(200);
    (browser, form_token(&page))
}

#[apply(either)]
async fn an_owner_reads_all_inboxes_and_marks_items_as_read(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let (ada, bob) = (app.owner("Ada").await, app.owner("Bob").await);
    let (scout, quill) = (ada.agent("Scout").await, bob.agent("Quill").await);
    let track = quill.open("Webhooks").await;
    let mut messages = Vec::new();
    for number in 0..32 {
        messages.push(quill.post_message(&track, &format!("@Scout, {number}")).await);
    }
    let last = quill.post_message(&track, &format!("@Scout and @Ada: {HOSTILE}")).await;
    let (browser, token) = enter(&app, &ada).await;
    let inbox = format!("/portal/agents/{}/inbox", scout.id);

    let all = browser.get("/portal/inbox").await.expect_status(200);
    assert!(!all.text.contains("<img"), "{}", all.text);
    assert!(all.text.contains("33 unread items") && all.text.contains("1 unread item<"), "{}", all.text);
    let link = |position: i64, id: &str| format!("\"/build/{}?cursor=p{}#{id}\"", track.id, position - 1);
    let last_link = link(last["position"].as_i64().unwrap(), &last.text_at("/id"));
    // The latest three of Scout's items, and Ada's.
    assert_eq!((all.text.matches(&last_link).count(), all.text.matches("name=\"position\"").count()), (2, 4));

    let page = browser.get(&inbox).await.expect_status(200);
    assert_eq!(page.text.matches("name=\"position\"").count(), 30, "a page is bounded");
    let next = page.text.split(&format!("\"{inbox}?all=false&#38;cursor=")).nth(1).unwrap();
    let rest = browser.get(&format!("{inbox}?cursor={}", next.split('"').next().unwrap_or_default())).await;
    assert_eq!(rest.expect_status(200).text.matches("name=\"position\"").count(), 3);

    let position = messages[0]["position"].to_string();
    let read = async |fields: &[(&str, &str)]| {
        let fields = [fields, &[("form-token", &*token)]].concat();
        send(&browser, &format!("{inbox}/read"), &fields).await
    };
    let marked = read(&[("position", &position)]).await.expect_status(303);
    assert_eq!(marked.header("location"), format!("{inbox}?done=read"));
    assert_eq!(scout.get("/api/v1/me/inbox").await["unread"], 32);
    read(&[("upTo", "99999999")]).await.expect_status(422);
    read(&[]).await.expect_status(422);
    let up_to = messages[31]["position"].to_string();
    let marked = read(&[("upTo", &up_to), ("back", "all")]).await.expect_status(303);
    assert_eq!(marked.header("location"), "/portal/inbox?done=read");
    assert_eq!(scout.get("/api/v1/me/inbox").await["unread"], 1);
    let whole = browser.get(&format!("{inbox}?all=true")).await.expect_status(200);
    assert_eq!(whole.text.matches("class=\"row\"").count(), 30);
    let own_read = [("upTo", "1000000"), ("form-token", &*token)];
    send(&browser, "/portal/inbox/own/read", &own_read).await.expect_status(422);
    let item = last["position"].to_string();
    send(&browser, "/portal/inbox/own/read", &[("position", &item), ("form-token", &token)]).await.expect_status(303);
    assert_eq!(ada.get("/api/v1/me/inbox").await["unread"], 0);

    // Other owners see and mark nothing, and no form of another site does.
    let (other, others) = enter(&app, &bob).await;
    other.get(&inbox).await.expect_status(404);
    let foreign = [("position", &*item), ("form-token", &*others)];
    send(&other, &format!("{inbox}/read"), &foreign).await.expect_status(403);
    read(&[("form-token", "another"), ("position", &item)]).await.expect_status(403);
    assert_eq!(scout.get("/api/v1/me/inbox").await["unread"], 1);

    // An agent that has ended keeps its items, and inboxes come page by page.
    ada.delete(&format!("/api/v1/agents/{}", scout.id)).await;
    let ended = browser.get(&inbox).await.expect_status(200);
    assert!(ended.text.contains(&last_link) && !ended.text.contains("name=\"position\""), "{}", ended.text);
    let refused = read(&[("position", &item)]).await.expect_status(409);
    assert!(refused.text.contains("agent_deactivated"), "{}", refused.text);
    crowd(&app, &ada, 22).await;
    let first = browser.get("/portal/inbox").await.expect_status(200);
    let second = browser.get("/portal/inbox?cursor=p20").await.expect_status(200);
    let count = |text: &str| text.matches("<section aria-labelledby=\"of-").count();
    assert_eq!((count(&first.text), count(&second.text)), (20, 4));
    assert!(first.text.contains("/portal/inbox?cursor=p20") && !second.text.contains("cursor=p40"));
}
