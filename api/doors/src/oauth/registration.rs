//! Dynamic registration of clients (RFC 7591).

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, PRAGMA},
    },
};
use buildtrack_domain::{one_line::line, visible::has_visible};
use buildtrack_http::{addresses::host_of, body::Raw, guard::app_of, problem::Problem};
use serde::Deserialize;
use serde_json::json;

use super::{clients::Client, redirects};

/// The maximum number of bytes of a registration.
const BODY_MAX: usize = 16 * 1024;
/// The maximum number of characters of a client's name.
const NAME_MAX: usize = 100;
/// The maximum number of addresses to which browsers may be sent.
const REDIRECTS_MAX: usize = 10;

/// What a client says about itself. All other members are ignored, as the standard has it.
#[derive(Debug, Deserialize)]
struct Metadata {
    #[serde(default)]
    redirect_uris: Vec<String>,
    client_name: Option<String>,
}

/// Registers a client. The answer's `client_id` is the whole registration: the server stores nothing.
pub(super) async fn register(request: HttpRequest, body: Raw) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    if body.0.len() > BODY_MAX {
        return Err(invalid(&format!("The registration has more than {BODY_MAX} bytes.")));
    }
    let metadata: Metadata = serde_json::from_slice(&body.0)
        .map_err(|error| invalid(&format!("The registration is malformed: {error}.")))?;
    let client = client_of(metadata, app.store.log().clock().now().timestamp())?;
    let client_id = client.id(app.store.log().secret());
    let client_id = client_id.ok_or_else(|| invalid("The name and the redirect_uris are too long together."))?;
    let registration = json!({
        "client_id": client_id,
        "client_id_issued_at": client.registered_at,
        "client_name": client.name,
        "redirect_uris": client.redirect_uris,
        "grant_types": ["authorization_code", "refresh_token"],
        "response_types": ["code"],
        "token_endpoint_auth_method": "none",
    });
    let mut response = HttpResponse::Created();
    response.insert_header((CACHE_CONTROL, "no-store")).insert_header((PRAGMA, "no-cache"));
    Ok(response.json(registration))
}

fn client_of(metadata: Metadata, registered_at: i64) -> Result<Client, Problem> {
    let Metadata { redirect_uris, client_name } = metadata;
    if redirect_uris.is_empty() || redirect_uris.len() > REDIRECTS_MAX {
        return Err(invalid_redirect(&format!("redirect_uris needs one to {REDIRECTS_MAX} addresses.")));
    }
    if !redirect_uris.iter().all(|uri| redirects::is_permitted(uri)) {
        return Err(invalid_redirect(
            "A redirect_uri is neither an https address nor an http address of localhost, 127.0.0.1 or [::1], has a user or a fragment, \
             or is longer than 300 characters.",
        ));
    }
    let name = line(&client_name.unwrap_or_default());
    if name.chars().count() > NAME_MAX {
        return Err(invalid(&format!("client_name has more than {NAME_MAX} characters.")));
    }
    // A client without a name is called after the place to which it sends browsers.
    let name = if has_visible(&name) { name } else { host_of(&redirect_uris[0]) };
    Ok(Client { name, redirect_uris, registered_at })
}

fn invalid(detail: &str) -> Problem {
    let hint = "Correct the registration (RFC 7591, section 2) and send it again.";
    Problem::new(StatusCode::BAD_REQUEST, "invalid_client_metadata", detail, hint)
}

fn invalid_redirect(detail: &str) -> Problem {
    let hint = "Register addresses of the client's own site, or of the machine on which it runs.";
    Problem::new(StatusCode::BAD_REQUEST, "invalid_redirect_uri", detail, hint)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn registered(redirect_uris: &[&str], name: Option<&str>) -> Result<Client, String> {
        let redirect_uris = redirect_uris.iter().map(|uri| (*uri).to_owned()).collect();
        let metadata = Metadata { redirect_uris, client_name: name.map(ToOwned::to_owned) };
        client_of(metadata, 1).map_err(|problem| problem.code)
    }

    #[test]
    fn a_client_has_a_name_on_one_line() {
        fn name(given: Option<&str>) -> Result<String, String> {
            registered(&["http://127.0.0.1:33418/callback"], given).map(|client| client.name)
        }
        assert_eq!(name(Some(" An\n editor\u{7} ")), Ok("An editor".to_owned()));
        assert_eq!(name(None), Ok("127.0.0.1:33418".to_owned()));
        assert_eq!(name(Some(&"é".repeat(NAME_MAX))), Ok("é".repeat(NAME_MAX)));
        assert_eq!(name(Some(&"é".repeat(NAME_MAX + 1))), Err("invalid_client_metadata".to_owned()));
    }

    #[test]
    fn redirects_are_permitted_and_few() {
        let refused = Err("invalid_redirect_uri".to_owned());
        assert_eq!(registered(&[], None), refused);
        assert_eq!(registered(&["https://client.example/"; REDIRECTS_MAX + 1], None), refused);
        assert_eq!(registered(&["https://client.example/", "http://client.example/"], None), refused);
        assert!(registered(&["https://client.example/"; REDIRECTS_MAX], None).is_ok());
    }
}
