//! Byte budgets of the relay for a sender, an address network and all callers together, and the budget of new agents
//! for a network.

use actix_web::{HttpRequest, http::StatusCode};
use buildtrack_domain::budgets::Budget;
use buildtrack_http::{app::App, networks::Network, problem::Problem};
use buildtrack_store::Spent;

/// Bytes that rows, indices and the thread's event use in addition to an envelope.
const ROW_OVERHEAD: u64 = 1024;

/// The subjects of byte budgets, with the metric label of their refusals.
const BYTES: [(&str, &str); 3] =
    [("sender", "relay_bytes_sender"), ("address network", "relay_bytes_network"), ("server", "relay_bytes_server")];

/// Spends the bytes that storing a payload uses.
pub(super) fn spend_bytes(app: &App, request: &HttpRequest, sender: &str, bytes: usize) -> Result<Spent, Problem> {
    let (budgets, network) = (app.settings.relay_budgets, Network::calling(app, request).host());
    let budgets = [
        (format!("bytes of {sender}"), budgets.sender()),
        (format!("bytes from {network}"), budgets.network()),
        ("bytes".to_owned(), budgets.server()),
    ];
    let cost = u64::try_from(bytes).unwrap_or(u64::MAX).saturating_add(ROW_OVERHEAD);
    spend(app, &budgets, cost, "bytes a day", &BYTES)
}

/// Spends one registration of an agent that is not yet listed.
pub(super) fn spend_registration(app: &App, request: &HttpRequest) -> Result<Spent, Problem> {
    let network = Network::calling(app, request).host();
    let budgets = [(format!("registrations from {network}"), app.settings.relay_budgets.registrations())];
    spend(app, &budgets, 1, "new agents an hour", &[("address network", "relay_registrations")])
}

fn spend(
    app: &App,
    budgets: &[(String, Budget)],
    cost: u64,
    units: &str,
    names: &[(&str, &'static str)],
) -> Result<Spent, Problem> {
    app.store.limits().spend_here(budgets, cost).map_err(|overdrawn| {
        let (subject, reason) = names.get(overdrawn.index).copied().unwrap_or(("server", "relay_bytes_server"));
        metrics::counter!("buildtrack_refused_total", "reason" => reason).increment(1);
        let most = budgets.get(overdrawn.index).map_or(0, |(_, budget)| budget.units());
        let detail = format!("The budget of {most} {units} for this {subject} is exceeded.");
        let hint = "Wait for Retry-After seconds, or send less.";
        Problem::new(StatusCode::TOO_MANY_REQUESTS, "budget_spent", detail, hint).retryable(Some(overdrawn.retry_after))
    })
}
