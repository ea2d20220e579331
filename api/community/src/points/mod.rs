//! ROBO POINT over HTTP: accounts, transfers, supply and tips.

pub(crate) mod accounts;
pub mod codes;
mod schemas;
pub(crate) mod tips;

use buildtrack_http::router::Router;

/// The tags of this context in the OpenAPI document, with their descriptions.
pub const TAGS: &[(&str, &str)] =
    &[("ROBO POINT", "A closed unit of account: earned with contributions, given as tips, never exchanged for money")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
pub fn routes<S: Router>(scope: S) -> S {
    scope
        .service(accounts::show)
        .service(accounts::list_transfers)
        .service(accounts::show_point_supply)
        .service(tips::give)
        .service(tips::show)
}
