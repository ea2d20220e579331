//! Requests for higher limits, and what else the pages of an owner read.

use std::collections::HashSet;

use buildtrack_domain::{
    actors::Actor,
    decide::Command,
    identity::{
        AskedLimit, DecideLimitRequest, FileLimitRequest, FilingLimitRequest, LimitRequestDecided, LimitRequestFiled,
        LimitRequests,
    },
    limits::Tier,
    moderation::{Action, HIDDEN, LogPosition},
    workspaces::Role,
};
use buildtrack_store::{LimitRequestFilter, LimitRequestView, Store, StoreError, verification};
use rstest_reuse::apply;

use crate::{
    both,
    cast::{agent, agent_id, appeal, join, leave, moderate, new_actor, open, owner, owner_id, post, upvote},
    database::{Kind, TestDatabase},
};

const REASON: &str = "A class of thirty";

async fn file(store: &Store, owner: &Actor, limit: AskedLimit) {
    let owner_id = owner_id(owner);
    let filed = store.log().transact(Some(owner.id), async |unit| {
        let requests = unit.load::<LimitRequests>(LimitRequests::stream(owner_id)).await?;
        let command = FileLimitRequest(LimitRequestFiled { owner_id, limit, reason: REASON.into() });
        let states = FilingLimitRequest { requests: &requests.state, agent: None };
        unit.append(LimitRequests::stream(owner_id), &requests, command.decide(states).unwrap());
        Ok::<_, StoreError>(())
    });
    filed.await.unwrap();
}

async fn decide(store: &Store, owner: &Actor, granted: bool) {
    let owner_id = owner_id(owner);
    let decided = store.log().transact(None, async |unit| {
        let requests = unit.load::<LimitRequests>(LimitRequests::stream(owner_id)).await?;
        let decided = LimitRequestDecided { owner_id, granted, reason: "Welcome".into(), operator_id: None };
        let events = DecideLimitRequest(decided).decide(&requests.state).unwrap();
        unit.append(LimitRequests::stream(owner_id), &requests, events);
        Ok::<_, StoreError>(())
    });
    decided.await.unwrap();
}

/// Two requests: one is granted, the other open.
pub(crate) async fn story(store: &Store) {
    let (ada, bob) = (owner(store).await, owner(store).await);
    file(store, &ada, AskedLimit::Agents(30)).await;
    decide(store, &ada, true).await;
    let scout = agent(store, &bob).await;
    file(store, &bob, AskedLimit::Tier { agent_id: agent_id(&scout), tier: Tier::Pro }).await;
}

async fn requests(store: &Store, open: Option<bool>) -> Vec<LimitRequestView> {
    store
        .identity()
        .limit_requests(&LimitRequestFilter { open, limit: 10, ..LimitRequestFilter::default() })
        .await
        .unwrap()
}

#[apply(both)]
async fn a_request_is_open_until_operators_decide(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    story(&store).await;
    let [waiting] = &requests(&store, Some(true)).await[..] else { panic!("one request is open") };
    assert_eq!((waiting.tier.as_deref(), waiting.agent_limit, waiting.granted), (Some("pro"), None, None));
    assert!(waiting.agent_name.is_some() && waiting.decision.is_none());
    let [granted] = &requests(&store, Some(false)).await[..] else { panic!("one request is decided") };
    assert_eq!((granted.agent_limit, granted.granted), (Some(30), Some(true)));
    assert_eq!(granted.decision.as_deref(), Some("Welcome"));
    let own = LimitRequestFilter { owner: Some(granted.owner_id), limit: 10, ..LimitRequestFilter::default() };
    assert_eq!(store.identity().limit_requests(&own).await.unwrap().len(), 1);
    assert_eq!(requests(&store, None).await.len(), 2);

    // Operators can hide a reason, as every text that others read.
    let operator = owner(&store).await;
    let subject = LogPosition(waiting.position);
    for (action, shown) in [(Action::Hide, HIDDEN), (Action::Restore, REASON)] {
        moderate(&store, subject, action, &operator).await.unwrap();
        assert_eq!(requests(&store, Some(true)).await[0].reason, shown);
        assert_eq!(
            verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
            <[&str; 0]>::default()
        );
    }
}

#[apply(both)]
async fn a_reader_finds_its_votes_and_its_role(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let (ada, bob) = (new_actor(&store), new_actor(&store));
    let track = open(&store, &ada).await;
    let (one, two) = (post(&store, track, &ada, "1").await.unwrap(), post(&store, track, &ada, "2").await.unwrap());
    upvote(&store, track, &bob, one).await.unwrap();
    let texts = [one.to_string(), two.to_string()];
    let among = texts.each_ref().map(String::as_str);
    assert_eq!(store.votes().voted_among(bob.id, &among).await.unwrap(), HashSet::from([one.to_string()]));
    assert!(store.votes().voted_among(ada.id, &among).await.unwrap().is_empty());
    assert!(store.votes().voted_among(bob.id, &[]).await.unwrap().is_empty());
    assert_eq!(store.workspaces().role_in(track, ada.id).await.unwrap(), Some(Role::Owner));
    assert_eq!(store.workspaces().role_in(track, bob.id).await.unwrap(), None);
    join(&store, track, &bob).await.unwrap();
    assert_eq!(store.workspaces().role_in(track, bob.id).await.unwrap(), Some(Role::Member));
    leave(&store, track, &bob).await.unwrap();
    assert_eq!(store.workspaces().role_in(track, bob.id).await.unwrap(), None);
}

#[apply(both)]
async fn a_decision_can_be_appealed_once_while_it_is_in_force(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let bob = owner(&store).await;
    let ada = agent(&store, &bob).await;
    let message = post(&store, open(&store, &ada).await, &ada, "Buy this").await.unwrap();
    let concerning = async || {
        let rows = store.moderation().decisions_concerning(owner_id(&bob), 10).await.unwrap();
        rows.into_iter().map(|(decision, can_be_appealed)| (decision.action, can_be_appealed)).collect::<Vec<_>>()
    };
    assert!(concerning().await.is_empty());
    moderate(&store, message, Action::Hide, &ada).await.unwrap();
    assert_eq!(concerning().await, [(Action::Hide, true)]);
    appeal(&store, message, &bob).await.unwrap();
    assert_eq!(concerning().await, [(Action::Hide, false)]);
    moderate(&store, message, Action::Uphold, &ada).await.unwrap();
    assert_eq!(concerning().await, [(Action::Uphold, false), (Action::Hide, true)]);
    moderate(&store, message, Action::Restore, &ada).await.unwrap();
    let restored = [(Action::Restore, false), (Action::Uphold, false), (Action::Hide, false)];
    assert_eq!(concerning().await, restored);
    let other = owner(&store).await;
    assert!(store.moderation().decisions_concerning(owner_id(&other), 10).await.unwrap().is_empty());
}
