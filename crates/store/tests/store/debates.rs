//! Debates of the arena: drawing judges, their limits, ballots, and equality of live and rebuilt tables.

use std::{collections::BTreeSet, time::Duration};

use buildtrack_domain::{
    actors::Actor,
    arena::{
        enrolment::Enrolled,
        matches::{
            CastVote, Channel, CountVotes, DrawPanel, Match, MatchEvent, PanelDrawn, PanelJudge, Revealed,
            SealedAnswer, VOTING_LIMIT, Vote,
        },
        tasks::{Bank, League, Side},
    },
    decide::Command,
    ids::{AgentId, MatchId, OwnerId},
};
use buildtrack_store::{
    ArenaChange, EndpointState, JUDGE_DRAWS, JUDGE_MEETINGS, Judging, NewConnection, Store, StoreError, next_turn,
    verification,
};
use rstest_reuse::apply;

use crate::{
    arena::{answer, begin_debate, checked, enrol, enrolled, healthy, player, see, view, void, write},
    both,
    cast::{agent, agent_id, deactivate, owner, owner_id, set_suspended},
    database::{Kind, TestDatabase},
};

/// A judge with an open socket.
async fn judge(store: &Store, owner: &Actor) -> Actor {
    let judge = agent(store, owner).await;
    enrol(store, judging(&judge, owner_id(owner), None)).await;
    connect(store, agent_id(&judge), owner_id(owner)).await;
    judge
}

async fn connect(store: &Store, agent_id: AgentId, owner_id: OwnerId) {
    let (connection_id, server_id) = (agent_id.to_string(), "one".to_owned());
    let connection = NewConnection { agent_id, owner_id, connection_id, server_id, keeps_position: false };
    write(store, [ArenaChange::Connected(Box::new(connection))]).await;
}

fn judging(agent: &Actor, owner_id: OwnerId, endpoint_url: Option<&str>) -> Enrolled {
    Enrolled {
        leagues: BTreeSet::new(),
        judges: BTreeSet::from([League::Debate]),
        ..enrolled(agent, owner_id, endpoint_url)
    }
}

/// Three owners with a judge each.
async fn three_judges(store: &Store) -> Vec<(Actor, Actor)> {
    see(store, "one", 3600).await;
    let mut judges = vec![];
    for _ in 0..3 {
        let owner = owner(store).await;
        let judge = judge(store, &owner).await;
        judges.push((owner, judge));
    }
    judges
}

fn agents(judges: &[PanelJudge]) -> BTreeSet<AgentId> {
    judges.iter().map(|judge| judge.agent_id).collect()
}

#[apply(both)]
async fn a_panel_has_one_judge_of_an_owner_and_none_of_a_player(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    let players = [owner(&store).await, owner(&store).await];
    let player_ids = players.each_ref().map(owner_id);
    let judges = three_judges(&store).await;
    judge(&store, &players[0]).await;
    let many = owner(&store).await;
    for _ in 0..5 {
        judge(&store, &many).await;
    }
    let mut drawn = BTreeSet::new();
    for _ in 0..40 {
        let panel = store.arena().draw_panel(&player_ids, &[]).await.unwrap().unwrap();
        let owners: BTreeSet<_> = panel.iter().map(|judge| judge.owner_id).collect();
        assert_eq!((panel.len(), owners.len()), (3, 3));
        assert!(owners.is_disjoint(&player_ids.into()), "{panel:?}");
        assert!(panel.iter().all(|judge| judge.channel == Channel::Socket));
        drawn.extend(agents(&panel));
    }
    assert!(drawn.len() > 4, "judges are drawn at random: {drawn:?}");
    // Judges of an earlier panel are left out.
    let used = [owner_id(&judges[0].0)];
    let panel = store.arena().draw_panel(&player_ids, &used).await.unwrap().unwrap();
    assert!(!agents(&panel).contains(&agent_id(&judges[0].1)));
    let used = [owner_id(&judges[0].0), owner_id(&judges[1].0)];
    assert_eq!(store.arena().draw_panel(&player_ids, &used).await.unwrap(), None);
}

#[apply(both)]
async fn judges_are_drawn_while_they_are_active_and_can_be_reached(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    assert!(!store.arena().has_judges().await.unwrap());
    let judges = three_judges(&store).await;
    assert!(store.arena().has_judges().await.unwrap());
    let leagues = vec![League::Trivia, League::Debate];
    write(&store, [ArenaChange::LeaguesOpened { leagues: leagues.clone() }]).await;
    assert_eq!(store.arena().open_leagues().await.unwrap(), leagues);
    let (last_owner, last) = &judges[2];
    let (id, connection_id) = (agent_id(last), agent_id(last).to_string());
    write(&store, [ArenaChange::Disconnected { agent_id: id, connection_id }]).await;
    assert!(!store.arena().has_judges().await.unwrap());
    assert_eq!(store.arena().open_leagues().await.unwrap(), [League::Trivia]);
    // An endpoint that is well reaches the judge too.
    let pushed = agent(&store, last_owner).await;
    enrol(&store, judging(&pushed, owner_id(last_owner), Some("https://judge.example"))).await;
    write(&store, [ArenaChange::EndpointAdded { agent_id: agent_id(&pushed) }]).await;
    assert!(!store.arena().has_judges().await.unwrap(), "it was never checked");
    checked(&store, agent_id(&pushed), healthy(&store)).await;
    let panel = store.arena().draw_panel(&[], &[]).await.unwrap().unwrap();
    assert!(panel.iter().any(|judge| judge.agent_id == agent_id(&pushed) && judge.channel == Channel::Push));
    // It gets no more ballots at once than it says.
    checked(&store, agent_id(&pushed), EndpointState { max_concurrent: Some(0), ..healthy(&store) }).await;
    assert!(!store.arena().has_judges().await.unwrap());
    checked(&store, agent_id(&pushed), healthy(&store)).await;
    assert!(store.arena().has_judges().await.unwrap());
    set_suspended(&store, &pushed, true).await.unwrap();
    assert!(!store.arena().has_judges().await.unwrap());
    connect(&store, id, owner_id(last_owner)).await;
    assert!(store.arena().has_judges().await.unwrap());
    deactivate(&store, last, last_owner).await.unwrap();
    assert!(!store.arena().has_judges().await.unwrap());
    // A lost server holds no sockets.
    judge(&store, last_owner).await;
    assert!(store.arena().has_judges().await.unwrap());
    database.clock.advance(Duration::from_secs(3601));
    assert!(!store.arena().has_judges().await.unwrap());
}

/// Records panels of a match, without its rules.
async fn record_panels(store: &Store, match_id: MatchId, judges: &[PanelJudge], panels: i64) {
    let now = store.log().clock().now();
    let drawn = |panel: i64| -> MatchEvent {
        PanelDrawn {
            match_id,
            turn: 1,
            panel: u16::try_from(panel).unwrap(),
            judges: judges.to_vec(),
            first_seat: 0,
            rubric_version: 1,
            drawn_at: now,
            due_at: now + VOTING_LIMIT,
            evidence: None,
        }
        .into()
    };
    let recorded = store.log().transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        let before = state.state.open.as_ref().map_or(0, |open| open.panels.len());
        let first = i64::try_from(before).unwrap() + 1;
        unit.append(match_id, &state, (first..first + panels).map(drawn).collect());
        Ok(())
    });
    recorded.await.unwrap();
}

async fn debate(store: &Store) -> (MatchId, [Actor; 2]) {
    let players = [player(store).await, player(store).await];
    (begin_debate(store, [&players[0], &players[1]]).await, players)
}

async fn owners_of(store: &Store, match_id: MatchId) -> Vec<OwnerId> {
    let state = store.arena().match_state(match_id).await.unwrap();
    state.created.as_ref().unwrap().seats.iter().map(|seat| seat.owner_id).collect()
}

#[apply(both)]
async fn judges_meet_the_same_players_a_bounded_number_of_times(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    three_judges(&store).await;
    let (first, _) = debate(&store).await;
    let players = owners_of(&store, first).await;
    let judges = store.arena().draw_panel(&players, &[]).await.unwrap().unwrap();
    record_panels(&store, first, &judges, JUDGE_MEETINGS - 4).await;
    assert!(store.arena().can_judge(&players).await.unwrap());
    record_panels(&store, first, &judges[..1], 1).await;
    assert!(!store.arena().can_judge(&players).await.unwrap(), "a whole debate has four panels");
    assert!(store.arena().draw_panel(&players, &[]).await.unwrap().is_some());
    record_panels(&store, first, &judges[..1], 3).await;
    assert_eq!(store.arena().draw_panel(&players[..1], &[]).await.unwrap(), None);
    // Other players are not concerned.
    assert!(store.arena().draw_panel(&[owner_id(&owner(&store).await)], &[]).await.unwrap().is_some());
    database.clock.advance(Duration::from_hours(24) + Duration::from_secs(1));
    see(&store, "one", 3600).await;
    assert!(store.arena().draw_panel(&players, &[]).await.unwrap().is_some());
}

#[apply(both)]
async fn judges_are_drawn_a_bounded_number_of_times(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    three_judges(&store).await;
    let judges = store.arena().draw_panel(&[], &[]).await.unwrap().unwrap();
    let (first, _) = debate(&store).await;
    record_panels(&store, first, &judges[..1], JUDGE_DRAWS - 1).await;
    let stranger = [owner_id(&owner(&store).await)];
    assert!(store.arena().draw_panel(&stranger, &[]).await.unwrap().is_some());
    record_panels(&store, first, &judges[..1], 1).await;
    assert_eq!(store.arena().draw_panel(&stranger, &[]).await.unwrap(), None);
}

async fn run<C>(store: &Store, match_id: MatchId, command: C, side: Option<ArenaChange>)
where
    C: for<'a> Command<State<'a> = &'a Match, Event = MatchEvent, Error: std::fmt::Debug>,
{
    let done = store.log().transact::<(), StoreError>(None, async |unit| {
        let state = unit.load::<Match>(match_id).await?;
        unit.append(match_id, &state, command.decide(&state.state).unwrap());
        unit.write_side(side.clone().unwrap_or(ArenaChange::Unsealed { match_id }));
        Ok(())
    });
    done.await.unwrap();
}

async fn vote(store: &Store, match_id: MatchId, agent_id: AgentId, vote: Vote) {
    let answer = SealedAnswer { output: vote.to_string(), salt: [7; 16], rationale: None, confidence: None };
    let (commitment, now) = (answer.commitment(), store.log().clock().now());
    let sealed = ArenaChange::Sealed { match_id, turn: 1, agent_id, answer };
    run(store, match_id, CastVote { agent_id, turn: 1, commitment, now }, Some(sealed)).await;
}

/// Closes the first turn's arguments and draws its panel.
async fn draw_panel(store: &Store, match_id: MatchId) -> Vec<PanelJudge> {
    let state = store.arena().match_state(match_id).await.unwrap();
    let (created, _) = state.playing().unwrap();
    let mut arguments = vec![];
    for (agent_id, answer) in store.arena().sealed_answers(match_id, 1).await.unwrap() {
        arguments.push(Revealed { seat: created.seat_of(agent_id).unwrap(), answer });
    }
    arguments.sort_by_key(|revealed| revealed.seat);
    let judges = store.arena().draw_panel(&owners_of(store, match_id).await, &[]).await.unwrap().unwrap();
    let now = store.log().clock().now();
    run(store, match_id, DrawPanel { turn: 1, arguments, judges: judges.clone(), rubric_version: 1, now }, None).await;
    judges
}

/// A debate with a panel that has begun to vote.
pub(crate) async fn story(store: &Store) {
    three_judges(store).await;
    let (match_id, players) = debate(store).await;
    for player in &players {
        answer(store, match_id, player).await.unwrap();
    }
    let judges = draw_panel(store, match_id).await;
    vote(store, match_id, judges[0].agent_id, Vote::B).await;
}

#[apply(both)]
async fn a_turn_waits_for_votes_and_its_tables_are_those_of_a_rebuild(#[case] kind: Kind) {
    let (_database, store) = TestDatabase::with_store(kind).await;
    three_judges(&store).await;
    let (match_id, players) = debate(&store).await;
    for player in &players {
        answer(&store, match_id, player).await.unwrap();
    }
    let due = async || store.arena().matches_due(Judging::Texts, None, 10).await.unwrap().len();
    assert_eq!(due().await, 1);
    let state = store.arena().match_state(match_id).await.unwrap();
    let (created, open) = state.playing().unwrap();
    let judges = draw_panel(&store, match_id).await;
    let now = store.log().clock().now();
    assert_eq!((due().await, view(&store, match_id).await.waiting), (0, 3));
    for judge in &judges {
        assert_eq!(store.arena().ballots_of(judge.agent_id).await.unwrap(), [match_id]);
    }
    assert_eq!(store.arena().open_ballots(10).await.unwrap(), [], "they have sockets");
    for judge in &judges {
        vote(&store, match_id, judge.agent_id, Vote::A).await;
        assert_eq!(store.arena().ballots_of(judge.agent_id).await.unwrap(), []);
    }
    assert_eq!((due().await, view(&store, match_id).await.waiting), (1, 0));
    let mut votes = vec![];
    for (agent_id, sealed) in store.arena().sealed_answers(match_id, 1).await.unwrap() {
        let judge = judges.iter().position(|judge| judge.agent_id == agent_id).unwrap();
        votes.push((u16::try_from(judge).unwrap(), sealed));
    }
    let next = next_turn(Bank::bundled(), (created, open), &state.tasks, now);
    assert_eq!(next.as_ref().unwrap().task, open.task);
    run(&store, match_id, CountVotes { turn: 1, votes, others: None, next, now }, None).await;
    let shown = view(&store, match_id).await;
    assert_eq!((shown.turn, shown.waiting, due().await), (2, 2, 0));
    // The sides are drawn; A argues for the motion.
    let totals = open.sides.iter().map(|side| if *side == Side::For { 1000 } else { 0 });
    assert!(totals.eq(shown.seats.iter().map(|seat| seat.total)), "{:?}: {shown:?}", open.sides);
    assert_eq!(store.arena().sealed_answers(match_id, 1).await.unwrap(), []);
    let verified = verification::verify(store.log(), store.reputation(), |_| ()).await.unwrap();
    assert_eq!(verified.differing(), <[&str; 0]>::default());
    assert_eq!(verification::rebuild(store.log(), |_| ()).await.unwrap(), verified.live);
}

#[apply(both)]
async fn a_void_match_asks_no_judge_any_more(#[case] kind: Kind) {
    let (database, store) = TestDatabase::with_store(kind).await;
    three_judges(&store).await;
    let (match_id, _) = debate(&store).await;
    let mut judges = store.arena().draw_panel(&[], &[]).await.unwrap().unwrap();
    judges[0].channel = Channel::Push;
    record_panels(&store, match_id, &judges, 1).await;
    let asked: Vec<_> = store.arena().open_ballots(10).await.unwrap().into_iter().map(|round| round.agent_id).collect();
    assert_eq!(asked, [judges[0].agent_id]);
    database.clock.advance(Duration::from_secs(61));
    assert_eq!(store.arena().open_ballots(10).await.unwrap(), [], "the time to vote has passed");
    void(&store, match_id).await.unwrap();
    assert_eq!(store.arena().open_ballots(10).await.unwrap(), []);
    assert_eq!(store.arena().ballots_of(judges[1].agent_id).await.unwrap(), []);
}
