//! The forms that browsers send (`application/x-www-form-urlencoded`), read as the body of the API's operation.

use std::{future::Future, pin::Pin};

use actix_web::{
    FromRequest, HttpRequest,
    dev::Payload,
    http::{StatusCode, header::CONTENT_TYPE},
    web::Bytes,
};
use serde_json::{Map, Value};

use super::origin;
use crate::http::{
    body,
    guard::app_of,
    problem::Problem,
    validation::{self, Input},
};

/// The number of fields that are read.
const FIELDS_MAX: usize = 50;
/// The name of the field with the form token.
const TOKEN: &str = "form-token";
/// The ending of the name of a text area with one entry of a list on each line.
const LINES: &str = ".lines";

/// What was entered into a form.
#[derive(Debug, Default)]
pub(super) struct Entered(Vec<(String, String)>);

impl Entered {
    fn parse(bytes: &[u8]) -> Self {
        Self(
            url::form_urlencoded::parse(bytes)
                .take(FIELDS_MAX)
                .map(|(name, text)| (name.into(), text.into()))
                .collect(),
        )
    }

    /// The text of a field; empty if there is none.
    pub(super) fn text(&self, name: &str) -> &str {
        self.0.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text)
    }

    /// The body that the form stands for. Browsers send empty fields as empty texts; they are left out.
    fn body(&self) -> Value {
        let fields = self.0.iter().filter(|(name, text)| name != TOKEN && !text.is_empty());
        let fields = fields.map(|(name, text)| match name.strip_suffix(LINES) {
            Some(name) => {
                let lines = text.lines().map(str::trim).filter(|line| !line.is_empty());
                (name.to_owned(), lines.map(Value::from).collect())
            }
            None => (name.clone(), Value::from(text.as_str())),
        });
        Value::Object(fields.collect::<Map<_, _>>())
    }
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
            let body = validation::read(&app_of(&request), Bytes::from(body), None).await;
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
    fn only_the_first_fields_are_read() {
        let many: Vec<_> = (0..1000).map(|number| format!("f{number}=x")).collect();
        assert_eq!(Entered::parse(many.join("&").as_bytes()).body().as_object().unwrap().len(), super::FIELDS_MAX);
    }
}
