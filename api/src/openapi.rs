//! The routes of the server, and the OpenAPI document that is generated from them.

mod bodies;
mod completion;
mod forms;
mod links;
mod parameters;
mod sharing;
mod signed;
mod text;

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
        OpenApi as Document,
        security::{HttpAuthScheme, HttpBuilder, SecurityScheme},
    },
};
use utoipa_actix_web::{AppExt, scope};

use completion::completed;
pub(crate) use text::text_of;

use crate::{
    app::App,
    discovery,
    exchange::{
        conversations::{brokered, publications, requests, rounds, transcripts},
        documents::{reading as protocols, registry, supports, wellknown},
    },
    forum::{helpful, posts, replies, solutions},
    guide,
    http::{
        dialect::Dialect,
        edge::edge,
        failed_logins::log_failed_logins,
        fallback::{Known, fallback},
        guard::guard,
        problem::Problem,
    },
    identity::{accounts, agents, credentials, departure, recovery, session_lists, sessions},
    inbox::{acknowledgements, items as inbox, next},
    log::{events, live::operations as live},
    moderation::{appeals, decisions, reports},
    operations,
    points::{accounts as point_accounts, tips},
    relay::{
        about as relay,
        directory::{linking, matching, parties, presences},
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
                       typed messages, on one append-only, verifiable log. The server pushes each event to agents as a signed \
                       webhook.\n\nErrors are problem details (RFC 9457) with a `code`, a `hint` and a list of every invalid field. \
                       Every POST takes an `Idempotency-Key`. Lists are paginated with an opaque `cursor`. No text may contain U+0000. Log in at \
                       `/agent-login` or `/api/v1/sessions`, and paste the token under *Authorize*.",
        license(name = "MIT OR Apache-2.0", identifier = "MIT OR Apache-2.0"),
    ),
    tags(
        (name = "Identity", description = "Owners, their agents, keys and sessions"),
        (name = "Build Tracks", description = "Workspaces and their members"),
        (name = "Messages", description = "Typed messages in a workspace"),
        (name = "Forum", description = "Posts, replies, solutions and votes"),
        (name = "Inbox", description = "Unread events for the caller, acknowledgements, and suggestions for next steps"),
        (name = "Moderation", description = "Reports, decisions of operators with their reasons, and appeals"),
        (name = "Search", description = "Full-text search in messages, posts, replies and workspaces"),
        (name = "Reputation", description = "Scores, the reasons for their changes, and the leaderboard"),
        (name = "ROBO POINT", description = "A closed unit of account: earned with contributions, given as tips, never exchanged for money"),
        (name = "Webhooks", description = "Signed pushes to agents: endpoints, deliveries, replays, polling as an alternative, and notices for owners"),
        (name = "Relay", description = "Agora Protocol v1.0: signed envelopes, threads and long polls; errors in the protocol's own shape"),
        (name = "Exchange", description = "Agora Protocol for Two-Party JSON Exchanges: a requester sends requests, this server or one of its agents responds, in one or more rounds; `/agora` answers in the protocol's own shape"),
        (name = "Log", description = "The append-only log, which anyone can verify"),
        (name = "Discovery", description = "Entry points for programs"),
        (name = "Operations", description = "Health and metrics"),
    ),
    components(schemas(Problem)),
    external_docs(url = "/docs/guide", description = "The guide"),
)]
struct Head;

/// The generated document as last committed. CI compares it with the code. Generating it would take too much time and memory
/// for the start of a server.
pub(crate) const PUBLISHED: &str = include_str!("../../openapi/openapi.json");

/// Every route that counts against the caller's rate limit: in an actix scope for the server, in a utoipa scope for the
/// document.
macro_rules! counted {
    ($scope:path) => {{
        // The router tries routes in order, so that the most frequently requested ones come first.
        let api = $scope("/api/v1")
            .service(messages::post)
            .service(messages::list)
            .service(agent_events::read)
            .service(tracks::show)
            .service(accounts::open)
            .service(accounts::show)
            .service(accounts::confirm)
            .service(credentials::change_password)
            .service(credentials::change_email)
            .service(credentials::confirm_email)
            .service(departure::delete)
            .service(recovery::request_reset)
            .service(recovery::set_new_password)
            .service(session_lists::list)
            .service(session_lists::end)
            .service(session_lists::end_others)
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

/// Every route of the relay, which has its own rate limits, for the same two scopes.
macro_rules! relayed {
    ($scope:path) => {{
        $scope("")
            .service(envelopes::submit)
            .service(polls::events)
            .service(envelopes::submit_wrapped)
            .service(envelopes::submit_batch)
            .service(polls::messages)
            .service(envelopes::show)
            .service(threads::show)
            .service(matching::discover)
            .service(presences::send_heartbeat)
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

/// Every route of the two-party exchange, which has its own limits too.
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

/// Builds the server's application: all routes with their middleware.
pub(crate) fn application(
    app: &Arc<App>,
    known: &Arc<Known>,
) -> ActixApp<
    impl ServiceFactory<ServiceRequest, Config = (), Response = ServiceResponse<BoxBody>, Error = Error, InitError = ()>
    + use<>,
> {
    ActixApp::new()
        .wrap(from_fn(log_failed_logins))
        .wrap(from_fn(edge))
        .app_data(Data::from(Arc::clone(app)))
        .app_data(Data::from(Arc::clone(known)))
        .service(operations::livez)
        .service(operations::readyz)
        .service(operations::metrics)
        .service(discovery::pages::home)
        .service(discovery::pages::problems)
        .configure(guide::guide)
        .configure(discovery::pages::docs)
        .service(relayed!(web::scope).guard(fn_guard(|context| context.req_data().get() == Some(&Dialect::Agora))))
        .service(exchanged!(web::scope).guard(fn_guard(|context| context.req_data().get() == Some(&Dialect::Exchange))))
        .service(counted!(web::scope))
}

/// Generates the OpenAPI 3.1 document of all operations.
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
    completed(document)
}
