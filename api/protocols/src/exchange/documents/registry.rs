//! The registry of protocol documents: registration, lists and withdrawal.

use std::borrow::Cow;

use actix_web::{HttpRequest, HttpResponse, delete, get, post, web::Path};
use buildtrack_domain::{
    actors::ActorId,
    decide::Command,
    exchange::documents::{Document, DocumentHash, WithdrawDocument},
    ids::AgentId,
    search,
};
use buildtrack_http::{
    actors::owned::own as own_agent,
    answers::no_content,
    app::App,
    auth::{Caller, MaybeCaller, Write},
    body::Submission,
    described::text,
    etag,
    guard::app_of,
    page::Page,
    problem::{Cause, Problem},
    query::{OrMe, Paging, Parameters, Query, TEXT_MAX, Value, path_id, refused},
};
use buildtrack_store::{DocumentFilter, Listed};
use utoipa::openapi::Schema;

use super::{
    own,
    registering::register as register_document,
    schemas::{NewProtocol, Protocol},
};

use crate::exchange::parameters::DocumentParameter;

/// Register a protocol document.
///
/// The SHA-1 of the whole text identifies the document. If the text is already registered, the response is the existing
/// document. A different text with the same SHA-1 is refused.
#[utoipa::path(
    operation_id = "registerProtocol",
    tag = "Exchange",
    request_body = NewProtocol,
    responses(
        (status = 201, description = "The document", body = Protocol, headers(("Location" = String))),
        (status = 200, description = "The document, which was already registered", body = Protocol),
        (status = 409, description = "`hash_collision`, `protocol_withdrawn`"),
    ),
    security(("token" = [])),
)]
#[post("/protocols")]
pub(crate) async fn register(
    request: HttpRequest,
    caller: Caller<Write>,
    submission: Submission<NewProtocol>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    let done = register_document(&app, &caller, body.document()?, key.ticket()).await?;
    key.answered(done)
}

/// Words to search for. An empty text is the same as none; the search itself refuses others without a term.
pub(crate) struct Words(String);

impl Value for Words {
    fn expected() -> Cow<'static, str> {
        "words to search for".into()
    }

    fn parse(text: &str) -> Option<Self> {
        Some(Self(text.to_owned()))
    }

    fn schema() -> Schema {
        text().max_length(Some(TEXT_MAX)).pattern(Some(r"^$|\S")).into()
    }

    fn read(parameters: &mut Parameters, name: &str) -> Option<Self> {
        parameters.raw(name).filter(|text| !text.is_empty()).map(Self)
    }
}

/// Which documents are listed.
#[derive(Query)]
pub(crate) struct ProtocolsQuery {
    /// Only documents with these words in name and description; the syntax is that of `/api/v1/search`
    #[query(example = "weather")]
    q: Option<Words>,
    /// Only documents with exactly this name
    #[query(example = "Weather")]
    name: Option<String>,
    /// Only documents registered by this agent or owner; `me` is the caller
    registrar: Option<OrMe<ActorId>>,
    /// Only documents that this agent has declared support for; `me` is the caller
    supported_by: Option<OrMe<AgentId>>,
    #[query(flat)]
    paging: Paging,
}

/// List protocol documents.
///
/// The latest registration comes first; documents that come with the server come last. Withdrawn documents are omitted. One request
/// looks at a limited number of documents: go on with `nextCursor`, even after a short or empty page.
#[utoipa::path(
    operation_id = "listProtocols",
    tag = "Exchange",
    params(ProtocolsQuery),
    responses(
        (status = 200, description = "Documents", body = Page<Protocol>, headers(("ETag" = String))),
        (status = 403, description = "`missing_scope`: `me` needs a session with permission to read"),
        (status = 422, description = "`invalid_query`: `q` contains no search term"),
    ),
)]
#[get("/protocols")]
pub(crate) async fn list(
    request: HttpRequest,
    caller: MaybeCaller,
    query: ProtocolsQuery,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let ProtocolsQuery { q, name, registrar, supported_by, paging } = query;
    let (registrar, (before, limit)) = (OrMe::resolve(registrar, &caller)?, paging.range());
    let supported_by = match OrMe::resolve(supported_by, &caller)? {
        None => None,
        Some(ActorId::Agent(agent)) => Some(agent),
        Some(ActorId::Owner(owner)) => {
            let (message, hint) = (format!("{owner} is not an agent"), "Give the id of an agent, ag_….");
            return Err(refused("supportedBy", message, hint));
        }
    };
    let query = q.map(|Words(text)| search::Query::parse(&text)).transpose()?;
    let filter = DocumentFilter { query, name, registrar, supported_by, before, limit: limit + 1 };
    let Listed { rows, scanned_to } = app.store.exchange().listed_documents(&filter).await?;
    let registered = rows.into_iter().map(|view| (view.position, Protocol::new(view, &app.public_url)));
    let mut rows: Vec<_> = registered.collect();
    if scanned_to.is_none() {
        rows.extend(own_listed(&app, &filter).await?);
    }
    let listed = Listed { rows, scanned_to };
    Ok(etag::answer_list(&request, &Page::listed(listed, limit, |(position, _)| *position, |(_, protocol)| protocol)))
}

/// The server's own documents that match the filter, with their list positions.
async fn own_listed(app: &App, filter: &DocumentFilter) -> Result<Vec<(i64, Protocol)>, Problem> {
    let mut listed = Vec::new();
    if filter.registrar.is_some() {
        return Ok(listed);
    }
    for own in own::all() {
        let supported = match filter.supported_by {
            Some(agent) => app.store.exchange().document_supported(agent, &own.hash()).await?,
            None => true,
        };
        let found = filter.query.as_ref().is_none_or(|query| own.is_found_by(query));
        let named = filter.name.as_ref().is_none_or(|name| *name == own.document.metadata().name);
        if supported && found && named && filter.before.is_none_or(|before| own.position < before) {
            listed.push((own.position, Protocol::own(own, &app.public_url)));
        }
    }
    Ok(listed)
}

/// Withdraw a protocol document from the lists.
///
/// The document's registrar, or the registrar's owner, can withdraw it. Declarations of support disappear with it. The
/// text remains readable, and its hash remains taken. Registering it again reverses the withdrawal.
#[utoipa::path(
    operation_id = "withdrawProtocol",
    tag = "Exchange",
    params(DocumentParameter),
    responses(
        (status = 204, description = "The document is no longer listed"),
        (status = 403, description = "`not_registrar`"),
    ),
    security(("token" = [])),
)]
#[delete("/protocols/{hash}")]
pub(crate) async fn withdraw(
    request: HttpRequest,
    hash: Path<String>,
    caller: Caller<Write>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let hash: DocumentHash = path_id(&hash, "protocol document")?;
    caller
        .transact(&app, async |unit, _| {
            let state = unit.load::<Document>(hash.stream()).await?;
            let by = match &state.state.registered {
                Some((ActorId::Agent(agent), _)) => on_behalf(&app, *agent, &caller).await?,
                _ => caller.id(),
            };
            let events = WithdrawDocument { hash, by }.decide(&state.state)?;
            unit.append(hash.stream(), &state, events);
            Ok(())
        })
        .await?;
    Ok(no_content())
}

/// The agent's id if the caller is that agent or its owner; otherwise the caller's id.
async fn on_behalf(app: &App, agent: AgentId, caller: &Caller<Write>) -> Result<ActorId, Problem> {
    match own_agent(app, agent, caller).await {
        Ok(_) => Ok(agent.into()),
        Err(problem) if problem.cause == Cause::NotFound => Ok(caller.id()),
        Err(problem) => Err(problem),
    }
}
