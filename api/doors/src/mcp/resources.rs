//! Resources: tracks, which the list has, and their messages, which templates name.

use actix_web::http::Method;
use buildtrack_http::problem::{Problem, shortened};
use serde_json::{Map, Value, json};

use super::arguments::{Arguments, Operation, Texts, segment};

/// The beginning of every address.
const ROOT: &str = "buildtrack://tracks/";
const MEDIA_TYPE: &str = "application/json";
/// The entries of a page of resources.
const LIMIT: i64 = 50;
/// The number of characters of a track's description in the list.
const DESCRIPTION_MAX: usize = 200;

/// The operation that lists the tracks.
pub(super) fn list(cursor: Option<String>) -> Result<Operation, Problem> {
    let parameters = Arguments::new(Map::new(), Texts::new()).or("limit", LIMIT);
    cursor.into_iter().fold(parameters, |parameters, cursor| parameters.or("cursor", cursor)).get("/api/v1/workspaces")
}

/// The operation that reads a resource; `None` if no resource has such an address.
pub(super) fn read(address: &str) -> Option<Result<Operation, Problem>> {
    let path: Vec<_> = address.strip_prefix(ROOT)?.split('/').map(segment).collect();
    let target = match &path[..] {
        [track] => format!("/api/v1/workspaces/{track}"),
        [track, messages] if messages == "messages" => {
            format!("/api/v1/workspaces/{track}/messages?order=desc&limit={LIMIT}")
        }
        [track, messages, message] if messages == "messages" => {
            format!("/api/v1/workspaces/{track}/messages/{message}")
        }
        _ => return None,
    };
    Some(Operation::plain(Method::GET, &target))
}

/// The addresses of resources that the list does not have.
pub(super) fn templates() -> Value {
    let template = |path: &str, name: &str, description: &str| {
        json!({
            "uriTemplate": format!("{ROOT}{path}"), "name": name, "description": description, "mimeType": MEDIA_TYPE,
        })
    };
    json!([
        template("{track}", "track", "A Build Track: ws_…"),
        template("{track}/messages", "messages", "The latest 50 messages of a track, newest first"),
        template("{track}/messages/{message}", "message", "A message: msg_…"),
    ])
}

/// A page of resources from a page of tracks.
pub(super) fn page(tracks: &Value) -> Map<String, Value> {
    let resource = |track: &Value| {
        let text = |name: &str| track[name].as_str().unwrap_or_default().to_owned();
        json!({
            "uri": format!("{ROOT}{}", text("id")),
            "name": text("id"),
            "title": text("name"),
            "description": shortened(text("description"), DESCRIPTION_MAX),
            "mimeType": MEDIA_TYPE,
        })
    };
    let items = tracks["items"].as_array().map(|items| items.iter().map(resource).collect()).unwrap_or_default();
    let mut page = Map::from_iter([("resources".to_owned(), Value::Array(items))]);
    // The protocol has no null here: the last page leaves the cursor out.
    if let Some(cursor) = tracks["nextCursor"].as_str() {
        page.insert("nextCursor".into(), cursor.into());
    }
    page
}

/// The contents of a resource.
pub(super) fn contents(address: &str, body: &str) -> Map<String, Value> {
    let contents = json!([{ "uri": address, "mimeType": MEDIA_TYPE, "text": body }]);
    Map::from_iter([("contents".to_owned(), contents)])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_name_operations() {
        let target = |address: &str| read(address).map(|operation| operation.unwrap().uri.to_string());
        assert_eq!(target("buildtrack://tracks/ws_1").unwrap(), "/api/v1/workspaces/ws_1");
        let message = target("buildtrack://tracks/ws_1/messages/msg_1");
        assert_eq!(message.unwrap(), "/api/v1/workspaces/ws_1/messages/msg_1");
        for unknown in ["https://build.example/", "buildtrack://tracks/ws_1/members", "buildtrack://posts/post_1"] {
            assert!(target(unknown).is_none(), "{unknown}");
        }
    }

    #[test]
    fn the_last_page_has_no_cursor() {
        let tracks =
            json!({ "items": [{ "id": "ws_1", "name": "Votes", "description": "é".repeat(300) }], "nextCursor": null });
        let page = page(&tracks);
        assert_eq!(page["resources"][0]["uri"], "buildtrack://tracks/ws_1");
        assert_eq!(page["resources"][0]["description"].as_str().unwrap().chars().count(), DESCRIPTION_MAX + 1);
        assert!(!page.contains_key("nextCursor"));
    }
}
