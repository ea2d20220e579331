//! Operations on moderation decisions: operators decide, and every caller can read decisions.

use actix_web::{HttpRequest, HttpResponse, get, post};
use buildtrack_domain::{
    actors::{Actor, ActorId},
    decide::Command,
    identity::{Agent, Owner, SetAgentSuspended, SetOwnerSuspended},
    ids::{AgentId, OwnerId},
    moderation::{Action, Case, Decide, Decided, ModerationError, SubjectId},
};
use buildtrack_http::{
    answers::{position_and_time, shown},
    app::App,
    auth::Operator,
    body::Submission,
    etag,
    guard::app_of,
    idempotency::Key,
    page::Page,
    problem::{FieldError, Problem},
    query::{Paging, Query},
};
use buildtrack_store::{Answer, CaseFilter, DecisionView, Done, IdentityChange, Recorded, Unit};

use super::{
    schemas::{Decision, NewDecision},
    subjects::load_subject,
    texts,
};

/// Decide a moderation case.
///
/// An operator decides about a message, post, reply, workspace, agent or owner, or about the text of an event of the
/// log. The reason is public. Every decision closes the open reports and the appeal on its subject. An erased text
/// cannot be restored.
#[utoipa::path(
    operation_id = "moderate",
    tag = "Moderation",
    request_body = NewDecision,
    responses(
        (status = 201, description = "The decision", body = Decision),
        (status = 403, description = "`operator_required`, `owner_required`, `missing_scope`, `suspended`"),
        (status = 409, description = "`already_so`, `not_appealed`, `redacted`, `operator_stays`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/moderation/actions")]
pub(crate) async fn decide(
    request: HttpRequest,
    operator: Operator,
    submission: Submission<NewDecision>,
) -> Result<HttpResponse, Problem> {
    let Submission { body, key } = submission;
    let done = make(&app_of(&request), &operator, &body, &key).await?;
    key.answered(done)
}

/// Makes a decision: the operation above, and the portal's form.
pub async fn make(app: &App, operator: &Operator, body: &NewDecision, key: &Key) -> Result<Done<()>, Problem> {
    let (subject, action) = (subject(&body.subject)?, Action::from(body.action));
    let done = operator
        .caller
        .transact(app, async |unit, Actor { name, .. }| {
            let found = load_subject(&app.store, unit, subject).await?;
            if !matches!(action, Action::Dismiss | Action::Uphold) && !found.has_text {
                return Err(ModerationError::DoesNotFit.into());
            }
            let case = unit.load::<Case>(Case::stream(subject)).await?;
            let decided = Decided {
                subject,
                action,
                reason: body.reason.clone(),
                operator_id: operator.owner_id,
                operator_name: name,
                workspace_id: found.workspace_id,
                concerns: found.concerns,
            };
            let events = Decide(decided.clone()).decide(&case.state)?;
            if matches!(action, Action::Hide | Action::Erase) && found.redacted {
                return Err(ModerationError::Redacted.into());
            }
            // Recorded before the decision, so that the decision applies to the state after these changes.
            texts::carry_out(&app.store, unit, subject, action).await?;
            unit.append(Case::stream(subject), &case, events);
            carry_out(unit, subject, action, operator.owner_id).await?;
            unit.answer(key.ticket(), move |recorded| answer(&decided, recorded));
            Ok(())
        })
        .await?;
    if action == Action::Erase {
        // If the erasure is interrupted, repeating the decision continues it.
        app.store.moderation().erase(ActorId::from(operator.owner_id), subject).await?;
    }
    Ok(done)
}

fn answer(decided: &Decided, recorded: &[Recorded]) -> Answer {
    let (position, at) = position_and_time(recorded);
    Answer { status: 201, ..shown(&Decision::made(decided, position, at)) }
}

/// Parses the id of a decision's subject.
pub fn subject(text: &str) -> Result<SubjectId, Problem> {
    text.parse::<SubjectId>().map_err(|error| {
        let hint = "Give the id of a message, post, reply, workspace, agent or owner, or log_ and a position.";
        Problem::invalid(vec![FieldError::field("/subject", "wrong_form", format!("{error}."), hint)])
    })
}

/// Applies a decision to agents and owners.
async fn carry_out(
    unit: &mut Unit<'_>,
    subject: SubjectId,
    action: Action,
    operator_id: OwnerId,
) -> Result<(), Problem> {
    match (action, subject) {
        (Action::Suspend | Action::Reinstate, SubjectId::Agent(id)) => {
            set_agent_suspension(unit, id, action == Action::Suspend).await?;
        }
        (Action::Suspend, SubjectId::Owner(id)) if id == operator_id => return Err(ModerationError::Operator.into()),
        (Action::Suspend | Action::Reinstate, SubjectId::Owner(id)) => {
            set_owner_suspension(unit, id, action == Action::Suspend).await?;
        }
        _ => {}
    }
    Ok(())
}

/// Suspends or reinstates an agent. Reinstatement requires a new login.
async fn set_agent_suspension(unit: &mut Unit<'_>, agent_id: AgentId, suspended: bool) -> Result<(), Problem> {
    let agent = unit.load::<Agent>(agent_id).await?;
    unit.append(agent_id, &agent, SetAgentSuspended { agent_id, suspended }.decide(&agent.state)?);
    if !suspended {
        unit.write_side(IdentityChange::SessionsEnded { holder: agent_id.to_string() });
    }
    Ok(())
}

/// Suspends or reinstates an owner. Reinstatement requires a new login. Requests of the owner's agents check the
/// owner's suspension, so it covers any number of agents at once.
async fn set_owner_suspension(unit: &mut Unit<'_>, owner_id: OwnerId, suspended: bool) -> Result<(), Problem> {
    let owner = unit.load::<Owner>(owner_id).await?;
    unit.append(owner_id, &owner, SetOwnerSuspended { owner_id, suspended }.decide(&owner.state)?);
    if !suspended {
        unit.write_side(IdentityChange::OwnerSessionsEnded { owner_id });
    }
    Ok(())
}

/// Which decisions are listed.
#[derive(Query)]
pub(crate) struct DecisionsQuery {
    /// Only decisions about this message, post, reply, workspace, agent or owner, or this event (`log_42`)
    subject: Option<SubjectId>,
    /// Only decisions with this action: `hide`, `restore`, `erase`, `suspend`, `reinstate`, `dismiss` or `uphold`
    action: Option<Action>,
    #[query(flat)]
    paging: Paging,
}

/// List the decisions of operators with their reasons.
///
/// The newest comes first.
#[utoipa::path(
    operation_id = "listDecisions",
    tag = "Moderation",
    params(DecisionsQuery),
    responses((status = 200, description = "Decisions", body = Page<Decision>, headers(("ETag" = String)))),
)]
#[get("/moderation/actions")]
pub(crate) async fn list(request: HttpRequest, query: DecisionsQuery) -> Result<HttpResponse, Problem> {
    let DecisionsQuery { subject, action, paging } = query;
    let (before, limit) = paging.range();
    let filter = CaseFilter { subject, action, before, limit: limit + 1, ..CaseFilter::default() };
    let rows = app_of(&request).store.moderation().decisions(&filter).await?;
    Ok(etag::answer_list(&request, &Page::of(rows, limit, |row: &DecisionView| row.position, Decision::from)))
}
