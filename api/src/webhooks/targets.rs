//! Where pushes may go, as far as that is known when an address is given.

use buildtrack_domain::webhooks::{TargetError, check_target, is_public};

use crate::{app::App, error::forbidden_target, http::problem::Problem};

/// Refuses an address that pushes may not go to, by what it says and by what it resolves to now. `pointer` leads to the
/// field it stands in.
pub(crate) async fn vet(app: &App, url: Option<&str>, pointer: &str) -> Result<(), Problem> {
    let Some(url) = url else { return Ok(()) };
    let private = app.settings.allow_private_targets;
    let invalid = |error| Problem::invalid(vec![forbidden_target(pointer, error)]);
    let target = check_target(url, private).map_err(invalid)?;
    let (Some(host), Some(port)) = (target.domain(), target.port_or_known_default()) else { return Ok(()) };
    if private {
        return Ok(());
    }
    // A name that does not resolve yet is let through: every push resolves and vets it again.
    let Ok(addresses) = tokio::net::lookup_host((host, port)).await else { return Ok(()) };
    let mut addresses = addresses.peekable();
    if addresses.peek().is_some() && !addresses.any(|address| is_public(address.ip())) {
        return Err(invalid(TargetError::NotPublic));
    }
    Ok(())
}
