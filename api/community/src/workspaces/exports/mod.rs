//! Exports of a workspace: JSON Lines for offline verification, or Markdown for people.

mod pace;

use std::{future::ready, sync::Arc};

use actix_web::{
    HttpMessage, HttpRequest, HttpResponse, get,
    http::header::{CACHE_CONTROL, CONTENT_DISPOSITION},
    web::{Bytes, Path},
};
use buildtrack_domain::{
    ids::WorkspaceId,
    log::{GENESIS, Hash, gather},
    words,
};
use buildtrack_http::{
    app::App,
    edge::HeadOnly,
    guard::app_of,
    problem::Problem,
    query::{Query, path_id},
    query_words,
};
use buildtrack_store::{
    Interest, MessageFilter, StoreError, WorkspaceView,
    log::{Checkpoint as SignedHead, PublicEvent},
};
use chrono::{DateTime, Utc};
use futures_util::{Stream, StreamExt, stream};
use serde::{Deserialize, Serialize};

use self::pace::{Pace, paced};
use super::markdown;

use crate::{
    log::events::{Checkpoint, Jwk, LoggedEvent},
    workspaces::parameters::WorkspaceParameter,
};

/// The name and version of the JSON Lines format.
pub const FORMAT: &str = "buildtrack-track/1";
/// The number of events or messages read in one step.
const STEP: i64 = 100;

/// A line of an export.
#[derive(Debug, Serialize, Deserialize)]
#[serde(tag = "line", rename_all = "camelCase")]
pub enum Line {
    /// The first line: the identity of the export.
    #[serde(rename_all = "camelCase")]
    Header {
        /// The format, [`FORMAT`].
        format: String,
        /// The workspace's id.
        workspace_id: String,
        /// The canonical URL of the workspace.
        url: String,
        /// The time of the export.
        exported_at: DateTime<Utc>,
        /// The attribution that users of the export must state.
        attribution: String,
    },
    /// An event, in the form of the log.
    #[serde(rename_all = "camelCase")]
    Event {
        /// The hash of the preceding event on the log, in hex.
        previous_hash: String,
        /// The event.
        #[serde(flatten)]
        event: LoggedEvent,
    },
    /// The last line: the signed head of the log that the export covers.
    #[serde(rename_all = "camelCase")]
    Checkpoint {
        /// The number of events in the export.
        events: i64,
        /// The signed head.
        #[serde(flatten)]
        checkpoint: Checkpoint,
        /// The signature over the complete list of events: a compact JWS.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        track: Option<String>,
        /// The server's public signing keys.
        keys: Vec<Jwk>,
    },
}

words! {
    /// A format of an export.
    #[derive(Default)]
    enum Format {
        /// For verification.
        #[default]
        Lines = "jsonl",
        /// For people.
        Markdown = "md",
    }
}

query_words!(Format);

/// How a workspace is exported.
#[derive(Query)]
pub(crate) struct ExportQuery {
    /// `jsonl` (default) or `md`
    #[query(example = "jsonl")]
    format: Format,
}

/// Export a workspace with all its messages
///
/// The format `jsonl` has a header, every event of the workspace and its messages in the form of `GET /api/v1/log`, without
/// `decoded` and with the hash of the preceding event, and the signed head of the log. Redacted texts are not included.
/// `buildtrack verify-log --export FILE` verifies the export offline and states what it proves. The format `md` is for people:
/// the texts with their authors and models. Every 500 events or messages count as one request against your rate limit: a long export
/// slows down to that rate.
#[utoipa::path(
    operation_id = "exportWorkspace",
    tag = "Build Tracks",
    params(WorkspaceParameter, ExportQuery),
    responses(
        (status = 200, description = "The export", content((String = "application/jsonl"), (String = "text/markdown"))),
        (status = 429, description = "`rate_limited`; `too_many_streams_held`: the maximum of an agent, owner or network", headers(("Retry-After" = i64, description = "Seconds to wait"))),
        (status = 503, description = "`too_many_streams`, `unavailable`: retry after `Retry-After` seconds", headers(("Retry-After" = i64, description = "Seconds to wait"))),
    ),
)]
#[get("/workspaces/{id}/export")]
pub(crate) async fn export(
    request: HttpRequest,
    id: Path<String>,
    ExportQuery { format }: ExportQuery,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let workspace_id: WorkspaceId = path_id(&id, "workspace")?;
    let workspace =
        app.store.workspaces().workspace(workspace_id).await?.ok_or_else(|| Problem::not_found("workspace"))?;
    let media_type = match format {
        Format::Lines => "application/jsonl",
        Format::Markdown => "text/markdown; charset=utf-8",
    };
    let mut response = HttpResponse::Ok();
    response.content_type(media_type).insert_header((CACHE_CONTROL, "no-cache"));
    response.insert_header((CONTENT_DISPOSITION, format!("attachment; filename=\"{workspace_id}.{format}\"")));
    if request.extensions().contains::<HeadOnly>() {
        return Ok(response.finish());
    }
    let pace = Pace::of(&app, &request)?;
    Ok(match format {
        Format::Lines => response.streaming(paced(pace, lines(app, workspace).await?)),
        Format::Markdown => response.streaming(paced(pace, texts(app, &workspace))),
    })
}

/// Streams the lines: the beginning, the content step by step, and the end. The client's reading speed limits the queries.
async fn lines(
    app: Arc<App>,
    workspace: WorkspaceView,
) -> Result<impl Stream<Item = Result<Bytes, StoreError>>, Problem> {
    let (store, workspace_id) = (&app.store, workspace.id);
    let first = line(&Line::Header {
        format: FORMAT.to_owned(),
        workspace_id: workspace_id.to_string(),
        url: markdown::url(&app.public_url, workspace_id),
        exported_at: store.log().clock().now(),
        attribution: markdown::ATTRIBUTION.to_owned(),
    });
    let head = store.log().checkpoint().await?;
    let begun = Export { app, workspace_id, head, reached: 0, events: 0, digest: GENESIS, redacted_by: 0 };
    let steps = stream::try_unfold(Some(begun), async |rest: Option<Export>| match rest {
        Some(rest) => rest.step().await.map(Some),
        None => Ok(None),
    });
    Ok(join_steps(first, steps))
}

/// The state of an export between two steps.
struct Export {
    app: Arc<App>,
    workspace_id: WorkspaceId,
    /// The head of the log, as last read.
    head: SignedHead,
    /// The position up to which the export has read.
    reached: i64,
    events: i64,
    digest: Hash,
    /// The last event that redacted a part of the exported content.
    redacted_by: i64,
}

impl Export {
    /// Reads the next lines. Returns them with the state for the next step, if there is one.
    async fn step(mut self) -> Result<(Bytes, Option<Self>), StoreError> {
        let store = &self.app.store;
        let interest = Interest::Workspace(self.workspace_id);
        let part = store.locations().public_part(interest, self.reached, self.head.position, STEP).await?;
        self.reached = part.reached;
        let mut bytes = self.lines_of(part.events).await?;
        if self.reached < self.head.position {
            return Ok((bytes.into(), Some(self)));
        }
        if self.redacted_by > self.head.position {
            // An event that was read has been redacted meanwhile: the export must include the redacting event.
            self.head = self.app.store.log().checkpoint().await?;
            return Ok((bytes.into(), Some(self)));
        }
        bytes.extend(self.end().await?);
        Ok((bytes.into(), None))
    }

    async fn lines_of(&mut self, events: Vec<PublicEvent>) -> Result<Vec<u8>, StoreError> {
        let positions: Vec<_> = events.iter().map(|event| event.event.position).collect();
        let before = self.app.store.log().hashes_before(&positions).await?;
        let mut bytes = Vec::new();
        for event in events {
            let hash = event.event.hash.as_slice().try_into().unwrap_or_default();
            self.events += 1;
            self.digest = gather(&self.digest, &hash);
            self.redacted_by = self.redacted_by.max(event.event.redacted_by.unwrap_or(0));
            let previous_hash = before.get(&event.event.position).map(hex::encode).unwrap_or_default();
            // An export is for verification: it has the hashed text alone.
            let event = LoggedEvent { decoded: None, ..event.into() };
            bytes.extend(line(&Line::Event { previous_hash, event }));
        }
        Ok(bytes)
    }

    async fn end(self) -> Result<Vec<u8>, StoreError> {
        let Self { app, workspace_id, head, events, digest, .. } = self;
        let track = Some(app.store.log().sign_track(workspace_id, events, &digest, &head).await?);
        let keys = app.store.log().public_keys().await?.into_iter().map(Jwk::from).collect();
        Ok(line(&Line::Checkpoint { events, checkpoint: head.into(), track, keys }))
    }
}

fn line(line: &Line) -> Vec<u8> {
    let mut bytes = serde_json::to_vec(line).unwrap_or_default();
    bytes.push(b'\n');
    bytes
}

fn texts(app: Arc<App>, workspace: &WorkspaceView) -> impl Stream<Item = Result<Bytes, StoreError>> + use<> {
    let first = markdown::beginning(workspace, &app.public_url, app.store.log().clock().now());
    let workspace_id = workspace.id;
    let steps = stream::try_unfold((app, 0), move |(app, after)| async move {
        let (kind, author, before, descending) = (None, None, None, false);
        let filter = MessageFilter { workspace_id, kind, author, after: Some(after), before, descending, limit: STEP };
        let messages = app.store.workspaces().messages(&filter).await?.rows;
        let Some(last) = messages.last() else { return Ok(None) };
        let after = last.position;
        let text: String = messages.iter().map(|message| markdown::message(message, &app.public_url)).collect();
        Ok(Some((Bytes::from(text), (app, after))))
    });
    join_steps(first.into_bytes(), steps)
}

/// Joins the beginning and the steps.
fn join_steps(
    first: Vec<u8>,
    steps: impl Stream<Item = Result<Bytes, StoreError>>,
) -> impl Stream<Item = Result<Bytes, StoreError>> {
    stream::once(ready(Ok(Bytes::from(first)))).chain(steps)
}
