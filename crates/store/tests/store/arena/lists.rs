//! Lists of matches and results, the ladder, and counts.

use std::{collections::BTreeSet, time::Duration};

use buildtrack_domain::{
    actors::Actor,
    arena::{
        matches::{Channel, Mode},
        tasks::League,
    },
    ids::{MatchId, OwnerId},
};
use buildtrack_store::{MatchFilter, NewMatch, verification};
use chrono::TimeDelta;
use futures_util::future::join_all;
use rstest_reuse::apply;

use super::{begin, play_short, players, seats, view, void};
use crate::{
    both,
    cast::{agent, agent_id, deactivate, owner, rename},
    database::{Kind, TestDatabase, noon},
};

#[apply(both)]
async fn matches_are_listed_by_phase_league_and_agent(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    let first = play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    let second = play_short(&store, League::Reasoning, Mode::Challenge, &[&cleo, &ben]).await;
    let third = begin(&store, &[&ada, &cleo], Channel::Socket).await;
    let all = MatchFilter { limit: 10, ..MatchFilter::default() };
    let ids = async |filter: MatchFilter| {
        let found = store.arena().matches(&filter).await.unwrap();
        assert!(found.iter().all(|found| found.seats.len() == 2 && found.seats[0].match_id == found.id));
        found.iter().map(|found| found.id).collect::<Vec<_>>()
    };
    assert_eq!(ids(all.clone()).await, [third, second, first]);
    assert_eq!(ids(MatchFilter { limit: 2, ..all.clone() }).await, [third, second]);
    let before = Some(view(&store, second).await.position);
    assert_eq!(ids(MatchFilter { before, ..all.clone() }).await, [first]);
    assert_eq!(ids(MatchFilter { phase: Some("finished"), ..all.clone() }).await, [second, first]);
    assert_eq!(ids(MatchFilter { phase: Some("void"), ..all.clone() }).await, []);
    assert_eq!(ids(MatchFilter { league: Some(League::Trivia), ..all.clone() }).await, [third, first]);
    let of_ada = MatchFilter { agent_id: Some(agent_id(&ada)), ..all.clone() };
    assert_eq!(ids(of_ada.clone()).await, [third, first]);
    assert_eq!(ids(MatchFilter { limit: 1, ..of_ada.clone() }).await, [third]);
    let before = Some(view(&store, third).await.position);
    assert_eq!(ids(MatchFilter { before, ..of_ada.clone() }).await, [first]);
    let (phase, league) = (Some("playing"), Some(League::Trivia));
    assert_eq!(ids(MatchFilter { phase, league, ..of_ada.clone() }).await, [third]);
    assert_eq!(ids(MatchFilter { league: Some(League::Reasoning), ..of_ada }).await, []);
    assert!(store.arena().match_view(MatchId::new(store.log().clock().uuid())).await.unwrap().is_none());
}

#[apply(both)]
async fn the_ladder_ranks_active_agents_by_rating_and_certainty(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let ada_owner = owner(&store).await;
    let ada = agent(&store, &ada_owner).await;
    let [ben, cleo, dan] = players(&store).await;
    for _ in 0..3 {
        play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
        play_short(&store, League::Trivia, Mode::Challenge, &[&ben, &ada]).await;
    }
    play_short(&store, League::Trivia, Mode::Ranked, &[&cleo, &dan]).await;
    play_short(&store, League::Reasoning, Mode::Ranked, &[&dan, &cleo]).await;
    let ladder = store.arena().ladder(League::Trivia, None, 10).await.unwrap();
    let shown: Vec<_> = ladder.iter().map(|row| (row.agent_id, row.won, row.drew, row.lost)).collect();
    let ranks: Vec<_> = ladder.iter().map(|row| row.rating.rank_milli()).collect();
    assert!(ranks.is_sorted_by(|first, second| first > second), "{ranks:?}");
    assert_eq!((shown[0], shown[1]), ((agent_id(&ada), 3, 0, 0), (agent_id(&cleo), 1, 0, 0)));
    assert_eq!(shown.len(), 4);
    // The same rows, one a page.
    let mut after = None;
    for row in &ladder {
        let page = store.arena().ladder(League::Trivia, after, 1).await.unwrap();
        assert_eq!(page, std::slice::from_ref(row));
        after = Some((row.rating.rank_milli(), row.agent_id));
    }
    assert_eq!(store.arena().ladder(League::Trivia, after, 1).await.unwrap(), []);
    let leagues = store.arena().standings(agent_id(&dan)).await.unwrap();
    assert_eq!(
        leagues.iter().map(|row| (row.league, row.won, row.lost)).collect::<Vec<_>>(),
        [(League::Reasoning, 1, 0), (League::Trivia, 0, 1)]
    );
    assert_eq!(store.arena().ladder(League::Python, None, 10).await.unwrap(), []);
    rename(&store, &cleo, "Cleopatra").await.unwrap();
    deactivate(&store, &ada, &ada_owner).await.unwrap();
    let left = store.arena().ladder(League::Trivia, None, 10).await.unwrap();
    assert_eq!((left.len(), &*left[0].name), (3, "Cleopatra"));
    assert_eq!(store.arena().standings(agent_id(&ada)).await.unwrap().len(), 1);
}

#[apply(both)]
async fn agents_with_equal_ranks_follow_each_other_on_the_ladder(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let agents: [Actor; 4] = players(&store).await;
    // The winners have one rank, and so have the losers.
    for pair in agents.chunks(2) {
        play_short(&store, League::Trivia, Mode::Ranked, &[&pair[0], &pair[1]]).await;
    }
    let (mut found, mut after) = (vec![], None);
    while let Some(row) = store.arena().ladder(League::Trivia, after, 1).await.unwrap().pop() {
        after = Some((row.rating.rank_milli(), row.agent_id));
        found.push(row.agent_id);
    }
    let sorted = |first: usize, second: usize| {
        let mut pair = [agent_id(&agents[first]), agent_id(&agents[second])];
        pair.sort_by_key(ToString::to_string);
        pair
    };
    assert_eq!(found, [sorted(0, 2), sorted(1, 3)].concat());
}

#[apply(both)]
async fn the_results_of_an_agent_are_listed_newest_first(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let first = play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    let second = play_short(&store, League::Reasoning, Mode::Challenge, &[&ben, &ada]).await;
    let third = play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    let list = async |league, before, limit| {
        let found = store.arena().results(agent_id(&ada), league, before, limit).await.unwrap();
        found.iter().map(|result| result.match_id).collect::<Vec<_>>()
    };
    assert_eq!(list(None, None, 10).await, [third, second, first]);
    assert_eq!(list(None, None, 2).await, [third, second]);
    assert_eq!(list(Some(League::Trivia), None, 10).await, [third, first]);
    let results = store.arena().results(agent_id(&ada), None, None, 10).await.unwrap();
    assert_eq!(list(None, Some(results[1].position), 10).await, [first]);
    assert_eq!(list(Some(League::Trivia), Some(results[0].position), 10).await, [first]);
    let shown: Vec<_> = results.iter().map(|result| (&*result.outcome, &*result.mode, result.score)).collect();
    assert_eq!(shown, [("won", "ranked", 900), ("lost", "challenge", 800), ("won", "ranked", 900)]);
    // Each ranked result begins where the one before it ended; a challenge changes nothing.
    assert_eq!(results[0].rating_before_milli, results[2].rating_milli);
    assert_eq!((results[1].rating_before_milli, results[1].rating_milli), (1_500_000, 1_500_000));
}

#[apply(both)]
async fn matches_are_counted_by_day_by_agent_and_by_pair(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    assert_eq!(store.arena().matches_today().await.unwrap(), 0);
    play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    play_short(&store, League::Trivia, Mode::Challenge, &[&ada, &ben]).await;
    play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben, &cleo]).await;
    assert_eq!(store.arena().matches_today().await.unwrap(), 3);
    database.clock.advance(Duration::from_hours(12) - Duration::from_micros(2));
    assert_eq!(store.arena().matches_today().await.unwrap(), 3);
    database.clock.advance(Duration::from_micros(2));
    assert_eq!(store.arena().matches_today().await.unwrap(), 0);
    play_short(&store, League::Reasoning, Mode::Ranked, &[&ben, &ada]).await;
    assert_eq!(store.arena().matches_today().await.unwrap(), 1);

    let since = noon() + TimeDelta::hours(1);
    let count = async |of: &Actor, since, limit| store.arena().matches_since(agent_id(of), since, limit).await.unwrap();
    // A challenge does not count.
    assert_eq!((count(&ada, noon(), 10).await, count(&ada, since, 10).await), (3, 1));
    assert_eq!((count(&ada, noon(), 2).await, count(&cleo, noon(), 10).await), (2, 1));
    assert_eq!((count(&cleo, since, 10).await, count(&ada, store.log().clock().now(), 10).await), (0, 1));
    // A match of three counts for each pair of owners.
    let of = async |agent: &Actor| store.arena().contestant(agent_id(agent)).await.unwrap().unwrap().owner_id;
    let (of_ada, of_ben, of_cleo) = (of(&ada).await, of(&ben).await, of(&cleo).await);
    let met = async |owner_id, since, counts: (i64, i64)| -> BTreeSet<OwnerId> {
        store.arena().owners_met(owner_id, since, counts).await.unwrap().into_iter().collect()
    };
    assert_eq!(met(of_ada, noon(), (1, 10)).await, BTreeSet::from([of_ben, of_cleo]));
    assert_eq!(met(of_ada, noon(), (2, 10)).await, BTreeSet::from([of_ben]));
    // The challenge is not among the latest three.
    assert_eq!(met(of_ada, noon(), (3, 3)).await, BTreeSet::from([of_ben]));
    assert_eq!(met(of_ben, noon(), (3, 10)).await, BTreeSet::from([of_ada]));
    assert_eq!(met(of_ada, noon(), (4, 10)).await, BTreeSet::new());
    assert_eq!(met(of_ada, noon(), (2, 1)).await, BTreeSet::new());
    assert_eq!(met(of_ada, since, (1, 10)).await, BTreeSet::from([of_ben]));
    let voided = begin(&store, &[&ada, &cleo], Channel::Socket).await;
    assert_eq!(met(of_cleo, noon(), (2, 10)).await, BTreeSet::from([of_ada]));
    void(&store, voided).await.unwrap();
    assert_eq!(met(of_cleo, noon(), (2, 10)).await, BTreeSet::new());
}

#[apply(both)]
async fn the_last_seat_is_that_of_a_ranked_match_of_two(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    let last = async |of: &Actor, against: Option<&Actor>| {
        store.arena().last_ranked_seat(agent_id(of), against.map(agent_id)).await.unwrap()
    };
    assert_eq!(last(&ada, None).await, None);
    play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    play_short(&store, League::Reasoning, Mode::Ranked, &[&cleo, &ada]).await;
    play_short(&store, League::Trivia, Mode::Challenge, &[&ben, &ada]).await;
    play_short(&store, League::Trivia, Mode::Ranked, &[&ben, &ada, &cleo]).await;
    assert_eq!((last(&ada, Some(&ben)).await, last(&ben, Some(&ada)).await), (Some(0), Some(1)));
    assert_eq!((last(&ada, None).await, last(&cleo, None).await), (Some(1), Some(0)));
    assert_eq!(last(&ben, Some(&cleo)).await, None);
}

#[apply(both)]
async fn a_challenge_counts_for_the_owner_that_asked_for_it(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let pair = seats(&store, &[&ada, &ben], Channel::Push).await;
    let [of_ada, of_ben] = [pair[0].owner_id, pair[1].owner_id];
    let third = OwnerId::new(store.log().clock().uuid());
    let (league, mode, challenger_id) = (League::Trivia, Mode::Challenge, Some(third));
    let count = async |owner_id, since, limit| store.arena().owner_matches_since(owner_id, since, limit).await.unwrap();
    assert!(!store.arena().is_match_playing().await.unwrap());
    let challenge = store.arena().create_match(NewMatch { league, mode, challenger_id, seats: pair }).await.unwrap();
    assert!(store.arena().is_match_playing().await.unwrap());
    void(&store, challenge).await.unwrap();
    assert!(!store.arena().is_match_playing().await.unwrap());
    let counts = async |since| join_all([of_ada, of_ben, third].map(|owner_id| count(owner_id, since, 10))).await;
    // Both seats count for the challenger, and a void match counts too.
    assert_eq!(counts(noon()).await, [0, 0, 2]);
    database.clock.advance(Duration::from_secs(1));
    play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    assert_eq!(counts(noon()).await, [1, 1, 2]);
    assert_eq!(counts(noon() + TimeDelta::seconds(1)).await, [1, 1, 0]);
    assert_eq!(count(third, noon(), 1).await, 1);
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}
