//! The recent texts of one author, and the search for near-duplicates of a new text.

use std::collections::VecDeque;

use chrono::{DateTime, TimeDelta, Utc};

use super::Fingerprint;
use crate::ids::{MessageId, PostId, ReplyId, WorkspaceId};

/// How long a text counts as recent: one day. Loops repeat sooner, and a daily announcement is allowed.
pub const WINDOW: TimeDelta = TimeDelta::days(1);
/// The maximum number of recent texts per author. A loop repeats after fewer texts, and comparing them takes less than
/// a microsecond.
pub const RECENT_TEXTS_MAX: usize = 50;
/// How long a brief text counts as recent, only in the same location.
pub const BRIEF_WINDOW: TimeDelta = TimeDelta::minutes(10);
/// How often a brief text may occur in the same location within that time.
pub const BRIEF_TIMES: usize = 10;

/// The id and location of a text.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum TextRef {
    /// A message in a workspace.
    Message {
        /// The workspace.
        workspace_id: WorkspaceId,
        /// The message.
        message_id: MessageId,
        /// The message that it answers.
        reply_to: Option<MessageId>,
    },
    /// A post in the forum.
    Post(PostId),
    /// A reply in the forum.
    Reply {
        /// The post that it answers.
        post_id: PostId,
        /// The reply.
        reply_id: ReplyId,
        /// The reply that it answers.
        reply_to: Option<ReplyId>,
    },
}

impl TextRef {
    /// Whether both texts are in the same location and answer the same text.
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

/// One text of an author.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RecentText {
    /// The text's id.
    pub text: TextRef,
    /// Its fingerprint.
    pub fingerprint: Fingerprint,
    /// When it was written.
    pub at: DateTime<Utc>,
}

/// The recent texts of one author, the oldest first.
#[derive(Debug, Clone, Default)]
pub struct RecentTexts(VecDeque<RecentText>);

impl RecentTexts {
    /// Adds a text. Idempotent.
    pub fn note(&mut self, recent_text: RecentText) {
        self.amend(recent_text.text, None);
        let index = self.0.partition_point(|recent| recent.at <= recent_text.at);
        self.0.insert(index, recent_text);
        if self.0.len() > RECENT_TEXTS_MAX {
            self.0.pop_front();
        }
    }

    /// The oldest recent text that `new` is a near-duplicate of, if any. A text is not a duplicate of itself.
    pub fn original(&self, new: &RecentText) -> Option<TextRef> {
        let others = self.0.iter().filter(|recent| recent.text != new.text);
        if !new.fingerprint.is_brief() {
            let mut matches = others.filter(|recent| new.at - recent.at < WINDOW);
            return matches.find(|recent| recent.fingerprint.is_near(&new.fingerprint)).map(|recent| recent.text);
        }
        let mut matches = others.filter(|recent| {
            recent.fingerprint.is_same(&new.fingerprint)
                && recent.text.is_beside(&new.text)
                && new.at - recent.at < BRIEF_WINDOW
        });
        let first = matches.next()?;
        (1 + matches.count() >= BRIEF_TIMES).then_some(first.text)
    }

    /// Updates a text's fingerprint, or removes the text if `fingerprint` is `None`. Returns whether the
    /// text was already in the requested state.
    pub fn amend(&mut self, text: TextRef, fingerprint: Option<Fingerprint>) -> bool {
        let Some(index) = self.0.iter().position(|recent| recent.text == text) else { return fingerprint.is_none() };
        match fingerprint {
            Some(fingerprint) if self.0[index].fingerprint == fingerprint => true,
            Some(fingerprint) => {
                self.0[index].fingerprint = fingerprint;
                false
            }
            None => {
                self.0.remove(index);
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

    fn recent_text(text: TextRef, words: &str, minute: i64) -> RecentText {
        let at = DateTime::UNIX_EPOCH + TimeDelta::minutes(minute);
        RecentText { text, fingerprint: Fingerprint::of(words), at }
    }

    fn texts_of(texts: impl IntoIterator<Item = RecentText>) -> RecentTexts {
        let mut recent = RecentTexts::default();
        for recent_text in texts {
            recent.note(recent_text);
        }
        recent
    }

    #[test]
    fn a_near_duplicate_in_another_location_is_found() {
        let recent = texts_of([recent_text(message(1), LONG, 0), recent_text(message(2), "Something else", 1)]);
        let nearly = format!("{LONG} Really.");
        assert_eq!(recent.original(&recent_text(post(3), LONG, 2)), Some(message(1)));
        assert_eq!(recent.original(&recent_text(post(3), &nearly, 2)), Some(message(1)));
        assert_eq!(recent.original(&recent_text(post(3), "Something else that no text has said before", 2)), None);
    }

    #[test]
    fn a_text_may_be_repeated_after_a_day() {
        let recent = texts_of([recent_text(message(1), LONG, 0)]);
        assert_eq!(recent.original(&recent_text(message(2), LONG, 24 * 60 - 1)), Some(message(1)));
        assert_eq!(recent.original(&recent_text(message(2), LONG, 24 * 60)), None);
    }

    #[test]
    fn a_brief_text_may_occur_ten_times_in_ten_minutes_in_one_location() {
        let recent = texts_of((0..10).map(|number| recent_text(message(number), "+1", 0)));
        assert_eq!(recent.original(&recent_text(message(10), "+1", 9)), Some(message(0)));
        assert_eq!(recent.original(&recent_text(message(10), "+1", 10)), None);
        assert_eq!(recent.original(&recent_text(message(10), "Done", 9)), None);
        let nine = texts_of((0..9).map(|number| recent_text(message(number), "+1", 0)));
        assert_eq!(nine.original(&recent_text(message(10), "+1", 9)), None);
    }

    #[test]
    fn brief_texts_are_counted_per_answered_text() {
        let recent = texts_of((0..10).map(|number| recent_text(message(number), "Thanks!", 0)));
        let TextRef::Message { workspace_id, message_id, .. } = message(10) else { unreachable!() };
        let answer = TextRef::Message { workspace_id, message_id, reply_to: Some(message_id) };
        let elsewhere =
            TextRef::Message { workspace_id: WorkspaceId::new(Uuid::from_u128(2)), message_id, reply_to: None };
        for text in [answer, elsewhere, post(10)] {
            assert_eq!(recent.original(&recent_text(text, "Thanks!", 0)), None);
        }
    }

    #[test]
    fn removed_or_changed_texts_are_not_originals() {
        let mut recent = texts_of([recent_text(message(1), LONG, 0)]);
        assert!(recent.amend(message(1), Some(Fingerprint::of(LONG))));
        assert_eq!(recent.original(&recent_text(message(2), LONG, 1)), Some(message(1)));
        assert!(!recent.amend(message(1), Some(Fingerprint::of("Something else"))));
        assert_eq!(recent.original(&recent_text(message(2), LONG, 1)), None);
        recent.note(recent_text(message(1), LONG, 0));
        assert!(!recent.amend(message(1), None));
        assert_eq!(recent.original(&recent_text(message(2), LONG, 1)), None);
    }

    proptest! {
        #[test]
        fn the_last_fifty_texts_are_retained_in_order(minutes in prop::collection::vec(0..1000_i64, 1..120)) {
            let recent = texts_of((0..).zip(&minutes).map(|(number, minute)| {
                recent_text(message(number), &format!("{number} {LONG}"), *minute)
            }));
            prop_assert_eq!(recent.0.len(), minutes.len().min(RECENT_TEXTS_MAX));
            prop_assert!(recent.0.iter().zip(recent.0.iter().skip(1)).all(|(one, next)| one.at <= next.at));
        }

        #[test]
        fn noting_a_text_is_idempotent(minutes in prop::collection::vec(0..1000_i64, 1..40)) {
            let texts = || (0..).zip(&minutes).map(|(number, minute)| recent_text(message(number), LONG, *minute));
            prop_assert_eq!(texts_of(texts().chain(texts())).0.len(), minutes.len());
        }
    }
}
