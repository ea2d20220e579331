//! Matches: turns, deadlines, and how they end.

use std::{collections::BTreeSet, time::Duration};

use buildtrack_domain::{
    actors::Actor,
    arena::{
        matches::{Channel, Match, MatchCreated, MatchError, MatchEvent, Mode, Phase, SettleTurn, SkipMatch, TURNS},
        tasks::League,
    },
    decide::Command,
    ids::MatchId,
};
use buildtrack_store::{ArenaChange, Judging, MatchView, PauseReason, Store, skips_cap, verification};
use chrono::TimeDelta;
use rstest_reuse::apply;

use super::{
    Failure, NEEDLE, answer, begin, begin_short, begin_timed, close, due, enrol, enrolled, miss, paused, player,
    players, seats, view, void, write,
};
use crate::{
    both,
    caps::fits,
    cast::{agent, agent_id, owner, owner_id},
    database::{Kind, TestDatabase, noon},
};

#[apply(both)]
async fn a_match_is_played_from_its_first_turn_to_its_result(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let id = begin(&store, &[&ada, &ben], Channel::Socket).await;
    let first = view(&store, id).await;
    assert_eq!((&*first.phase, first.turn, first.turn_count, first.waiting), ("playing", 1, TURNS.into(), 2));
    assert_eq!((first.league, first.mode, first.created_at), (League::Trivia, Mode::Ranked, noon()));
    assert_eq!((first.winner_id, first.ending, first.ended_at, first.ended_position), (None, None, None, None));
    let seen: Vec<_> = first.seats.iter().map(|seat| (seat.seat, seat.agent_id, seat.settled, seat.total)).collect();
    assert_eq!(seen, [(0, agent_id(&ada), false, 0), (1, agent_id(&ben), false, 0)]);
    assert!(first.deadline.unwrap() > noon() && first.task_id.is_some());
    assert_eq!(store.arena().matches_of(agent_id(&ben)).await.unwrap(), [id]);

    answer(&store, id, &ben).await.unwrap();
    let one = view(&store, id).await;
    assert_eq!((one.waiting, one.seats[0].settled, one.seats[1].settled), (1, false, true));
    assert_eq!((due(&store).await, close(&store, id, |_| 1).await.unwrap()), (vec![], false));
    assert_eq!(database.tables_with(NEEDLE).await, ["arena_sealed_answers"]);
    let sealed = store.arena().sealed_answers(id, 1).await.unwrap();
    assert_eq!((sealed.len(), sealed[0].0), (1, agent_id(&ben)));
    assert_eq!((sealed[0].1.rationale.as_deref(), sealed[0].1.confidence), (Some("because"), Some(700)));
    assert_eq!(store.arena().sealed_answers(id, 2).await.unwrap(), []);

    answer(&store, id, &ada).await.unwrap();
    assert_eq!((view(&store, id).await.waiting, due(&store).await), (0, vec![id]));
    assert!(close(&store, id, |seat| if seat == 1 { 1000 } else { 250 }).await.unwrap());
    let second = view(&store, id).await;
    assert_eq!((&*second.phase, second.turn, second.waiting), ("playing", 2, 2));
    assert_ne!(second.task_id, first.task_id);
    let totals =
        |view: &MatchView| view.seats.iter().map(|seat| (seat.total, seat.settled, seat.place)).collect::<Vec<_>>();
    assert_eq!(totals(&second), [(250, false, None), (1000, false, None)]);
    assert_eq!((due(&store).await, store.arena().sealed_answers(id, 1).await.unwrap()), (vec![], vec![]));
    assert_eq!(database.tables_with(NEEDLE).await, ["events"]);

    for _ in 1..TURNS {
        database.clock.advance(Duration::from_secs(1));
        answer(&store, id, &ada).await.unwrap();
        answer(&store, id, &ben).await.unwrap();
        assert!(close(&store, id, |seat| if seat == 1 { 1000 } else { 250 }).await.unwrap());
    }
    let last = view(&store, id).await;
    assert_eq!((&*last.phase, last.ending.as_deref(), last.turn), ("finished", Some("completed"), TURNS.into()));
    assert_eq!((last.winner_id, last.ended_at), (Some(agent_id(&ben)), Some(store.log().clock().now())));
    assert_eq!(
        totals(&last).iter().map(|(total, _, place)| (*total, *place)).collect::<Vec<_>>(),
        [(2500, Some(2)), (10_000, Some(1))]
    );
    assert_eq!((last.position, last.evidence), (first.position, None));
    database.clock.advance(Duration::from_hours(1));
    assert_eq!((due(&store).await, store.arena().matches_of(agent_id(&ben)).await.unwrap()), (vec![], vec![]));
    assert!(!close(&store, id, |_| 1).await.unwrap());
    assert!(matches!(answer(&store, id, &ada).await, Err(Failure::Match(MatchError::Over))));

    let log = store.arena().match_log(id).await.unwrap();
    assert_eq!(log.len(), 2 + usize::from(TURNS) * 6);
    assert_eq!(Some(log.last().unwrap().position), last.ended_position);
    let revealed = log.iter().filter(|logged| matches!(logged.event, MatchEvent::Revealed(_)));
    let sizes = store.arena().answer_sizes(id).await.unwrap();
    assert!(revealed.map(|logged| logged.position).eq(sizes.iter().map(|(position, _)| *position)), "{sizes:?}");
    assert!(sizes.iter().all(|(_, bytes)| *bytes > 0), "{sizes:?}");
    let state = store.arena().match_state(id).await.unwrap();
    assert_eq!((state.phase, &state.totals[..], state.judged), (Phase::Finished, &[2500, 10_000][..], TURNS));
    assert_eq!(state.tasks.iter().collect::<BTreeSet<_>>().len(), usize::from(TURNS), "a task came twice");
    let results = store.arena().results(agent_id(&ada), None, None, 10).await.unwrap();
    let [result] = &results[..] else { panic!("{results:?}") };
    assert_eq!((&*result.outcome, result.place, result.score, result.match_id), ("lost", 2, 250, id));
    assert_eq!((result.opponents, result.opponent_id.clone()), (1, Some(agent_id(&ben).to_string())));
    assert!(result.rating_milli < result.rating_before_milli);
    let ladder = store.arena().ladder(League::Trivia, None, 10).await.unwrap();
    let ranked: Vec<_> = ladder.iter().map(|row| (row.agent_id, row.won, row.lost)).collect();
    assert_eq!(ranked, [(agent_id(&ben), 1, 0), (agent_id(&ada), 0, 1)]);
    assert_eq!((ladder[1].rating.rating_milli, ladder[1].updated_at), (result.rating_milli, last.ended_at.unwrap()));
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}

#[apply(both)]
async fn a_round_waits_for_its_endpoint_until_the_deadline(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    let of = |agent: &Actor| store.arena().contestant(agent_id(agent));
    enrol(&store, enrolled(&ben, of(&ben).await.unwrap().unwrap().owner_id, Some("https://ben.example"))).await;
    let timed = async |agents: &[&Actor], channel, seconds| {
        let match_id = MatchId::new(store.log().clock().uuid());
        let (league, mode, seats) = (League::Trivia, Mode::Ranked, seats(&store, agents, channel).await);
        begin_timed(&store, MatchCreated { match_id, league, mode, turn_count: 2, challenger_id: None, seats }, seconds)
            .await
    };
    let first = timed(&[&ada, &ben], Channel::Push, 10).await;
    let second = timed(&[&cleo, &ben], Channel::Push, 20).await;
    timed(&[&ada, &cleo], Channel::Socket, 3600).await;
    write(&store, [ArenaChange::EndpointAdded { agent_id: agent_id(&ben) }]).await;
    let (until, reason) = (store.log().clock().after(Duration::from_secs(1)), PauseReason::RateLimited);
    paused(&store, agent_id(&ben), until, reason).await;
    let round = |match_id, agent: &Actor, turn, is_paused: bool| {
        let endpoint_url = (agent.id == ben.id).then(|| "https://ben.example".to_owned());
        let paused = is_paused.then_some(PauseReason::RateLimited);
        (match_id, turn, agent_id(agent), endpoint_url, paused)
    };
    let open_rounds = async |limit| {
        let open = store.arena().open_rounds(limit).await.unwrap().into_iter();
        open.map(|open| (open.match_id, open.turn, open.agent_id, open.endpoint_url, open.paused)).collect::<Vec<_>>()
    };
    assert_eq!(
        open_rounds(10).await,
        [
            round(first, &ada, 1, false),
            round(first, &ben, 1, true),
            round(second, &cleo, 1, false),
            round(second, &ben, 1, true),
        ]
    );
    assert_eq!(open_rounds(1).await, [round(first, &ada, 1, false)]);
    database.clock.advance(Duration::from_secs(1));
    let (until, reason) = (store.log().clock().after(Duration::from_micros(1)), PauseReason::Unavailable);
    paused(&store, agent_id(&ben), until, reason).await;
    let reasons: Vec<_> = store.arena().open_rounds(10).await.unwrap().into_iter().map(|round| round.paused).collect();
    assert_eq!(reasons, [None, Some(PauseReason::Unavailable), None, Some(PauseReason::Unavailable)]);
    database.clock.advance(Duration::from_micros(1));
    answer(&store, first, &ada).await.unwrap();
    miss(&store, second, &ben).await.unwrap();
    assert_eq!(open_rounds(10).await, [round(first, &ben, 1, false), round(second, &cleo, 1, false)]);

    database.clock.advance(Duration::from_secs(9) - Duration::from_micros(2));
    assert_eq!(due(&store).await, []);
    assert!(!close(&store, first, |_| 400).await.unwrap());
    database.clock.advance(Duration::from_micros(1));
    assert_eq!(due(&store).await, [first]);
    let events = store.arena().match_log(first).await.unwrap().len();
    assert!(close(&store, first, |_| 400).await.unwrap());
    let after = view(&store, first).await;
    assert_eq!((&*after.phase, after.turn), ("playing", 2));
    assert_eq!(after.seats.iter().map(|seat| seat.total).collect::<Vec<_>>(), [400, 0]);
    // One answer, the scores and the next turn.
    assert_eq!(store.arena().match_log(first).await.unwrap().len(), events + 3);
    assert_eq!(
        open_rounds(10).await,
        [round(first, &ada, 2, false), round(first, &ben, 2, false), round(second, &cleo, 1, false),]
    );

    answer(&store, first, &ada).await.unwrap();
    answer(&store, first, &ben).await.unwrap();
    database.clock.advance(Duration::from_secs(10));
    let all = store.arena().matches_due(Judging::Texts, None, 10).await.unwrap();
    assert_eq!(due(&store).await, [first, second]);
    assert_eq!(open_rounds(10).await, [], "the deadline of the second match has passed, and it is not closed yet");
    let beyond = store.arena().matches_due(Judging::Texts, Some(all[0].cursor()), 10).await.unwrap();
    assert_eq!(beyond.iter().map(|due| &due.key).collect::<Vec<_>>(), [&all[1].key]);
    assert!(close(&store, second, |_| 400).await.unwrap());
    assert_eq!(due(&store).await, [first]);
    let log = store.arena().match_log(second).await.unwrap();
    let judged = log.iter().find_map(|logged| match &logged.event {
        MatchEvent::Judged(data) => Some(data.results.iter().map(|result| &*result.reason).collect::<Vec<_>>()),
        _ => None,
    });
    assert_eq!(judged.unwrap(), ["timeout", "server_error"]);
}

#[apply(both)]
async fn an_unwatched_deadline_and_an_operator_void_a_match(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let unwatched = begin(&store, &[&ada, &ben], Channel::Socket).await;
    answer(&store, unwatched, &ada).await.unwrap();
    database.clock.advance(Duration::from_hours(1));
    assert_eq!(due(&store).await, [unwatched]);
    assert!(close(&store, unwatched, |_| 1000).await.unwrap());
    let ended = begin(&store, &[&ada, &ben], Channel::Socket).await;
    answer(&store, ended, &ada).await.unwrap();
    void(&store, ended).await.unwrap();
    for (id, ending, evidence) in [(unwatched, "unwatched", "no server watched"), (ended, "operator", "an operator")] {
        let view = view(&store, id).await;
        assert_eq!((&*view.phase, view.ending.as_deref(), view.winner_id), ("void", Some(ending), None));
        assert!(view.evidence.as_ref().unwrap().starts_with(evidence), "{:?}", view.evidence);
        assert_eq!((view.ended_at, view.waiting), (Some(store.log().clock().now()), 0));
        assert!(view.seats.iter().all(|seat| seat.total == 0 && seat.place.is_none()));
        assert_eq!(store.arena().sealed_answers(id, 1).await.unwrap(), []);
    }
    // What was sealed never became public.
    assert_eq!(database.tables_with(NEEDLE).await, <[&str; 0]>::default());
    assert_eq!(store.arena().results(agent_id(&ada), None, None, 10).await.unwrap(), []);
    assert_eq!(store.arena().ladder(League::Trivia, None, 10).await.unwrap(), []);
    assert_eq!((due(&store).await, store.arena().matches_of(agent_id(&ada)).await.unwrap()), (vec![], vec![]));
}

/// Lets an agent skip a match.
async fn skip(store: &Store, match_id: MatchId, agent: &Actor) -> Result<(), Failure> {
    let skipped = store.log().transact::<_, Failure>(None, async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        unit.append(match_id, &state, SkipMatch { agent_id: agent_id(agent) }.decide(&state.state)?);
        Ok(())
    });
    skipped.await.map(drop)
}

#[apply(both)]
async fn an_agent_that_skips_a_match_is_free_and_the_others_play_on(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben, cleo] = players(&store).await;
    let crowd = begin(&store, &[&ada, &ben, &cleo], Channel::Push).await;
    skip(&store, crowd, &ben).await.unwrap();
    let playing = async |agent: &Actor| store.arena().contestant(agent_id(agent)).await.unwrap().unwrap().is_playing;
    assert_eq!((playing(&ada).await, playing(&ben).await), (true, false));
    assert_eq!(view(&store, crowd).await.waiting, 2);
    for turn in 1..=2 {
        let asked: Vec<_> =
            store.arena().open_rounds(10).await.unwrap().into_iter().map(|round| round.agent_id).collect();
        assert_eq!(asked, [agent_id(&ada), agent_id(&cleo)], "turn {turn}");
        answer(&store, crowd, &ada).await.unwrap();
        assert_eq!(due(&store).await, []);
        answer(&store, crowd, &cleo).await.unwrap();
        assert_eq!(due(&store).await, [crowd]);
        assert!(close(&store, crowd, |_| 400).await.unwrap());
    }
    let after = view(&store, crowd).await;
    assert_eq!((after.turn, after.waiting), (3, 2));
    assert_eq!(after.seats.iter().map(|seat| seat.settled).collect::<Vec<_>>(), [false, true, false]);
    let pair = begin(&store, &[&ada, &ben], Channel::Push).await;
    skip(&store, pair, &ben).await.unwrap();
    let after = view(&store, pair).await;
    assert_eq!((&*after.phase, after.ending.as_deref()), ("void", Some("unavailable")));
    let may_skip = async |agent: &Actor, since, most| fits(&store, skips_cap(agent_id(agent), since, most)).await;
    assert_eq!([may_skip(&ben, noon(), 3).await, may_skip(&ben, noon(), 2).await], [true, false]);
    assert_eq!([may_skip(&ada, noon(), 1).await, may_skip(&ben, noon() + TimeDelta::seconds(1), 1).await], [true; 2]);
    assert_eq!(
        verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap().differing(),
        <[&str; 0]>::default()
    );
}

#[apply(both)]
async fn programs_run_once_every_seat_is_settled(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    let [ada, ben] = players(&store).await;
    let pair = seats(&store, &[&ada, &ben], Channel::Push).await;
    let match_id = begin_short(&store, League::Python, Mode::Ranked, pair).await;
    let due = async || {
        let of = async |judging| store.arena().matches_due(judging, None, 10).await.unwrap().len();
        (of(Judging::Texts).await, of(Judging::Programs).await)
    };
    answer(&store, match_id, &ada).await.unwrap();
    assert_eq!(due().await, (0, 0));
    database.clock.advance(Duration::from_secs(30));
    assert_eq!(due().await, (1, 0));
    let settled = store.log().transact::<_, Failure>(None, async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        let settle = SettleTurn { turn: 1, absent: vec![], now: store.log().clock().now() };
        unit.append(match_id, &state, settle.decide(&state.state)?);
        Ok(())
    });
    settled.await.unwrap();
    assert_eq!(due().await, (0, 1));
    // However late the programs end.
    database.clock.advance(Duration::from_mins(10));
    assert!(close(&store, match_id, |_| 1000).await.unwrap());
    let after = view(&store, match_id).await;
    assert_eq!((&*after.phase, after.winner_id), ("finished", Some(agent_id(&ada))));
}

#[apply(both)]
async fn owners_take_turns_among_the_open_rounds(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let greedy = owner(&store).await;
    let (one, other) = (agent(&store, &greedy).await, player(&store).await);
    for _ in 0..3 {
        begin(&store, &[&one, &player(&store).await], Channel::Push).await;
    }
    begin(&store, &[&other, &player(&store).await], Channel::Push).await;
    let open = store.arena().open_rounds(10).await.unwrap();
    let ranks: Vec<_> = open.iter().map(|round| round.rank).collect();
    assert_eq!(ranks, [1, 1, 1, 1, 1, 1, 2, 3]);
    assert!(open[..6].iter().any(|round| round.agent_id == agent_id(&other)), "it does not wait behind the others");
    assert!(open[6..].iter().all(|round| round.owner_id == owner_id(&greedy)));
}
