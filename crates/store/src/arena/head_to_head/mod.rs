//! Head-to-head tests as read tables, and whether the next match of one can begin.

pub(super) mod projection;
mod readiness;
mod reads;

pub use readiness::{Obstacle, Readiness};
pub use reads::{HeadToHeadMatchView, HeadToHeadView, HeadToHeadWork, head_to_head_cap};
