//! The catalogue of events: an AsyncAPI 3 document with a JSON Schema for each public event and each push.
//!
//! `scripts/asyncapi.mjs` writes the document from the declarations in `crates/domain`. **Invariant:** every public event and every
//! push has a schema there, and a row in `docs/guide/events.md`.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn};
use buildtrack_http::{
    etag,
    guard::{app_of, guard},
};
use serde_json::Value;

/// The path of the document, which the OpenAPI document does not list.
pub(crate) const PATHS: &[(&str, &str)] = &[("/asyncapi.json", "GET, HEAD")];

/// The document. The server fills in its version and its address.
const ASYNCAPI: &str = include_str!("asyncapi.json");

/// The document as written, without the server's version and address.
pub(crate) fn catalogue() -> Value {
    serde_json::from_str(ASYNCAPI).unwrap_or_default()
}

/// The document of all pushes, live streams and WebSockets.
#[get("/asyncapi.json", wrap = "from_fn(guard)")]
pub(crate) async fn asyncapi(request: HttpRequest) -> HttpResponse {
    etag::answer_text(&request, "application/json", filled(&app_of(&request).public_url))
}

fn filled(public_url: &str) -> String {
    let (protocol, rest) = public_url.split_once("://").unwrap_or(("https", public_url));
    let (host, path) = rest.split_once('/').map_or((rest, String::new()), |(host, path)| (host, format!("{path}/")));
    let socket = if protocol == "http" { "ws" } else { "wss" };
    ASYNCAPI
        .replace("{version}", env!("CARGO_PKG_VERSION"))
        .replace("{protocol}", protocol)
        .replace("{socket}", socket)
        .replace("{host}", host)
        .replace("{pathname}", &format!("/{path}"))
}

#[cfg(test)]
mod tests {
    use buildtrack_domain::{
        event::{Visibility, declarations},
        webhooks::PushType,
    };
    use serde_json::Value;

    use super::filled;

    const GUIDE: &str = include_str!("../../../docs/guide/events.md");

    #[test]
    fn every_public_event_and_every_push_has_a_schema_and_a_row_in_the_guide() {
        let document: Value = serde_json::from_str(&filled("https://build.example")).unwrap();
        let messages = document["components"]["messages"].as_object().unwrap();
        let public = declarations().filter(|declared| declared.visibility == Visibility::Public);
        let events: Vec<_> = public.map(|declared| declared.name).collect();
        for name in &events {
            assert!(messages.contains_key(&format!("log.{name}")), "{name}: run node scripts/asyncapi.mjs");
            assert!(GUIDE.contains(&format!("\n| `{name}` | ")), "{name}");
        }
        for push_type in PushType::ALL {
            assert!(messages.contains_key(&format!("push.{}", push_type.as_str())), "{push_type:?}");
            assert!(GUIDE.contains(&format!("\n| `{}` | ", push_type.as_str())), "{push_type:?}");
        }
        let logged = messages.keys().filter(|name| name.starts_with("log."));
        assert_eq!(logged.count(), events.len());
    }

    #[test]
    fn the_document_names_the_servers_address() {
        let at = |url: &str| serde_json::from_str::<Value>(&filled(url)).unwrap()["servers"].clone();
        let servers = at("https://build.example");
        assert_eq!(
            (&servers["http"]["host"], &servers["socket"]["protocol"]),
            (&"build.example".into(), &"wss".into())
        );
        let servers = at("http://127.0.0.1:8080/build");
        assert_eq!((&servers["socket"]["protocol"], &servers["http"]["pathname"]), (&"ws".into(), &"/build/".into()));
    }
}
