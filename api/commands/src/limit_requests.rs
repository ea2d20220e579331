//! The `admin` commands about requests for higher limits.

use buildtrack_accounts::identity::limit_requests::append_decision;
use buildtrack_domain::identity::LimitRequestDecided;
use buildtrack_http::problem::Problem;
use buildtrack_settings::Settings;
use buildtrack_store::{LimitRequestFilter, LimitRequestView};

use super::{CommandError, admin::find, open_store, print};

/// The requests that are listed at once.
const LISTED: i64 = 200;

/// Prints the open requests, the newest first, one per line: owner, time, what it asks for, reason. Texts of owners are escaped.
pub async fn list(settings: &Settings) -> Result<(), CommandError> {
    let store = open_store(settings).await?;
    let filter = LimitRequestFilter { open: Some(true), limit: LISTED, ..LimitRequestFilter::default() };
    let requests = store.identity().limit_requests(&filter).await;
    store.close().await;
    for request in requests? {
        let asked = asked(&request);
        print(&format!("{}\t{}\t{asked}\t{:?}", request.owner_id, request.filed_at.to_rfc3339(), request.reason))?;
    }
    Ok(())
}

fn asked(request: &LimitRequestView) -> String {
    match (&request.agent_limit, &request.agent_id, &request.tier) {
        (Some(limit), ..) => format!("{limit} active agents"),
        (None, Some(agent_id), Some(tier)) => format!("tier {tier} for {agent_id}"),
        _ => String::new(),
    }
}

/// Grants or refuses the open request of an owner, with a reason that the owner reads.
pub async fn decide(settings: &Settings, owner: &str, granted: bool, reason: String) -> Result<(), CommandError> {
    let store = open_store(settings).await?;
    let done = async {
        let owner_id = find(&store, owner).await?;
        let decided = LimitRequestDecided { owner_id, granted, reason, operator_id: None };
        let done = store
            .log()
            .transact::<(), Problem>(None, async |unit| append_decision(&store, unit, decided.clone()).await);
        done.await.map_err(|problem| CommandError::Failed(problem.detail))?;
        Ok::<_, CommandError>(owner_id)
    };
    let done = done.await;
    store.close().await;
    print(&format!("The request of {} is {}.", done?, if granted { "granted" } else { "refused" }))
}
