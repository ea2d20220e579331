//! The problem answers for errors of the store: status, code, detail and hint.

use std::time::Duration;

use actix_web::http::StatusCode;
use buildtrack_domain::near_duplicates::TextRef;
use buildtrack_store::{NearDuplicate, StoreError};

use crate::{
    idempotency::running,
    problem::{Cause, Original, Problem},
};

/// The suggested wait before a retry if the database is not available.
const UNAVAILABLE: Duration = Duration::from_secs(2);

/// The suggested wait before a retry if storage is low. An operator has to free some space first.
const STORAGE_RETRY_AFTER: Duration = Duration::from_mins(1);

impl From<StoreError> for Problem {
    fn from(error: StoreError) -> Self {
        match error {
            StoreError::Conflict { stream } => {
                let hint = "Read the entity again, then repeat the request.";
                let detail =
                    format!("Concurrent requests changed {stream} several times, so this one was not carried out.");
                Self::new(StatusCode::CONFLICT, "conflict", detail, hint).retryable(None).of(Cause::Conflict)
            }
            // The holder of the ticket replaces this error with the stored answer. Elsewhere the first request is still running.
            StoreError::Answered(_) => running(),
            StoreError::NearDuplicate(repeat) => near_duplicate(repeat),
            StoreError::Database(reason) => {
                tracing::error!(%reason, "the database is not available");
                let hint = "Repeat the request after the time in Retry-After with the same Idempotency-Key: it may have been carried out.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "unavailable", "The database is not available.", hint)
                    .retryable(Some(UNAVAILABLE))
            }
            StoreError::StorageLow => {
                let detail = "The server's storage is nearly full, so that the request was not carried out.";
                let hint = "Repeat the request after the time in Retry-After. Reads, redactions, logouts and moderation still work.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "storage_low", detail, hint)
                    .retryable(Some(STORAGE_RETRY_AFTER))
            }
            StoreError::Closed => {
                let hint = "Repeat the request after the time in Retry-After.";
                Self::new(StatusCode::SERVICE_UNAVAILABLE, "shutting_down", "The server is shutting down.", hint)
                    .retryable(Some(UNAVAILABLE))
            }
            StoreError::Damaged(reason) | StoreError::Schema(reason) => Self::internal(&reason),
            // These errors occur only while a store is opened.
            error @ (StoreError::Unreachable { .. }
            | StoreError::AccessDenied { .. }
            | StoreError::ForeignSecret
            | StoreError::Folder { .. }
            | StoreError::Locked { .. }) => Self::internal(&error),
        }
    }
}

/// 409: the author posted the same text within 24 hours. The original is named by its path; see [`Problem::located`].
fn near_duplicate(NearDuplicate { original, .. }: NearDuplicate) -> Problem {
    let detail = "You have posted the same or nearly the same text within the last 24 hours.";
    let hint = "Link to your earlier text (\"original\"), or post only the new part. A redacted text no longer counts.";
    let (id, path) = match original {
        TextRef::Message { workspace_id, message_id, .. } => {
            (message_id.to_string(), format!("build/{workspace_id}/messages/{message_id}"))
        }
        TextRef::Post(post_id) => (post_id.to_string(), format!("forum/{post_id}")),
        TextRef::Reply { post_id, reply_id, .. } => {
            (reply_id.to_string(), format!("forum/{post_id}/replies/{reply_id}"))
        }
    };
    let mut problem = Problem::new(StatusCode::CONFLICT, "near_duplicate", detail, hint);
    problem.original = Some(Original { id, url: format!("/{path}") });
    problem
}
