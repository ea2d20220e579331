//! Taking part in the portal: tracks, the forum, moderation and limits by forms.

use buildtrack_store::LimitRequestFilter;
use buildtrack_tests::{Backend, Caller, Reply};
use rstest_reuse::apply;
use serde_json::json;

use super::{
    HOSTILE,
    browser::Browser,
    person,
    portal::{form_token, own, send, signed_in, start},
};
use crate::either;

#[apply(either)]
async fn an_owner_takes_part_in_the_portal(#[case] backend: Backend) {
    let app = start(backend).await;
    let olga = app.operator("Olga").await;
    let mut browser = Browser::run("taking-part.mjs", &[&app.url(), &olga.token]);
    for stays in [true, false] {
        let heading = "Signed pushes </bdi><img src=x onerror=document.title=1>";
        assert_eq!(browser.step().await, json!({ "step": "opened", "status": "open", "heading": heading }));
        assert_eq!(browser.step().await, json!({ "step": "invited", "pending": 1, "left": 0 }));
        assert_eq!(browser.step().await, json!({ "step": "arrived", "stays": stays, "title": true }));
        assert_eq!(browser.step().await, json!({ "step": "replied", "pictures": 0, "chip": "human" }));
        let link = "https://build.example/releases/1";
        assert_eq!(
            browser.step().await,
            json!({ "step": "shipped", "resolved": "resolved", "status": "shipped", "link": link })
        );
        assert_eq!(browser.step().await, json!({ "step": "handed over", "isAgents": true }));
        assert_eq!(browser.step().await, json!({ "step": "asked", "back": true, "edited": true }));
        assert_eq!(browser.step().await, json!({ "step": "waits", "tier": "free" }));
    }
    let again = "You already have an open report about it.";
    let reported = browser.step().await;
    assert_eq!(
        (&reported["pending"], &reported["decided"], reported["again"].as_str().map(str::to_lowercase)),
        (&json!("pending"), &json!("decided"), Some(again.to_lowercase()))
    );
    assert_eq!(
        browser.step().await,
        json!({ "step": "moderated", "hidden": 1, "action": "hidden", "appeals": 0, "open": 1, "restored": 1, "pictures": 0 })
    );
    assert_eq!(browser.step().await, json!({ "step": "checked", "complaints": [], "findings": [] }));
}

/// Sends a form of the portal with its token.
pub(super) async fn form(browser: &Caller, path: &str, token: &str, fields: &[(&str, &str)]) -> Reply {
    let fields: Vec<_> = fields.iter().copied().chain([("form-token", token)]).collect();
    send(browser, path, &fields).await
}

/// Fails unless the reply is a page that shows [`HOSTILE`] as text.
#[track_caller]
fn expect_inert(page: &Reply) {
    assert!(!page.text.contains("<img") && !page.text.contains("<script>"), "{}", page.text);
    assert!(page.header("content-security-policy").starts_with("default-src 'none'"), "{}", page.line);
}

#[apply(either)]
async fn a_form_does_what_the_api_permits_and_shows_what_was_entered(#[case] backend: Backend) {
    let app = start(backend).await;
    let (browser, token) = signed_in(&app, "Ada").await;
    let scout = app.agent("Scout").await;
    let track = scout.open("Webhooks").await;
    let solution = scout.solve(&track).await;
    let of = |act: &str| format!("/portal/build/{}{act}", track.id);

    // A reader who is no member sees the messages, and can vote, report and join.
    let page = browser.get(&of("")).await;
    expect_inert(&page);
    assert_eq!((page.status, page.header("cache-control")), (200, "no-store"));
    for (part, is_there) in
        [("name=\"join\"", true), ("name=\"vote\"", true), ("name=\"content\"", false), ("name=\"archive\"", false)]
    {
        assert_eq!(page.text.contains(part), is_there, "{part}: {}", page.text);
    }
    let message = [("kind", "critique"), ("content", HOSTILE), ("upvotes.number", "0")];
    let refused = form(&browser, &of("/messages"), &token, &message).await.expect_status(403);
    assert!(refused.text.contains("/docs/problems#not_a_member"), "{}", refused.text);
    form(&browser, &of("/acts"), &token, &[("join", "me")]).await.expect_status(303);
    let long = format!("{HOSTILE}{}", "x".repeat(20_000));
    let fields = [("kind", "critique"), ("content", &*long), ("upvotes.number", "0"), ("replyTo", &solution)];
    let refused = form(&browser, &of("/messages"), &token, &fields).await.expect_status(422);
    assert!(refused.text.contains("id=\"message-content-errors\""), "{}", refused.text);
    assert!(refused.text.contains(&format!("name=\"replyTo\" value=\"{solution}\"")), "{}", refused.text);
    expect_inert(&refused);
    let posted = form(&browser, &of("/messages"), &token, &message).await.expect_status(303);
    assert!(posted.header("location").starts_with(&of("#msg_")), "{}", posted.header("location"));
    form(&browser, &of("/acts"), &token, &[("vote", &solution)]).await.expect_status(303);
    let page = browser.get(&of("")).await.expect_status(200);
    assert!(page.text.contains("name=\"unvote\""), "{}", page.text);
    expect_inert(&page);

    // What only maintainers may do is refused, with the problem on the track's page.
    for (path, fields) in [
        ("/acts", [("archive", "track")]),
        ("/solution", [("messageId", &*solution)]),
        ("/shipment", [("note", "Out")]),
        ("/changes", [("name", "Mine")]),
        ("/acts", [("remove", &*scout.id)]),
    ] {
        let refused = form(&browser, &of(path), &token, &fields).await;
        assert!([403, 409].contains(&refused.status), "{path}: {}", refused.text);
        assert!(
            refused.text.contains("role=\"alert\"") && refused.text.contains("id=\"messages\""),
            "{}",
            refused.text
        );
    }
    // A form without the session's token, and one of another site.
    send(&browser, &of("/messages"), &message).await.expect_status(403);
    form(&browser.with_header("sec-fetch-site", "cross-site"), &of("/acts"), &token, &[("leave", "me")])
        .await
        .expect_status(403);
    assert!(browser.get(&of("")).await.text.contains("name=\"leave\""));
    form(&browser, &of("/acts"), &token, &[("dance", "me")]).await.expect_status(404);
    browser.send("PUT", &of("/acts")).await.expect_status(405);
    let sent = person(&app).get(&of("")).await.expect_status(303);
    assert_eq!(sent.header("location"), format!("/portal/sign-in?next=%2Fportal%2Fbuild%2F{}", track.id));
}

#[apply(either)]
async fn an_operator_grants_a_higher_limit(#[case] backend: Backend) {
    let app = start(backend).await;
    let (browser, token) = signed_in(&app, "Ada").await;
    let ask = async |fields: &[(&str, &str)]| form(&browser, "/portal/usage/requests", &token, fields).await;
    for fields in [
        vec![("reason", HOSTILE)],
        vec![("agents.number", "many"), ("reason", HOSTILE)],
        vec![("agents.number", "20000"), ("reason", HOSTILE)],
        vec![("agents.number", "5"), ("tier", "pro"), ("reason", HOSTILE)],
        vec![("agents.number", "5")],
    ] {
        expect_inert(&ask(&fields).await.expect_status(422));
    }
    let scout = app.agent("Scout").await;
    ask(&[("agentId", &scout.id), ("tier", "pro"), ("reason", "Mine?")]).await.expect_status(403);
    ask(&[("agents.number", "250"), ("reason", HOSTILE)]).await.expect_status(303);
    // A second request waits for the decision about the first.
    ask(&[("agents.number", "300"), ("reason", "More")]).await.expect_status(409);
    let page = browser.get("/portal/usage").await;
    expect_inert(&page);
    assert!(!page.text.contains("name=\"agents.number\""), "{}", page.text);

    let filter = LimitRequestFilter { open: Some(true), limit: 10, ..LimitRequestFilter::default() };
    let open = app.store().identity().limit_requests(&filter).await.unwrap();
    let [request] = &open[..] else { panic!("{open:?}") };
    assert_eq!((request.agent_limit, &*request.reason, request.granted), (Some(250), HOSTILE, None));
    let owner_id = request.owner_id.to_string();
    let decide = [("ownerId", &*owner_id), ("outcome", "grant"), ("reason", HOSTILE)];
    form(&browser, "/portal/usage/decisions", &token, &decide).await.expect_status(403);

    let cookie = format!("buildtrack_session={}", app.operator("Olga").await.token);
    let olga = own(&person(&app)).with_header("cookie", &cookie);
    let page = olga.get("/portal/usage").await.expect_status(200);
    let operators = form_token(&page);
    expect_inert(&page);
    assert!(page.text.contains(&format!("value=\"{owner_id}\"")), "{}", page.text);
    form(&olga, "/portal/usage/decisions", &operators, &decide).await.expect_status(303);
    form(&olga, "/portal/usage/decisions", &operators, &decide).await.expect_status(409);
    // One act, with its reason, where operators' acts are listed.
    let audit = olga.get("/portal/operator/audit").await.expect_status(200);
    expect_inert(&audit);
    assert!(audit.text.contains(&owner_id), "{}", audit.text);
    let log = app.anonymous().get("/api/v1/log?limit=200").await;
    let acts: Vec<_> = log.each("decoded").into_iter().filter(|data| data["act"] == "set_agent_limit").collect();
    assert_eq!(acts, [json!({ "act": "set_agent_limit", "subject": owner_id, "reason": HOSTILE })]);
    let page = browser.get("/portal/usage").await;
    expect_inert(&page);
    assert!(page.text.contains("250") && page.text.contains("name=\"agents.number\""), "{}", page.text);
}

/// Opens a track by its form. Returns its id.
async fn opened(browser: &Caller, token: &str, name: &str) -> String {
    let fields = [("name", name), ("description", "Together"), ("status", "open"), ("messageCount.number", "0")];
    let opened = form(browser, "/portal/build", token, &fields).await.expect_status(303);
    opened.header("location").rsplit('/').next().unwrap().to_owned()
}

#[apply(either)]
async fn agents_and_people_are_invited_by_a_form(#[case] backend: Backend) {
    let app = start(backend).await;
    let (browser, token) = signed_in(&app, "Ada").await;
    let id = opened(&browser, &token, "Webhooks </bdi><img src=x onerror=document.title=1>").await;
    let (scout, grace) = (app.agent("Scout").await, app.owner("Grace").await);
    for owner in ["One", "Two"] {
        app.owner(owner).await.agent("Twin").await;
    }
    let of = |act: &str| format!("/portal/build/{id}{act}");
    let invite = async |entry: &str| form(&browser, &of("/invitations"), &token, &[("invited", entry)]).await;
    let pending = async || {
        let listed = app.anonymous().get(&format!("/api/v1/workspaces/{id}/invitations")).await.expect_status(200);
        let ids = listed["items"].as_array().unwrap().iter().map(|sent| sent["invited"]["id"].clone());
        ids.collect::<Vec<_>>()
    };

    let long = "x".repeat(301);
    for entry in ["", "  ", "Nobody", "Twin", HOSTILE, "🦀", &*long] {
        let refused = invite(entry).await.expect_status(422);
        assert!(refused.text.contains("id=\"invitation-invited-errors\""), "{entry}: {}", refused.text);
        assert!(refused.text.contains("<details open>"), "{entry}: {}", refused.text);
        expect_inert(&refused);
    }
    invite("ow_01h2e8kqvbfwea724h75qc655w").await.expect_status(404);
    assert!(pending().await.is_empty());
    // By name, by the address of a page, and by id; again, which changes nothing.
    let address = format!("http://127.0.0.1:8080/agents/{}/", scout.id);
    for entry in [" @scout ", "Scout", &*address, &*grace.id] {
        let sent = invite(entry).await.expect_status(303);
        assert_eq!(sent.header("location"), of(""), "{entry}");
    }
    assert_eq!(pending().await, [&*grace.id, &*scout.id]);
    let page = browser.get(&of("")).await.expect_status(200);
    assert!(page.text.contains(&format!("name=\"uninvite\" value=\"{}\"", scout.id)), "{}", page.text);
    expect_inert(&page);
    for _ in 0..2 {
        form(&browser, &of("/acts"), &token, &[("uninvite", &scout.id)]).await.expect_status(303);
    }
    assert_eq!(pending().await, [&*grace.id]);

    // The invited person finds the invitation, and declines it.
    let invited = own(&person(&app)).with_header("cookie", &format!("buildtrack_session={}", grace.token));
    let list = invited.get("/portal/build").await.expect_status(200);
    assert!(list.text.contains(&format!("href=\"/portal/build/{id}#write\"")), "{}", list.text);
    expect_inert(&list);
    let page = invited.get(&of("")).await.expect_status(200);
    assert!(page.text.contains("name=\"decline\"") && !page.text.contains("name=\"invited\""), "{}", page.text);
    let graces = form_token(&page);
    // No member, and no maintainer.
    form(&invited, &of("/invitations"), &graces, &[("invited", "Scout")]).await.expect_status(403);
    form(&invited, &of("/invitations"), &token, &[("invited", "Scout")]).await.expect_status(403);
    form(&invited, &of("/acts"), &graces, &[("decline", "me")]).await.expect_status(303);
    form(&invited, &of("/acts"), &graces, &[("decline", "me")]).await.expect_status(404);
    assert!(!invited.get(&of("")).await.text.contains("name=\"decline\""));
    assert!(pending().await.is_empty());
    form(&invited, &of("/acts"), &graces, &[("join", "me")]).await.expect_status(303);
    let refused = invite("Grace").await.expect_status(409);
    assert!(refused.text.contains("/docs/problems#already_a_member"), "{}", refused.text);
    browser.get(&of("/invitations")).await.expect_status(405);
}

#[apply(either)]
async fn an_owner_hands_a_track_over_by_a_form(#[case] backend: Backend) {
    let app = start(backend).await;
    let (browser, token) = signed_in(&app, "Ada").await;
    let id = opened(&browser, &token, "Webhooks").await;
    let (scout, quill) = (app.agent("Scout").await, app.agent("Quill").await);
    scout.act(&format!("/api/v1/workspaces/{id}/members")).await.expect_status(200);
    let of = |act: &str| format!("/portal/build/{id}{act}");
    let owner = async || app.anonymous().get(&format!("/api/v1/workspaces/{id}")).await.text_at("/ownerId");
    let before = owner().await;

    let page = browser.get(&of("")).await.expect_status(200);
    assert!(page.text.contains(&format!("?handOver={}#write", scout.id)), "{}", page.text);
    assert!(!page.text.contains("name=\"owner\""), "{}", page.text);
    // The page asks first, and offers nothing for those who are no members.
    let asked = browser.get(&of(&format!("?handOver={}", quill.id))).await.expect_status(200);
    assert!(!asked.text.contains("name=\"owner\""), "{}", asked.text);
    browser.get(&of("?handOver=Scout")).await.expect_status(400);
    let asked = browser.get(&of(&format!("?handOver={}", scout.id))).await.expect_status(200);
    assert!(asked.text.contains(&format!("name=\"owner\" value=\"{}\"", scout.id)), "{}", asked.text);
    let refused = form(&browser, &of("/acts"), &token, &[("owner", &quill.id)]).await.expect_status(409);
    assert!(refused.text.contains("/docs/problems#no_such_member"), "{}", refused.text);
    form(&browser, &of("/acts"), "wrong", &[("owner", &scout.id)]).await.expect_status(403);
    assert_eq!(owner().await, before);

    form(&browser, &of("/acts"), &token, &[("owner", &scout.id)]).await.expect_status(303);
    assert_eq!(owner().await, scout.id);
    // The former owner stays a maintainer, who cannot hand the track on.
    let page = browser.get(&of(&format!("?handOver={}", scout.id))).await.expect_status(200);
    assert!(page.text.contains("name=\"archive\"") && !page.text.contains("name=\"owner\""), "{}", page.text);
    let refused = form(&browser, &of("/acts"), &token, &[("owner", &scout.id)]).await.expect_status(403);
    assert!(refused.text.contains("/docs/problems#not_owner"), "{}", refused.text);
}
