//! Bounds under simultaneous commits of two processes: none is exceeded, and each is used up.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    arena::{
        head_to_head::Start,
        matches::{Channel, Match, SkipMatch},
    },
    decide::Command,
    exchange::conversations::{ExchangeOpened, OpenExchange},
    identity::{AgentEvent, AgentProfile, AgentRegistered},
    ids::{AgentId, ExchangeId, MailId, OwnerId, SessionId},
};
use buildtrack_store::{
    Cap, ExchangeChange, IdentityChange, NewMail, NewTaskPush, PUSHES_OF_REQUESTER, PUSHES_OF_TASK, Store, StoreError,
    Unit, agents_cap, conversations_cap, head_to_head_cap, mails_cap, mails_to_address_cap, registrations_cap,
    skips_cap, waiting_requests_cap,
};
use chrono::TimeDelta;
use futures_util::future::join_all;
use rstest_reuse::apply;

use crate::{
    arena, both,
    cast::{agent, agent_id, deactivate, new_actor, owner, owner_id},
    database::{Kind, TestDatabase},
    exchange::asking,
    head_to_heads::started,
};

/// Commits at the same moment, of two processes.
const AT_ONCE: usize = 30;
const MOST: i64 = 5;

/// Whether a cap permits another row.
pub(crate) async fn fits(store: &Store, cap: Cap) -> bool {
    store.log().transact::<_, StoreError>(None, async |unit| unit.fits(cap.clone()).await).await.unwrap().value
}

/// Two processes on one database.
async fn two_stores(kind: Kind) -> (TestDatabase, [Store; 2]) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    (database, [store, other])
}

/// Tries to add [`AT_ONCE`] rows at the same moment. Returns how many were added. None fails for a conflict.
async fn race(stores: &[Store; 2], cap: impl Fn(usize) -> Cap, add: impl AsyncFn(&mut Unit<'_>, usize)) -> usize {
    let (cap, add) = (&cap, &add);
    let tries = (0..AT_ONCE).map(async |number| {
        let done = stores[number % 2].log().transact::<bool, StoreError>(None, async |unit| {
            let fits = unit.fits(cap(number)).await?;
            if fits {
                add(unit, number).await;
            }
            Ok(fits)
        });
        done.await.unwrap().value
    });
    join_all(tries).await.into_iter().filter(|added| *added).count()
}

fn push(store: &Store, requester: &Actor, id: &str) -> NewTaskPush {
    NewTaskPush {
        id: id.to_owned(),
        requester_id: requester.id,
        session_id: SessionId::new(store.log().clock().uuid()),
        config_sealed: "config".to_owned(),
        pushed_to: Some(0),
        next_at: Some(store.log().clock().now()),
        expires_at: store.log().clock().after(Duration::from_mins(1)),
    }
}

fn set(exchange_id: ExchangeId, push: &NewTaskPush) -> ExchangeChange {
    ExchangeChange::TaskPushSet { exchange_id, push: Box::new(push.clone()) }
}

fn new_exchange(store: &Store) -> ExchangeId {
    ExchangeId::new(store.log().clock().uuid())
}

#[apply(both)]
async fn a_task_has_as_many_push_configs_as_its_limit(#[case] kind: Kind) {
    let (_database, stores) = two_stores(kind).await;
    let (store, scout, task) = (&stores[0], new_actor(&stores[0]), new_exchange(&stores[0]));
    let own = |number: usize| push(store, &scout, &number.to_string());
    let cap = |number| own(number).cap_of_task(task);
    let added = race(&stores, cap, async |unit, number| unit.write_side(set(task, &own(number)))).await;
    let stored = store.exchange().task_pushes(task).await.unwrap();
    assert_eq!((added, stored.len()), (PUSHES_OF_TASK.into(), PUSHES_OF_TASK.into()));
    // A config of the full task can be replaced, also by many at once; a further one cannot be added.
    let again = push(store, &scout, &stored[0].id);
    let replaced = race(&stores, |_| again.cap_of_task(task), async |unit, _| unit.write_side(set(task, &again))).await;
    assert_eq!((replaced, store.exchange().task_pushes(task).await.unwrap().len()), (AT_ONCE, PUSHES_OF_TASK.into()));
    assert!(!fits(store, push(store, &scout, "another").cap_of_task(task)).await);
}

#[apply(both)]
async fn a_requester_has_as_many_push_configs_as_its_limit(#[case] kind: Kind) {
    let (_database, stores) = two_stores(kind).await;
    let (store, scout) = (&stores[0], new_actor(&stores[0]));
    let tasks: Vec<_> = (0..AT_ONCE).map(|_| new_exchange(store)).collect();
    let one = push(store, &scout, "one");
    let others = (0..i64::from(PUSHES_OF_REQUESTER) - MOST).map(|_| set(new_exchange(store), &one));
    store.log().write_side(others).await.unwrap();
    let cap = |number: usize| one.cap_of_requester(tasks[number]);
    let added = race(&stores, cap, async |unit, number| unit.write_side(set(tasks[number], &one))).await;
    assert_eq!(i64::try_from(added), Ok(MOST));
}

#[apply(both)]
async fn a_holder_has_as_many_open_conversations_as_its_limit(#[case] kind: Kind) {
    let (_database, stores) = two_stores(kind).await;
    let (store, now) = (&stores[0], stores[0].log().clock().now());
    let added = race(
        &stores,
        |_| conversations_cap("ada", now, MOST),
        async |unit, _| {
            let expires_at = now + TimeDelta::seconds(10);
            let (exchange_id, holder) = (new_exchange(store), "ada".to_owned());
            unit.write_side(ExchangeChange::Conversation { exchange_id, holder, expires_at });
        },
    );
    assert_eq!(i64::try_from(added.await), Ok(MOST));
    assert!(fits(store, conversations_cap("ben", now, 1)).await);
}

#[apply(both)]
async fn as_many_requests_wait_for_an_agent_as_its_limit(#[case] kind: Kind) {
    let (_database, stores) = two_stores(kind).await;
    let (store, ada, by) = (&stores[0], new_actor(&stores[0]), agent_id(&new_actor(&stores[0])));
    let added = race(
        &stores,
        |_| waiting_requests_cap(by, MOST),
        async |unit, _| {
            let exchange_id = new_exchange(store);
            let (asker, answerer) = (Some(ada.clone()), Some(by));
            let opened =
                ExchangeOpened { exchange_id, asker, answerer, document: None, negotiation: false, key_hash: None };
            let opening = OpenExchange { opened, asking: asking(store, Some(&ada), "a question") };
            unit.begin(exchange_id, opening.decide(()).unwrap());
        },
    );
    assert_eq!(i64::try_from(added.await), Ok(MOST));
    assert_eq!(i64::try_from(store.exchange().requests_waiting(by, 0, 50).await.unwrap().len()), Ok(MOST));
}

#[apply(both)]
async fn as_many_mails_are_enqueued_as_their_limits(#[case] kind: Kind) {
    let (_database, stores) = two_stores(kind).await;
    let (store, now) = (&stores[0], stores[0].log().clock().now());
    let mail = |recipient: &str| {
        let (id, message_sealed) = (MailId::new(store.log().clock().uuid()), "mail".to_owned());
        let mail = NewMail { id, recipient: recipient.to_owned(), message_sealed, is_sent: true };
        IdentityChange::Mail(Box::new(mail))
    };
    let cap = |_| mails_to_address_cap("ada", now, 5);
    assert_eq!(race(&stores, cap, async |unit, _| unit.write_side(mail("ada"))).await, 5);
    assert!(fits(store, mails_to_address_cap("ben", now, 1)).await);
    let to_all = async |unit: &mut Unit<'_>, number: usize| unit.write_side(mail(&number.to_string()));
    assert_eq!(race(&stores, |_| mails_cap(now, 12), to_all).await, 7);
    // Mails that were sent an hour ago count no more; those that wait still do.
    store.log().clock().advance(Duration::from_hours(2));
    let later = store.log().clock().now();
    assert_eq!(
        [fits(store, mails_to_address_cap("ada", later, 1)).await, fits(store, mails_cap(later, 12)).await],
        [true, false]
    );
}

fn register(unit: &mut Unit<'_>, agent_id: AgentId, owner_id: OwnerId) {
    let profile =
        AgentProfile { name: "Scout".into(), model: "a model".into(), description: None, capabilities: vec![] };
    unit.begin(agent_id, [AgentEvent::from(AgentRegistered { agent_id, owner_id, profile })]);
}

#[apply(both)]
async fn an_owner_registers_as_many_agents_as_its_limits(#[case] kind: Kind) {
    let (_database, stores) = two_stores(kind).await;
    let (store, ada) = (&stores[0], owner(&stores[0]).await);
    let (id, since) = (owner_id(&ada), store.log().clock().now() - TimeDelta::days(1));
    let first = agent(store, &ada).await;
    let add = async |unit: &mut Unit<'_>, _| register(unit, AgentId::new(store.log().clock().uuid()), id);
    assert_eq!(race(&stores, |_| agents_cap(id, 5), add).await, 4);
    deactivate(store, &first, &ada).await.unwrap();
    assert!(fits(store, agents_cap(id, 5)).await);
    assert_eq!(race(&stores, |_| registrations_cap(id, since, 8), add).await, 3);
}

#[apply(both)]
async fn an_owner_runs_as_many_tests_as_its_limit(#[case] kind: Kind) {
    let (_database, stores) = two_stores(kind).await;
    let (store, ada) = (&stores[0], owner_id(&owner(&stores[0]).await));
    let agents = [(); 2].map(|()| agent_id(&new_actor(store)));
    let added = race(
        &stores,
        |_| head_to_head_cap(ada, MOST),
        async |unit, _| {
            let started = started(store, ada, agents);
            unit.begin(started.head_to_head_id, Start(started).decide(()).unwrap());
        },
    );
    assert_eq!(i64::try_from(added.await), Ok(MOST));
}

#[apply(both)]
async fn an_agent_skips_as_many_matches_as_its_limit_also_at_the_same_moment(#[case] kind: Kind) {
    let (_database, stores) = two_stores(kind).await;
    let (store, since) = (&stores[0], stores[0].log().clock().now());
    let [ada, ben] = arena::players(store).await;
    let mut matches = vec![];
    for _ in 0..AT_ONCE {
        matches.push(arena::begin(store, &[&ada, &ben], Channel::Push).await);
    }
    let ben = agent_id(&ben);
    let skipped = race(
        &stores,
        |_| skips_cap(ben, since, 2),
        async |unit, number| {
            let state = unit.load::<Match>(matches[number]).await.unwrap();
            unit.append(matches[number], &state, SkipMatch { agent_id: ben }.decide(&state.state).unwrap());
        },
    );
    assert_eq!(skipped.await, 2);
}
