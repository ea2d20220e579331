//! Exchanges: pending requests, lists, open conversations, and equality of live and rebuilt tables.

use std::time::Duration;

use buildtrack_domain::{
    actors::Actor,
    decide::Command,
    exchange::{
        conversations::{
            AnswerRequest, Asking, Body, CloseExchange, ContinueExchange, Exchange, ExchangeError, ExchangeEvent,
            ExchangeOpened, OpenExchange, Phase, PublishExchange, RedactExchange, SettleRequest, Settlement, Side,
            Timing,
        },
        documents::DocumentHash,
    },
    ids::{AgentId, ExchangeId, RequestId},
};
use buildtrack_store::{
    ExchangeChange, ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, LogChange, Store, StoreError,
    Subscription, conversations_cap, sha256_hex, verification,
};
use chrono::TimeDelta;
use futures_util::future::join_all;
use proptest::{
    collection::vec,
    prelude::{Strategy, any},
    test_runner::{Config, TestRunner},
};
use rstest_reuse::apply;
use tokio::runtime::Handle;

use crate::{
    both,
    caps::fits,
    cast::{agent, agent_id, new_actor, owner},
    database::{Kind, TestDatabase},
};

pub(crate) const NEEDLE: &str = "what only the two of them know";
const TIMING: Timing = Timing { deadline: TimeDelta::seconds(20), lifetime: TimeDelta::seconds(300) };

#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    #[error(transparent)]
    Store(#[from] StoreError),
    #[error(transparent)]
    Exchange(#[from] ExchangeError),
}

pub(crate) fn asking(store: &Store, asker: Option<&Actor>, body: &str) -> Asking {
    let request_id = RequestId::new(store.log().clock().uuid());
    Asking { request_id, asker: asker.cloned(), body: body.into(), now: store.log().clock().now(), timing: TIMING }
}

/// Opens an exchange with its first request.
pub(crate) async fn begin(
    store: &Store,
    asker: Option<&Actor>,
    answerer: Option<AgentId>,
    several: bool,
) -> (ExchangeId, RequestId) {
    let exchange_id = ExchangeId::new(store.log().clock().uuid());
    let key_hash = several.then(|| sha256_hex(exchange_id.to_string()));
    let document = several.then(|| DocumentHash::of("A"));
    let opened =
        ExchangeOpened { exchange_id, asker: asker.cloned(), answerer, document, negotiation: false, key_hash };
    let opening = OpenExchange { opened, asking: asking(store, asker, NEEDLE) };
    let begun = store.log().transact::<_, Failure>(None, async |unit| {
        unit.begin(exchange_id, opening.decide(())?);
        Ok(())
    });
    begun.await.unwrap();
    (exchange_id, opening.asking.request_id)
}

/// Runs a command on an exchange.
async fn change(
    store: &Store,
    id: ExchangeId,
    decide: impl Fn(&Exchange) -> Result<Vec<ExchangeEvent>, ExchangeError>,
) -> Result<(), Failure> {
    let changed = store.log().transact::<_, Failure>(None, async |unit| {
        let exchange = unit.load::<Exchange>(id).await?;
        let events = decide(&exchange.state)?;
        if events.iter().any(|event| matches!(event, ExchangeEvent::Redacted(_))) {
            unit.write_side(LogChange::Redaction { stream: id.to_string() });
        }
        unit.append(id, &exchange, events);
        Ok(())
    });
    changed.await.map(drop)
}

/// Answers a request.
pub(crate) async fn answer(store: &Store, id: ExchangeId, request_id: RequestId, by: AgentId) -> Result<(), Failure> {
    let settlement = Settlement::Answered(Body::from(NEEDLE));
    let now = store.log().clock().now();
    change(store, id, |state| AnswerRequest { request_id, by, settlement: settlement.clone(), now }.decide(state)).await
}

async fn redact(store: &Store, id: ExchangeId, by: &Actor) -> Result<(), Failure> {
    let (by, now) = (by.id, store.log().clock().now());
    change(store, id, |state| RedactExchange { by, now }.decide(state)).await
}

/// One exchange that waits, one that was answered, and one that was redacted.
pub(crate) async fn story(store: &Store) {
    let [ada, ben] = [new_actor(store), new_actor(store)];
    let by = agent_id(&ben);
    begin(store, Some(&ada), Some(by), true).await;
    let (answered, request_id) = begin(store, None, Some(by), false).await;
    answer(store, answered, request_id, by).await.unwrap();
    let (taken_back, _) = begin(store, Some(&ada), None, true).await;
    redact(store, taken_back, &ada).await.unwrap();
}

#[apply(both)]
async fn a_request_is_pending_until_it_is_answered_or_times_out(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ben = agent(&store, &owner(&store).await).await;
    let by = agent_id(&ben);
    let (first, request_id) = begin(&store, None, Some(by), true).await;
    begin(&store, None, None, false).await;
    let waiting = store.exchange().requests_waiting(by, 0, 10).await.unwrap();
    assert_eq!((waiting.len(), waiting[0].1.request_id, waiting[0].1.body.text()), (1, request_id, NEEDLE.into()));
    assert_eq!(store.exchange().requests_waiting(by, waiting[0].0, 10).await.unwrap(), []);
    // The audience of a push finds the request.
    let page =
        store.webhooks().subscribed_events(&Subscription::whole(by), 0, store.log().tail().head(), 10).await.unwrap();
    assert_eq!(page.events.len(), 1);
    answer(&store, first, request_id, by).await.unwrap();
    assert_eq!(store.exchange().request(request_id).await.unwrap().unwrap().answered, Some(true));
    assert!(store.exchange().requests_due(None, 10).await.unwrap().is_empty());
    store.log().clock().advance(Duration::from_secs(20));
    let due = store.exchange().requests_due(None, 10).await.unwrap();
    assert_eq!(due.len(), 1);
    for due in due {
        let (exchange_id, request_id) = due.item.unwrap();
        let settle = SettleRequest { request_id, settlement: None };
        change(&store, exchange_id, |state| settle.decide(state)).await.unwrap();
        assert_eq!(store.exchange().exchange(exchange_id).await.unwrap().unwrap().phase, Phase::Failed);
    }
    assert!(store.exchange().requests_due(None, 10).await.unwrap().is_empty());
}

#[apply(both)]
async fn exchanges_are_listed_for_their_parties_and_owners(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let owners = [owner(&store).await, owner(&store).await];
    let (ada, ben) = (agent(&store, &owners[0]).await, agent(&store, &owners[1]).await);
    let (asked, request_id) = begin(&store, Some(&ada), Some(agent_id(&ben)), true).await;
    answer(&store, asked, request_id, agent_id(&ben)).await.unwrap();
    let (by_owner, _) = begin(&store, Some(&owners[0]), None, false).await;
    begin(&store, None, None, false).await;
    let everything = |of: &Actor| ExchangeFilter {
        of: of.id,
        agent: None,
        role: None,
        status: None,
        document: None,
        before: None,
        limit: 10,
    };
    let ids = async |filter: ExchangeFilter| {
        let rows = store.exchange().exchanges(&filter).await.unwrap();
        rows.iter().map(|row| row.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(everything(&owners[0])).await, [by_owner, asked]);
    assert_eq!(ids(everything(&owners[1])).await, [asked]);
    assert_eq!(ids(everything(&ada)).await, [asked]);
    let of_ada = ExchangeFilter { agent: Some(agent_id(&ada)), ..everything(&owners[0]) };
    assert_eq!(ids(of_ada.clone()).await, [asked]);
    assert_eq!(ids(ExchangeFilter { role: Some(ExchangeRole::Answerer), ..of_ada.clone() }).await, []);
    let document = |text| ExchangeFilter { document: Some(DocumentHash::of(text)), ..everything(&ben) };
    assert_eq!((ids(document("A")).await, ids(document("B")).await), (vec![asked], vec![]));
    let status = |status| ExchangeFilter { status: Some(status), ..of_ada.clone() };
    assert_eq!(ids(status(ExchangeStatus::In(Phase::Open))).await, [asked]);
    store.log().clock().advance(Duration::from_mins(5));
    assert_eq!(ids(status(ExchangeStatus::In(Phase::Open))).await, []);
    assert_eq!(ids(status(ExchangeStatus::Expired)).await, [asked]);
    let before = store.exchange().exchange(by_owner).await.unwrap().map(|view| view.position);
    assert_eq!(ids(ExchangeFilter { before, ..everything(&owners[0]) }).await, [asked]);
}

#[apply(both)]
async fn redacted_texts_are_gone_and_the_exchange_remains(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = [new_actor(&store), new_actor(&store)];
    let (id, request_id) = begin(&store, Some(&ada), Some(agent_id(&ben)), true).await;
    answer(&store, id, request_id, agent_id(&ben)).await.unwrap();
    assert_eq!(database.tables_with(NEEDLE).await, ["events"]);
    let before = store.exchange().exchange(id).await.unwrap().unwrap();
    redact(&store, id, &ada).await.unwrap();
    assert_eq!(database.tables_with(NEEDLE).await, <[&str; 0]>::default());
    let after = store.exchange().exchange(id).await.unwrap().unwrap();
    assert_eq!((after.phase, after.redacted, after.rounds), (Phase::Closed, true, 1));
    assert_eq!(
        (&after.asker_id, &after.document, after.position),
        (&before.asker_id, &before.document, before.position)
    );
    assert_eq!(store.exchange().conversation(&sha256_hex(id.to_string())).await.unwrap().map(|view| view.id), Some(id));
    assert_eq!(store.exchange().transcript_events(id, 0, 10).await.unwrap().len(), 1);
    let again = change(&store, id, |state| {
        ContinueExchange { protocol: None, asking: asking(&store, None, "More") }.decide(state)
    });
    assert!(matches!(again.await, Err(Failure::Exchange(ExchangeError::NotFound))));
}

#[apply(both)]
async fn open_conversations_count_until_they_expire(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ids: Vec<_> = (0..3).map(|_| ExchangeId::new(store.log().clock().uuid())).collect();
    let hold = |exchange_id: ExchangeId, seconds| {
        let expires_at = store.log().clock().now() + TimeDelta::seconds(seconds);
        ExchangeChange::Conversation { exchange_id, holder: "ada".to_owned(), expires_at }
    };
    store.log().write_side(ids.iter().map(|id| hold(*id, 10))).await.unwrap();
    store
        .log()
        .write_side(vec![hold(ids[0], 20), ExchangeChange::ConversationEnded { exchange_id: ids[1] }])
        .await
        .unwrap();
    let fits =
        async |holder: &str, most| fits(&store, conversations_cap(holder, store.log().clock().now(), most)).await;
    assert_eq!([fits("ada", 2).await, fits("ada", 3).await, fits("ben", 1).await], [false, true, true]);
    database.clock.advance(Duration::from_secs(10));
    assert_eq!([fits("ada", 1).await, fits("ada", 2).await], [false, true]);
    assert!(store.log().prune(10, Duration::from_secs(1)).await.unwrap());
    assert!(!store.log().prune(10, Duration::from_secs(1)).await.unwrap());
    assert_eq!([fits("ada", 1).await, fits("ada", 2).await], [false, true]);
}

/// Batches of steps, each with the exchange that it applies to.
fn batches() -> impl Strategy<Value = Vec<Vec<(u8, u8)>>> {
    vec(vec((any::<u8>(), any::<u8>()), 1..8), 1..20)
}

/// Refused and conflicting commands are expected.
async fn try_one(store: &Store, known: &[(ExchangeId, Actor, Actor)], (step, which): (u8, u8)) {
    let (id, ada, ben) = &known[usize::from(which) % known.len()];
    let (id, now) = (*id, store.log().clock().now());
    let exchange = |view: Option<ExchangeView>| view.map_or(Phase::Closed, |view| view.phase);
    let phase = exchange(store.exchange().exchange(id).await.unwrap());
    let waiting = store.exchange().requests_waiting(agent_id(ben), 0, 50).await.unwrap();
    let request_id = waiting.iter().rev().find(|(_, asked)| asked.exchange_id == id).map(|(_, asked)| asked.request_id);
    let done = match (step % 10, request_id) {
        (0..4, Some(request_id)) => answer(store, id, request_id, agent_id(ben)).await,
        (4, Some(request_id)) => {
            let settle = SettleRequest { request_id, settlement: None };
            change(store, id, |state| settle.decide(state)).await
        }
        (5, _) => change(store, id, |state| CloseExchange { now }.decide(state)).await,
        (6, _) => {
            let side = if which % 2 == 0 { Side::Asker } else { Side::Answerer };
            change(store, id, |state| PublishExchange { side, by: ada.id, now }.decide(state)).await
        }
        (7, _) if phase != Phase::Waiting => redact(store, id, ben).await,
        _ => {
            let again = ContinueExchange { protocol: None, asking: asking(store, Some(ada), NEEDLE) };
            change(store, id, |state| again.decide(state)).await
        }
    };
    assert!(
        matches!(done, Ok(()) | Err(Failure::Exchange(_) | Failure::Store(StoreError::Conflict { .. }))),
        "{done:?}"
    );
}

async fn agree_after(kind: Kind, batches: Vec<Vec<(u8, u8)>>) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let mut known = vec![];
    for number in 0..6 {
        let (ada, ben) = (new_actor(&store), new_actor(&store));
        let (id, _) = begin(&store, Some(&ada), Some(agent_id(&ben)), number > 0).await;
        known.push((id, ada, ben));
    }
    for batch in batches {
        database.clock.advance(Duration::from_secs(3));
        join_all(batch.into_iter().map(|step| try_one(&store, &known, step))).await;
    }
    let verified = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verified.live, verified.rebuilt);
    assert_eq!(verification::rebuild(store.log(), |_| ()).await.unwrap(), verified.live);
}

#[apply(both)]
async fn live_and_rebuilt_tables_agree_for_random_exchanges(#[case] kind: Kind) {
    tokio::task::spawn_blocking(move || {
        let runtime = Handle::current();
        let cases = if matches!(kind, Kind::Sqlite) { 24 } else { 8 };
        let mut runner = TestRunner::new(Config { cases, failure_persistence: None, ..Config::default() });
        runner
            .run(&batches(), |batches| {
                runtime.block_on(agree_after(kind, batches));
                Ok(())
            })
            .unwrap();
    })
    .await
    .unwrap();
}
