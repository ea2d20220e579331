//! Notifications of owners: their settings, which owners choose in the portal, and test messages.
//!
//! The worker sends the messages. The address of a chat is sealed at once, and shown to no one again.

pub mod schemas;
pub mod settings;
