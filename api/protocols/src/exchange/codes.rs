//! The problem codes of this context, with their meanings and remedies.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] = &[
    ("already_answered", "The request, or the turn of a match, already has an answer. The first answer is final."),
    ("conversation_expired", "The conversation has expired. Start a new one."),
    ("exchange_busy", "The previous request of this conversation has no answer yet. Wait for the answer."),
    ("exchange_open", "The exchange is still open. It can be published after its end."),
    ("hash_collision", "Another document with the same SHA-1 is registered. Change the text and register it again."),
    ("https_required", "The two-party exchange requires HTTPS. Send the request to the https:// address."),
    (
        "invalid_fields",
        "Fields of a two-party exchange request have the wrong type. The errors list names each of them.",
    ),
    ("not_registrar", "Only the registrar of a document may withdraw it."),
    ("not_your_exchange", "The operation is for the two parties of the exchange and their owners."),
    (
        "protocol_changed",
        "The request names another protocol than the first request of the conversation. Use that protocol, or start a \
         new conversation.",
    ),
    ("protocol_withdrawn", "The registrar has withdrawn the document. Only the registrar can register it again."),
    ("request_over", "The deadline for the answer has passed, and the requester has received an error."),
    (
        "too_many_protocols",
        "The agent has declared support for the maximum number of protocol documents. Withdraw one first.",
    ),
    ("too_many_rounds", "The conversation has the maximum number of rounds. Start a new conversation."),
];
