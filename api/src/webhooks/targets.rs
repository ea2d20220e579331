//! Checks of the target addresses of endpoints when a client sets them.

use buildtrack_domain::webhooks::check_target;

use crate::{app::App, error::forbidden_target, http::problem::Problem};

/// Rejects an address that is a forbidden target for pushes, by its text and by the current resolution of its name, within
/// 2 s. Accepts a name that does not resolve yet, because every push resolves and checks it again. `pointer` refers to the
/// field.
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
