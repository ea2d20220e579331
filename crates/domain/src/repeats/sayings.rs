//! What one author said lately, and whether something new says it once more.

use std::collections::VecDeque;

use chrono::{DateTime, TimeDelta, Utc};

use super::Fingerprint;
use crate::ids::{MessageId, PostId, ReplyId, WorkspaceId};

/// How long something counts as said. A day: what goes round in a loop comes back sooner, and what is announced every day
/// may be announced.
pub const WINDOW: TimeDelta = TimeDelta::days(1);
/// How many texts of an author are compared with the next. More than anybody says between two turns of a loop, and few
/// enough that looking through them costs less than a microsecond.
pub const KEPT: usize = 50;
/// How long something brief counts, and only where it was said.
pub const BRIEF_WINDOW: TimeDelta = TimeDelta::minutes(10);
/// How often something brief may be said there within that time.
pub const BRIEF_TIMES: usize = 10;

/// Which text, and where it stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRef {
    /// A message in a workspace.
    Message {
        /// Where it was posted.
        workspace_id: WorkspaceId,
        /// The message.
        message_id: MessageId,
        /// The message it answers.
        reply_to: Option<MessageId>,
    },
    /// A post in the forum.
    Post(PostId),
    /// A reply to one.
    Reply {
        /// What it was written to.
        post_id: PostId,
        /// The reply.
        reply_id: ReplyId,
        /// The reply it answers.
        reply_to: Option<ReplyId>,
    },
}

impl TextRef {
    /// Whether both stand in the same place, and answer the same.
    fn is_beside(&self, other: &Self) -> bool {
        match (self, other) {
            (
                Self::Message { workspace_id, reply_to, .. },
                Self::Message { workspace_id: workspace, reply_to: answered, .. },
            ) => (workspace_id, reply_to) == (workspace, answered),
            (Self::Post(_), Self::Post(_)) => true,
            (Self::Reply { post_id, reply_to, .. }, Self::Reply { post_id: post, reply_to: answered, .. }) => {
                (post_id, reply_to) == (post, answered)
            }
            _ => false,
        }
    }
}

/// Something that an author said.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Saying {
    /// The text.
    pub text: TextRef,
    /// What it is recognised by.
    pub fingerprint: Fingerprint,
    /// When it was said.
    pub at: DateTime<Utc>,
}

/// What one author said lately, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct Sayings(VecDeque<Saying>);

impl Sayings {
    /// Notes what was said. Saying it twice is saying it once.
    pub fn note(&mut self, saying: Saying) {
        self.amend(saying.text, None);
        let place = self.0.partition_point(|known| known.at <= saying.at);
        self.0.insert(place, saying);
        if self.0.len() > KEPT {
            self.0.pop_front();
        }
    }

    /// What it says again, if anything: the oldest that is known of. A text is no repeat of itself.
    pub fn original(&self, new: &Saying) -> Option<TextRef> {
        let others = self.0.iter().filter(|known| known.text != new.text);
        if !new.fingerprint.is_brief() {
            let mut said = others.filter(|known| new.at - known.at < WINDOW);
            return said.find(|known| known.fingerprint.is_near(&new.fingerprint)).map(|known| known.text);
        }
        let mut said = others.filter(|known| {
            known.fingerprint.is_same(&new.fingerprint)
                && known.text.is_beside(&new.text)
                && new.at - known.at < BRIEF_WINDOW
        });
        let first = said.next()?;
        (1 + said.count() >= BRIEF_TIMES).then_some(first.text)
    }

    /// A text turns out to be this, or (`None`) to be gone. Tells whether it was known so.
    pub fn amend(&mut self, text: TextRef, fingerprint: Option<Fingerprint>) -> bool {
        let Some(place) = self.0.iter().position(|known| known.text == text) else { return fingerprint.is_none() };
        match fingerprint {
            Some(fingerprint) if self.0[place].fingerprint == fingerprint => true,
            Some(fingerprint) => {
                self.0[place].fingerprint = fingerprint;
                false
            }
            None => {
                self.0.remove(place);
                false
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use uuid::Uuid;

    const LONG: &str =
        "Every push should carry a signature over the exact bytes of its body, so that all can check it.";

    fn message(number: u128) -> TextRef {
        let (workspace_id, message_id) =
            (WorkspaceId::new(Uuid::from_u128(1)), MessageId::new(Uuid::from_u128(number)));
        TextRef::Message { workspace_id, message_id, reply_to: None }
    }

    fn post(number: u128) -> TextRef {
        TextRef::Post(PostId::new(Uuid::from_u128(number)))
    }

    fn saying(text: TextRef, words: &str, minute: i64) -> Saying {
        let at = DateTime::UNIX_EPOCH + TimeDelta::minutes(minute);
        Saying { text, fingerprint: Fingerprint::of(words), at }
    }

    fn said(sayings: impl IntoIterator<Item = Saying>) -> Sayings {
        let mut said = Sayings::default();
        for saying in sayings {
            said.note(saying);
        }
        said
    }

    #[test]
    fn who_says_the_same_elsewhere_repeats_the_first() {
        let known = said([saying(message(1), LONG, 0), saying(message(2), "Something else", 1)]);
        let nearly = format!("{LONG} Really.");
        assert_eq!(known.original(&saying(post(3), LONG, 2)), Some(message(1)));
        assert_eq!(known.original(&saying(post(3), &nearly, 2)), Some(message(1)));
        assert_eq!(known.original(&saying(post(3), "Something else that nobody has said before", 2)), None);
    }

    #[test]
    fn a_day_later_it_may_be_said_again() {
        let known = said([saying(message(1), LONG, 0)]);
        assert_eq!(known.original(&saying(message(2), LONG, 24 * 60 - 1)), Some(message(1)));
        assert_eq!(known.original(&saying(message(2), LONG, 24 * 60)), None);
    }

    #[test]
    fn something_brief_may_be_said_ten_times_in_ten_minutes_in_one_place() {
        let known = said((0..10).map(|number| saying(message(number), "+1", 0)));
        assert_eq!(known.original(&saying(message(10), "+1", 9)), Some(message(0)));
        assert_eq!(known.original(&saying(message(10), "+1", 10)), None);
        assert_eq!(known.original(&saying(message(10), "Done", 9)), None);
        let nine = said((0..9).map(|number| saying(message(number), "+1", 0)));
        assert_eq!(nine.original(&saying(message(10), "+1", 9)), None);
    }

    #[test]
    fn something_brief_is_said_to_whom_it_answers() {
        let known = said((0..10).map(|number| saying(message(number), "Thanks!", 0)));
        let TextRef::Message { workspace_id, message_id, .. } = message(10) else { unreachable!() };
        let answer = TextRef::Message { workspace_id, message_id, reply_to: Some(message_id) };
        let elsewhere =
            TextRef::Message { workspace_id: WorkspaceId::new(Uuid::from_u128(2)), message_id, reply_to: None };
        for text in [answer, elsewhere, post(10)] {
            assert_eq!(known.original(&saying(text, "Thanks!", 0)), None);
        }
    }

    #[test]
    fn what_is_gone_or_reads_otherwise_by_now_is_no_original() {
        let mut known = said([saying(message(1), LONG, 0)]);
        assert!(known.amend(message(1), Some(Fingerprint::of(LONG))));
        assert_eq!(known.original(&saying(message(2), LONG, 1)), Some(message(1)));
        assert!(!known.amend(message(1), Some(Fingerprint::of("Something else"))));
        assert_eq!(known.original(&saying(message(2), LONG, 1)), None);
        known.note(saying(message(1), LONG, 0));
        assert!(!known.amend(message(1), None));
        assert_eq!(known.original(&saying(message(2), LONG, 1)), None);
    }

    proptest! {
        #[test]
        fn whatever_is_said_in_whatever_order_the_last_fifty_count(minutes in prop::collection::vec(0..1000_i64, 1..120)) {
            let known = said((0..).zip(&minutes).map(|(number, minute)| {
                saying(message(number), &format!("{number} {LONG}"), *minute)
            }));
            prop_assert_eq!(known.0.len(), minutes.len().min(KEPT));
            prop_assert!(known.0.iter().zip(known.0.iter().skip(1)).all(|(one, next)| one.at <= next.at));
        }

        #[test]
        fn noting_the_same_text_twice_is_noting_it_once(minutes in prop::collection::vec(0..1000_i64, 1..40)) {
            let sayings = || (0..).zip(&minutes).map(|(number, minute)| saying(message(number), LONG, *minute));
            prop_assert_eq!(said(sayings().chain(sayings())).0.len(), minutes.len());
        }
    }
}
