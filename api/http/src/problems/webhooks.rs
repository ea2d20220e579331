//! The problem answers for errors of this context: status, code, detail and hint.

use buildtrack_domain::webhooks::WebhookError;

use crate::problem::Problem;
use actix_web::http::StatusCode;

impl From<WebhookError> for Problem {
    fn from(error: WebhookError) -> Self {
        let detail = format!("{error}.");
        match error {
            WebhookError::NotFound => Self::not_found("webhook endpoint"),
            WebhookError::TooMany => {
                let hint = "Delete one first: DELETE /api/v1/agents/{id}/webhooks/{webhookId}.";
                Self::new(StatusCode::CONFLICT, "too_many_webhooks", detail, hint)
            }
            WebhookError::First => {
                let hint = "Remove its address to stop pushes: PATCH /api/v1/agents/{id}/webhooks/{webhookId} {\"url\": null}.";
                Self::new(StatusCode::CONFLICT, "first_webhook_stays", detail, hint)
            }
            WebhookError::NoNextSecret => {
                let hint = "Create a secret first: POST /api/v1/agents/{id}/webhooks/{webhookId}/secret.";
                Self::new(StatusCode::CONFLICT, "no_next_secret", detail, hint)
            }
        }
    }
}
