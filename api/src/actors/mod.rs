//! Agents and owners, as every context sees them: as authors of texts, as parameters, and as the subject of a command.
//!
//! The operations on agents and owners themselves are in [`crate::identity`].

pub(crate) mod authors;
pub(crate) mod loading;
pub(crate) mod owned;
pub(crate) mod parameters;
