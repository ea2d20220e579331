//! Repeats: what an author says once more, in the same words or nearly the same.
//!
//! **Invariant:** whether two texts are alike depends on their letters alone: not on case, forms of letters, spaces or
//! punctuation, and not on the language. **Invariant:** nothing here holds words: a [`Fingerprint`] tells that a text is
//! like another, and not what it says.

mod fingerprint;
mod sayings;

pub use fingerprint::Fingerprint;
pub use sayings::{BRIEF_TIMES, BRIEF_WINDOW, KEPT, Saying, Sayings, TextRef, WINDOW};
