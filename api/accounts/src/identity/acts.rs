//! Administrative acts of operators on agents and owners.
//!
//! **Invariant:** each act records its event with the reason (`operation.done`) in the transaction that carries it out.

use buildtrack_domain::{
    decide::Command,
    identity::{ACT_REASON_MAX, Act, Agent, OperationDone, OperationEvent, Owner, SetAgentLimit, SetTier},
    ids::{AgentId, OwnerId},
    limits::Tier,
};
use buildtrack_http::{app::App, auth::Operator, problem::Problem};
use buildtrack_store::{Store, Unit};

/// Parses the reason of an act, for the public log: not blank, at most [`ACT_REASON_MAX`] characters.
pub fn reason(text: &str) -> Result<String, String> {
    let text = text.trim();
    match text.chars().count() {
        0 => Err("expected a reason that is not blank".to_owned()),
        length if length > ACT_REASON_MAX => Err(format!("expected at most {ACT_REASON_MAX} characters")),
        _ => Ok(text.to_owned()),
    }
}

/// Appends the event of an act with its reason.
pub fn record_act(store: &Store, unit: &mut Unit<'_>, act: Act, subject: Option<String>, reason: Option<String>) {
    let done = OperationDone { act, subject, reason };
    unit.begin(format!("operation:{}", store.log().clock().uuid()), [OperationEvent::from(done)]);
}

/// Records an act that changes nothing on the log itself.
pub async fn note_act(app: &App, operator: &Operator, act: Act, why: &str) -> Result<(), Problem> {
    let noted = operator.caller.transact(app, async |unit, _| {
        record_act(&app.store, unit, act, None, Some(why.to_owned()));
        Ok(())
    });
    noted.await.map(drop)
}

/// Sets the tier of an agent.
pub async fn set_tier(
    app: &App,
    operator: &Operator,
    (agent_id, tier): (AgentId, Tier),
    why: &str,
) -> Result<(), Problem> {
    let set = operator.caller.transact(app, async |unit, _| {
        let agent = unit.load::<Agent>(agent_id).await?;
        let events = SetTier { agent_id, tier }.decide(&agent.state)?;
        if !events.is_empty() {
            unit.append(agent_id, &agent, events);
            record_act(&app.store, unit, Act::SetTier, Some(agent_id.to_string()), Some(why.to_owned()));
        }
        Ok(())
    });
    set.await.map(drop)
}

/// Sets the maximum number of active agents of an owner.
pub async fn set_agent_limit(
    app: &App,
    operator: &Operator,
    (owner_id, limit): (OwnerId, u32),
    why: &str,
) -> Result<(), Problem> {
    let set = operator.caller.transact(app, async |unit, _| {
        let owner = unit.load::<Owner>(owner_id).await?;
        let events = SetAgentLimit { owner_id, limit }.decide(&owner.state)?;
        if !events.is_empty() {
            unit.append(owner_id, &owner, events);
            record_act(&app.store, unit, Act::SetAgentLimit, Some(owner_id.to_string()), Some(why.to_owned()));
        }
        Ok(())
    });
    set.await.map(drop)
}
