//! `/portal/notifications`: mails and messages to chats about unread items.

use std::time::Duration;

use buildtrack_tests::{Agent, Backend, Caller, Mailbox, Owner, Receiver, Reply, TestApp, Track, log_lines};
use rstest_reuse::apply;
use serde_json::json;

use super::{inboxes::enter, portal::send};
use crate::both;

const PAGE: &str = "/portal/notifications";

/// Ada, who owns Scout, in a browser; and Quill, an agent of another owner, which mentions Scout.
struct Cast {
    ada: Owner,
    scout: Agent,
    quill: Agent,
    track: Track,
    browser: Caller,
    token: String,
}

impl Cast {
    async fn new(app: &TestApp, [ada, bob]: [Owner; 2]) -> Self {
        let (scout, quill) = (ada.agent("Scout").await, bob.agent("Quill").await);
        let track = quill.open("Webhooks").await;
        let (browser, token) = enter(app, &ada).await;
        Self { ada, scout, quill, track, browser, token }
    }

    /// Sends a form of the page.
    async fn send(&self, path: &str, fields: &[(&str, &str)]) -> Reply {
        let fields = [fields, &[("form-token", &*self.token)]].concat();
        send(&self.browser, &format!("{PAGE}{path}"), &fields).await
    }

    async fn set_chat(&self, form: &str, url: &str) {
        let set = self.send("/chat", &[("form", form), ("url", url)]).await.expect_status(303);
        assert_eq!(set.header("location"), "/portal/notifications?done=chat");
    }

    async fn mention(&self, words: &str) {
        self.quill.post_message(&self.track, &format!("@Scout, {words}")).await;
    }

    async fn page(&self) -> Reply {
        self.browser.get(PAGE).await.expect_status(200)
    }
}

/// The messages that a chat has received, in this field of their bodies.
fn received(chat: &Receiver, field: &str) -> Vec<String> {
    chat.take().iter().map(|push| push.json()[field].as_str().unwrap_or_default().to_owned()).collect()
}

#[apply(both)]
async fn an_owner_is_notified_once_by_mail_and_in_a_chat(#[case] backend: Backend) {
    let (mailbox, chat) = (Mailbox::start().await, Receiver::start());
    let app = TestApp::with(backend, |settings| mailbox.set(settings)).await;
    let owners = [app.owner_with_mail(&mailbox, "Ada").await, app.owner_with_mail(&mailbox, "Bob").await];
    let cast = Cast::new(&app, owners).await;
    cast.mention("before anything is set").await;
    cast.send("/mail", &[("pace", "at_once")]).await.expect_status(303);
    cast.set_chat("slack", &chat.url).await;
    app.deliver().await;
    assert_eq!((received(&chat, "text").len(), mailbox.take().len()), (0, 0), "only what happens from now on is told");

    cast.mention("the first secret 5f3c").await;
    app.deliver().await;
    let [text] = &received(&chat, "text")[..] else { panic!("one message") };
    let inbox = format!("https://build.example/portal/agents/{}/inbox", cast.scout.id);
    assert!(text.starts_with("1 unread item in your inboxes:\n\nScout: 1 mention\n"), "{text}");
    assert!(text.contains(&inbox) && !text.contains("5f3c"), "no text of others is quoted: {text}");
    let [mail] = &mailbox.take()[..] else { panic!("one mail") };
    assert_eq!(mail.to, cast.ada.email);
    assert!(mail.text.contains("Subject: 1 unread item") && mail.text.contains("Scout: 1 mention"), "{}", mail.text);
    assert!(mail.text.contains("/portal/notifications") && !mail.text.contains("5f3c"), "{}", mail.text);

    // At most one message a minute to the chat, and a mail every 20 minutes; a restart forgets nothing.
    for number in 0..3 {
        cast.mention(&format!("more {number}")).await;
        app.deliver().await;
    }
    let app = app.restart().await;
    app.deliver().await;
    assert_eq!((received(&chat, "text").len(), mailbox.take().len()), (0, 0));
    app.advance(Duration::from_mins(1));
    app.deliver().await;
    let [text] = &received(&chat, "text")[..] else { panic!("one message") };
    assert!(text.contains("Scout: 3 mentions"), "{text}");
    app.advance(Duration::from_mins(20));
    app.deliver().await;
    app.deliver().await;
    assert_eq!(received(&chat, "text").len(), 0, "told already");
    let [mail] = &mailbox.take()[..] else { panic!("one mail") };
    assert!(mail.text.contains("Scout: 3 mentions"), "{}", mail.text);

    // What the agent has read is not told.
    let cast = Cast { browser: cast.browser.at(&app), ..cast };
    let (scout, quill) = (cast.scout.at(&app), cast.quill.at(&app));
    let said = quill.post_message(&cast.track, "@Scout, this is read at once").await;
    scout.post("/api/v1/me/inbox/ack", json!({ "upTo": said["position"] })).await.expect_status(200);
    app.advance(Duration::from_mins(30));
    app.deliver().await;
    assert_eq!((received(&chat, "text").len(), mailbox.take().len()), (0, 0));

    // Another form, a daily pace, and off.
    cast.set_chat("discord", &chat.url).await;
    cast.send("/mail", &[("pace", "daily")]).await.expect_status(303);
    quill.post_message(&cast.track, "@Scout, one for Discord").await;
    app.deliver().await;
    let [push] = &chat.take()[..] else { panic!("one message") };
    assert_eq!(push.json()["allowed_mentions"], json!({ "parse": [] }));
    assert!(push.json()["content"].as_str().is_some_and(|text| text.contains("Scout: 1 mention")), "{:?}", push.json());
    assert_eq!(mailbox.take().len(), 0);
    let tested = cast.send("/test", &[("channel", "chat")]).await.expect_status(200);
    assert!(tested.text.contains("The chat accepted the test message with status 200."), "{}", tested.text);
    assert!(received(&chat, "content")[0].starts_with("This is a test"));
    cast.send("/test", &[("channel", "mail")]).await.expect_status(303);
    app.deliver().await;
    assert!(mailbox.take()[0].text.contains("Subject: A test"));
    cast.send("/chat/end", &[]).await.expect_status(303);
    app.advance(Duration::from_hours(23));
    app.deliver().await;
    assert_eq!(mailbox.take().len(), 0);
    app.advance(Duration::from_hours(1));
    app.deliver().await;
    assert!(mailbox.take()[0].text.contains("Scout: 1 mention"));
    assert_eq!(chat.take().len(), 0, "the chat is off");
}

#[apply(both)]
async fn a_chat_that_fails_is_tried_again_and_one_that_is_gone_is_turned_off(#[case] backend: Backend) {
    let (app, chat) = (TestApp::start(backend).await, Receiver::start());
    let owners = [app.owner("Ada").await, app.owner("Bob").await];
    let cast = Cast::new(&app, owners).await;
    assert!(cast.page().await.text.contains("This server sends no mail."));
    let refused = cast.send("/mail", &[("pace", "daily")]).await.expect_status(409);
    assert!(refused.text.contains("mail_not_configured"), "{}", refused.text);
    cast.send("/test", &[("channel", "chat")]).await.expect_status(404);

    cast.set_chat("slack", "http://127.0.0.1:1/hook").await;
    cast.mention("one").await;
    app.deliver().await;
    for minutes in [1, 2] {
        let page = cast.page().await;
        assert!(page.text.contains("the server tries again") && page.text.contains("no connection"), "{}", page.text);
        app.advance(Duration::from_mins(minutes));
        app.deliver().await;
    }
    assert!(cast.page().await.text.contains("3 attempts in a row have failed"));
    // This server itself is a receiver that does not know the path.
    cast.set_chat("slack", &format!("{}/nothing", app.url())).await;
    let tested = cast.send("/test", &[("channel", "chat")]).await.expect_status(200);
    assert!(tested.text.contains("The chat refused the test message with status 404."), "{}", tested.text);
    app.deliver().await;
    let page = cast.page().await;
    assert!(page.text.contains("its webhook does not exist any more"), "{}", page.text);
    cast.send("/test", &[("channel", "chat")]).await.expect_status(404);
    // Another address mends it: what was not told is told.
    cast.mention("two").await;
    app.deliver().await;
    cast.set_chat("slack", &chat.url).await;
    app.deliver().await;
    let [text] = &received(&chat, "text")[..] else { panic!("one message") };
    assert!(text.contains("Scout: 2 mentions"), "{text}");
    assert!(!cast.page().await.text.contains("does not exist any more"));
    // After a day of failures, the server gives up.
    cast.set_chat("slack", "http://127.0.0.1:1/hook").await;
    cast.mention("three").await;
    for _ in 0..12 {
        app.deliver().await;
        app.advance(Duration::from_hours(6));
    }
    let (browser, _) = enter(&app, &cast.ada).await;
    let page = browser.get(PAGE).await.expect_status(200);
    assert!(page.text.contains("all attempts of a day have failed"), "{}", page.text);
}

#[apply(both)]
async fn the_address_of_a_chat_is_vetted_and_a_secret(#[case] backend: Backend) {
    let app = TestApp::with(backend, |settings| settings.allow_private_targets = false).await;
    let owners = [app.owner("Ada").await, app.owner("Bob").await];
    let cast = Cast::new(&app, owners).await;
    for url in ["http://127.0.0.1:1/hook", "https://127.0.0.1/hook", "https://user:word@chat.example/hook", "chat"] {
        let refused = cast.send("/chat", &[("form", "slack"), ("url", url)]).await.expect_status(422);
        assert!(refused.text.contains("id=\"chat-url-errors\""), "{url}: {}", refused.text);
    }
    let long = format!("https://chat.invalid/{}", "x".repeat(2000));
    cast.send("/chat", &[("form", "slack"), ("url", &long)]).await.expect_status(422);
    cast.send("/chat", &[("form", "irc"), ("url", "https://chat.invalid/hook")]).await.expect_status(422);
    let secret = "https://chat.invalid/services/T0/B0/5f3c5f3c5f3c";
    let head = app.store().log().tail().head();
    cast.set_chat("slack", secret).await;
    cast.mention("something").await;
    app.deliver().await;
    let logged = app.anonymous().get(&format!("/api/v1/log?after={head}")).await;
    assert_eq!((&logged["items"][0]["type"], &logged["items"][0]["data"]), (&json!("private"), &json!(null)));
    let (tables, page) = (app.dump().await, cast.page().await.text);
    assert!(tables.contains("notification_channels:"), "the row is there");
    for (source, text) in [("tables", &tables), ("the page", &page), ("log lines", &log_lines::so_far())] {
        assert!(!text.contains("5f3c5f3c5f3c"), "the address is in {source}");
    }
    // It goes with the account.
    let end = json!({ "password": cast.ada.password, "texts": "keep" });
    cast.ada.delete("/api/v1/me").json(end).await.expect_status(204);
    assert!(!app.dump().await.contains("notification_channels:"));
}
