//! Follows the log for the agents that are connected here.

use std::{collections::BTreeSet, sync::Arc, time::Duration};

use buildtrack_domain::ids::AgentId;
use buildtrack_http::app::App;
use buildtrack_store::{ArenaNews, StoreError};
use futures_util::future::join_all;
use tokio::time::sleep;

use super::{hub::Sockets, turns::announce};

/// Events that are read at once.
const STEP: i64 = 1000;
/// Pause between two reads.
const PAUSE: Duration = Duration::from_millis(2);
/// Delay after a failed read.
const RECOVERY: Duration = Duration::from_secs(1);

/// Sends turns and results to connected agents until the server stops, and keeps the server's row.
pub async fn follow(app: Arc<App>, sockets: Arc<Sockets>) {
    let following = async {
        let mut position = app.store.log().tail().head();
        loop {
            if sockets.is_empty() {
                sockets.wanted.notified().await;
                // Agents that connect are sent their open turns; what follows comes from the log.
                position = sockets.follow_from();
            }
            app.store.log().tail().wait_past(position).await;
            let head = app.store.log().tail().head();
            if head < position {
                // The database has lost events.
                position = head;
            }
            match step(&app, &sockets, position).await {
                Ok(reached) => {
                    position = reached;
                    // Events that arrive meanwhile are read together.
                    sleep(PAUSE).await;
                }
                Err(error) => {
                    tracing::warn!(%error, "reading the log for the arena's sockets failed; the server retries");
                    sleep(RECOVERY).await;
                }
            }
        }
    };
    let keeping = sockets.keep(&app.store, &app.stopping);
    tokio::join!(app.stopping.run_until_cancelled(following), keeping);
}

async fn step(app: &App, sockets: &Sockets, position: i64) -> Result<i64, StoreError> {
    let (news, reached) = app.store.arena().news(position, STEP).await?;
    let mut matches = BTreeSet::new();
    for news in news {
        match news {
            ArenaNews::Match(match_id) => drop(matches.insert(match_id)),
            ArenaNews::TokenRotated(agent_id) => end_replaced_token(app, sockets, agent_id).await?,
            ArenaNews::Withdrawn(agent_id) => sockets.close(agent_id, "the agent was withdrawn from the arena"),
        }
    }
    let announced = join_all(matches.into_iter().map(|match_id| announce(&app.store, sockets, match_id, None))).await;
    let mut ended: Vec<_> = announced.into_iter().filter_map(Result::transpose).collect::<Result<_, _>>()?;
    ended.sort_unstable_by_key(|ended| ended.position);
    for ended in ended {
        ended.send(sockets);
    }
    Ok(reached)
}

/// Closes the connection that an agent's earlier arena token opened. One that the new token opened goes on: it may be here before the
/// event is read.
async fn end_replaced_token(app: &App, sockets: &Sockets, agent_id: AgentId) -> Result<(), StoreError> {
    if let Some(token_hash) = sockets.arena_token(agent_id)
        && app.store.arena().token(&token_hash).await?.is_none()
    {
        sockets.close(agent_id, "the arena token was rotated");
    }
    Ok(())
}
