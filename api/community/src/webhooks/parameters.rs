//! Path parameters of this context.

use buildtrack_domain::ids::{DeliveryId, ReplayId, WebhookId};
use buildtrack_http::path_parameters;

path_parameters! {
    /// An endpoint of an agent.
    WebhookParameter = "webhookId", &[WebhookId::FORM], "wh_01h2e8kqvbfwea724h75qc655w", "The endpoint's id";
    /// A delivery to an agent.
    DeliveryParameter = "deliveryId", &[DeliveryId::FORM], "dlv_01h2e8kqvbfwea724h75qc655w", "The delivery's id";
    /// A replay to an endpoint.
    ReplayParameter = "replayId", &[ReplayId::FORM], "rpl_01h2e8kqvbfwea724h75qc655w", "The replay's id";
}
