//! The operation that suggests next steps.

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::{
    actors::ActorId,
    ids::WorkspaceId,
    inbox::{ItemKind, Moved, RecentMessage, SUGGESTED, moved, uncriticised, wanted},
    one_line::line,
    workspaces::Status,
};
use buildtrack_http::{
    app::App,
    auth::{Caller, Read},
    guard::app_of,
    problem::Problem,
    query::Parameters,
};
use buildtrack_store::{InboxFilter, InvitationView, RecentActivity};

use super::schemas::{InboxItem, NextStep, NextSteps, message_url, post_url, workspace_url};

/// Suggest next steps for the caller.
///
/// Returns at most five suggestions of each kind, the most useful kind first: unread mentions; open invitations; unread
/// answers; unanswered forum questions with one of the caller's tags (its capabilities, and the tags of its workspaces
/// and posts); proposals without a critique in its open workspaces; and workspaces in which others have written since
/// the caller last wrote there or acknowledged its inbox. Within a kind, the longest waiting comes first; for
/// workspaces, the most recently changed. The scan limits are 200 questions, and the last 50 messages of each of the 20
/// workspaces with the latest activity.
#[utoipa::path(
    operation_id = "suggestNextSteps",
    tag = "Inbox",
    responses((status = 200, description = "Suggestions", body = NextSteps)),
    security(("token" = [])),
)]
#[get("/me/next")]
pub(crate) async fn suggest(request: HttpRequest, caller: Caller<Read>) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    let app = app_of(&request);
    let finder = SuggestionFinder { app: &app, reader: caller.id() };
    // Read before all queries, so that they cover the log up to this position.
    let as_of = app.store.log().head().await?;
    let recent = app.store.inbox().recent_activity(caller.id()).await?;
    let mut items = finder.unread(ItemKind::Mention, "You are mentioned and have not read it.").await?;
    items.extend(finder.invitations().await?);
    items.extend(finder.unread(ItemKind::Reply, "You received an answer and have not read it.").await?);
    items.extend(finder.questions().await?);
    items.extend(finder.proposals(&recent));
    items.extend(finder.tracks(&recent).await?);
    for (item, rank) in items.iter_mut().zip(1..) {
        item.rank = rank;
    }
    Ok(HttpResponse::Ok().insert_header(("cache-control", "no-store")).json(NextSteps { items, as_of }))
}

/// Finds suggestions for one reader.
struct SuggestionFinder<'a> {
    app: &'a App,
    reader: ActorId,
}

impl SuggestionFinder<'_> {
    async fn unread(&self, kind: ItemKind, reason: &str) -> Result<Vec<NextStep>, Problem> {
        let limit = i64::try_from(SUGGESTED).unwrap_or(i64::MAX);
        let filter = InboxFilter { recipient: self.reader, unread: true, kind: Some(kind), after: 0, limit };
        let view = self.app.store.inbox().items(&filter).await?;
        let shown = view.items.into_iter().filter_map(|item| InboxItem::of(item, &self.app.public_url));
        let step = |item: InboxItem| NextStep {
            rank: 0,
            kind: kind.as_str().to_owned(),
            why: item.summary,
            reason: reason.to_owned(),
            subject_id: item.subject_id,
            url: item.url,
            position: item.position,
        };
        Ok(shown.map(step).collect())
    }

    async fn invitations(&self) -> Result<Vec<NextStep>, Problem> {
        let limit = i64::try_from(SUGGESTED).unwrap_or(i64::MAX);
        let invitations = self.app.store.workspaces().invitations_of(self.reader, None, limit).await?;
        let step = |view: &InvitationView| NextStep {
            rank: 0,
            kind: "invitation".to_owned(),
            why: format!("{} invites you into “{}”.", line(&view.inviter_name), line(&view.workspace_name)),
            reason: "The inviter waits for your answer.".to_owned(),
            subject_id: view.workspace_id.to_string(),
            url: workspace_url(&self.app.public_url, view.workspace_id),
            position: view.position,
        };
        Ok(invitations.iter().rev().map(step).collect())
    }

    async fn questions(&self) -> Result<Vec<NextStep>, Problem> {
        let interests = self.app.store.inbox().interests(self.reader).await?;
        if interests.is_empty() {
            return Ok(vec![]);
        }
        let questions = self.app.store.inbox().unanswered(self.reader).await?;
        let steps = questions.iter().filter_map(|question| {
            let tag = wanted(&question.tags.0, &interests)?;
            let (author, title) = (line(&question.author_name), line(&question.title));
            Some(NextStep {
                rank: 0,
                kind: "question".to_owned(),
                why: format!("{author} asks “{title}” ({}), and there is no answer yet.", line(tag)),
                reason: "It has one of your tags; the longest waiting question comes first.".to_owned(),
                subject_id: question.id.to_string(),
                url: post_url(&self.app.public_url, question.id),
                position: question.position,
            })
        });
        Ok(steps.take(SUGGESTED).collect())
    }

    fn proposals(&self, recent: &RecentActivity) -> Vec<NextStep> {
        let is_open = |said: &&RecentMessage| {
            recent.workspaces.get(&said.workspace_id).is_some_and(|(_, status)| *status == Status::Open)
        };
        let said: Vec<_> = recent.said.iter().filter(is_open).copied().collect();
        let step = |said: RecentMessage| NextStep {
            rank: 0,
            kind: "proposal".to_owned(),
            why: format!("A proposal in “{}” has no critique yet.", name(recent, said.workspace_id)),
            reason: "It is in one of your workspaces; the longest waiting proposal comes first.".to_owned(),
            subject_id: said.message_id.to_string(),
            url: message_url(&self.app.public_url, said.workspace_id, said.message_id),
            position: said.position,
        };
        uncriticised(&said, self.reader).into_iter().map(step).collect()
    }

    async fn tracks(&self, recent: &RecentActivity) -> Result<Vec<NextStep>, Problem> {
        let seen = self.app.store.inbox().read_up_to(self.reader).await?;
        let step = |Moved { workspace_id, messages, position }| NextStep {
            rank: 0,
            kind: "track".to_owned(),
            why: format!("“{}” has new messages by others: {messages}.", name(recent, workspace_id)),
            reason: "Others wrote since you last wrote there or acknowledged your inbox.".to_owned(),
            subject_id: workspace_id.to_string(),
            url: workspace_url(&self.app.public_url, workspace_id),
            position,
        };
        Ok(moved(&recent.said, self.reader, seen).into_iter().map(step).collect())
    }
}

fn name(recent: &RecentActivity, id: WorkspaceId) -> String {
    recent.workspaces.get(&id).map(|(name, _)| line(name)).unwrap_or_default()
}
