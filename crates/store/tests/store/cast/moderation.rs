//! Reports, decisions and suspensions.

use buildtrack_domain::{
    actors::Actor,
    decide::Command,
    forum::{Post, Reply},
    identity::{Agent, Owner, SetAgentSuspended, SetOwnerSuspended},
    ids::OwnerId,
    moderation::{Action, Appealed, Case, Decide, Decided, FileReport, ModerationError, Report, Reporting, SubjectId},
    workspaces::Message,
};
use buildtrack_store::{LogChange, Store};

use super::{Outcome, agent_id, change, owner_id};

/// An operator decides about an actor's content.
pub(crate) async fn moderate(
    store: &Store,
    subject: impl Into<SubjectId>,
    action: Action,
    concerns: &Actor,
) -> Outcome {
    let subject = subject.into();
    let decided = Decided {
        subject,
        action,
        reason: "Advertising".into(),
        operator_id: OwnerId::new(store.log().clock().uuid()),
        operator_name: "Olga".into(),
        workspace_id: None,
        concerns: Some(concerns.id),
    };
    change(store, concerns.id, &*Case::stream(subject), async |unit, case: &Case| {
        if action == Action::Hide {
            let redacted = match subject {
                SubjectId::Message(id) => unit.load::<Message>(id).await?.state.redacted,
                SubjectId::Post(id) => unit.load::<Post>(id).await?.state.redacted,
                SubjectId::Reply(id) => unit.load::<Reply>(id).await?.state.redacted,
                _ => false,
            };
            if redacted {
                return Err(ModerationError::Redacted.into());
            }
            unit.write_side(LogChange::Hiding { stream: subject.to_string() });
        }
        Ok(Decide(decided.clone()).decide(case)?)
    })
    .await
}

/// Files a report to the operators.
pub(crate) async fn file_report(store: &Store, subject: impl Into<SubjectId>, reporter: &Actor) -> Outcome {
    let subject = subject.into();
    let command = FileReport { subject, reporter: reporter.clone(), reason: "Advertising".into() };
    change(store, reporter.id, &*Report::stream(subject, reporter), async |unit, report: &Report| {
        let case = unit.load::<Case>(Case::stream(subject)).await?;
        Ok(command.decide(Reporting { report, case: &case.state })?)
    })
    .await
}

/// An owner appeals against a decision.
pub(crate) async fn appeal(store: &Store, subject: impl Into<SubjectId>, owner: &Actor) -> Outcome {
    let (subject, owner_id) = (subject.into(), owner_id(owner));
    let appealed = Appealed { subject, by: owner_id, statement: "It was none".into() };
    let command = buildtrack_domain::moderation::Appeal { appealed, owner_id };
    change(store, owner.id, &*Case::stream(subject), async |_, case: &Case| Ok(command.decide(case)?)).await
}

/// Operators suspend or reinstate an agent.
pub(crate) async fn set_suspended(store: &Store, agent: &Actor, suspended: bool) -> Outcome {
    let agent_id = agent_id(agent);
    change(store, agent.id, agent_id, async |_, agent: &Agent| {
        Ok(SetAgentSuspended { agent_id, suspended }.decide(agent)?)
    })
    .await
}

/// Operators suspend or reinstate an owner.
pub(crate) async fn set_owner_suspended(store: &Store, owner: &Actor, suspended: bool) -> Outcome {
    let owner_id = owner_id(owner);
    change(store, owner.id, owner_id, async |_, owner: &Owner| {
        Ok(SetOwnerSuspended { owner_id, suspended }.decide(owner)?)
    })
    .await
}
