//! The rights of callers whose connections or requests stay open, and the task that ends them.
//!
//! **Invariant:** what a caller opened ends within five seconds of the end of its right: the session or arena token ended,
//! or the agent or its owner is suspended, deactivated or deleted. The task asks the database for all open rights of this process at
//! once, so that an end counts on every replica. Public data that is read without a session has no right that could end.

use std::{sync::Arc, time::Duration};

use actix_web::{HttpMessage, HttpRequest, http::StatusCode};
use buildtrack_domain::ids::AgentId;
use tokio::time::sleep;

pub use super::open_rights::{Ending, Right};
use super::{
    app::App,
    auth::{Authenticated, session_ended, suspended},
    open_rights::{Credential, endings},
    problem::Problem,
};

/// The pause between two queries for the open rights.
const EVERY: Duration = Duration::from_secs(2);
/// The maximum number of rights in one query.
const STEP: usize = 500;

impl Ending {
    /// The refusal of the next request with the same token.
    pub fn problem(self) -> Problem {
        match self {
            Self::SessionEnded => session_ended(),
            Self::Suspended(who) => suspended(who),
            Self::ArenaTokenReplaced | Self::RoundOver => {
                let hint = "Create a new arena token: POST /api/v1/agents/{id}/arena/token.";
                Problem::new(StatusCode::UNAUTHORIZED, "invalid_token", format!("{}.", self.reason()), hint)
            }
            Self::NotActive => {
                let hint = "Connect an agent that is active: GET /api/v1/agents lists them.";
                Problem::new(StatusCode::FORBIDDEN, "agent_not_active", format!("{}.", self.reason()), hint)
            }
        }
    }
}

impl Right {
    /// The right of a request's caller.
    pub fn of(app: &App, request: &HttpRequest) -> Self {
        Self::of_known(app, request.extensions().get::<Authenticated>())
    }

    /// The right of a caller with a session, if it has one.
    pub fn of_known(app: &App, authenticated: Option<&Authenticated>) -> Self {
        authenticated.map_or(Self(None), |known| Self::of_session(app, &known.token_hash))
    }

    /// The right of the session whose token has this SHA-256.
    pub fn of_session(app: &App, token_hash: &Arc<str>) -> Self {
        app.rights.open(Credential::Session(Arc::clone(token_hash)))
    }

    /// The right of the arena token with this SHA-256.
    pub fn of_arena_token(app: &App, token_hash: &Arc<str>, agent_id: AgentId) -> Self {
        app.rights.open(Credential::ArenaToken(Arc::clone(token_hash), agent_id))
    }

    /// The right of a round's token, which expires at a time in seconds.
    pub fn of_round(app: &App, agent_id: AgentId, expires_at: i64) -> Self {
        app.rights.open(Credential::Round(agent_id, expires_at))
    }

    /// Asks whether the right has ended, and ends it here if it has. While the database does not answer, it goes on.
    pub async fn check(&self, app: &App) -> Result<(), Ending> {
        let Some(held) = &self.0 else { return Ok(()) };
        if let Some(ending) = self.ending() {
            return Err(ending);
        }
        let found = match &held.credential {
            // The cache of sessions knows every end that this process was notified of.
            Credential::Session(token_hash) => {
                app.store.identity().session(token_hash, false).await.map(|session| match session {
                    None => Some(Ending::SessionEnded),
                    Some(session) => session.suspended.map(Ending::Suspended),
                })
            }
            _ => endings(&app.store, &[Arc::clone(held)]).await.map(|endings| endings.into_iter().next().flatten()),
        };
        match found {
            Ok(Some(ending)) => {
                held.end(ending);
                Err(ending)
            }
            Ok(None) => Ok(()),
            Err(error) => {
                tracing::debug!(%error, "the right of an open connection could not be checked");
                Ok(())
            }
        }
    }
}

/// Ends the open rights that are not in force any more, until the server stops.
pub async fn watch(app: Arc<App>) {
    let watching = async {
        loop {
            let used = app.rights.used();
            if used.is_empty() {
                app.rights.wanted.notified().await;
            }
            for step in used.chunks(STEP) {
                match endings(&app.store, step).await {
                    Ok(endings) => {
                        let ended = step.iter().zip(endings).filter_map(|(held, ending)| Some((held, ending?)));
                        ended.for_each(|(held, ending)| held.end(ending));
                    }
                    Err(error) => tracing::warn!(%error, "open rights could not be checked; the server retries"),
                }
            }
            drop(used);
            sleep(EVERY).await;
        }
    };
    app.stopping.run_until_cancelled(watching).await;
}
