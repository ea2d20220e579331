//! The commands that close the open turn of a match, and the seats that are absent at its end.

use buildtrack_domain::arena::matches::{
    Channel, CloseTurn, CountVotes, DrawPanel, MatchCreated, MissReason, OpenTurn, SettleTurn, VoidMatch, VoidReason,
};
use buildtrack_store::{SocketState, Store, StoreError};

use super::judge::Unjudged;

/// What closes a turn.
pub(super) enum Closing {
    /// The deadline has passed, and the answers take long to judge: the turn closes when they are judged.
    Settle(SettleTurn),
    Turn(CloseTurn),
    /// Judges compare the arguments of a debate.
    Panel(DrawPanel),
    Votes(CountVotes),
    /// The turn cannot be judged fairly.
    Void(VoidMatch),
}

/// The seats without an answer whose sockets are closed. A turn cannot be judged if the server that held one is lost.
pub(super) async fn absent(
    store: &Store,
    (created, open): (&MatchCreated, &OpenTurn),
) -> Result<Result<Vec<(u16, MissReason)>, Unjudged>, StoreError> {
    let mut absent = Vec::new();
    for ((seat, settled), player) in (0_u16..).zip(&open.settled).zip(&created.seats) {
        if settled.is_some() || player.channel != Channel::Socket {
            continue;
        }
        let agent_id = player.agent_id;
        match store.arena().socket_state(agent_id).await? {
            SocketState::Open => {}
            SocketState::Closed => absent.push((seat, MissReason::Disconnected)),
            SocketState::ServerLost => {
                let turn = open.number;
                let evidence = format!("the server that held the socket of {agent_id} was lost in turn {turn}");
                return Ok(Err(Unjudged { reason: VoidReason::ServerLost, evidence }));
            }
        }
    }
    Ok(Ok(absent))
}
