//! `Idempotency-Key` on every POST: a repeat with the same key and body gets the first answer, for 24 hours.

use std::{cell::Cell, rc::Rc, sync::Arc, time::Duration};

use actix_web::{HttpMessage, HttpRequest, HttpResponse, HttpResponseBuilder, http::StatusCode};
use buildtrack_store::{Answer, Done, Purpose, StoreError, StoredAnswer, Ticket, sha256_hex};

use super::{
    addresses::client_address,
    auth::Authenticated,
    paths::routed,
    problem::{FieldError, Problem},
};
use crate::app::App;

const HEADER: &str = "idempotency-key";
/// The maximum number of characters of a key.
pub const KEY_MAX: usize = 255;
/// The header that marks a repeated answer.
pub(crate) const REPLAYED: &str = "idempotency-replayed";

/// Whether the answer is stored for repeats. Answers that a login or a wait would change are not stored.
pub(crate) fn is_stored(status: StatusCode) -> bool {
    (status.is_success() || status.is_client_error())
        && status != StatusCode::TOO_MANY_REQUESTS
        && status != StatusCode::UNAUTHORIZED
}

/// The maximum number of bytes of a stored error answer. A larger one lists many invalid fields and need not be stored: the
/// rejected request has changed nothing, and the same body produces the same answer.
const REFUSAL_MAX: usize = 4 * 1024;

/// Whether an answer of this size is stored.
pub(crate) fn fits(status: StatusCode, bytes: usize) -> bool {
    let fits = status.is_success() || bytes <= REFUSAL_MAX;
    if !fits {
        metrics::counter!("buildtrack_refused_total", "reason" => "stored_answer_too_large").increment(1);
    }
    fits
}

/// A request with a key whose answer is not stored yet. Held in the request's extensions.
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

    /// Stores the answer. If another replica has answered the same request first, returns that answer.
    pub(crate) async fn store(
        &self,
        app: &App,
        status: StatusCode,
        body: String,
    ) -> Result<Option<Result<HttpResponse, Problem>>, StoreError> {
        let answer = Answer { status: status.as_u16(), location: None, body, withheld: None, subject: None };
        match app.store.log().store_answer(self.ticket.clone(), answer).await {
            Err(StoreError::Answered(first)) => Ok(Some(replay(&first, &self.ticket))),
            stored => stored.map(|()| None),
        }
    }
}

/// Marks a request as running. A second request with the same key is rejected while this value exists.
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

/// 409: the first request with this key is still running.
pub(crate) fn running() -> Problem {
    let detail = "A request with the same Idempotency-Key is still running.";
    let hint = "Repeat the request after the time in Retry-After to get its answer.";
    Problem::new(StatusCode::CONFLICT, "idempotency_key_in_use", detail, hint).retryable(Some(Duration::from_secs(1)))
}

/// The key of a request, for the handler. A write that uses it stores its answer in its own transaction.
#[derive(Debug, Clone, Default)]
pub struct Key(Option<(Ticket, Rc<Cell<bool>>)>);

impl Key {
    /// Returns the ticket, for a write that stores the answer itself.
    pub fn ticket(&self) -> Option<Ticket> {
        self.0.as_ref().map(|(ticket, _)| ticket.clone())
    }

    /// Returns the answer that the write has serialized and stored under this key.
    pub fn answered<T>(&self, done: Done<T>) -> Result<HttpResponse, Problem> {
        if let Some((_, stored)) = &self.0 {
            stored.set(true);
        }
        done.answer.map(respond).ok_or_else(|| Problem::internal(&"no answer"))
    }
}

/// The result of the check for an earlier request.
pub(crate) enum Entry {
    /// The request is new, or has no key.
    New(Key),
    /// The request has already been answered.
    Answered(HttpResponse),
}

/// Checks for an earlier request with the same key, and marks this one as running.
pub(crate) async fn enter(request: &HttpRequest, app: &Arc<App>, body: &[u8]) -> Result<Entry, Problem> {
    let Some(key) = request.headers().get(HEADER) else { return Ok(Entry::New(Key::default())) };
    // `to_str` accepts tabs, too.
    let is_key = |key: &&str| (1..=KEY_MAX).contains(&key.len()) && !key.contains('\t');
    let key = key.to_str().ok().filter(is_key).ok_or_else(|| {
        let message = "Idempotency-Key must have 1 to 255 printable ASCII characters";
        Problem::bad_parameters(vec![FieldError::parameter("Idempotency-Key", "invalid", message, "Use a UUID.")])
    })?;
    // A keyed hash, because the body may contain a password, which a plain hash would reveal to a reader of the database.
    let fingerprint = fingerprint(app, body);
    let ticket = Ticket { scope: scope(app, request, key), fingerprint };
    let running = Running::enter(app, &ticket.scope)?;
    if let Some(stored) = app.store.log().stored_answer(&ticket).await? {
        return replay(&stored, &as_stored(app, ticket, &stored, body)).map(Entry::Answered);
    }
    let stored = Rc::new(Cell::new(false));
    request.extensions_mut().insert(Pending { ticket: ticket.clone(), stored: Rc::clone(&stored), _running: running });
    Ok(Entry::New(Key(Some((ticket, stored)))))
}

/// The ticket of a request whose body contains the key. `caller` and `path` form the scope of the key.
pub fn ticket(app: &App, caller: &str, path: &str, key: &str, body: &[u8]) -> Ticket {
    let scope = sha256_hex(format!("{caller}\nPOST\n{path}\n{key}"));
    Ticket { scope, fingerprint: fingerprint(app, body) }
}

fn fingerprint(app: &App, body: &[u8]) -> String {
    app.store.log().secret().mac(Purpose::RequestBody, &sha256_hex(body))
}

/// The ticket with the fingerprint of an earlier version, if that version stored the answer to the same body.
fn as_stored(app: &App, ticket: Ticket, stored: &StoredAnswer, body: &[u8]) -> Ticket {
    let earlier = app.store.log().secret().earlier_mac(Purpose::RequestBody, &sha256_hex(body));
    if stored.fingerprint == earlier { Ticket { fingerprint: earlier, ..ticket } } else { ticket }
}

/// Returns the answer to the first request with this ticket and body, or `None` if this is the first one.
pub async fn first_body(app: &App, ticket: &Ticket, body: &[u8]) -> Result<Option<serde_json::Value>, Problem> {
    let Some(stored) = app.store.log().stored_answer(ticket).await? else { return Ok(None) };
    replay(&stored, &as_stored(app, ticket.clone(), &stored, body))?;
    let body = serde_json::from_str(stored.body.as_deref().unwrap_or_default());
    body.map(Some).map_err(|error| Problem::internal(&error))
}

fn scope(app: &App, request: &HttpRequest, key: &str) -> String {
    let caller = request.extensions().get::<Authenticated>().map(|known| known.session.actor.id.to_string());
    let caller = caller.unwrap_or_else(|| client_address(app, request).to_string());
    sha256_hex(format!("{caller}\n{}\n{}\n{key}", request.method(), routed(request)))
}

/// Returns the stored answer, or the reason why it cannot be returned.
pub(crate) fn replay(stored: &StoredAnswer, ticket: &Ticket) -> Result<HttpResponse, Problem> {
    if stored.fingerprint != ticket.fingerprint {
        let detail = "This Idempotency-Key was already used with another body.";
        let hint = "Use a new key for a new request. Use the same key only for a repeat with the same body.";
        return Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, "idempotency_key_reused", detail, hint));
    }
    if stored.status == 0 {
        return Err(running());
    }
    let Some(body) = &stored.body else {
        let (code, hint) = match &stored.withheld {
            Some(hint) => ("answer_not_stored", hint.as_str()),
            None => ("answer_redacted", "The author has redacted the text, or an operator has hidden or erased it."),
        };
        let detail =
            "A request with this Idempotency-Key was carried out before, but its answer cannot be shown again.";
        return Err(Problem::new(StatusCode::CONFLICT, code, detail, hint));
    };
    let status = u16::try_from(stored.status).ok().and_then(|status| StatusCode::from_u16(status).ok());
    let status = status.unwrap_or(StatusCode::OK);
    if !status.is_success() {
        // The repeated problem gets the id of this request.
        let problem: Problem = serde_json::from_str(body).map_err(|error| Problem::internal(&error))?;
        return Err(problem.replayed());
    }
    let mut response = begin(status, stored.location.as_deref());
    response.insert_header((REPLAYED, "true"));
    Ok(end(response, body.clone()))
}

/// Builds the HTTP response from the serialized answer of a write.
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
