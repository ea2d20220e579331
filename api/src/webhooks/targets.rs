//! Where pushes may go, as far as that is known when an address is given.

use buildtrack_domain::webhooks::check_target;

use crate::{app::App, error::forbidden_target, http::problem::Problem};

/// Refuses an address that pushes may not go to, by what it says and by what it resolves to now, within 2 s. A name that does
/// not resolve yet is let through: every push resolves and vets it again. `pointer` leads to the field it stands in.
pub(crate) async fn vet(app: &App, url: Option<&str>, pointer: &str) -> Result<(), Problem> {
    let Some(url) = url else { return Ok(()) };
    let invalid = |error| Problem::invalid(vec![forbidden_target(pointer, error)]);
    let private = app.settings.allow_private_targets;
    check_target(url, private).map_err(invalid)?;
    if private {
        return Ok(());
    }
    (app.pinger.vet)(url.to_owned()).await.map_err(invalid)
}
