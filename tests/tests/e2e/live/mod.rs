//! `GET /api/v1/live`, `GET /api/v1/workspaces/{id}/live`, `GET /api/v1/agents/{id}/live`

mod agents;
mod coming_back;
mod everything;
mod refusals;
mod slow;
mod workspaces;

use buildtrack_tests::Track;

fn live(track: &Track) -> String {
    format!("{}/live", track.path())
}
