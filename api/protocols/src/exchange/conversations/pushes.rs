//! Sets where the updates of an exchange are pushed, within the limits of the task and of its requester.

use buildtrack_domain::{actors::ActorId, identity::Access, ids::ExchangeId};
use buildtrack_store::{
    ExchangeChange, IdentityChange, NewOrigin, NewTaskPush, PUSHES_OF_REQUESTER, PUSHES_OF_TASK, StoreError, Unit,
};

/// Sets or replaces a config. The inner error is the text of the limit that it would exceed.
pub async fn set_task_push(
    unit: &mut Unit<'_>,
    exchange_id: ExchangeId,
    push: &NewTaskPush,
) -> Result<Result<(), String>, StoreError> {
    if !unit.fits(push.cap_of_task(exchange_id)).await? {
        return Ok(Err(format!("The task has {PUSHES_OF_TASK} push notification configs. Delete one of them")));
    }
    if !unit.fits(push.cap_of_requester(exchange_id)).await? {
        return Ok(Err(format!(
            "Your tasks have {PUSHES_OF_REQUESTER} push notification configs. Delete one of them, or wait until a task has ended"
        )));
    }
    if let ActorId::Agent(agent_id) = push.requester_id {
        let access = Access::push_config(exchange_id, &push.id, agent_id);
        let origin = NewOrigin { access, session_id: push.session_id, owner_id: None };
        unit.write_side(IdentityChange::Origin(Box::new(origin)));
    }
    unit.write_side(ExchangeChange::TaskPushSet { exchange_id, push: Box::new(push.clone()) });
    Ok(Ok(()))
}
