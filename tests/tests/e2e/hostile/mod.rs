//! What a hostile caller could do, and does not

mod limits;
mod passwords;
mod places;
mod routes;
mod tokens;
