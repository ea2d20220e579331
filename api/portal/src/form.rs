//! The forms that browsers send (`application/x-www-form-urlencoded`), read as the body of the API's operation.

use std::{future::Future, pin::Pin};

use actix_web::{
    FromRequest, HttpMessage, HttpRequest,
    dev::Payload,
    http::{StatusCode, header::CONTENT_TYPE},
    web::Bytes,
};
use buildtrack_http::{
    auth::Authenticated,
    body,
    guard::app_of,
    problem::Problem,
    validation::{self, Input},
};
use serde_json::{Map, Value};

use super::origin;

/// The number of fields that are read.
const FIELDS_MAX: usize = 50;
/// The name of the field with the form token.
const TOKEN: &str = "form-token";

/// What was entered into a form.
#[derive(Debug, Default)]
pub(super) struct Entered(Vec<(String, String)>);

impl Entered {
    fn parse(bytes: &[u8]) -> Self {
        Self(
            url::form_urlencoded::parse(bytes)
                .take(FIELDS_MAX)
                // Browsers end the lines of a text area with two characters; the text has one.
                .map(|(name, text)| (name.into(), text.replace("\r\n", "\n")))
                .collect(),
        )
    }

    /// The text of a field; empty if there is none.
    pub(super) fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text)
    }

    /// What was entered, as pairs of name and text.
    pub(super) fn of(fields: Vec<(String, String)>) -> Self {
        Self(fields)
    }

    /// The texts of all fields with a name, such as boxes that were ticked.
    pub(super) fn texts<'e>(&'e self, name: &'e str) -> impl Iterator<Item = &'e str> {
        self.0.iter().filter(move |(known, _)| known == name).map(|(_, text)| text.as_str())
    }

    /// The name and the value of the button that was pressed; empty if there is none.
    pub(super) fn pressed(&self) -> (&str, &str) {
        let button = self.0.iter().find(|(name, _)| name != TOKEN);
        button.map_or(("", ""), |(name, value)| (name, value))
    }

    /// The body that the form stands for.
    fn body(&self) -> Value {
        let fields = self.0.iter().filter(|(name, _)| name != TOKEN);
        Value::Object(fields.filter_map(|(name, text)| member(name, text)).collect::<Map<_, _>>())
    }
}

/// The member of the body that a field stands for. Browsers send empty fields as empty texts; they are left out. The ending of a
/// name says what else a text is: `.lines`, a list with one entry on each line; `.list`, a list that may be empty; `.number`, a
/// whole number; `.removable`, a text that an empty field removes.
fn member(name: &str, text: &str) -> Option<(String, Value)> {
    let entries = || text.lines().map(str::trim).filter(|line| !line.is_empty()).map(Value::from).collect::<Value>();
    let (name, value) = match name.rsplit_once('.') {
        Some((name, "list")) => (name, entries()),
        Some((name, "removable")) if text.is_empty() => (name, Value::Null),
        Some((name, "removable")) => (name, Value::from(text)),
        _ if text.is_empty() => return None,
        Some((name, "lines")) => (name, entries()),
        Some((name, "number")) => (name, text.trim().parse::<i64>().map_or_else(|_| Value::from(text), Value::from)),
        _ => (name, Value::from(text)),
    };
    Some((name.to_owned(), value))
}

/// A form that comes from a page of this server: what was entered, and the body, if it is valid.
#[derive(Debug)]
pub(super) struct Form<T> {
    pub(super) entered: Entered,
    pub(super) body: Result<T, Problem>,
}

impl<T: Input + 'static> FromRequest for Form<T> {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, actix_web::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move {
            let entered = read(&request, payload).await?;
            let body = serde_json::to_vec(&entered.body()).unwrap_or_default();
            let caller = request.extensions().get::<Authenticated>().map(|known| known.session.actor.clone());
            let body = validation::read(&app_of(&request), Bytes::from(body), caller).await;
            Ok(Self { entered, body })
        })
    }
}

/// A form with buttons alone, which comes from a page of this server.
#[derive(Debug)]
pub(super) struct Pressed(pub(super) Entered);

impl FromRequest for Pressed {
    type Error = actix_web::Error;
    type Future = Pin<Box<dyn Future<Output = Result<Self, actix_web::Error>>>>;

    fn from_request(request: &HttpRequest, payload: &mut Payload) -> Self::Future {
        let (request, payload) = (request.clone(), payload.take());
        Box::pin(async move { Ok(Self(read(&request, payload).await?)) })
    }
}

async fn read(request: &HttpRequest, payload: Payload) -> Result<Entered, Problem> {
    let kind = request.headers().get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    if !kind.to_ascii_lowercase().starts_with("application/x-www-form-urlencoded") {
        let detail = format!("The Content-Type is {kind:?}.");
        let hint = "The portal reads forms of its own pages. Programs use the API: see /docs.";
        return Err(Problem::new(StatusCode::UNSUPPORTED_MEDIA_TYPE, "unsupported_media_type", detail, hint));
    }
    let entered = Entered::parse(&body::read(payload).await?);
    origin::check(request, entered.text(TOKEN))?;
    Ok(entered)
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::Entered;

    #[test]
    fn a_form_stands_for_a_body() {
        let entered =
            Entered::parse(b"form-token=t&name=Scout+%26+Co&description=&capabilities.lines=rust%0D%0A+sql+%0D%0A");
        assert_eq!(entered.body(), json!({ "name": "Scout & Co", "capabilities": ["rust", "sql"] }));
        assert_eq!((entered.text("name"), entered.text("description"), entered.text("none")), ("Scout & Co", "", ""));
    }

    #[test]
    fn the_ending_of_a_name_says_what_a_text_is() {
        let entered = Entered::parse(b"tags.list=&goal.removable=&upvotes.number=0&limit.number=many&content=a%0D%0Ab");
        let body = json!({ "tags": [], "goal": null, "upvotes": 0, "limit": "many", "content": "a\nb" });
        assert_eq!(entered.body(), body);
        assert_eq!(Entered::parse(b"form-token=t&vote=msg_1").pressed(), ("vote", "msg_1"));
    }

    #[test]
    fn only_the_first_fields_are_read() {
        let many: Vec<_> = (0..1000).map(|number| format!("f{number}=x")).collect();
        assert_eq!(Entered::parse(many.join("&").as_bytes()).body().as_object().unwrap().len(), super::FIELDS_MAX);
    }
}
