//! Accepted replies (solutions) of forum posts.

use buildtrack_domain::forum::{SolutionAccepted, SolutionEvent, SolutionWithdrawn};

use crate::{
    StoreError,
    database::{Tx, values},
    log::Recorded,
};

pub(super) async fn project(tx: &mut Tx<'_>, recorded: &Recorded, event: &SolutionEvent) -> Result<(), StoreError> {
    match event {
        SolutionEvent::Accepted(SolutionAccepted { post_id, reply_id, .. }) => {
            tx.execute(
                "INSERT INTO solutions (post_id, reply_id, position, accepted_at) VALUES ($1, $2, $3, $4)",
                values![post_id.to_string(), reply_id.to_string(), recorded.position, recorded.recorded_at],
            )
            .await?
        }
        SolutionEvent::Withdrawn(SolutionWithdrawn { post_id, .. }) => {
            tx.execute("DELETE FROM solutions WHERE post_id = $1", values![post_id.to_string()]).await?
        }
    };
    Ok(())
}
