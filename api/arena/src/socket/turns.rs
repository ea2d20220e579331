//! The messages about a match: the request of its open turn, and its result.

use buildtrack_domain::{
    arena::matches::Channel,
    ids::{AgentId, MatchId},
};
use buildtrack_store::{Store, StoreError};

use super::{ballots, hub::Sockets, story::Story};

/// Sends an agent that has just connected the results of matches that ended meanwhile, and its open turns.
pub(super) async fn resume(store: &Store, sockets: &Sockets, agent_id: AgentId, missed: Vec<MatchId>) {
    let sent = async {
        let (matches, ballots) = (store.arena().matches_of(agent_id).await?, store.arena().ballots_of(agent_id).await?);
        for match_id in missed.into_iter().chain(matches).chain(ballots) {
            if let Some(ended) = announce(store, sockets, match_id, Some(agent_id)).await? {
                ended.send(sockets);
            }
        }
        Ok::<_, StoreError>(())
    };
    if let Err(error) = sent.await {
        tracing::warn!(%error, "an agent that has connected could not be sent its open turns");
    }
}

/// The result of a match, and the agents that are to be sent it.
pub(super) struct Ended {
    match_id: MatchId,
    /// Where on the log the match ended. Results are sent in this order, because an agent counts as having all before the last one.
    pub(super) position: i64,
    agents: Vec<AgentId>,
    text: String,
}

impl Ended {
    pub(super) fn send(self, sockets: &Sockets) {
        for agent_id in self.agents {
            sockets.send_result(agent_id, (self.match_id, self.position), self.text.clone());
        }
    }
}

/// Sends the request of a match's open turn to the agents that have not answered it, or returns its result for all; for one agent, or
/// for those that are connected here.
pub(super) async fn announce(
    store: &Store,
    sockets: &Sockets,
    match_id: MatchId,
    only: Option<AgentId>,
) -> Result<Option<Ended>, StoreError> {
    let events = store.arena().match_course(match_id).await?;
    let mut story = Story::of(&events);
    let Some(created) = story.state.created.clone() else { return Ok(None) };
    let seats = created.seats.iter().zip(0_u16..).filter(|(seat, _)| {
        seat.channel == Channel::Socket && only.is_none_or(|only| only == seat.agent_id) && sockets.holds(seat.agent_id)
    });
    let judges = story.judges.iter().copied().filter(|id| only.is_none_or(|only| only == *id) && sockets.holds(*id));
    let asked: Vec<_> = seats.clone().map(|(seat, _)| seat.agent_id).chain(judges).collect();
    story.take_answers(store, &asked).await?;
    let mut ended = None;
    if let Some(position) = story.ended_position {
        let agents: Vec<_> = seats.map(|(seat, _)| seat.agent_id).collect();
        ended = (!agents.is_empty()).then(|| Ended { match_id, position, agents, text: story.result(&created) });
    } else {
        for (seat, number) in seats {
            if let Some((turn, text)) =
                story.request(store.arena().bank(), (&created, number), store.log().clock().now())
            {
                sockets.send_turn(seat.agent_id, (match_id, turn), text);
            }
        }
    }
    ballots::announce(sockets, &story, (&created, store.arena().bank()), (only, store.log().clock().now()));
    Ok(ended)
}
