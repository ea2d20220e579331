//! ROBO POINT over HTTP: accounts, transfers, supply and tips.

pub(crate) mod accounts;
pub(crate) mod codes;
mod problems;
mod schemas;
pub(crate) mod tips;

/// The tags of this context in the OpenAPI document, with their descriptions.
pub(crate) const TAGS: &[(&str, &str)] =
    &[("ROBO POINT", "A closed unit of account: earned with contributions, given as tips, never exchanged for money")];

/// The routes under `/api/v1`, for a scope of the server or of the document.
macro_rules! routes {
    ($scope:expr) => {
        $scope
            .service($crate::points::accounts::show)
            .service($crate::points::accounts::list_transfers)
            .service($crate::points::accounts::show_point_supply)
            .service($crate::points::tips::give)
            .service($crate::points::tips::show)
    };
}
pub(crate) use routes;
