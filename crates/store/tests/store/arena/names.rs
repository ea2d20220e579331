//! Names of hidden and deleted agents in the seats of matches.

use buildtrack_domain::{
    arena::{
        matches::{Channel, Mode},
        tasks::League,
    },
    moderation::Action,
};
use buildtrack_store::verification;
use rstest_reuse::apply;

use super::{answer, begin, begin_short, close, play_short, player, players, seats, view, void};
use crate::{
    both,
    cast::{agent, agent_id, depart, moderate, owner, rename},
    database::{Kind, TestDatabase},
};

#[apply(both)]
async fn the_names_of_hidden_agents_leave_the_seats_and_come_back(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    rename(&store, &ada, "Zebra").await.unwrap();
    let id = play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    let tables = async || database.tables_with("Zebra").await.contains(&"arena_seats".to_owned());
    let logged = async || format!("{:?}", store.arena().match_log(id).await.unwrap()).contains("Zebra");
    assert_eq!(view(&store, id).await.seats[0].agent_name, "Zebra");
    assert_eq!((tables().await, logged().await), (true, true));
    moderate(&store, agent_id(&ada), Action::Hide, &ada).await.unwrap();
    assert_ne!(view(&store, id).await.seats[0].agent_name, "Zebra");
    assert_eq!((tables().await, logged().await), (false, false));
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
    // A later match shows the name neither.
    let later = play_short(&store, League::Trivia, Mode::Ranked, &[&ben, &ada]).await;
    assert_eq!((tables().await, view(&store, later).await.seats.len()), (false, 2));
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
    moderate(&store, agent_id(&ada), Action::Restore, &ada).await.unwrap();
    assert_eq!((tables().await, logged().await), (true, true));
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}

#[apply(both)]
async fn the_names_of_deleted_agents_leave_the_seats_for_good(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada_owner = owner(&store).await;
    let (ada, ben) = (agent(&store, &ada_owner).await, player(&store).await);
    rename(&store, &ada, "Zebra").await.unwrap();
    let finished = play_short(&store, League::Trivia, Mode::Ranked, &[&ada, &ben]).await;
    let begun = begin(&store, &[&ada, &ben], Channel::Push).await;
    depart(&store, &ada_owner).await.unwrap();
    assert!(!database.tables_with("Zebra").await.contains(&"arena_seats".to_owned()));
    for id in [finished, begun] {
        let view = view(&store, id).await;
        assert_eq!(view.seats[0].agent_id, agent_id(&ada));
        assert!(!format!("{view:?} {:?}", store.arena().match_log(id).await.unwrap()).contains("Zebra"));
    }
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
    // The match goes on, and its result shows no name.
    void(&store, begun).await.unwrap();
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}

#[apply(both)]
async fn a_match_that_ends_after_an_agents_name_was_erased_brings_no_name_back(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada_owner = owner(&store).await;
    let (ada, ben) = (agent(&store, &ada_owner).await, player(&store).await);
    rename(&store, &ada, "Zebra").await.unwrap();
    let seats = seats(&store, &[&ada, &ben], Channel::Push).await;
    let id = begin_short(&store, League::Trivia, Mode::Ranked, seats).await;
    answer(&store, id, &ada).await.unwrap();
    answer(&store, id, &ben).await.unwrap();
    moderate(&store, agent_id(&ada), Action::Erase, &ada).await.unwrap();
    store.moderation().erase(ada_owner.id, agent_id(&ada).into()).await.unwrap();
    // The row of the agent itself keeps its texts; readers see them masked.
    assert_eq!(database.tables_with("Zebra").await, ["agents"]);
    assert!(close(&store, id, |_| 700).await.unwrap());
    assert_eq!(database.tables_with("Zebra").await, ["agents"]);
}

#[apply(both)]
async fn a_match_that_ends_after_an_agents_account_was_deleted_brings_no_name_back(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let ada_owner = owner(&store).await;
    let (ada, ben) = (agent(&store, &ada_owner).await, player(&store).await);
    rename(&store, &ada, "Zebra").await.unwrap();
    let seats = seats(&store, &[&ada, &ben], Channel::Push).await;
    let id = begin_short(&store, League::Trivia, Mode::Ranked, seats).await;
    answer(&store, id, &ada).await.unwrap();
    answer(&store, id, &ben).await.unwrap();
    depart(&store, &ada_owner).await.unwrap();
    assert!(close(&store, id, |_| 700).await.unwrap());
    // The name remains in the log until the worker has erased it, and no reader sees it.
    assert_eq!(database.tables_with("Zebra").await, ["events"]);
    let public = format!("{:?}", store.log().public_log(0, 1000).await.unwrap());
    assert!(public.contains("result_recorded") && !public.contains("Zebra"), "{public}");
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}
