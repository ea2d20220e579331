//! Commands on one match at the same moment.

use buildtrack_domain::arena::{
    matches::{Channel, MatchError, MatchEvent, Mode},
    tasks::League,
};
use futures_util::future::join;
use rstest_reuse::apply;

use super::{Failure, answer, begin, begin_short, close, players, seats, view, void};
use crate::{
    both,
    cast::agent_id,
    database::{Kind, TestDatabase},
};

#[apply(both)]
async fn two_closings_of_one_turn_at_once_close_it_once(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let [ada, ben] = players(&store).await;
    for turn in 1..=3 {
        let id = begin(&store, &[&ada, &ben], Channel::Socket).await;
        answer(&store, id, &ada).await.unwrap();
        answer(&other, id, &ben).await.unwrap();
        let (first, second) = join(close(&store, id, |_| 700), close(&other, id, |_| 700)).await;
        assert_eq!(u8::from(first.unwrap()) + u8::from(second.unwrap()), 1, "try {turn}");
        let judged = |log: &Vec<_>| {
            log.iter()
                .filter(|logged: &&buildtrack_store::LoggedMatchEvent| matches!(logged.event, MatchEvent::Judged(_)))
                .count()
        };
        assert_eq!(judged(&store.arena().match_log(id).await.unwrap()), 1);
        assert_eq!(view(&store, id).await.seats.iter().map(|seat| seat.total).collect::<Vec<_>>(), [700, 700]);
        void(&store, id).await.unwrap();
    }
}

#[apply(both)]
async fn two_closings_of_the_last_turn_at_once_record_one_result(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let [ada, ben] = players(&store).await;
    let seats = seats(&store, &[&ada, &ben], Channel::Push).await;
    let id = begin_short(&store, League::Trivia, Mode::Ranked, seats).await;
    answer(&store, id, &ada).await.unwrap();
    answer(&store, id, &ben).await.unwrap();
    let (first, second) = join(close(&store, id, |_| 700), close(&other, id, |_| 700)).await;
    assert_eq!(u8::from(first.unwrap()) + u8::from(second.unwrap()), 1);
    for agent in [&ada, &ben] {
        assert_eq!(store.arena().results(agent_id(agent), None, None, 10).await.unwrap().len(), 1);
    }
}

#[apply(both)]
async fn two_answers_of_one_agent_at_once_leave_one(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let other = database.open().await;
    let [ada, ben] = players(&store).await;
    for _ in 0..3 {
        let id = begin(&store, &[&ada, &ben], Channel::Socket).await;
        let (first, second) = join(answer(&store, id, &ada), answer(&other, id, &ada)).await;
        let refused = [first, second].into_iter().filter_map(Result::err).collect::<Vec<_>>();
        assert!(matches!(&refused[..], [Failure::Match(MatchError::AlreadySettled)]), "{refused:?}");
        assert_eq!(view(&store, id).await.waiting, 1);
        // The sealed answer is the one that the log has a commitment to.
        answer(&store, id, &ben).await.unwrap();
        assert!(close(&store, id, |_| 1000).await.unwrap());
    }
}
