//! Near-duplicate detection: texts equal or similar to the author's recent ones.
//!
//! **Invariant:** similarity depends only on letters: not on case, character forms, spaces, punctuation or language.
//! **Invariant:** nothing here holds texts. A [`Fingerprint`] shows that two texts are similar, and does not reveal
//! them.

mod fingerprint;
mod recent_texts;

pub use fingerprint::Fingerprint;
pub use recent_texts::{BRIEF_TIMES, BRIEF_WINDOW, RECENT_TEXTS_MAX, RecentText, RecentTexts, TextRef, WINDOW};
