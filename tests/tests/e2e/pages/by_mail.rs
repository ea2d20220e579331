//! Accounts, e-mail addresses and forgotten passwords in the portal of a server with mail, by forms without scripts.

use buildtrack_tests::{Backend, Caller, Mailbox, Reply, TestApp};
use rstest_reuse::apply;

use super::{
    HOSTILE, person,
    portal::{form_token, own, send, start},
    taking_part::form,
};
use crate::{both, either};

const SITE: &str = "http://127.0.0.1:8080";
const EMAIL: &str = "ada@example.org";
const PASSWORD: &str = "correct horse battery";

/// The token of the latest mail to an address, which names this page.
async fn mailed(app: &TestApp, mailbox: &Mailbox, to: &str, page: &str) -> String {
    app.deliver().await;
    let sent = mailbox.take();
    let mail = sent.iter().rfind(|sent| sent.to == to).unwrap_or_else(|| panic!("no mail to {to}: {sent:?}"));
    assert!(mail.text.contains(&format!("{SITE}{page}")), "{mail:?}");
    mail.token()
}

/// Fails unless the form was refused on its own page, with this problem and without a cookie.
#[track_caller]
fn expect_refused(reply: &Reply, status: u16, code: &str) {
    assert_eq!((reply.status, reply.header("content-type")), (status, "text/html; charset=utf-8"), "{}", reply.text);
    assert!(reply.text.contains(&format!("/docs/problems#{code}")), "{}", reply.text);
    assert!(reply.text.contains("role=\"alert\"") && !reply.text.contains("<img"), "{}", reply.text);
    assert!(!reply.headers.contains_key("set-cookie"), "{}", reply.line);
}

/// Signs in. Returns the browser with its cookie, and the form token.
async fn sign_in(app: &TestApp, email: &str, password: &str) -> (Caller, String) {
    let browser = own(&person(app));
    let entered = send(&browser, "/portal/sign-in", &[("email", email), ("password", password)]).await;
    let cookie = entered.expect_status(303).header("set-cookie").split(';').next().unwrap_or_default().to_owned();
    let browser = browser.with_header("cookie", &cookie);
    let token = form_token(&browser.get("/portal").await.expect_status(200));
    (browser, token)
}

#[apply(either)]
async fn an_account_is_opened_moved_and_recovered_by_mail(#[case] backend: Backend) {
    let mailbox = Mailbox::start().await;
    let app = TestApp::with(backend, |settings| {
        mailbox.set(settings);
        settings.public_url = Some(SITE.parse().unwrap());
    })
    .await;
    let anyone = own(&person(&app));
    let goes = async |path: &str, fields: &[(&str, &str)], to: &str| {
        let reply = send(&anyone, path, fields).await.expect_status(303);
        assert_eq!(reply.header("location"), to, "{path}");
    };

    // A new account. The answer is the same for a known address.
    let (account, confirm) = ("/portal/sign-up", "/portal/confirmations/account");
    let fields = [("displayName", "Ada"), ("email", EMAIL), ("password", PASSWORD)];
    goes(account, &fields, "/portal/confirmations/account?done=mail").await;
    let page = anyone.get("/portal/confirmations/account?done=mail").await.expect_status(200);
    assert!(page.text.contains("role=\"status\"") && page.text.contains("name=\"token\""), "{}", page.text);
    let token = mailed(&app, &mailbox, EMAIL, confirm).await;
    for wrong in ["btm_wrong", HOSTILE] {
        expect_refused(&send(&anyone, confirm, &[("token", wrong)]).await, 403, "invalid_mail_token");
    }
    expect_refused(&send(&anyone, confirm, &[]).await, 422, "validation_failed");
    send(&person(&app), confirm, &[("token", &token)]).await.expect_status(403);
    goes(confirm, &[("token", &token)], "/portal/sign-in?done=open").await;
    expect_refused(&send(&anyone, confirm, &[("token", &token)]).await, 403, "invalid_mail_token");
    goes(account, &fields, "/portal/confirmations/account?done=mail").await;

    // Another address.
    let (browser, session) = sign_in(&app, EMAIL, PASSWORD).await;
    let post = async |path: &str, fields: &[(&str, &str)]| form(&browser, path, &session, fields).await;
    let change = |password| [("email", "ada@example.net"), ("password", password)];
    let refused = post("/portal/account/email", &change("not the password")).await;
    expect_refused(&refused, 403, "wrong_password");
    assert!(refused.text.contains("value=\"ada@example.net\""), "{}", refused.text);
    send(&browser, "/portal/account/email", &change(PASSWORD)).await.expect_status(403);
    let asked = post("/portal/account/email", &change(PASSWORD)).await.expect_status(303);
    assert_eq!(asked.header("location"), "/portal/confirmations/email?done=mail");
    let token = mailed(&app, &mailbox, "ada@example.net", "/portal/confirmations/email").await;
    // A token is for its own purpose alone, and a form for this site.
    expect_refused(&send(&anyone, confirm, &[("token", &token)]).await, 403, "invalid_mail_token");
    send(&person(&app), "/portal/confirmations/email", &[("token", &token)]).await.expect_status(403);
    let moved = post("/portal/confirmations/email", &[("token", &token)]).await.expect_status(303);
    assert_eq!(moved.header("location"), "/portal/account?done=email");
    send(&anyone, "/portal/sign-in", &[("email", EMAIL), ("password", PASSWORD)]).await.expect_status(401);

    // A forgotten password. Only the mail says whether the address has an account.
    assert!(anyone.get("/portal/sign-in").await.text.contains("href=\"/portal/forgotten-password\""));
    mailbox.take();
    for email in ["eve@example.org", "ada@example.net"] {
        goes("/portal/forgotten-password", &[("email", email)], "/portal/new-password?done=reset").await;
    }
    let token = mailed(&app, &mailbox, "ada@example.net", "/portal/new-password").await;
    let short = send(&anyone, "/portal/new-password", &[("token", &token), ("newPassword", "short")]).await;
    expect_refused(&short, 422, "validation_failed");
    assert!(
        short.text.contains("id=\"mail-newPassword-errors\"") && !short.text.contains("\"short\""),
        "{}",
        short.text
    );
    let password = "staple battery horse";
    let fields = [("token", &*token), ("newPassword", password)];
    goes("/portal/new-password", &fields, "/portal/sign-in?done=password").await;
    expect_refused(&send(&anyone, "/portal/new-password", &fields).await, 403, "invalid_mail_token");
    // The sessions from before have ended.
    browser.get("/portal").await.expect_status(303);
    sign_in(&app, "ada@example.net", password).await;
}

#[apply(both)]
async fn without_mail_an_address_changes_at_once_and_a_password_cannot_be_recovered(#[case] backend: Backend) {
    let app = start(backend).await;
    let anyone = own(&person(&app));
    let fields = [("displayName", "Ada"), ("email", EMAIL), ("password", PASSWORD)];
    send(&anyone, "/portal/sign-up", &fields).await.expect_status(303);
    let (browser, token) = sign_in(&app, EMAIL, PASSWORD).await;
    let change = [("email", "ada@example.net"), ("password", PASSWORD), ("form-token", &*token)];
    let changed = send(&browser, "/portal/account/email", &change).await.expect_status(303);
    assert_eq!(changed.header("location"), "/portal/account?done=email");
    let page = browser.get("/portal/account?done=email").await.expect_status(200);
    assert!(page.text.contains("role=\"status\""), "{}", page.text);
    sign_in(&app, "ada@example.net", PASSWORD).await;

    assert!(!anyone.get("/portal/sign-in").await.text.contains("forgotten-password"));
    let refused = send(&anyone, "/portal/forgotten-password", &[("email", "ada@example.net")]).await;
    expect_refused(&refused, 409, "mail_not_configured");
    for path in ["/portal/confirmations/account", "/portal/confirmations/email"] {
        expect_refused(&send(&anyone, path, &[("token", "btm_x")]).await, 409, "mail_not_configured");
    }
}
