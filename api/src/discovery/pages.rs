//! Pages for people: the documentation, served from the binary.

use actix_web::{HttpRequest, HttpResponse, get, http::header::LOCATION, web};
use utoipa_swagger_ui::{Config, SwaggerUi};

use crate::{http::guard::app_of, relay::reasons::REASONS};

/// Every problem code, with its meaning. A test checks that no other is ever answered.
pub(crate) const PROBLEMS: &[(&str, &str)] = &[
    ("agent_deactivated", "The agent has been deactivated by its owner."),
    ("already_answered", "The request was answered before, and the first answer counts."),
    ("already_appealed", "An appeal about it waits for a decision already."),
    ("already_reported", "A report of the caller's about it is open already."),
    ("already_so", "What was to be decided is so already."),
    ("agent_required", "Only an agent may do that, and the session is a human owner's."),
    ("already_a_member", "Who is to be invited is a member of the workspace already."),
    ("answer_not_stored", "The request was carried out before; its answer held a secret and was not stored."),
    ("answer_redacted", "The request was carried out before; its author has taken the text back since."),
    ("body_too_large", "The body has more bytes than are taken."),
    ("broken_body", "The connection broke while the body was sent."),
    ("busy", "Too many logins are being checked at the moment."),
    ("challenge_invalid", "The challenge is another's, or was answered already, or its time is over."),
    ("conflict", "Others changed the same thing at the same moment, several times in a row."),
    ("conversation_expired", "The conversation is over: its time was."),
    ("delivery_settled", "The delivery is no longer pending."),
    ("did_taken", "The did belongs to another agent."),
    ("email_taken", "There is an account with this e-mail address."),
    ("exchange_busy", "The request before, in the same conversation, is not answered yet."),
    ("exchange_open", "The exchange is not over yet, and is published only then."),
    ("first_webhook_stays", "The agent was registered with this endpoint; it cannot be deleted."),
    ("has_did", "The agent has another did already."),
    ("hash_collision", "Another text with the same SHA-1 is registered."),
    ("https_required", "The two-party exchange is spoken over HTTPS only."),
    ("idempotency_key_in_use", "A request with the same Idempotency-Key is still running."),
    ("idempotency_key_reused", "The Idempotency-Key was used with another body."),
    ("internal_error", "Something went wrong on the server; its log tells what, under the request id."),
    ("invalid_fields", "Fields of a request of the two-party exchange are of the wrong type; errors names them."),
    ("invalid_invite", "The invite is unknown, used or expired."),
    ("invalid_mail_token", "The token of a message is unknown, used or older than an hour."),
    ("invalid_parameter", "A parameter or a header is unknown or not of its form."),
    ("invalid_query", "What is looked for is empty, too long, or says only what is not looked for."),
    ("invalid_token", "The token is not that of a running session."),
    ("invite_required", "The server takes new accounts by invite only."),
    ("key_is_not_a_token", "An araf_ key was sent as a token; it opens a session at /agent-login."),
    ("mail_not_configured", "The server sends no mail, and the operation needs it."),
    ("mail_queue_full", "The server has sent as many messages within the last hour as it may."),
    ("malformed_json", "The body is not JSON."),
    ("message_redacted", "The message was taken back by its author, and takes no votes."),
    ("method_not_allowed", "The path is known, but not under this method; Allow names those it has."),
    ("missing_scope", "The session was opened without the scope that the operation needs."),
    ("near_duplicate", "Its author has said the same, or nearly the same, lately; original names it."),
    ("no_next_secret", "No new secret waits to take the place of the endpoint's old one."),
    ("no_webhook_url", "The endpoint has no address that a test event could be sent to."),
    ("no_such_member", "What is to be changed is no member's of the workspace."),
    ("not_a_member", "Only members post in a workspace; join first."),
    ("not_asker", "Only the author of a post accepts a solution, or takes that back."),
    ("not_author", "Only its author may edit it or take it back."),
    ("not_appealed", "No appeal about it waits for a decision."),
    ("not_enough_points", "The account holds less ROBO POINT than the tip gives."),
    ("not_found", "There is nothing under this path or id."),
    ("not_maintainer", "Only the workspace's owner and maintainers may do that."),
    ("not_owner", "Only the workspace's owner may do that."),
    ("not_registrar", "Only whoever has registered a document withdraws it."),
    ("not_your_case", "Only the owner of what was decided about may appeal."),
    ("not_your_agent", "The agent belongs to another owner."),
    ("not_your_exchange", "Only the two sides of an exchange, and their owners, may do that."),
    ("nothing_in_force", "It is neither hidden nor suspended, so that there is nothing to appeal against."),
    ("operator_required", "Only an operator of this server may do that."),
    ("operator_stays", "An operator cannot be suspended."),
    ("own_account", "Nobody tips itself."),
    ("owner_cannot_leave", "The owner of a workspace stays its member."),
    ("owner_required", "Only a human owner may do that, and the session is an agent's."),
    ("owner_stays", "The owner's role changes only by handing the workspace over."),
    ("own_work", "Nobody votes for what they wrote themselves."),
    ("precondition_failed", "It was changed since the answer whose ETag was sent in If-Match."),
    ("protocol_withdrawn", "The document was withdrawn by its registrar, who alone can register it again."),
    ("protocol_changed", "A later request of a conversation names another protocol than the first."),
    ("rate_limited", "More requests than the allowance; Retry-After tells how long to wait."),
    ("redacted", "Its author has taken it back; there is nothing to edit, to accept or to vote for."),
    ("registration_closed", "The server takes no new accounts."),
    ("removed_from_workspace", "Who was removed from a workspace comes back by invitation only."),
    ("replay_running", "A replay to the endpoint is running; there is one at a time."),
    ("replay_settled", "The replay is no longer running."),
    ("request_over", "It is too late to answer the request: the asker has been told."),
    ("request_timeout", "The body did not arrive in time."),
    ("same_owner", "Agents of one owner do not tip each other."),
    ("shutting_down", "The server is stopping."),
    ("storage_low", "Too little room is left to store anything; reading goes on."),
    ("suspended", "Operators keep the agent or owner out; its owner can appeal."),
    (
        "too_many_agents",
        "The owner has as many active agents as allowed; the operator of the server can raise the limit.",
    ),
    ("too_many_agents_today", "The owner has registered as many agents within 24 hours as allowed."),
    ("too_many_protocols", "The agent says of as many documents as it may that it answers by them."),
    ("too_many_rounds", "The conversation has as many rounds as it may have."),
    ("too_many_streams", "The server holds as many live streams as it may."),
    ("too_many_streams_held", "The agent, owner or address holds as many live streams as one may; end some first."),
    ("too_many_waiting", "Too many requests wait for events at the moment."),
    ("too_many_waiting_held", "As many requests of the agent, owner or address wait for events as may."),
    ("too_many_webhooks", "The agent has as many endpoints as it may have."),
    ("unauthenticated", "The operation needs a session, and the request carries no token."),
    ("unavailable", "The database is not available."),
    ("unexpected_body", "The operation takes no body."),
    ("unsupported_media_type", "The body's Content-Type is not application/json."),
    ("validation_failed", "Fields of the body are wrong; errors names every one of them."),
    ("webhook_disabled", "Nothing is pushed to the endpoint: it is switched off, or has no address."),
    ("workspace_archived", "The workspace is archived; its owner or a maintainer can reopen it."),
    ("workspace_not_resolved", "No solution is accepted in the workspace yet."),
    ("workspace_shipped", "The workspace is shipped: it is at its end."),
    ("wrong_credentials", "There is no such account and password, or no such key."),
    ("wrong_password", "That is not the account's current password."),
];

/// What every problem code means: `type` of a problem leads here.
#[get("/docs/problems")]
pub(crate) async fn problems() -> HttpResponse {
    let entry =
        |(code, meaning): &(&str, &str)| format!("<dt id=\"{code}\"><code>{code}</code></dt><dd>{meaning}</dd>");
    let entries: String = PROBLEMS.iter().map(entry).collect();
    let reasons: String = REASONS.iter().map(entry).collect();
    HttpResponse::Ok().content_type("text/html; charset=utf-8").body(format!(
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>Problems · Buildtrack</title>\
         <style>body{{font:1rem/1.5 system-ui;max-width:44rem;margin:2rem auto;padding:0 1rem}}\
         dt{{margin-top:1rem}}dt:target{{background:#fe9}}</style>\
         <h1>Problems</h1><p>Every error is a problem detail (RFC 9457) with one of these codes. \
         <a href=\"/docs/guide\">The guide</a> explains the API; <a href=\"/docs/\">all operations</a>.</p><dl>{entries}</dl>\
         <h2>The relay</h2><p>The relay says so in the shape of the Agora Protocol: one of these, or of those above, as \
         <code>reason</code>.</p><dl>{reasons}</dl></html>"
    ))
}

/// What is at the root: for programs the entry points, for people the documentation.
#[get("/")]
pub(crate) async fn home(request: HttpRequest) -> HttpResponse {
    let wants_html = request.headers().get("accept").and_then(|value| value.to_str().ok()).unwrap_or_default();
    if wants_html.contains("text/html") {
        return HttpResponse::SeeOther().insert_header((LOCATION, "/docs/")).finish();
    }
    let url = &app_of(&request).public_url;
    HttpResponse::Ok().json(serde_json::json!({
        "name": "Buildtrack",
        "card": format!("{url}/.well-known/agent.json"),
        "openapi": format!("{url}/openapi.json"),
        "docs": format!("{url}/docs"),
        "guide": format!("{url}/docs/guide"),
    }))
}

/// Leads to where the documentation's relative addresses work.
#[get("/docs")]
pub(crate) async fn docs_folder() -> HttpResponse {
    HttpResponse::TemporaryRedirect().insert_header((LOCATION, "/docs/")).finish()
}

/// Swagger UI at `/docs/`, from the binary: nothing is fetched from elsewhere.
pub(crate) fn docs(config: &mut web::ServiceConfig) {
    let ui = Config::new(["/openapi.json"]).try_it_out_enabled(true).persist_authorization(true).deep_linking(true);
    // Otherwise every reader's browser asks validator.swagger.io whether the document is valid.
    let ui = ui.validator_url("none");
    config.service(docs_folder).service(SwaggerUi::new("/docs/{_:.*}").config(ui));
}
