//! `/api/v1/forum` and its sub-resources.

mod helpful;
mod posts;
mod replies;
mod solution;
