//! The page of a track for an owner who takes part in it, and the form that opens one.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use askama::Template;
use buildtrack_community::workspaces::{
    member_schemas::Member,
    opening,
    pages::{TrackQuery, TrackShown},
    schemas::NewWorkspace,
};
use buildtrack_domain::{
    actors::ActorId,
    ids::{MessageId, WorkspaceId},
    workspaces::{MessageKind, Role},
};
use buildtrack_http::{
    app::App,
    guard::app_of,
    idempotency::Key,
    problem::Problem,
    query::{Parameters, path_id},
};
use buildtrack_pages::{self as pages, Fragment, Frame, Span, TextAct, TextShown, filters};

use super::{
    Portal, SignedIn, answer,
    discussions::Reading,
    form::Form,
    frame,
    invitations::Invitations,
    refused, see,
    shown::{FormShown, Refused},
    track_forms::{changes_form, message_form, shipment_form, track_form},
};

#[derive(Template)]
#[template(path = "portal/new-track.html")]
struct NewTrackPage {
    frame: Frame,
    portal: Portal,
    form: FormShown,
}

/// The form for a new track.
#[get("/build/new")]
pub(super) async fn show_new(request: HttpRequest, _: SignedIn) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    let portal = Portal::of(&request, "discussions");
    let form = track_form(&portal.token);
    answer(&request, &new_track_page(&request, portal, form))
}

fn new_track_page(request: &HttpRequest, portal: Portal, form: FormShown) -> NewTrackPage {
    NewTrackPage { frame: frame(&pages::language(request).say("write-open-track")), portal, form }
}

/// Opens a track, and goes to its page.
#[post("/build")]
pub(super) async fn open(
    request: HttpRequest,
    owner: SignedIn,
    form: Form<NewWorkspace>,
) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let app = app_of(&request);
    let opened = async { opening::open_workspace(&app, &owner.0.caller, &body?, &Key::default()).await }.await;
    match opened {
        Ok((workspace_id, _)) => Ok(see(&format!("/portal/build/{workspace_id}"))),
        Err(problem) => {
            let portal = Portal::of(&request, "discussions");
            let form = track_form(&portal.token).filled(&entered, &problem);
            let page = new_track_page(&request, Portal::of(&request, "discussions"), form);
            Err(refused(&request, problem, portal, |portal| NewTrackPage { portal, ..page }))
        }
    }
}

#[derive(Template)]
#[template(path = "portal/track.html")]
struct TrackPage {
    frame: Frame,
    portal: Portal,
    shown: TrackShown,
}

/// What a reader can do in a track: the part of the page below its messages.
#[derive(Template)]
#[template(path = "portal/track-part.html")]
struct TrackPart {
    /// The address of the page, below which its forms are sent.
    address: String,
    acts: String,
    token: String,
    /// The reader's role; `None` unless it is a member.
    role: Option<Role>,
    is_owner: bool,
    is_maintainer: bool,
    is_archived: bool,
    write: Option<FormShown>,
    /// The author of the message that the form answers.
    replied: Option<String>,
    /// The own message that the reader wants to withdraw.
    withdrawn: Option<MessageId>,
    shipment: Option<FormShown>,
    changes: Option<FormShown>,
    /// The other members that the reader can remove.
    members: Vec<Member>,
    /// The member to whom the reader wants to hand the track over.
    heir: Option<Member>,
    invitations: Option<Invitations>,
    /// Who invited the reader.
    inviter: Option<String>,
    /// The name of the form that was refused.
    refused: String,
}

/// What the reader of a track's page wants to see and do.
#[derive(Debug, Default)]
struct Wish {
    kind: Option<MessageKind>,
    span: Option<Span>,
    reply_to: Option<MessageId>,
    withdraw: Option<MessageId>,
    hand_over: Option<ActorId>,
}

/// A track with the forms of what its reader can do.
#[get("/build/{id}")]
pub(super) async fn show(request: HttpRequest, id: Path<String>, owner: SignedIn) -> Result<HttpResponse, Problem> {
    let workspace_id: WorkspaceId = path_id(&id, "Build Track")?;
    let mut parameters = Parameters::of(&request, &["kind", "cursor", "after", "replyTo", "withdraw", "handOver"]);
    let wish = Wish {
        kind: parameters.get("kind", "a kind of message"),
        span: Some(Span::from_last(&mut parameters)),
        reply_to: parameters.get("replyTo", "the id of a message"),
        withdraw: parameters.get("withdraw", "the id of a message"),
        hand_over: parameters.get("handOver", "the id of a member"),
    };
    parameters.finish()?;
    answer(&request, &read(&request, &owner, workspace_id, &wish, None).await?)
}

/// The problem of a form, which the track's page shows with what was entered.
pub(super) async fn refuse(
    request: &HttpRequest,
    owner: &SignedIn,
    workspace_id: WorkspaceId,
    form: Refused<'_>,
) -> Problem {
    let wish = Wish { reply_to: form.entered.text("replyTo").parse().ok(), ..Wish::default() };
    let problem = form.problem.clone();
    match read(request, owner, workspace_id, &wish, Some(&form)).await {
        Ok(page) => {
            refused(request, problem, Portal::of(request, "discussions"), |portal| TrackPage { portal, ..page })
        }
        Err(_) => problem,
    }
}

async fn read(
    request: &HttpRequest,
    owner: &SignedIn,
    workspace_id: WorkspaceId,
    wish: &Wish,
    refused: Option<&Refused<'_>>,
) -> Result<TrackPage, Problem> {
    let (app, portal, reader) = (app_of(request), Portal::of(request, "discussions"), owner.0.caller.id());
    let path = format!("/portal/build/{workspace_id}");
    let span = wish.span.unwrap_or(Span::LAST);
    let query = TrackQuery { path: path.clone(), kind: wish.kind, position: None, span };
    let mut shown = TrackShown::read(&app, workspace_id, &query).await?;
    let role = app.store.workspaces().role_in(workspace_id, reader).await?;
    let texts: Vec<_> = shown.messages.iter().chain(&shown.solution).collect();
    let reading = Reading::of(&app, (path, reader, span), &texts).await?;
    let status = shown.track.status.clone();
    for text in shown.messages.iter_mut().chain(&mut shown.solution) {
        text.acts = acts(text, &reading, role, &status);
    }
    let part = TrackPart::read(&app, workspace_id, &shown, (&reading, role, &*portal.token), (wish, refused)).await?;
    shown.part = Some(Fragment::of(request, &part)?);
    Ok(TrackPage { frame: frame(&shown.track.name), portal, shown })
}

fn is_maintainer(role: Option<Role>) -> bool {
    matches!(role, Some(Role::Owner | Role::Maintainer))
}

/// What a reader with this role can do with a message.
fn acts(text: &TextShown, reading: &Reading, role: Option<Role>, status: &str) -> Vec<TextAct> {
    let mut acts = reading.acts(text);
    if status == "archived" {
        acts.retain(|act| act.field.is_none());
    }
    if text.missing.is_some() || status == "archived" {
        return acts;
    }
    if role.is_some() {
        acts.insert(0, TextAct::link("write-reply", reading.wanting("replyTo", &text.id)));
    }
    if is_maintainer(role) && status != "shipped" {
        if text.is_solution {
            acts.push(TextAct::button("write-undo", reading.form("acts"), "undo"));
        } else if text.kind.as_deref() == Some("solution") {
            acts.push(TextAct::button("write-accept", reading.form("solution"), "messageId"));
        }
    }
    acts
}

impl TrackPart {
    async fn read(
        app: &App,
        workspace_id: WorkspaceId,
        shown: &TrackShown,
        (reading, role, token): (&Reading, Option<Role>, &str),
        (wish, refused): (&Wish, Option<&Refused<'_>>),
    ) -> Result<Self, Problem> {
        let status = &*shown.track.status;
        let is_archived = status == "archived";
        let replied = match wish.reply_to {
            Some(message_id) => app.store.workspaces().message(workspace_id, message_id).await?,
            None => None,
        };
        let write = message_form(reading, token, replied.as_ref().map(|message| message.id));
        let may_change = is_maintainer(role) && !is_archived;
        let reader = reading.reader.to_string();
        let others = shown.members.iter().filter(|member| member.id != reader && member.role != "owner");
        let is_owner = role == Some(Role::Owner);
        let heir = wish.hand_over.filter(|_| is_owner).map(|heir| heir.to_string());
        let invitations = if may_change {
            Some(Invitations::of(app, workspace_id, (&*reading.address, token), refused).await?)
        } else {
            None
        };
        let invitation =
            if role.is_none() { app.store.workspaces().invitation(workspace_id, reading.reader).await? } else { None };
        Ok(Self {
            address: reading.address.clone(),
            acts: reading.form("acts"),
            token: token.to_owned(),
            role,
            is_owner,
            is_maintainer: is_maintainer(role),
            is_archived,
            write: (role.is_some() && !is_archived).then(|| write.again(refused)),
            replied: replied.map(|message| message.author_name),
            withdrawn: wish.withdraw,
            shipment: (may_change && status == "resolved").then(|| shipment_form(reading, token).again(refused)),
            changes: may_change.then(|| changes_form(shown, reading, token).again(refused)),
            heir: others.clone().find(|member| Some(&member.id) == heir.as_ref()).cloned(),
            members: if may_change { others.cloned().collect() } else { vec![] },
            invitations,
            inviter: invitation.map(|invitation| invitation.inviter_name),
            refused: refused.map(|refused| refused.form.to_owned()).unwrap_or_default(),
        })
    }
}
