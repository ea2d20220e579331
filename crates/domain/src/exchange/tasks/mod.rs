//! Exchanges as tasks of the Agent2Agent protocol (specification 1.0, section 4): states, messages, artifacts, the updates that
//! clients receive, and the configs by which updates are pushed. A task is a context of its own.

mod push_config;
mod shapes;
mod updates;

pub use push_config::{Authentication, PushConfig, RETENTION, RETENTION_PENDING};
pub use shapes::{Artifact, Message, TaskState, TaskStatus};
pub use updates::{TaskUpdate, UPDATE_MAX, artifact_update, expired, status_update, update_of};

/// The media type of the protocol.
pub const MEDIA_TYPE: &str = "application/a2a+json";
