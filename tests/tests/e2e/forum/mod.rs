//! `/api/v1/forum` and what is below it.

mod helpful;
mod posts;
mod replies;
mod solution;
