//! Tasks: the exchanges of two parties, as the A2A protocol lists them.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    decide::Command,
    exchange::conversations::{CancelExchange, Exchange, ExchangeEvent, Phase},
    ids::{ExchangeId, SessionId},
};
use buildtrack_store::{
    ExchangeChange, NewTaskPush, Store, StoreError, TaskFilter, TaskPush, TaskPushOutcome, TaskStates, TranscriptEvent,
};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, agent_id, new_actor, owner, set_owner_suspended},
    database::{Kind, TestDatabase},
    exchange::{answer, begin},
};

#[apply(both)]
async fn tasks_are_the_exchanges_of_two_parties_by_their_last_change(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = [new_actor(&store), new_actor(&store)];
    let by = Some(agent_id(&ben));
    let (first, request_id) = begin(&store, Some(&ada), by, true).await;
    let (second, _) = begin(&store, Some(&ada), by, false).await;
    let (own, _) = begin(&store, Some(&ada), None, false).await;
    answer(&store, first, request_id, agent_id(&ben)).await.unwrap();
    let all = TaskFilter { asker: ada.id, answerer: by, id: None, states: None, since: None, before: None, limit: 10 };
    let ids = async |filter: &TaskFilter| {
        let tasks = store.exchange().tasks(filter).await.unwrap();
        (tasks.listed.rows.iter().map(|row| row.id).collect::<Vec<_>>(), tasks.total)
    };
    assert_eq!(ids(&all).await, (vec![first, second], 2));
    assert_eq!(ids(&TaskFilter { answerer: None, ..all.clone() }).await, (vec![own], 1));
    assert_eq!(ids(&TaskFilter { asker: ben.id, ..all.clone() }).await, (vec![], 0));
    assert_eq!(ids(&TaskFilter { id: Some(second), ..all.clone() }).await, (vec![second], 1));
    let before = store.exchange().exchange(first).await.unwrap().map(|view| view.active_position);
    assert_eq!(ids(&TaskFilter { before, ..all.clone() }).await, (vec![second], 2));
    let states = |states| TaskFilter { states: Some(states), ..all.clone() };
    assert_eq!(ids(&states(TaskStates::In(Phase::Open))).await, (vec![first], 1));
    assert_eq!(ids(&states(TaskStates::Completed)).await, (vec![], 0));
    store.log().clock().advance(Duration::from_mins(5));
    assert_eq!(ids(&states(TaskStates::Completed)).await, (vec![first], 1));
    assert_eq!(ids(&TaskFilter { since: Some(store.log().clock().now()), ..all.clone() }).await, (vec![], 0));
    // The last events of an exchange are those of its end.
    let last = store.exchange().last_transcript_events(first, 1).await.unwrap();
    assert!(matches!(last[..], [TranscriptEvent { event: ExchangeEvent::Answered(_), .. }]));
}

fn push(store: &Store, exchange_id: ExchangeId, requester: &Actor, pushed_to: Option<i64>) -> ExchangeChange {
    let push = Box::new(NewTaskPush {
        id: "one".to_owned(),
        requester_id: requester.id,
        session_id: SessionId::new(store.log().clock().uuid()),
        config_sealed: "first".to_owned(),
        pushed_to,
        next_at: Some(store.log().clock().now()),
        expires_at: store.log().clock().after(Duration::from_mins(1)),
    });
    ExchangeChange::TaskPushSet { exchange_id, push }
}

#[apply(both)]
async fn a_config_that_is_set_with_an_event_of_its_task_receives_what_follows_it(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [scout, ben] = [new_actor(&store), new_actor(&store)];
    let (task, _) = begin(&store, Some(&scout), Some(agent_id(&ben)), true).await;
    let set = push(&store, task, &scout, None);
    let done = store.log().transact::<(), StoreError>(None, async |unit| {
        let exchange = unit.load::<Exchange>(task).await?;
        let closed = CancelExchange { now: store.log().clock().now() }.decide(&exchange.state).unwrap();
        unit.append(task, &exchange, closed);
        unit.write_side(set.clone());
        Ok(())
    });
    let closed_at = done.await.unwrap().recorded.last().unwrap().position;
    assert_eq!(store.exchange().task_pushes(task).await.unwrap()[0].pushed_to, closed_at);
}

#[apply(both)]
async fn an_owner_has_a_share_of_the_configs_that_are_due(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let (scout, ranger) = (agent(&store, &ada).await, agent(&store, &ada).await);
    let other = agent(&store, &owner(&store).await).await;
    let mut tasks = Vec::new();
    for asker in [&scout, &ranger, &ada, &other] {
        let (task, _) = begin(&store, Some(asker), Some(agent_id(&new_actor(&store))), true).await;
        store.log().write_side([push(&store, task, asker, Some(0))]).await.unwrap();
        store.log().clock().advance(Duration::from_secs(1));
        tasks.push(task);
    }
    let due = async |limit, share| {
        let due = store.exchange().task_pushes_due(limit, share).await.unwrap();
        due.iter().map(|due| due.push.exchange_id).collect::<Vec<_>>()
    };
    assert_eq!(due(10, 10).await, tasks);
    assert_eq!(due(10, 2).await, [tasks[0], tasks[1], tasks[3]]);
    assert_eq!(due(1, 2).await, [tasks[0]]);
}

#[apply(both)]
async fn a_config_is_due_while_its_task_has_updates_and_pruned_after_its_end(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada = owner(&store).await;
    let (scout, ben) = (agent(&store, &ada).await, new_actor(&store));
    let by = agent_id(&ben);
    let (task, request_id) = begin(&store, Some(&scout), Some(by), true).await;
    let head = store.log().tail().head();
    store.log().write_side([push(&store, task, &scout, Some(head))]).await.unwrap();
    let due = async || {
        let due = store.exchange().task_pushes_due(10, 10).await.unwrap();
        due.into_iter().map(|due| due.push).collect::<Vec<_>>()
    };
    assert_eq!(due().await, []);
    answer(&store, task, request_id, by).await.unwrap();
    let expected = TaskPush {
        exchange_id: task,
        id: "one".to_owned(),
        config_sealed: "first".to_owned(),
        pushed_to: head,
        failures: 0,
    };
    assert_eq!(due().await, std::slice::from_ref(&expected));
    set_owner_suspended(&store, &ada, true).await.unwrap();
    assert_eq!(due().await, [], "nothing is pushed for a suspended owner's agent");
    set_owner_suspended(&store, &ada, false).await.unwrap();
    // An outcome counts only for the config that the attempt was made with.
    let pushed_to = head + 1;
    let outcome = |config: &str, next_at| {
        let push = TaskPush { config_sealed: config.to_owned(), ..expected.clone() };
        let expires_at = store.log().clock().after(Duration::from_mins(1));
        let outcome = TaskPushOutcome { push, pushed_to, failures: 0, next_at, expires_at };
        ExchangeChange::TaskPushAttempted(Box::new(outcome))
    };
    store.log().write_side([outcome("second", None)]).await.unwrap();
    assert_eq!(due().await.len(), 1);
    store.log().write_side([outcome("first", Some(store.log().clock().now()))]).await.unwrap();
    assert_eq!(due().await, []);
    // The row outlives its time until the conversation has expired, which is the last update.
    store.log().clock().advance(Duration::from_mins(2));
    while store.log().prune(10, Duration::from_hours(1)).await.unwrap() {}
    assert_eq!(store.exchange().task_pushes(task).await.unwrap().len(), 1);
    store.log().clock().advance(Duration::from_mins(4));
    assert_eq!(due().await.len(), 1);
    store.log().write_side([outcome("first", None)]).await.unwrap();
    assert_eq!(due().await, []);
    store.log().clock().advance(Duration::from_mins(1));
    while store.log().prune(10, Duration::from_hours(1)).await.unwrap() {}
    assert_eq!(store.exchange().task_pushes(task).await.unwrap(), []);
}
