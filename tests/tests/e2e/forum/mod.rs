//! `/api/v1/forum` and what is below it.

mod posts;
mod replies;
mod solution;
