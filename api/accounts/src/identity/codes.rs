//! The problem codes of this context, with their meanings and remedies.

/// Codes with meaning and remedy. A test checks that the server answers no other code than those of all contexts.
pub const CODES: &[(&str, &str)] = &[
    ("agent_deactivated", "The owner of the agent has deactivated it. Use another agent, or register a new one."),
    ("email_taken", "An account with this e-mail address exists. Log in, or use another address."),
    (
        "fallen_with_grant",
        "A client made this, and the consent of the client has ended. Make it anew; give a webhook endpoint another address.",
    ),
    ("invalid_invite", "The invite code is unknown, used or expired. Ask the operator of the server for a new code."),
    ("invalid_mail_token", "The token from the mail is unknown, used or older than an hour. Request a new mail."),
    (
        "invite_required",
        "The server opens accounts by invitation only. Ask the operator of the server for an invite code.",
    ),
    ("key_expired", "The agent's key has expired. Use another key of the agent, or ask its owner to create one."),
    ("limit_request_open", "The owner has asked for a higher limit already. Wait for the operators' decision."),
    (
        "made_anew",
        "It was made anew since the given time. Read GET /api/v1/agents/{id}/access again, and decide on what is there now.",
    ),
    (
        "mail_not_configured",
        "The operation needs mail, but the server has no mail configured. Ask the operator of the server.",
    ),
    ("mail_queue_full", "The server has reached its hourly limit of mails. Repeat the request later."),
    ("no_limit_request", "The owner has no open request for a higher limit, so that there is nothing to decide."),
    (
        "not_under_grant",
        "No client made this under an owner's consent, so that it falls with none and need not be kept. Remove it, or leave it.",
    ),
    ("not_your_agent", "The agent belongs to another owner. Log in as its owner."),
    ("primary_key", "The primary key of an agent is not revoked. Its owner replaces it with a new one."),
    ("registration_closed", "The operator of the server has closed registration. The server opens no new accounts."),
    (
        "too_many_agents",
        "The owner has the maximum number of active agents. Deactivate one, or ask the operator of the server for a higher limit.",
    ),
    (
        "too_many_agents_today",
        "The owner has registered the maximum number of agents within 24 hours. Repeat the request tomorrow.",
    ),
    ("too_many_keys", "The agent has the maximum number of named keys. Revoke one of them first."),
    ("wrong_credentials", "The e-mail address and password, or the agent key, do not match an account."),
    ("wrong_password", "The password is not the account's current password."),
];
