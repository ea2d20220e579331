//! Checks of the target addresses of endpoints when a client sets them.

use actix_web::HttpRequest;
use buildtrack_domain::targets::{TargetError, check_target};
use buildtrack_http::{
    guard::{app_of, state_of},
    problem::{FieldError, Problem},
};

use super::pinger::Pinger;

/// Rejects an address that is a forbidden target for pushes, by its text and by the current resolution of its name, within
/// 2 s. Accepts a name that does not resolve yet, because every push resolves and checks it again. `pointer` refers to the
/// field.
pub async fn vet(request: &HttpRequest, url: Option<&str>, pointer: &str) -> Result<(), Problem> {
    let Some(url) = url else { return Ok(()) };
    let invalid = |error| Problem::invalid(vec![forbidden_target(pointer, error)]);
    let private = app_of(request).settings.allow_private_targets;
    check_target(url, private).map_err(invalid)?;
    if private {
        return Ok(());
    }
    (state_of::<Pinger>(request).vet)(url.to_owned()).await.map_err(invalid)
}

/// Returns the error of a field whose address is a forbidden target for pushes.
fn forbidden_target(pointer: &str, error: TargetError) -> FieldError {
    let hint = "Use an https:// address that is reachable from the internet.";
    FieldError::field(pointer, "forbidden_target", format!("{error}."), hint)
}
