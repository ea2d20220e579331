//! `Idempotency-Key` on every POST: the same key and body get the first answer again, for 24 hours.

use std::{cell::Cell, rc::Rc, sync::Arc};

use actix_web::{HttpMessage, HttpRequest, HttpResponse, HttpResponseBuilder, http::StatusCode};
use buildtrack_store::{Answer, Done, StoreError, StoredAnswer, Ticket, sha256_hex};

use super::{
    auth::Authenticated,
    guard::client_address,
    paths::routed,
    problem::{FieldError, Problem},
};
use crate::{app::App, error::running};

const HEADER: &str = "idempotency-key";
/// Characters of a key at most.
pub(crate) const KEY_MAX: usize = 255;
/// Marks an answer that was given before.
pub(crate) const REPLAYED: &str = "idempotency-replayed";

/// Whether such an answer is given again to a repeat. What a login or the wait of a limit would change is not.
pub(crate) fn is_kept(status: StatusCode) -> bool {
    (status.is_success() || status.is_client_error())
        && status != StatusCode::TOO_MANY_REQUESTS
        && status != StatusCode::UNAUTHORIZED
}

/// Bytes of a refusal that is kept for a repeat. A larger one names many wrong fields, and the same body gets it again
/// without being kept: a refused request has changed nothing.
const REFUSAL_MAX: usize = 4 * 1024;

/// Whether an answer of this size is kept.
pub(crate) fn fits(status: StatusCode, bytes: usize) -> bool {
    let fits = status.is_success() || bytes <= REFUSAL_MAX;
    if !fits {
        metrics::counter!("buildtrack_refused_total", "reason" => "stored_answer_too_large").increment(1);
    }
    fits
}

/// A request with a key whose answer is still to come. In the request's extensions.
#[derive(Debug)]
pub(crate) struct Pending {
    ticket: Ticket,
    stored: Rc<Cell<bool>>,
    _running: Running,
}

impl Pending {
    pub(crate) fn is_stored(&self) -> bool {
        self.stored.get()
    }

    /// Stores the answer; where another replica answered the same request first, that answer is given.
    pub(crate) async fn store(
        &self,
        app: &App,
        status: StatusCode,
        body: String,
    ) -> Result<Option<Result<HttpResponse, Problem>>, StoreError> {
        let answer = Answer { status: status.as_u16(), location: None, body, withheld: None, subject: None };
        match app.store.store_answer(self.ticket.clone(), answer).await {
            Err(StoreError::Answered(first)) => Ok(Some(replay(&first, &self.ticket))),
            stored => stored.map(|()| None),
        }
    }
}

/// While this lives, a second request with the same key is told to wait.
#[derive(Debug)]
struct Running {
    app: Arc<App>,
    scope: String,
}

impl Running {
    fn enter(app: &Arc<App>, scope: &str) -> Result<Self, Problem> {
        let mut scopes = app.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if scopes.insert(scope.to_owned()) {
            Ok(Self { app: Arc::clone(app), scope: scope.to_owned() })
        } else {
            Err(running())
        }
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        self.app.running.lock().unwrap_or_else(std::sync::PoisonError::into_inner).remove(&self.scope);
    }
}

/// The key of a request, for the handler: a write that takes it stores its answer in its own transaction.
#[derive(Debug, Clone, Default)]
pub(crate) struct Key(Option<(Ticket, Rc<Cell<bool>>)>);

impl Key {
    /// The ticket, for a write that stores the answer itself.
    pub(crate) fn ticket(&self) -> Option<Ticket> {
        self.0.as_ref().map(|(ticket, _)| ticket.clone())
    }

    /// What a write put into words, which it stored under this key.
    pub(crate) fn answered<T>(&self, done: Done<T>) -> Result<HttpResponse, Problem> {
        if let Some((_, stored)) = &self.0 {
            stored.set(true);
        }
        done.answer.map(respond).ok_or_else(|| Problem::internal(&"no answer"))
    }
}

/// What becomes of a request before it is looked at.
pub(crate) enum Entry {
    /// It is new, or carries no key.
    New(Key),
    /// It was answered before.
    Answered(HttpResponse),
}

/// Takes up a request.
pub(crate) async fn enter(request: &HttpRequest, app: &Arc<App>, body: &[u8]) -> Result<Entry, Problem> {
    let Some(key) = request.headers().get(HEADER) else { return Ok(Entry::New(Key::default())) };
    let key = key.to_str().ok().filter(|key| (1..=KEY_MAX).contains(&key.len())).ok_or_else(|| {
        let message = "Idempotency-Key must have 1 to 255 printable ASCII characters";
        Problem::bad_parameters(vec![FieldError::parameter("Idempotency-Key", "invalid", message, "A UUID is best.")])
    })?;
    // Keyed: a body may hold a password, which its plain hash would give away to whoever reads the database.
    let fingerprint = app.store.secret().keyed_hash(&sha256_hex(body));
    let ticket = Ticket { scope: scope(app, request, key), fingerprint };
    let running = Running::enter(app, &ticket.scope)?;
    if let Some(stored) = app.store.stored_answer(&ticket).await? {
        return replay(&stored, &ticket).map(Entry::Answered);
    }
    let stored = Rc::new(Cell::new(false));
    request.extensions_mut().insert(Pending { ticket: ticket.clone(), stored: Rc::clone(&stored), _running: running });
    Ok(Entry::New(Key(Some((ticket, stored)))))
}

/// The ticket of a request that carries its key in itself, to somebody's request under that key at this place.
pub(crate) fn ticket(app: &App, caller: &str, place: &str, key: &str, body: &[u8]) -> Ticket {
    let scope = sha256_hex(format!("{caller}\nPOST\n{place}\n{key}"));
    Ticket { scope, fingerprint: app.store.secret().keyed_hash(&sha256_hex(body)) }
}

/// What was answered to the first request with this ticket; none where this is the first.
pub(crate) async fn first_body(app: &App, ticket: &Ticket) -> Result<Option<serde_json::Value>, Problem> {
    let Some(stored) = app.store.stored_answer(ticket).await? else { return Ok(None) };
    replay(&stored, ticket)?;
    let body = serde_json::from_str(stored.body.as_deref().unwrap_or_default());
    body.map(Some).map_err(|error| Problem::internal(&error))
}

fn scope(app: &App, request: &HttpRequest, key: &str) -> String {
    let caller = request.extensions().get::<Authenticated>().map(|known| known.session.actor.id.to_string());
    let caller = caller.unwrap_or_else(|| client_address(app, request).to_string());
    sha256_hex(format!("{caller}\n{}\n{}\n{key}", request.method(), routed(request)))
}

/// The first answer again, or why there is none.
pub(crate) fn replay(stored: &StoredAnswer, ticket: &Ticket) -> Result<HttpResponse, Problem> {
    if stored.fingerprint != ticket.fingerprint {
        let detail = "This Idempotency-Key was used with another body.";
        let hint = "Use a new key for a new request; the same key only for the very same body.";
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "idempotency_key_reused", detail, hint));
    }
    if stored.status == 0 {
        return Err(running());
    }
    let Some(body) = &stored.body else {
        let (code, hint) = match &stored.withheld {
            Some(hint) => ("answer_not_stored", hint.as_str()),
            None => {
                ("answer_redacted", "The text has been taken back by its author, or hidden or erased by an operator.")
            }
        };
        let detail = "The request was carried out before; its answer cannot be shown again.";
        return Err(Problem::new(StatusCode::CONFLICT, code, detail, hint));
    };
    let status = u16::try_from(stored.status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    let status = status.unwrap_or(StatusCode::OK);
    if !status.is_success() {
        // Told again under the id of this request.
        let problem: Problem = serde_json::from_str(body).map_err(|error| Problem::internal(&error))?;
        return Err(problem.replayed());
    }
    let mut response = begin(status, stored.location.as_deref());
    response.insert_header((REPLAYED, "true"));
    Ok(end(response, body.clone()))
}

/// The answer of a write that put it into words.
fn respond(answer: Answer) -> HttpResponse {
    let status = StatusCode::from_u16(answer.status).unwrap_or(StatusCode::OK);
    end(begin(status, answer.location.as_deref()), answer.body)
}

fn begin(status: StatusCode, location: Option<&str>) -> HttpResponseBuilder {
    let mut response = HttpResponseBuilder::new(status);
    if let Some(location) = location {
        response.insert_header(("location", location));
    }
    response
}

fn end(mut response: HttpResponseBuilder, body: String) -> HttpResponse {
    if body.is_empty() { response.finish() } else { response.content_type("application/json").body(body) }
}
