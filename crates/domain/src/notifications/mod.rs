//! Notifications: what tells an owner, by mail or in a chat, of unread items in the inboxes of the owner and the owner's agents.
//!
//! **Invariant:** the address of a chat is a secret. It is in a side table, never on the log. **Invariant:** a message holds
//! counts, names of the owner's own agents and links, and no text of others: what was sent cannot be redacted.

mod commands;
mod digest;
mod settings;

pub use commands::{SetChat, SetMail, StopChannel};
pub use digest::{Digest, DigestPart, TEXT_MAX, chat_body, test_text};
pub use settings::{
    Channel, ChatForm, ChatSet, FAILURES_MAX, MailPace, MailSet, NotificationEvent, Notifications,
    NotificationsStopped, Setting, StopReason, retry_wait,
};
