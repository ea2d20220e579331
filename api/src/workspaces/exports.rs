//! A track to take away: as JSON Lines that can be checked offline, or as Markdown for people.

use std::{future::ready, sync::Arc};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse, get,
    http::header::{CACHE_CONTROL, CONTENT_DISPOSITION},
    web::{Bytes, Path},
};
use buildtrack_domain::{
    ids::WorkspaceId,
    log::{GENESIS, Hash, gather},
};
use buildtrack_store::{
    Interest, MessageFilter, StoreError, WorkspaceView,
    log::{Checkpoint as SignedHead, PublicEvent},
};
use chrono::{DateTime, Utc};
use futures_util::{Stream, StreamExt, TryStreamExt, stream};
use serde::{Deserialize, Serialize};

use super::markdown;
use crate::{
    app::App,
    http::{
        edge::HeadOnly,
        guard::app_of,
        problem::Problem,
        query::{Parameters, path_id},
    },
    log::events::{Checkpoint, Jwk, LoggedEvent},
};

/// The form that these lines have.
pub(crate) const FORMAT: &str = "buildtrack-track/1";
/// Events and messages in one step.
const STEP: i64 = 100;

/// A line of an export.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "camelCase")]
pub(crate) enum Line {
    /// The first one: what this is.
    #[serde(rename_all = "camelCase")]
    Header {
        /// [`FORMAT`].
        format: String,
        /// The workspace.
        workspace_id: String,
        /// Its canonical address.
        url: String,
        /// When the export was made.
        exported_at: DateTime<Utc>,
        /// What is asked of whoever uses it.
        attribution: String,
    },
    /// An event, as the log shows it.
    #[serde(rename_all = "camelCase")]
    Event {
        /// The hash of the event right before it on the log, in hex.
        previous_hash: String,
        /// The event.
        #[serde(flatten)]
        event: LoggedEvent,
    },
    /// The last one: the signed head of the log up to which the export goes.
    #[serde(rename_all = "camelCase")]
    Checkpoint {
        /// How many events there are.
        events: i64,
        /// The signed head.
        #[serde(flatten)]
        checkpoint: Checkpoint,
        /// That these are all the events that there were: a compact JWS.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        track: Option<String>,
        /// The keys that the server says it signs with.
        keys: Vec<Jwk>,
    },
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Format {
    Lines,
    Markdown,
}

/// Exports a workspace with all its messages. As `jsonl` it has a header, every event of the workspace and its messages
/// as `GET /api/v1/log` shows it (without what was taken back) and with the hash before it, and the log's signed head:
/// `buildtrack verify-log --export FILE` checks it offline, and says what it proves. As `md` it is for people: what
/// was said, by whom and with which model.
#[utoipa::path(
    operation_id = "exportWorkspace",
    tag = "Build Tracks",
    params(
        ("id" = String, Path, example = "ws_01h2e8kqvbfwea724h75qc655w"),
        ("format" = Option<String>, Query, description = "`jsonl` (default) or `md`", example = "jsonl"),
    ),
    responses((status = 200, description = "The track", content((String = "application/jsonl"), (String = "text/markdown")))),
)]
#[get("/workspaces/{id}/export")]
pub(crate) async fn export(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    let mut parameters = Parameters::of(&request, &["format"]);
    let format = format(&mut parameters);
    parameters.finish()?;
    let workspace = app.store.workspace(workspace_id).await?.ok_or_else(|| Problem::not_found("workspace"))?;
    let (media_type, ending) = match format {
        Format::Lines => ("application/jsonl", "jsonl"),
        Format::Markdown => ("text/markdown; charset=utf-8", "md"),
    };
    let mut response = HttpResponse::Ok();
    response.content_type(media_type).insert_header((CACHE_CONTROL, "no-cache"));
    response.insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{workspace_id}.{ending}\"")));
    if request.extensions().contains::<HeadOnly>() {
        return Ok(response.finish());
    }
    Ok(match format {
        Format::Lines => response.streaming(lines(app, workspace).await?),
        Format::Markdown => response.streaming(texts(app, &workspace)),
    })
}

fn format(parameters: &mut Parameters) -> Format {
    match parameters.given("format").as_deref() {
        None | Some("jsonl") => Format::Lines,
        Some("md") => Format::Markdown,
        Some(other) => {
            parameters.refuse("format", format!("format is {other:?}"), "Give jsonl or md.");
            Format::Lines
        }
    }
}

/// What goes out in order: a beginning, step by step what there is, and an end. It is read as fast as it is taken.
async fn lines(
    app: Arc<App>,
    workspace: WorkspaceView,
) -> Result<impl Stream<Item = Result<Bytes, StoreError>>, Problem> {
    let (store, workspace_id) = (&app.store, workspace.id);
    let first = line(&Line::Header {
        format: FORMAT.to_owned(),
        workspace_id: workspace_id.to_string(),
        url: markdown::url(&app.public_url, workspace_id),
        exported_at: store.clock().now(),
        attribution: markdown::ATTRIBUTION.to_owned(),
    });
    let head = store.checkpoint().await?;
    let begun = Export { app, workspace_id, head, reached: 0, events: 0, digest: GENESIS, redacted_by: 0 };
    let steps = stream::try_unfold(Some(begun), async |rest: Option<Export>| match rest {
        Some(rest) => rest.step().await.map(Some),
        None => Ok(None),
    });
    Ok(whole(first, steps))
}

/// An export on its way.
struct Export {
    app: Arc<App>,
    workspace_id: WorkspaceId,
    /// Where the log ended, as far as is known.
    head: SignedHead,
    /// How far it was read.
    reached: i64,
    events: i64,
    digest: Hash,
    /// The last event that took something away of what was read.
    redacted_by: i64,
}

impl Export {
    /// The next lines, and what is left to do.
    async fn step(mut self) -> Result<(Bytes, Option<Self>), StoreError> {
        let store = &self.app.store;
        let interest = Interest::Workspace(self.workspace_id);
        let part = store.public_part(interest, self.reached, self.head.position, STEP).await?;
        self.reached = part.reached;
        let mut bytes = self.lines_of(part.events).await?;
        if self.reached < self.head.position {
            return Ok((bytes.into(), Some(self)));
        }
        if self.redacted_by > self.head.position {
            // Taken back while it was read: what says so belongs to it.
            self.head = self.app.store.checkpoint().await?;
            return Ok((bytes.into(), Some(self)));
        }
        bytes.extend(self.end().await?);
        Ok((bytes.into(), None))
    }

    async fn lines_of(&mut self, events: Vec<PublicEvent>) -> Result<Vec<u8>, StoreError> {
        let positions: Vec<_> = events.iter().map(|event| event.event.position).collect();
        let before = self.app.store.hashes_before(&positions).await?;
        let mut bytes = Vec::new();
        for event in events {
            let hash = event.event.hash.as_slice().try_into().unwrap_or_default();
            self.events += 1;
            self.digest = gather(&self.digest, &hash);
            self.redacted_by = self.redacted_by.max(event.event.redacted_by.unwrap_or(0));
            let previous_hash = before.get(&event.event.position).map(hex::encode).unwrap_or_default();
            bytes.extend(line(&Line::Event { previous_hash, event: event.into() }));
        }
        Ok(bytes)
    }

    async fn end(self) -> Result<Vec<u8>, StoreError> {
        let Self { app, workspace_id, head, events, digest, .. } = self;
        let track = Some(app.store.sign_track(workspace_id, events, &digest, &head).await?);
        let keys = app.store.public_keys().await?.into_iter().map(Jwk::from).collect();
        Ok(line(&Line::Checkpoint { events, checkpoint: head.into(), track, keys }))
    }
}

fn line(line: &Line) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(line).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

fn texts(app: Arc<App>, workspace: &WorkspaceView) -> impl Stream<Item = Result<Bytes, StoreError>> + use<> {
    let first = markdown::beginning(workspace, &app.public_url, app.store.clock().now());
    let workspace_id = workspace.id;
    let steps = stream::try_unfold((app, 0), move |(app, after)| async move {
        let (kind, author, before, descending) = (None, None, None, false);
        let filter = MessageFilter { workspace_id, kind, author, after: Some(after), before, descending, limit: STEP };
        let messages = app.store.messages(&filter).await?.rows;
        let Some(last) = messages.last() else { return Ok(None) };
        let after = last.position;
        let text: String = messages.iter().map(|message| markdown::message(message, &app.public_url)).collect();
        Ok(Some((Bytes::from(text), (app, after))))
    });
    whole(first.into_bytes(), steps)
}

/// A beginning, and what follows. Whoever gets less than all can tell: an export ends with its checkpoint, and an answer
/// with its last chunk.
fn whole(
    first: Vec<u8>,
    steps: impl Stream<Item = Result<Bytes, StoreError>>,
) -> impl Stream<Item = Result<Bytes, StoreError>> {
    let first = stream::once(ready(Ok(Bytes::from(first))));
    first.chain(steps).inspect_err(|error| tracing::warn!(%error, "an export broke off"))
}
