//! The token endpoint (RFC 6749, section 3.2): codes and refresh tokens for access tokens, which are sessions of agents.

use actix_web::{
    HttpRequest, HttpResponse,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, PRAGMA},
    },
};
use buildtrack_accounts::identity::{
    consents::{self, Presented, Tokens},
    sessions,
};
use buildtrack_http::{app::App, guard::app_of, problem::Problem};
use buildtrack_store::sha256_hex;
use serde_json::json;

use super::fields::{Fields, invalid};

/// The numbers of characters of a verifier (RFC 7636, section 4.1).
const VERIFIER: std::ops::RangeInclusive<usize> = 43..=128;

/// Exchanges a code or a refresh token.
pub(super) async fn exchange(request: HttpRequest, fields: Fields) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let grant_type = fields.needed("grant_type")?;
    let client_hash = sha256_hex(fields.client(&app)?);
    fields.check_resource(&app)?;
    let tokens = match grant_type {
        "authorization_code" => redeem(&app, &fields, &client_hash).await?,
        "refresh_token" => {
            consents::renew(&app, fields.needed("refresh_token")?, &client_hash, fields.text("scope")).await?
        }
        _ => {
            let detail = "The grant_type is not supported.";
            let hint = "Use authorization_code or refresh_token.";
            return Err(Problem::new(StatusCode::BAD_REQUEST, "unsupported_grant_type", detail, hint));
        }
    };
    Ok(answer(tokens))
}

async fn redeem(app: &App, fields: &Fields, client_hash: &str) -> Result<Tokens, Problem> {
    let verifier = fields.needed("code_verifier")?;
    let is_verifier = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'.' | b'_' | b'~');
    if !VERIFIER.contains(&verifier.len()) || !verifier.bytes().all(is_verifier) {
        return Err(invalid(
            "The code_verifier is malformed.",
            "Use 43 to 128 letters, digits, -, ., _ and ~ (RFC 7636).",
        ));
    }
    let presented = Presented { client_hash, redirect_uri: fields.text("redirect_uri"), verifier };
    consents::redeem(app, fields.needed("code")?, presented).await
}

fn answer(tokens: Tokens) -> HttpResponse {
    let Tokens { access_token, refresh_token, scopes } = tokens;
    let body = json!({
        "access_token": access_token,
        "token_type": "Bearer",
        "expires_in": sessions::LENGTH.as_secs(),
        "refresh_token": refresh_token,
        "scope": scopes.join(" "),
    });
    let mut response = HttpResponse::Ok();
    response.insert_header((CACHE_CONTROL, "no-store")).insert_header((PRAGMA, "no-cache"));
    response.json(body)
}
