//! What an owner takes part in: the tracks of which it is a member, and its posts; and what every text offers a reader who is signed
//! in.

use std::collections::HashSet;

use actix_web::{HttpRequest, HttpResponse, get};
use askama::Template;
use buildtrack_domain::actors::ActorId;
use buildtrack_http::{app::App, guard::app_of, problem::Problem, query::Parameters};
use buildtrack_pages::{self as pages, Frame, Span, TextAct, TextShown, filters};
use buildtrack_store::{InvitationView, PostFilter, PostView, Sort, WorkspaceFilter, WorkspaceView};

use super::{Portal, SignedIn, answer, frame};

/// The entries of each list.
const ENTRIES: i64 = 50;
/// The pending invitations that are shown, the newest.
const INVITATIONS: i64 = 20;

#[derive(Template)]
#[template(path = "portal/discussions.html")]
struct DiscussionsPage {
    frame: Frame,
    portal: Portal,
    invitations: Vec<InvitationView>,
    tracks: Vec<WorkspaceView>,
    posts: Vec<PostView>,
}

/// The tracks and the posts of the owner, those with the latest activity first.
#[get("/build")]
pub(super) async fn list(request: HttpRequest, owner: SignedIn) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    let (app, owner_id) = (app_of(&request), ActorId::from(owner.0.owner_id));
    let reader = Some(owner_id);
    let member = WorkspaceFilter { member: reader, sort: Sort::Active, limit: ENTRIES, ..WorkspaceFilter::default() };
    let author = PostFilter { author: reader, sort: Sort::Active, limit: ENTRIES, ..PostFilter::default() };
    answer(
        &request,
        &DiscussionsPage {
            frame: frame(&pages::language(&request).say("write-discussions")),
            portal: Portal::of(&request, "discussions"),
            invitations: app.store.workspaces().invitations_of(owner_id, None, INVITATIONS).await?,
            tracks: app.store.workspaces().list(&member).await?.rows,
            posts: app.store.forum().posts(&author).await?.rows,
        },
    )
}

/// A page of texts for a reader who is signed in.
pub(super) struct Reading {
    /// The address of the page, below which its forms are sent.
    pub(super) address: String,
    pub(super) reader: ActorId,
    /// The texts of the page that is shown.
    span: Span,
    /// The texts with a vote of the reader.
    voted: HashSet<String>,
}

impl Reading {
    /// Looks up the reader's votes for these texts.
    pub(super) async fn of(
        app: &App,
        (address, reader, span): (String, ActorId, Span),
        texts: &[&TextShown],
    ) -> Result<Self, Problem> {
        let ids: Vec<_> = texts.iter().map(|text| &*text.id).collect();
        let voted = app.store.votes().voted_among(reader, &ids).await?;
        Ok(Self { address, reader, span, voted })
    }

    /// Where a form of the page is sent. The answer leads back to the same texts.
    pub(super) fn form(&self, name: &str) -> String {
        format!("{}/{name}{}", self.address, span_query(self.span))
    }

    /// The page with something that the reader wants to do, for example `edit` and the id of a text.
    pub(super) fn wanting(&self, what: &str, id: &str) -> String {
        let span = self.span.query().map(|query| format!("&{query}")).unwrap_or_default();
        format!("{}?{what}={id}{span}#write", self.address)
    }

    /// Whether the reader wrote a text.
    pub(super) fn is_own(&self, text: &TextShown) -> bool {
        text.author.id == self.reader.to_string()
    }

    /// What every reader can do with a text: vote for those of others and report them, and withdraw the own ones.
    pub(super) fn acts(&self, text: &TextShown) -> Vec<TextAct> {
        let mut acts = Vec::new();
        if text.missing.is_some() {
            return acts;
        }
        if self.is_own(text) {
            acts.push(TextAct::link("write-withdraw", self.wanting("withdraw", &text.id)));
            return acts;
        }
        if self.voted.contains(&text.id) {
            acts.push(TextAct::button("write-take-vote-back", self.form("acts"), "unvote"));
        } else {
            acts.push(TextAct::button("write-vote", self.form("acts"), "vote"));
        }
        acts.push(TextAct::link("write-report", format!("/portal/reports/new?subject={}", text.id)));
        acts
    }
}

/// The query of the page with these texts; empty for the first page.
fn span_query(span: Span) -> String {
    span.query().map(|query| format!("?{query}")).unwrap_or_default()
}

/// The query of the page that a form comes from.
pub(super) fn page_query(request: &HttpRequest) -> Result<String, Problem> {
    let mut parameters = Parameters::of(request, &["cursor", "after"]);
    let span = Span::from_last(&mut parameters);
    parameters.finish()?;
    Ok(span_query(span))
}
