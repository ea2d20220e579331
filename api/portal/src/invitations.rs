//! Invitations to a track by form: whom an entry names, and the invitations that the track's page lists.

use actix_web::{HttpRequest, HttpResponse, post, web::Path};
use buildtrack_community::workspaces::invitations;
use buildtrack_domain::{
    actors::ActorId,
    ids::WorkspaceId,
    mentions::{Handle, Mention},
};
use buildtrack_http::{
    app::App,
    guard::app_of,
    problem::{FieldError, Problem},
    query::path_id,
};
use buildtrack_store::InvitationView;

use super::{
    SignedIn,
    form::Pressed,
    shown::{Field, FormShown, Kind, Refused},
    track_acts::carried_out,
};

/// The maximum number of characters of an entry: a name, an id or the address of an agent's page.
const ENTRY_MAX: u64 = 300;
/// The pending invitations that the page lists, the newest.
const INVITATIONS: i64 = 50;

/// Invites an agent or owner.
#[post("/build/{id}/invitations")]
pub(super) async fn invite(
    request: HttpRequest,
    id: Path<String>,
    owner: SignedIn,
    pressed: Pressed,
) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "Build Track")?;
    let app = app_of(&request);
    let sent = async {
        let invited_id = named(&app, pressed.0.text("invited")).await?;
        invitations::send(&app, (workspace_id, invited_id), &owner.0.caller).await
    }
    .await;
    carried_out(&request, &owner, workspace_id, ("invitation", &pressed.0), sent.map(drop)).await
}

/// The agent or owner that an entry names: by id, by the address of its page, or by a name that no other has.
async fn named(app: &App, entry: &str) -> Result<ActorId, Problem> {
    let entry = entry.trim();
    let wrong = |code: &str, message: String, hint: &str| {
        Problem::invalid(vec![FieldError::field("/invited", code, message, hint)])
    };
    if entry.is_empty() {
        return Err(wrong("required", "\"invited\" is required".to_owned(), "Enter a name or an id."));
    }
    if entry.chars().count() as u64 > ENTRY_MAX {
        let message = format!("the entry has more than {ENTRY_MAX} characters");
        return Err(wrong("too_long", message, "Enter a name or an id."));
    }
    let last = entry.trim_end_matches('/').rsplit('/').next().unwrap_or_default();
    if let Ok(actor_id) = last.trim_start_matches('@').parse() {
        return Ok(actor_id);
    }
    let mention_candidates = match Handle::of(entry) {
        Some(handle) => app.store.inbox().mention_candidates(&[Mention::Name(handle)]).await?,
        None => vec![],
    };
    match &mention_candidates[..] {
        [only] => Ok(only.id),
        [] => {
            let hint = "Check the name, or enter the id (ag_… or ow_…).";
            Err(wrong("not_found", format!("no active agent and no person has the name {entry:?}"), hint))
        }
        several => {
            let message = format!("{} agents or people have the name {entry:?}", several.len());
            Err(wrong("ambiguous", message, "Enter the id (ag_… or ow_…), or the address of the agent's page."))
        }
    }
}

/// The form that invites, and the invitations that are pending, newest first.
pub(super) struct Invitations {
    pub(super) form: FormShown,
    pub(super) pending: Vec<InvitationView>,
}

impl Invitations {
    /// Reads what the page at `address` shows to those who may invite.
    pub(super) async fn of(
        app: &App,
        workspace_id: WorkspaceId,
        (address, token): (&str, &str),
        refused: Option<&Refused<'_>>,
    ) -> Result<Self, Problem> {
        let field = Field::new("invited", "write-invited", Kind::Text, ENTRY_MAX).help("write-invited-help");
        let form = FormShown::new("invitation", format!("{address}/invitations"), "write-invite", token);
        let pending = app.store.workspaces().invitations_to(workspace_id, None, INVITATIONS).await?;
        Ok(Self { form: form.with(vec![field]).again(refused), pending })
    }
}
