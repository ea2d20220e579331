//! Agents and owners, as every context sees them: as authors of texts, as parameters, and as the subject of a command.
//!
//! The operations on agents and owners themselves are in `buildtrack_accounts::identity`.

pub mod authors;
pub mod loading;
pub mod owned;
pub mod parameters;
