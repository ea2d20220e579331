//! The languages of the pages, and which of them a reader gets: the one that the reader chose with the switch of a page (a
//! cookie), else one that the browser asks for (`Accept-Language`, RFC 9110, section 12.5.4), else English.

use std::borrow::Cow;

use actix_web::{
    HttpMessage, HttpRequest,
    cookie::{Cookie, SameSite, time},
    http::header::{AcceptLanguage, Preference, Quality},
};
use buildtrack_http::app::App;
use fluent_bundle::{FluentArgs, FluentValue};

use super::{catalogues, frame::words};

/// The cookie with the tag of the language that was chosen.
const COOKIE: &str = "buildtrack_language";
/// How long browsers keep the choice.
const DAYS: i64 = 365;

/// A language of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Language {
    /// English, the default.
    English,
    /// Korean.
    Korean,
    /// Spanish.
    Spanish,
}

/// The language in which the answer to a request is written.
pub fn language(request: &HttpRequest) -> Language {
    let chosen = request.cookie(COOKIE).and_then(|cookie| Language::tagged(cookie.value()));
    let asked = || request.get_header::<AcceptLanguage>().and_then(accepted);
    chosen.or_else(asked).unwrap_or(Language::English)
}

/// The language that a browser prefers among those of the pages. A language in any region counts (`es-MX`).
fn accepted(mut header: AcceptLanguage) -> Option<Language> {
    header.retain(|range| range.quality > Quality::ZERO);
    header.ranked().iter().find_map(|range| match range {
        Preference::Any => Some(Language::English),
        Preference::Specific(tag) => Language::tagged(&tag.primary_language().to_ascii_lowercase()),
    })
}

impl Language {
    /// All languages, in the order of the switch.
    pub(crate) const ALL: [Self; 3] = [Self::English, Self::Korean, Self::Spanish];

    /// The language with this tag.
    pub(crate) fn tagged(tag: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|language| language.tag() == tag)
    }

    /// The tag of the language (RFC 5646).
    pub(crate) fn tag(self) -> &'static str {
        match self {
            Self::English => "en",
            Self::Korean => "ko",
            Self::Spanish => "es",
        }
    }

    /// Whether it is the language of the API's own texts.
    pub fn is_english(self) -> bool {
        self == Self::English
    }

    /// What its speakers call it.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Self::English => "English",
            Self::Korean => "한국어",
            Self::Spanish => "Español",
        }
    }

    /// The text of a message without values.
    pub fn say(self, key: &str) -> String {
        self.message(key, None).into_owned()
    }

    /// The text of a message with its values. Numbers select plural forms.
    pub fn say_with(self, key: &str, values: &[(&str, FluentValue<'_>)]) -> String {
        let values: FluentArgs<'_> = values.iter().map(|(name, value)| (*name, value.clone())).collect();
        self.message(key, Some(&values)).into_owned()
    }

    /// A word of the API, such as a status or a kind: translated if it has a message, else as the API has it.
    pub fn word(self, word: &str) -> String {
        let key = format!("word-{}", word.replace('_', "-").to_ascii_lowercase());
        self.found(&key, None).map_or_else(|| words(word), Cow::into_owned)
    }

    /// The text of a message, or its key. A test finds keys without a message.
    pub(super) fn message(self, key: &str, values: Option<&FluentArgs<'_>>) -> Cow<'static, str> {
        self.found(key, values).unwrap_or_else(|| key.to_owned().into())
    }

    /// The text of a message in this language, else in English.
    fn found(self, key: &str, values: Option<&FluentArgs<'_>>) -> Option<Cow<'static, str>> {
        [self, Self::English].into_iter().find_map(|language| catalogues::text(language, key, values))
    }

    /// The cookie that keeps the choice of this language. Browsers send it to every page.
    pub(super) fn chosen(self, app: &App) -> Cookie<'static> {
        Cookie::build(COOKIE, self.tag())
            .path(app.mount.on_host("/"))
            .http_only(true)
            .same_site(SameSite::Lax)
            .secure(app.public_url.starts_with("https:"))
            .max_age(time::Duration::days(DAYS))
            .finish()
    }
}

#[cfg(test)]
mod tests {
    use actix_web::{http::header::ACCEPT_LANGUAGE, test::TestRequest};

    use super::*;

    fn of(accept: &str, cookie: Option<&'static str>) -> Language {
        let request = TestRequest::default().insert_header((ACCEPT_LANGUAGE, accept));
        let request = cookie.into_iter().fold(request, |request, tag| request.cookie(Cookie::new(COOKIE, tag)));
        language(&request.to_http_request())
    }

    #[test]
    fn the_browser_names_the_language_by_weight_and_the_order_decides_between_equals() {
        for (accept, expected) in [
            ("ko-KR,ko;q=0.9,en-US;q=0.8,en;q=0.7", Language::Korean),
            ("es-419", Language::Spanish),
            ("ES-mx", Language::Spanish),
            ("en;q=0.5, es;q=0.8", Language::Spanish),
            ("fr, de;q=0.9, ko;q=0.1", Language::Korean),
            ("ko, es", Language::Korean),
            ("ko;q=0, es;q=0.1", Language::Spanish),
        ] {
            assert_eq!(of(accept, None), expected, "{accept}");
        }
    }

    #[test]
    fn a_language_that_the_pages_do_not_speak_is_answered_in_english() {
        for accept in ["", "fr", "*", "ko;q=0", "fr, *;q=0.5", "kok", "not a language, ;;q=x"] {
            assert_eq!(of(accept, None), Language::English, "{accept}");
        }
        assert_eq!(language(&TestRequest::default().to_http_request()), Language::English);
    }

    #[test]
    fn the_choice_of_the_reader_outranks_the_browser() {
        assert_eq!(of("ko", Some("es")), Language::Spanish);
        assert_eq!(of("ko", Some("fr")), Language::Korean);
    }

    #[test]
    fn an_unknown_message_is_shown_by_its_key() {
        assert_eq!(Language::Korean.say("no-such-message"), "no-such-message");
    }

    #[test]
    fn a_word_of_the_api_is_translated_if_it_can_be() {
        assert_eq!(Language::Korean.word("solution"), "해결책");
        assert_eq!(Language::Spanish.word("no_such_word"), "no such word");
    }
}
