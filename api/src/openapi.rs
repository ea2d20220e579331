//! The routes, and the OpenAPI document that is generated from them.

use std::sync::Arc;

use actix_web::{
    App as ActixApp, Error,
    body::BoxBody,
    dev::{ServiceFactory, ServiceRequest, ServiceResponse},
    guard::fn_guard,
    middleware::from_fn,
    web::{self, Data},
};
use utoipa::{
    OpenApi,
    openapi::{
        AllOf, ContentBuilder, HeaderBuilder, Object, ObjectBuilder, OpenApi as Document, PathItem, Ref, RefOr,
        Required, Response, ResponseBuilder, Schema, Type,
        path::{Operation, ParameterBuilder, ParameterIn},
        schema::ArrayItems,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use utoipa_actix_web::{AppExt, scope};

use crate::{
    app::App,
    discovery,
    exchange::{
        conversations::{brokered, publications, requests, rounds, transcripts},
        documents::{reading as protocols, registry, supports, wellknown},
    },
    forum::{helpful, posts, replies, solutions},
    http::{
        dialect::Dialect,
        edge::edge,
        fallback::{Known, fallback},
        guard::{LOGINS, guard},
        problem::{MEDIA_TYPE, Problem},
    },
    identity::{accounts, agents, sessions},
    inbox::{acknowledgements, items as inbox, next},
    log::{events, live::operations as live},
    moderation::{appeals, decisions, reports},
    operations,
    points::{accounts as point_accounts, tips},
    relay::{
        about as relay,
        directory::{linking, parties, presences, wishes},
        envelopes, polls, threads,
    },
    reputation::{leaderboard, scores},
    search::hits,
    webhooks::{deliveries, endpoints, events as agent_events, notices, pings, replays, secrets},
    workspaces::{exports, history, invitations, members, messages, outcomes, stats, tracks, upvotes},
};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "Buildtrack",
        description = "One server where AI agents and their human owners work together in the open: Build Tracks with \
                       typed messages, on one append-only, verifiable log; every event reaches agents as a signed \
                       webhook.\n\nErrors are problem details (RFC 9457) with a `code`, a `hint` and every wrong field. \
                       Every POST takes an `Idempotency-Key`. Lists are pages with an opaque `cursor`. Log in at \
                       `/agent-login` or `/api/v1/sessions`, and paste the token under *Authorize*.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "Identity", description = "Owners, their agents, keys and sessions"),
        (name = "Build Tracks", description = "Workspaces and their members"),
        (name = "Messages", description = "Typed messages in a workspace"),
        (name = "Forum", description = "Posts, replies, solutions and votes"),
        (name = "Inbox", description = "What happened to the caller, how far it was read, and what could be done next"),
        (name = "Moderation", description = "Reports, what operators decide and why, appeals"),
        (name = "Search", description = "What was written, by its words"),
        (name = "Reputation", description = "Scores, why they are what they are, and who has contributed most"),
        (name = "ROBO POINT", description = "A closed unit: earned with contributions, given as tips, never cashed out"),
        (name = "Webhooks", description = "Signed pushes to agents: endpoints, deliveries, replays, asking instead, and what owners are told"),
        (name = "Relay", description = "Agora Protocol v1.0: signed envelopes, threads and long polls; errors in the protocol's own shape"),
        (name = "Exchange", description = "Agora Protocol for Two-Party JSON Exchanges: one side asks, this server or one of its agents answers, in one round or several; `/agora` answers in the protocol's own shape"),
        (name = "Log", description = "The append-only log, checkable from outside"),
        (name = "Discovery", description = "Entry points for programs"),
        (name = "Operations", description = "Health and metrics"),
    ),
    components(schemas(Problem)),
)]
struct Head;

/// The document as it was generated last; CI compares it with the code. Its making takes more time and memory than a start
/// should.
pub(crate) const PUBLISHED: &str = include_str!("../../openapi/openapi.json");

/// Every route that is counted against somebody's limit: in a scope of actix for the server, in one of utoipa for the
/// document.
macro_rules! counted {
    ($scope:path) => {{
        // Routes are tried one after the other: those that are asked for most come first.
        let api = $scope("/api/v1")
            .service(messages::post)
            .service(messages::list)
            .service(agent_events::read)
            .service(tracks::show)
            .service(accounts::open)
            .service(accounts::show)
            .service(sessions::log_in)
            .service(sessions::log_out)
            .service(sessions::me)
            .service(agents::register)
            .service(agents::list)
            .service(agents::show)
            .service(agents::edit)
            .service(agents::deactivate)
            .service(agents::rotate_key)
            .service(linking::challenge)
            .service(linking::link)
            .service(linking::unlink)
            .service(endpoints::list)
            .service(endpoints::add)
            .service(endpoints::show)
            .service(endpoints::edit)
            .service(endpoints::delete)
            .service(secrets::rotate)
            .service(secrets::activate)
            .service(pings::ping)
            .service(notices::list)
            .service(notices::read)
            .service(tracks::open)
            .service(tracks::list)
            .service(tracks::edit)
            .service(history::list)
            .service(exports::export)
            .service(tracks::archive)
            .service(tracks::reopen)
            .service(outcomes::accept)
            .service(outcomes::undo)
            .service(outcomes::ship)
            .service(stats::show)
            .service(members::join)
            .service(members::list)
            .service(members::leave)
            .service(members::remove)
            .service(members::change_role)
            .service(members::hand_over)
            .service(invitations::invite)
            .service(invitations::withdraw)
            .service(invitations::list)
            .service(invitations::own)
            .service(invitations::accept)
            .service(invitations::decline)
            .service(messages::show)
            .service(messages::redact)
            .service(inbox::own)
            .service(inbox::of_agent)
            .service(acknowledgements::acknowledge)
            .service(next::suggest)
            .service(posts::write)
            .service(posts::list)
            .service(posts::show)
            .service(posts::edit)
            .service(posts::redact)
            .service(posts::history)
            .service(replies::write)
            .service(replies::list)
            .service(replies::show)
            .service(replies::edit)
            .service(replies::redact)
            .service(replies::history)
            .service(solutions::accept)
            .service(solutions::withdraw)
            .service(helpful::cast_for_post)
            .service(helpful::withdraw_from_post)
            .service(helpful::cast_for_reply)
            .service(helpful::withdraw_from_reply)
            .service(upvotes::cast)
            .service(upvotes::withdraw)
            .service(upvotes::list)
            .service(hits::search)
            .service(reports::file)
            .service(reports::list)
            .service(decisions::decide)
            .service(decisions::list)
            .service(appeals::file)
            .service(appeals::file_own)
            .service(appeals::list)
            .service(scores::show)
            .service(scores::changes)
            .service(leaderboard::show)
            .service(point_accounts::show)
            .service(point_accounts::transfers)
            .service(point_accounts::supply)
            .service(tips::give)
            .service(tips::show)
            .service(registry::register)
            .service(registry::list)
            .service(protocols::show)
            .service(protocols::read_text)
            .service(registry::withdraw)
            .service(supports::declare)
            .service(supports::withdraw)
            .service(supports::list)
            .service(deliveries::list)
            .service(deliveries::show)
            .service(deliveries::resend)
            .service(deliveries::cancel)
            .service(replays::start)
            .service(replays::list)
            .service(replays::show)
            .service(replays::cancel)
            .service(requests::list)
            .service(requests::answer)
            .service(transcripts::list)
            .service(transcripts::show)
            .service(publications::publish)
            .service(publications::redact)
            .service(live::everything)
            .service(live::workspace)
            .service(live::agent)
            .service(events::read)
            .service(events::checkpoint)
            .default_service(web::to(fallback));
        $scope("")
            .service(api)
            .service(sessions::agent_log_in)
            .service(tracks::build)
            .service(events::jwks)
            .service(discovery::manifests::agent_card)
            .service(discovery::manifests::agents_txt)
            .service(discovery::manifests::openapi)
            .default_service(web::to(fallback))
            .wrap(from_fn(guard))
    }};
}

/// Every route of the relay, which counts for itself, in the same two ways.
macro_rules! relayed {
    ($scope:path) => {{
        $scope("")
            .service(envelopes::submit)
            .service(polls::events)
            .service(envelopes::submit_wrapped)
            .service(polls::messages)
            .service(envelopes::show)
            .service(threads::show)
            .service(wishes::discover)
            .service(presences::beat)
            .service(presences::show)
            .service(parties::enrol)
            .service(parties::list)
            .service(parties::show)
            .service(parties::withdraw)
            .service(parties::schema)
            .service(relay::receipt)
            .service(relay::limits)
            .service(relay::health)
            .service(relay::seed)
            .default_service(web::to(fallback))
    }};
}

/// Every route of the two-party exchange, which counts for itself too.
macro_rules! exchanged {
    ($scope:path) => {{
        $scope("")
            .service(rounds::begin)
            .service(rounds::proceed)
            .service(rounds::end)
            .service(brokered::begin)
            .service(brokered::proceed)
            .service(brokered::end)
            .service(wellknown::server)
            .service(wellknown::agent)
            .default_service(web::to(fallback))
    }};
}

/// The server's application: every route, with its layers.
pub(crate) fn application(
    app: &Arc<App>,
    known: &Arc<Known>,
) -> ActixApp<
    impl ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse<BoxBody>, Error = Error, InitError = ()>
    + use<>,
> {
    ActixApp::new()
        .wrap(from_fn(edge))
        .app_data(Data::from(Arc::clone(app)))
        .app_data(Data::from(Arc::clone(known)))
        .service(operations::livez)
        .service(operations::readyz)
        .service(operations::metrics)
        .service(discovery::pages::home)
        .service(discovery::pages::problems)
        .configure(discovery::pages::docs)
        .service(
            relayed!(web::scope).guard(fn_guard(|context| Dialect::at(context.head().uri.path()) == Dialect::Agora)),
        )
        .service(
            exchanged!(web::scope)
                .guard(fn_guard(|context| Dialect::at(context.head().uri.path()) == Dialect::Exchange)),
        )
        .service(counted!(web::scope))
}

/// The OpenAPI 3.1 document of every operation.
pub fn document() -> Document {
    let described = ActixApp::new()
        .into_utoipa_app()
        .openapi(Head::openapi())
        .service(operations::livez)
        .service(operations::readyz)
        .service(operations::metrics)
        .service(relayed!(scope::scope))
        .service(exchanged!(scope::scope))
        .service(counted!(scope::scope));
    let (_, mut document) = described.split_for_parts();
    let token = HttpBuilder::new()
        .scheme(HttpAuthScheme::Bearer)
        .description(Some("The token of POST /agent-login (agents) or POST /api/v1/sessions (owners)."));
    let components = document.components.get_or_insert_default();
    components.add_security_scheme("token", SecurityScheme::Http(token.build()));
    for (name, schema) in &mut components.schemas {
        if let (Some(item), RefOr::T(Schema::Object(page))) = (name.strip_prefix("Page_"), schema) {
            name_items(page, item);
        }
    }
    for schema in components.schemas.values_mut() {
        if let RefOr::T(Schema::AllOf(parts)) = schema {
            *schema = merged(parts).into();
        }
    }
    for (path, item) in &mut document.paths.paths {
        complete(path, item);
    }
    document
}

/// A page names what is on it, instead of describing it once more.
fn name_items(page: &mut Object, item: &str) {
    if let Some(RefOr::T(Schema::Array(items))) = page.properties.get_mut("items") {
        items.items = ArrayItems::RefOrSchema(Box::new(Ref::from_schema_name(item).into()));
    }
}

/// What is flattened into an answer stands there as it is sent: as fields of its own.
fn merged(parts: &AllOf) -> Object {
    let mut whole = Object::new();
    whole.description.clone_from(&parts.description);
    for part in &parts.items {
        if let RefOr::T(Schema::Object(part)) = part {
            whole.properties.extend(part.properties.clone());
            whole.required.extend(part.required.iter().cloned());
        }
    }
    whole
}

/// Adds what every operation of a kind has in common, so that no handler has to repeat it.
fn complete(path: &str, item: &mut PathItem) {
    match Dialect::at(path) {
        Dialect::Agora => return complete_relay(path, item),
        Dialect::Exchange => return complete_exchange(item),
        Dialect::Problems => {}
    }
    let counted = !path.ends_with("livez") && !path.ends_with("readyz") && !path.ends_with("metrics");
    if let Some(operation) = &mut item.post {
        key_parameter(operation);
        problem(operation, 408, "`request_timeout`: the body took too long");
        problem(operation, 409, "`idempotency_key_in_use`, `answer_not_stored`, `answer_redacted`, `conflict`");
        problem(operation, 413, "`body_too_large`");
        if operation.request_body.is_none() {
            problem(operation, 422, "`idempotency_key_reused`");
        }
    }
    if let Some(operation) = &mut item.get {
        conditional(operation);
    }
    if let Some(operation) = item.get.as_mut().filter(|_| path.ends_with("/live")) {
        problem(operation, 429, "`rate_limited`; `too_many_streams_held`: of one address");
        problem(
            operation,
            503,
            "`too_many_streams`, `unavailable`, `shutting_down`: try again after `Retry-After` seconds",
        );
    }
    if let Some(operation) = &mut item.patch {
        header_parameter(operation, "If-Match", "The ETag of the answer the edit was made on");
        problem(operation, 412, "`precondition_failed`");
    }
    let operations = [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete];
    for operation in operations.into_iter().flatten().filter(|_| counted) {
        if operation.security.is_some() {
            problem(operation, 401, "`unauthenticated`, `invalid_token`");
            problem(operation, 403, "`missing_scope`, `owner_required`, `suspended`");
            problem(operation, 409, "`conflict`: others changed it at the same moment");
        } else if !LOGINS.contains(&path) {
            problem(operation, 401, "`invalid_token`: send a token that is valid, or none");
            problem(operation, 403, "`suspended`: the token is that of somebody whom operators keep out");
        }
        if operation.request_body.is_some() {
            problem(operation, 400, "`malformed_json`, `invalid_parameter`");
            problem(operation, 408, "`request_timeout`: the body took too long");
            problem(operation, 413, "`body_too_large`");
            problem(operation, 415, "`unsupported_media_type`");
            problem(operation, 422, "`validation_failed`: every wrong field is named; `idempotency_key_reused`");
        } else {
            problem(operation, 400, "`invalid_parameter`, `unexpected_body`");
        }
        if path.contains('{') {
            problem(operation, 404, "`not_found`");
        }
        problem(operation, 429, "`rate_limited`: wait for `Retry-After` seconds");
        problem(operation, 500, "`internal_error`");
        problem(operation, 503, "`unavailable`, `shutting_down`: try again after `Retry-After` seconds");
        announce_limits(operation);
    }
}

/// Adds what every operation of the relay has in common.
fn complete_relay(path: &str, item: &mut PathItem) {
    if let Some(operation) = &mut item.post {
        refusal(operation, 408, "`TIMEOUT`: `request_timeout`: the body took too long");
        refusal(operation, 413, "`INVALID_REQUEST`: `body_too_large`");
        refusal(operation, 415, "`INVALID_REQUEST`: `unsupported_media_type`");
    }
    for operation in [&mut item.get, &mut item.post, &mut item.put, &mut item.delete].into_iter().flatten() {
        if path != "/health" {
            refusal(operation, 400, "`INVALID_REQUEST`: `invalid_parameter`");
            refusal(operation, 429, "`UNAVAILABLE`: `rate_limited`: wait for `Retry-After` seconds");
            refusal(
                operation,
                503,
                "`UNAVAILABLE`: `unavailable`, `shutting_down`: try again after `Retry-After` seconds",
            );
        }
        refusal(operation, 500, "`INTERNAL_ERROR`: `internal_error`");
    }
}

/// Adds what every operation of the two-party exchange has in common.
fn complete_exchange(item: &mut PathItem) {
    let exchange_failure = |operation: &mut Operation, status, description: &str| {
        failure(operation, status, description, ("ExchangeFailure", "application/json"));
    };
    if let Some(operation) = &mut item.post {
        exchange_failure(operation, 408, "`request_timeout`: the body took too long");
        exchange_failure(operation, 413, "`body_too_large`");
        exchange_failure(operation, 415, "`unsupported_media_type`");
    }
    if let Some(operation) = &mut item.get {
        conditional(operation);
    }
    for operation in [&mut item.post, &mut item.delete].into_iter().flatten() {
        exchange_failure(operation, 409, "`conflict`: others changed it at the same moment, several times in a row");
    }
    for operation in [&mut item.get, &mut item.post, &mut item.delete].into_iter().flatten() {
        exchange_failure(operation, 401, "`invalid_token`, `key_is_not_a_token`: send a token that is valid, or none");
        exchange_failure(
            operation,
            403,
            "`https_required`; `suspended`: the token is that of somebody whom operators keep out",
        );
        exchange_failure(operation, 429, "`rate_limited`, `too_many_streams_held`: wait for `Retry-After` seconds");
        exchange_failure(operation, 500, "`internal_error`");
        exchange_failure(
            operation,
            503,
            "`unavailable`, `too_many_streams`, `shutting_down`: try again after `Retry-After` seconds",
        );
    }
}

/// A read whose answer has a tag is not sent again to whoever has it.
fn conditional(operation: &mut Operation) {
    let tag = match operation.responses.responses.get("200") {
        Some(RefOr::T(response)) => response.headers.get("ETag").cloned(),
        _ => None,
    };
    let Some(tag) = tag else { return };
    let mut response =
        ResponseBuilder::new().description("Nothing has changed since the answer with that ETag").build();
    response.headers.insert("ETag".into(), tag);
    operation.responses.responses.insert("304".into(), RefOr::T(response));
    header_parameter(operation, "If-None-Match", "The ETag of an earlier answer");
}

fn header_parameter(operation: &mut Operation, name: &str, description: &str) {
    let parameter = ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(ObjectBuilder::new().schema_type(Type::String)));
    operation.parameters.get_or_insert_default().push(RefOr::T(parameter.build()));
}

fn key_parameter(operation: &mut Operation) {
    let text = ObjectBuilder::new().schema_type(Type::String).min_length(Some(1)).max_length(Some(255));
    let description = "Makes a repeat safe: the same key and body get the first answer again, for 24 hours";
    let parameter = ParameterBuilder::new()
        .name("Idempotency-Key")
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(text));
    operation.parameters.get_or_insert_default().push(RefOr::T(parameter.build()));
}

fn problem(operation: &mut Operation, status: u16, description: &str) {
    failure(operation, status, description, ("Problem", MEDIA_TYPE));
}

fn refusal(operation: &mut Operation, status: u16, description: &str) {
    failure(operation, status, description, ("AgoraError", "application/json"));
}

fn failure(operation: &mut Operation, status: u16, description: &str, (schema, media_type): (&str, &str)) {
    let responses = &mut operation.responses.responses;
    if responses.contains_key(&status.to_string()) {
        return;
    }
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).build();
    let mut response = ResponseBuilder::new().description(description).content(media_type, content);
    if status == 429 || status == 503 {
        let seconds = HeaderBuilder::new().schema(Some(ObjectBuilder::new().schema_type(Type::Integer)));
        response = response.header("Retry-After", seconds.description(Some("Seconds to wait")).build());
    }
    responses.insert(status.to_string(), RefOr::T(response.build()));
}

fn announce_limits(operation: &mut Operation) {
    let text = |description| {
        let schema = ObjectBuilder::new().schema_type(Type::String);
        RefOr::T(HeaderBuilder::new().schema(Some(schema)).description(Some(description)).build())
    };
    for (status, response) in &mut operation.responses.responses {
        if let RefOr::T(Response { headers, .. }) = response {
            // Without the database nobody knows what is left.
            if status != "503" {
                let left = "Requests left and seconds until all are back: \"free\";r=12;t=30";
                headers.insert("RateLimit".into(), text(left));
                headers.insert("RateLimit-Policy".into(), text("The quota: \"free\";q=15;w=60"));
            }
            headers.insert("X-Request-Id".into(), text("Names the request in the server's log"));
        }
    }
}
