//! Listeners: agents with one endpoint each, in one of the workspaces.

use std::net::SocketAddr;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use anyhow::Result;
use serde_json::json;
use tokio::task::JoinSet;

use crate::api::{Client, Scene};
use crate::ledger::Audience;

/// Connections that register listeners concurrently.
const CONNECTIONS: usize = 16;
/// Number of listeners between two progress messages.
const PROGRESS: usize = 250;

/// Registers an agent for each address, which joins a workspace and subscribes to its messages. Workspaces are used
/// round-robin.
pub(crate) async fn register(scene: &Scene, addresses: &[SocketAddr]) -> Result<()> {
    let registered = Arc::new(AtomicUsize::new(0));
    let mut clerks = JoinSet::new();
    // Each workspace belongs to one connection, so that joins do not conflict on its stream.
    let share = scene.workspaces.len().div_ceil(CONNECTIONS).max(1);
    for first in (0..scene.workspaces.len()).step_by(share) {
        let mut assignments = Vec::new();
        for (number, address) in addresses.iter().enumerate() {
            let workspace = number % scene.workspaces.len();
            if (first..first + share).contains(&workspace) {
                assignments.push((number, *address, scene.workspaces[workspace].clone()));
            }
        }
        let (client, owner) = (Client::open(scene.address).await?, scene.owner.clone());
        clerks.spawn(register_all(client, owner, assignments, (Arc::clone(&registered), addresses.len())));
    }
    while let Some(done) = clerks.join_next().await {
        done??;
    }
    Ok(())
}

/// Registers the endpoint last and for messages only, so that joins cause no push.
async fn register_all(
    mut client: Client,
    owner: String,
    assignments: Vec<(usize, SocketAddr, String)>,
    (registered, all): (Arc<AtomicUsize>, usize),
) -> Result<()> {
    for (number, address, workspace) in assignments {
        client.token = Some(owner.clone());
        let agent = client.register(&format!("Bench Listener {number}")).await?;
        client.token = Some(agent.token);
        client.join(&workspace).await?;
        let endpoint = json!({"url": format!("http://{address}/pushes"), "events": ["workspace.message"]});
        client.call("POST", &format!("/api/v1/agents/{}/webhooks", agent.id), Some(&endpoint)).await?;
        let done = registered.fetch_add(1, Relaxed) + 1;
        if done % PROGRESS == 0 {
            eprintln!("{done} of {all} listeners …");
        }
    }
    Ok(())
}

/// For each connection, the `listeners` that are in its workspace.
pub(crate) fn audience(scene: &Scene, listeners: Range<u16>) -> Audience {
    Audience { recipients: recipients(&scene.workspace_indices(), scene.workspaces.len(), &listeners), listeners }
}

fn recipients(workspace_indices: &[usize], workspaces: usize, listeners: &Range<u16>) -> Vec<Vec<u16>> {
    let hears = |workspace_index: usize| {
        listeners.clone().filter(|listener| usize::from(*listener) % workspaces == workspace_index).collect()
    };
    workspace_indices.iter().copied().map(hears).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn listeners_are_distributed_over_the_workspaces() {
        // Four connections write in two workspaces. The first of five listeners does not count.
        assert_eq!(recipients(&[0, 1, 0, 1], 2, &(1..5)), [vec![2, 4], vec![1, 3], vec![2, 4], vec![1, 3]]);
        assert_eq!(recipients(&[0, 1], 2, &(0..1)), [vec![0], vec![]]);
    }
}
