//! Judges of debates: the commands that draw a panel and count its votes, and the ballots that judges' endpoints get.
//!
//! **Invariant:** a judge gets the revealed arguments without names, and no vote of another.

use std::collections::BTreeMap;

use buildtrack_domain::{
    arena::{
        matches::{
            AnswerRevealed, CastVote, CountVotes, DrawPanel, Match, MatchCreated, MissReason, MissVote, OpenTurn,
            Panel, PanelJudge, Revealed, SEATS_MAX, SealedAnswer, VOTING, VoidMatch, VoidReason, Vote,
        },
        tasks::{Bank, PublicTask, Task, TaskLimits},
    },
    decide::Command,
    ids::OwnerId,
};
use buildtrack_store::{ArenaChange, OpenRound, Store, StoreError, next_turn};
use tokio::time::timeout;

use super::{
    aap::{Round, claims},
    closing::Closing,
    judge::task_of,
    sending::{Key, Played, pause_after, send, while_paused},
};
use crate::{decisions::on_thread, outbound::Client};

/// The command that reveals both arguments and draws the first panel of a turn.
pub(super) async fn draw(
    store: &Store,
    (created, open): (&MatchCreated, &OpenTurn),
    arguments: Vec<Revealed>,
) -> Result<Closing, StoreError> {
    let Some(judges) = unprejudiced(store, (created, open.number), &[]).await? else {
        let evidence = format!("no three judges of other owners could be drawn in turn {}", open.number);
        return Ok(Closing::Void(VoidMatch { reason: VoidReason::NoJudges, evidence }));
    };
    let rubric_version =
        task_of(store.arena().bank(), open).ok().and_then(Task::motion).map_or(0, |motion| motion.rubric.version);
    let (turn, now) = (open.number, store.log().clock().now());
    Ok(Closing::Panel(DrawPanel { turn, arguments, judges, rubric_version, now }))
}

/// Draws a panel without the owners of `judged`. Who judged an earlier turn of the motion may guess whose side is whose by now: others
/// are drawn if there are enough.
async fn unprejudiced(
    store: &Store,
    (created, turn): (&MatchCreated, u16),
    judged: &[OwnerId],
) -> Result<Option<Vec<PanelJudge>>, StoreError> {
    let (players, of_motion) = (players(created), store.arena().judging_owners_of(created.match_id, turn).await?);
    let drawn = store.arena().draw_panel(&players, &[&of_motion[..], judged].concat()).await?;
    if drawn.is_some() || of_motion.iter().all(|owner| judged.contains(owner)) {
        return Ok(drawn);
    }
    store.arena().draw_panel(&players, judged).await
}

/// The command that counts the votes of a panel.
pub(super) async fn count(
    store: &Store,
    (created, open): (&MatchCreated, &OpenTurn),
    panel: &Panel,
    used: &[String],
) -> Result<Closing, StoreError> {
    let turn = open.number;
    let mut votes = Vec::new();
    for (agent_id, sealed) in store.arena().sealed_answers(created.match_id, turn).await? {
        // A vote that was committed after the state was read is not counted; the turn is still due.
        let judge = panel.judge_of(agent_id).filter(|judge| panel.votes[usize::from(*judge)].is_some());
        votes.extend(judge.map(|judge| (judge, sealed)));
    }
    votes.sort_by_key(|(judge, _)| *judge);
    let judged: Vec<OwnerId> = open.panels.iter().flat_map(|panel| &panel.judges).map(|judge| judge.owner_id).collect();
    let others = unprejudiced(store, (created, turn), &judged).await?;
    let now = store.log().clock().now();
    let next =
        if turn < created.turn_count { next_turn(store.arena().bank(), (created, open), used, now) } else { None };
    if next.is_none() && turn < created.turn_count {
        let evidence = format!("the league {} has no task for the next turn", created.league);
        return Ok(Closing::Void(VoidMatch { reason: VoidReason::TaskGone, evidence }));
    }
    Ok(Closing::Votes(CountVotes { turn, votes, others, next, now }))
}

fn players(created: &MatchCreated) -> Vec<OwnerId> {
    created.seats.iter().map(|seat| seat.owner_id).collect()
}

/// Sends a ballot to a judge's endpoint, and records its vote.
pub(super) async fn ask(store: &Store, client: &Client, public_url: &str, round: OpenRound) -> Result<(), StoreError> {
    let (match_id, turn, agent_id) = (round.match_id, round.turn, round.agent_id);
    let loaded = store.clone();
    let loaded = on_thread(move || async move {
        let mut arguments = BTreeMap::new();
        let visit = |_, answer: AnswerRevealed| {
            if answer.turn == turn {
                arguments.insert(answer.seat, answer.output);
            }
        };
        loaded.arena().visit_answers(match_id, (0, i64::MAX), visit).await?;
        Ok::<_, StoreError>((loaded.arena().match_state(match_id).await?, arguments))
    });
    let (state, arguments) = loaded.await??;
    let Ok((created, open)) = state.playing() else { return Ok(()) };
    let Some(panel) = open.panel().filter(|panel| open.number == turn && panel.judge_of(agent_id).is_some()) else {
        return Ok(());
    };
    let played = match (round.paused, &round.endpoint_url) {
        (Some(reason), _) => while_paused(reason),
        (None, None) => Played::Missed(MissReason::Withdrawn, None),
        (None, Some(base)) => {
            let Some((ballot, limits)) = ballot(store.arena().bank(), open, &arguments) else { return Ok(()) };
            let token = store
                .log()
                .sign_token(&claims((agent_id, match_id), (public_url, base), panel.due_at, store.log().clock().uuid()))
                .await?;
            let body = Round {
                match_id,
                round: turn,
                total_rounds: created.turn_count,
                opponents: 0,
                league: created.league,
                public: &ballot,
                limits,
            }
            .body();
            let left = (panel.due_at - store.log().clock().now()).to_std().unwrap_or_default();
            // The referee counts the votes at their deadline.
            match timeout(left, send(client, &format!("{base}/agora"), &token, body, left)).await {
                Ok(played) => played,
                Err(_) => return Ok(()),
            }
        }
    };
    let pause = pause_after(store, (agent_id, round.endpoint_url), &played);
    let shared = store.clone();
    on_thread(move || async move { record(&shared, (match_id, turn, agent_id), &played, pause).await }).await?
}

/// What judges of the open turn are asked, with their limits. The arguments are by seat.
fn ballot(bank: &'static Bank, open: &OpenTurn, arguments: &BTreeMap<u16, String>) -> Option<(PublicTask, TaskLimits)> {
    let task = task_of(bank, open).ok()?;
    let argument = |seat: u16| {
        // An operator may have erased it.
        let revealed = arguments.get(&seat).map(String::as_str).unwrap_or_default();
        Some((*open.sides.get(usize::from(seat))?, revealed))
    };
    let first = open.panel()?.first_seat;
    let seconds = u32::try_from(VOTING.num_seconds()).unwrap_or(60);
    let limits = TaskLimits { seconds, ..task.limits() };
    Some((task.ballot([argument(first)?, argument(1 - first)?])?, limits))
}

/// Records the vote. A judge that is settled already, or a panel that is closed, stays as it is.
async fn record(
    store: &Store,
    (match_id, turn, agent_id): Key,
    played: &Played,
    pause: Option<ArenaChange>,
) -> Result<(), StoreError> {
    let missed = |reason, status| MissVote { agent_id, turn, reason, status };
    let vote = match played {
        Played::Answered(answer) => Vote::read(&answer.output)
            .map(|vote| SealedAnswer { output: vote.as_str().to_owned(), ..answer.clone() })
            .ok_or(missed(MissReason::InvalidAnswer, Some(200))),
        Played::Unavailable => Err(missed(MissReason::Unavailable, Some(503))),
        Played::Missed(reason, status) => Err(missed(*reason, *status)),
    };
    store
        .log()
        .transact::<(), StoreError>(Some(agent_id.into()), async |unit| {
            unit.retry_up_to(SEATS_MAX);
            let state = unit.load::<Match>(match_id).await?;
            let decided = match &vote {
                Ok(vote) => {
                    let (commitment, now) = (vote.commitment(), store.log().clock().now());
                    CastVote { agent_id, turn, commitment, now }.decide(&state.state)
                }
                Err(missed) => missed.decide(&state.state),
            };
            if let Some(pause) = &pause {
                unit.write_side(pause.clone());
            }
            let Ok(events) = decided else { return Ok(()) };
            unit.append(match_id, &state, events);
            if let Ok(vote) = &vote {
                unit.write_side(ArenaChange::Sealed { match_id, turn, agent_id, answer: vote.clone() });
            }
            Ok(())
        })
        .await
        .map(drop)
}
