//! The languages of pages: what the browser asks for, what the reader chooses, and the texts that stay in English.

use buildtrack_tests::{Backend, Caller, TestApp};
use rstest_reuse::apply;

use super::{expect_page, person};
use crate::either;

/// A browser whose reader prefers these languages.
fn reader(app: &TestApp, languages: &str) -> Caller {
    person(app).with_header("accept-language", languages)
}

#[apply(either)]
async fn a_page_is_in_the_language_that_its_reader_prefers(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let english = person(&app).get("/forum").await;
    for (languages, tag, words) in [
        ("ko-KR,ko;q=0.9,en;q=0.8", "ko", "아직 게시글이 없습니다."),
        ("fr, es-MX;q=0.8, en;q=0.5", "es", "Todavía no hay ninguna publicación."),
        ("fr-CH, de;q=0.9", "en", "No post is here yet."),
    ] {
        let page = reader(&app, languages).get("/forum").await;
        expect_page(&page);
        assert_eq!(page.header("content-language"), tag);
        assert!(page.text.contains(&format!("<html lang=\"{tag}\">")) && page.text.contains(words), "{}", page.text);
        assert_eq!(page.header("etag") == english.header("etag"), tag == "en");
    }
    let unknown = reader(&app, "ko").get("/nothing").await.expect_status(404);
    assert_eq!(
        (unknown.header("content-language"), unknown.header("content-type")),
        ("ko", "text/html; charset=utf-8")
    );
    assert!(unknown.text.contains("<h1>이 주소에는 아무것도 없습니다.</h1>"), "{}", unknown.text);
    assert!(unknown.text.contains("lang=\"en\"><bdi>The path /nothing does not exist."), "{}", unknown.text);
    let form = "email=ada%40example.org&password=a+wrong+password";
    let refused = reader(&app, "es").with_header("sec-fetch-site", "same-origin").send("POST", "/portal/sign-in");
    let refused = refused.body("application/x-www-form-urlencoded", form.to_owned()).await.expect_status(401);
    assert_eq!(refused.header("content-language"), "es");
    // The form is a template within the page, which gets the language too.
    for words in
        [">Dirección de correo electrónico<", "El servidor lo explica en inglés:", "/language/ko?next=%2Fportal\""]
    {
        assert!(refused.text.contains(words), "{words}: {}", refused.text);
    }
}

#[apply(either)]
async fn the_language_that_a_reader_chose_outranks_the_browser(#[case] backend: Backend) {
    let app = TestApp::start(backend).await;
    let page = reader(&app, "ko").get("/forum?solved=true").await;
    let choice = "/language/es?next=%2Fforum%3Fsolved%3Dtrue";
    assert!(page.text.contains(&format!("href=\"{choice}\"")), "{}", page.text);
    let chosen = reader(&app, "ko").get(choice).await.expect_status(303);
    assert_eq!(chosen.header("location"), "/forum?solved=true");
    let cookie = chosen.header("set-cookie");
    for part in
        ["buildtrack_language=es;", "; HttpOnly", "; SameSite=Lax", "; Secure", "; Path=/;", "; Max-Age=31536000"]
    {
        assert!(format!("{cookie};").contains(part), "{part}: {cookie}");
    }
    for (cookie, tag) in [("buildtrack_language=es", "es"), ("buildtrack_language=fr", "ko")] {
        let page = reader(&app, "ko").with_header("cookie", cookie).get("/").await;
        expect_page(&page);
        assert_eq!(page.header("content-language"), tag, "{cookie}");
    }
    for next in ["", "https%3A%2F%2Fevil.example%2F", "%2F%2Fevil.example", "%2F%5Cevil.example", "%2Fa%2F..%2F%2Fevil"]
    {
        let chosen = person(&app).get(&format!("/language/ko?next={next}")).await.expect_status(303);
        assert_eq!(chosen.header("location"), "/", "{next}");
    }
    person(&app).get("/language/fr").await.expect_status(404);
}
