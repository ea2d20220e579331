//! `/api/v1/workspaces` and its sub-resources, and `/build`.

mod archive;
mod as_of;
mod edit;
mod export;
mod history;
mod invitations;
mod join;
mod leave;
mod list;
mod messages;
mod open;
mod roles;
mod ship;
mod show;
mod solution;
mod stats;
