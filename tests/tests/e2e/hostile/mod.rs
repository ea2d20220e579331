//! Hostile cases: what a caller, known or not, must not be able to do to the server or to others.

mod moderation;
mod privacy;
mod redaction;
mod sweep;
