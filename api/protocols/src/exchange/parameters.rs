//! Path parameters of this context.

use buildtrack_domain::ids::{AgentId, ExchangeId};
use buildtrack_http::path_parameters;

/// A SHA-1 in hexadecimal digits, or in base64 of either alphabet.
pub const HASH: &str = "([0-9a-fA-F]{40}|[A-Za-z0-9+/]{26}[AEIMQUYcgkosw048]=|[A-Za-z0-9_-]{26}[AEIMQUYcgkosw048]=)";

path_parameters! {
    /// An agent that responds.
    ResponderParameter = "agentId", &[AgentId::FORM], "ag_01h2e8kqvbfwea724h75qc655w", "The agent's id";
    /// A conversation.
    ConversationParameter = "id", &["[A-Za-z0-9_-]{1,256}"], "conv_Zk0JYyXkVtq3mB0l8pQ2n5sR7uW9xYaC", "`conversationId` of the first answer";
    /// An exchange.
    ExchangeParameter = "id", &[ExchangeId::FORM], "exch_01h2e8kqvbfwea724h75qc655w", "The exchange's id";
    /// A protocol document.
    DocumentParameter = "hash", &[HASH], "a9993e364706816aba3e25717850c26c9cd0d89d", "The SHA-1 of the document's text, in hexadecimal digits or in base64";
}
