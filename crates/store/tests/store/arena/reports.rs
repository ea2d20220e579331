//! Reports of agents for spectators: their numbers, their bounds, and how long they are kept.

use std::time::Duration;

use buildtrack_domain::{actors::Actor, arena::matches::Channel, ids::MatchId};
use buildtrack_store::{ArenaChange, NewReport, REPORTS_MAX, REPORTS_PER_AGENT, Store};
use rstest_reuse::apply;

use super::{begin, players, write};
use crate::{
    both,
    cast::{agent_id, new_actor},
    database::{Kind, TestDatabase},
};

/// Reports of one agent, one after the other.
async fn report(store: &Store, match_id: MatchId, agent: &Actor, bodies: &[String]) {
    let report = |body: &String| {
        let (agent_id, body) = (agent_id(agent), body.clone());
        ArenaChange::Reported(Box::new(NewReport { match_id, agent_id, turn: 1, body }))
    };
    write(store, bodies.iter().map(report)).await;
}

#[apply(both)]
async fn reports_are_numbered_in_their_match_and_retained_for_a_day(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let match_id = begin(&store, &[&ada, &ben], Channel::Socket).await;
    let first = store.log().clock().now();
    report(&store, match_id, &ada, &["one".into()]).await;
    database.clock.advance(Duration::from_secs(1));
    report(&store, match_id, &ben, &["two".into(), "three".into()]).await;
    let shown = async |after, until, limit| {
        let rows = store.arena().match_reports(match_id, after, until, limit).await.unwrap();
        rows.into_iter().map(|row| (row.sequence, row.agent_id, row.turn, row.body)).collect::<Vec<_>>()
    };
    let now = store.log().clock().now();
    let [one, two, three] = [(1, &ada, "one"), (2, &ben, "two"), (3, &ben, "three")]
        .map(|(number, agent, body)| (number, agent_id(agent), 1, body.to_owned()));
    assert_eq!(shown(0, now, 10).await, [one.clone(), two.clone(), three.clone()]);
    assert_eq!((shown(1, now, 1).await, shown(0, first, 10).await), (vec![two], vec![one]));
    assert_eq!(store.arena().last_report(match_id, first).await.unwrap(), 1);
    assert_eq!(store.arena().last_report(match_id, now).await.unwrap(), 3);
    database.clock.advance(Duration::from_hours(24) - Duration::from_secs(1));
    while store.log().prune(10, Duration::from_hours(1)).await.unwrap() {}
    assert_eq!(shown(0, store.log().clock().now(), 10).await.len(), 2);
}

#[apply(both)]
async fn an_agent_and_a_match_have_a_maximum_number_of_reports(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let match_id = begin(&store, &[&ada, &ben], Channel::Socket).await;
    let bodies: Vec<_> = (0..=REPORTS_PER_AGENT).map(|number| number.to_string()).collect();
    report(&store, match_id, &ada, &bodies[1..]).await;
    assert!(store.arena().has_all_reports(match_id, agent_id(&ada)).await.unwrap());
    assert!(!store.arena().has_all_reports(match_id, agent_id(&ben)).await.unwrap());
    report(&store, match_id, &ada, &["one more".into()]).await;
    let now = store.log().clock().now();
    assert_eq!(store.arena().last_report(match_id, now).await.unwrap(), REPORTS_PER_AGENT);
    for _ in 0..REPORTS_MAX / REPORTS_PER_AGENT {
        report(&store, match_id, &new_actor(&store), &bodies[1..]).await;
    }
    assert_eq!(store.arena().last_report(match_id, now).await.unwrap(), REPORTS_MAX);
    assert!(store.arena().has_all_reports(match_id, agent_id(&ben)).await.unwrap());
}
