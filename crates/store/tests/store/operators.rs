//! What operators read: owners, open reports and appeals, open breakers, and what operators did.

use buildtrack_domain::{
    actors::ActorId,
    event::Event,
    identity::{Act, OperationDone, OperationEvent},
    ids::OwnerId,
    moderation::Action,
};
use buildtrack_store::{ActFilter, CaseFilter, OpenCases, OwnerFilter, Store, StoreError};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, appeal, file_report, moderate, open, owner, owner_id, post},
    database::{Kind, TestDatabase},
};

/// An act of an operator, or of the server's machine.
async fn act(store: &Store, by: Option<OwnerId>, reason: &str) {
    let done = OperationDone { act: Act::Invite, subject: None, reason: Some(reason.to_owned()) };
    let acted = store.log().transact(by.map(ActorId::from), async |unit| {
        unit.begin(format!("operation:{}", store.log().clock().uuid()), [OperationEvent::from(done.clone())]);
        Ok::<_, StoreError>(())
    });
    acted.await.unwrap();
}

/// The reasons of a list of acts.
async fn reasons(store: &Store, filter: ActFilter) -> Vec<String> {
    let acts = store.moderation().operator_acts(&filter).await.unwrap().into_iter();
    let reasons = acts.map(|act| match act.event {
        Event::Operation(OperationEvent::Done(data)) => data.reason.unwrap_or_default(),
        other => other.event_type().to_owned(),
    });
    reasons.collect()
}

#[apply(both)]
async fn owners_are_listed_in_pages_and_found_by_name(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let mut ids = Vec::new();
    for _ in 0..5 {
        ids.push(owner_id(&owner(&store).await));
    }
    ids.sort_unstable_by_key(|id| std::cmp::Reverse(id.to_string()));
    let name = store.identity().owner(ids[0]).await.unwrap().unwrap().display_name;
    for text in [None, Some(name.to_uppercase())] {
        let (mut listed, mut before) = (Vec::new(), None);
        loop {
            let page = store.identity().owners(&OwnerFilter { text: text.clone(), before, limit: 2 }).await.unwrap();
            assert_eq!(page.scanned_to, None);
            let Some(last) = page.rows.last() else { break };
            before = Some(last.id);
            listed.extend(page.rows.iter().map(|owner| owner.id));
        }
        assert_eq!(listed, ids, "{text:?}");
    }
    let none = OwnerFilter { text: Some("%".to_owned()), before: None, limit: 10 };
    assert!(store.identity().owners(&none).await.unwrap().rows.is_empty());
    assert_eq!(store.identity().agent_limit(ids[0]).await.unwrap(), None);
}

#[apply(both)]
async fn acts_are_listed_by_operator_and_open_cases_are_counted(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (owner(&store).await, owner(&store).await);
    let [one, two] = [&ada, &bob].map(owner_id);
    let scout = agent(&store, &ada).await;
    let track = open(&store, &scout).await;
    let message = post(&store, track, &scout, "Buy this").await.unwrap();
    file_report(&store, message, &bob).await.unwrap();
    assert_eq!(store.moderation().open_cases(10).await.unwrap(), OpenCases { reports: 1, appeals: 0 });
    assert_eq!(store.moderation().open_cases(0).await.unwrap(), OpenCases { reports: 0, appeals: 0 });
    moderate(&store, message, Action::Hide, &ada).await.unwrap();
    appeal(&store, message, &ada).await.unwrap();
    assert_eq!(store.moderation().open_cases(10).await.unwrap(), OpenCases { reports: 0, appeals: 1 });
    for (open, reports, appeals) in [(Some(true), 0, 1), (Some(false), 1, 0), (None, 1, 1)] {
        let filter = CaseFilter { open, limit: 10, ..CaseFilter::default() };
        let found = (
            store.moderation().reports(&filter).await.unwrap().len(),
            store.moderation().appeals(&filter).await.unwrap().len(),
        );
        assert_eq!(found, (reports, appeals), "{open:?}");
    }

    act(&store, Some(one), "first").await;
    act(&store, Some(two), "second").await;
    act(&store, None, "third").await;
    act(&store, Some(one), "fourth").await;
    let all = ActFilter { limit: 10, ..ActFilter::default() };
    assert_eq!(reasons(&store, all).await, ["fourth", "third", "second", "first", "moderation.decided"]);
    let by_one = reasons(&store, ActFilter { by: Some(one), ..all }).await;
    // In this suite, the author of the text decides.
    assert_eq!(by_one, ["fourth", "first", "moderation.decided"]);
    let first = store.moderation().operator_acts(&ActFilter { limit: 1, ..all }).await.unwrap();
    assert_eq!(first[0].operator_id, Some(one));
    let older = ActFilter { before: Some(first[0].position), limit: 1, ..all };
    assert_eq!(reasons(&store, older).await, ["third"]);
    assert_eq!(store.moderation().operator_acts(&older).await.unwrap()[0].operator_id, None);

    // An event without a text of its own, and one that does not exist.
    assert!(
        store.moderation().reported_texts(1).await.unwrap().is_empty()
            && store.moderation().reported_texts(10_000).await.unwrap().is_empty()
    );
    assert_eq!(store.webhooks().count_open_breakers(10).await.unwrap(), 0);
    assert!(store.webhooks().open_breakers(None, 10).await.unwrap().is_empty());
}
