//! The settings in force.

use actix_web::{HttpRequest, HttpResponse, get};
use askama::Template;
use buildtrack_http::{guard::state_of, operations::Operations, problem::Problem, query::Parameters};
use buildtrack_pages::{Frame, filters};

use super::{Operating, Section, frame};

use crate::{Portal, answer};

#[derive(Template)]
#[template(path = "portal/operator/settings.html")]
struct SettingsPage {
    frame: Frame,
    portal: Portal,
    section: Section,
    /// Variables and values, as `buildtrack config check` prints them: without secrets.
    settings: Vec<(String, String)>,
}

/// Lists the settings in force.
#[get("/operator/settings")]
pub(super) async fn list(request: HttpRequest, _: Operating) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    answer(
        &request,
        &SettingsPage {
            frame: frame(&request, "operator-settings"),
            portal: Portal::of(&request, "operator"),
            section: Section::new("settings"),
            settings: state_of::<Operations>(&request).settings.clone(),
        },
    )
}
