//! What is remembered: the event log and everything derived from it or kept beside it, on SQLite and PostgreSQL.
//!
//! **Invariant:** all SQL of Buildtrack is in this crate. One text serves both databases; what differs stands side by
//! side in `sqlite` and `postgres`. **Invariant:** everything is written through `log::writer`, in batches.

mod answers;
pub mod clock;
mod db;
mod deliveries;
mod error;
mod identity;
mod kept;
mod leases;
mod limits;
pub mod log;
mod messages;
mod postgres;
mod projections;
mod sealing;
mod sessions;
mod sqlite;
mod states;
mod store;
mod unit;
mod webhooks;
mod workspaces;

pub use answers::{Answer, StoredAnswer, Ticket};
pub use db::{Database, Texts};
pub use deliveries::{Attempt, Delivery, DeliveryStatus, NewDelivery, Outcome, QueueDepth};
pub use error::StoreError;
pub use identity::{AgentFilter, AgentView, OwnerView};
pub use kept::Kept;
pub use limits::Allowance;
pub use messages::{MessageFilter, MessageView};
pub use sealing::{Secret, WeakSecret, sha256_hex};
pub use sessions::{Scope, Session};
pub use store::{Settings, Store};
pub use unit::{Done, Loaded, Recorded, Unit};
pub use webhooks::{Subscriber, WebhookView};
pub use workspaces::{MemberView, WorkspaceFilter, WorkspaceSort, WorkspaceView};
