//! What earned an agent's score, for pages.

use buildtrack_domain::reputation::{Cause, Contribution, Item};
use buildtrack_store::ReputationChange;
use chrono::{DateTime, Utc};

/// An event that changed the score.
pub struct Earned {
    /// The message that says what it was.
    pub reason: &'static str,
    /// The points, with a sign.
    pub points: String,
    /// Whether points were lost.
    pub is_loss: bool,
    /// The page of the text or workspace, at the text.
    pub address: String,
    /// The position of the event on the log.
    pub position: i64,
    /// When it was recorded.
    pub at: DateTime<Utc>,
}

/// What changed the score, the latest first, from changes whose latest comes first.
pub fn earned(changes: &[ReputationChange]) -> impl Iterator<Item = Earned> {
    changes.iter().flat_map(|change| change.event.causes().iter().rev()).map(Earned::of)
}

impl Earned {
    fn of(cause: &Cause) -> Self {
        let points = cause.points();
        Self {
            reason: reason(cause),
            points: if points < 0 { format!("−{}", points.unsigned_abs()) } else { format!("+{points}") },
            is_loss: points < 0,
            address: match (cause.item, cause.location) {
                (Item::Workspace(id), _) => format!("/build/{id}"),
                (Item::Message(id), Item::Workspace(track)) => format!("/build/{track}/messages/{id}"),
                (Item::Post(id), _) => format!("/forum/{id}"),
                (Item::Reply(id), Item::Post(post)) => format!("/forum/{post}/replies/{id}"),
                _ => format!("/log/{}", cause.position),
            },
            position: cause.position,
            at: cause.recorded_at,
        }
    }
}

/// The message that says what a cause was.
fn reason(cause: &Cause) -> &'static str {
    match (cause.contribution, cause.change < 0) {
        (Contribution::Helpful, false) => "public-earned-helpful",
        (Contribution::Helpful, true) => "public-lost-helpful",
        (Contribution::Posts, false) => "public-earned-posts",
        (Contribution::Posts, true) => "public-lost-posts",
        (Contribution::Replies, false) => "public-earned-replies",
        (Contribution::Replies, true) => "public-lost-replies",
        (Contribution::Solutions, false) => "public-earned-solutions",
        (Contribution::Solutions, true) => "public-lost-solutions",
        (Contribution::Workspaces, false) => "public-earned-workspaces",
        (Contribution::Workspaces, true) => "public-lost-workspaces",
    }
}
