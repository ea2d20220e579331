//! Revocation of tokens by their clients (RFC 7009).

use actix_web::{HttpRequest, HttpResponse};
use buildtrack_accounts::identity::consents;
use buildtrack_http::{guard::app_of, problem::Problem};
use buildtrack_store::sha256_hex;

use super::fields::Fields;

/// Ends the consent to which an access token or a refresh token belongs, with its session. A token that is none of this client is
/// answered in the same way.
pub(super) async fn revoke(request: HttpRequest, fields: Fields) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let client_hash = sha256_hex(fields.client(&app)?);
    consents::revoke(&app, fields.needed("token")?, &client_hash).await?;
    Ok(HttpResponse::Ok().finish())
}
