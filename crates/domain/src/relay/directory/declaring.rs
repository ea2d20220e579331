//! Declarations to the directory: registration of capabilities, and withdrawal.

use chrono::{DateTime, Utc};

use super::{DirectoryEvent, Entry, PartyRegistered, PartyWithdrawn, entry::digest};
use crate::{
    decide::Command,
    relay::{Did, Sealed},
};

/// The kind of a declaration.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Declaration {
    /// The agent registers its capabilities.
    Registration,
    /// The agent removes itself from the directory.
    Withdrawal,
}

/// Accepts a verified declaration of an agent.
#[derive(Debug, Clone)]
pub struct Declare {
    /// The signer.
    pub did: Did,
    /// The kind of declaration.
    pub declaration: Declaration,
    /// The time of signing, as stated by the agent.
    pub signed_at: DateTime<Utc>,
    /// The whole text, as signed.
    pub text: Sealed,
    /// When the server received it.
    pub now: DateTime<Utc>,
}

/// The reason why a declaration is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DirectoryError {
    /// The declaration's `ts` is too old, or in the future.
    #[error("ts is five minutes or more from the relay's clock")]
    OutOfWindow,
    /// The server already accepted a declaration that is as new, or newer.
    #[error("ts is not newer than that of the declaration in force")]
    Stale,
    /// The agent is not registered, so that it cannot withdraw.
    #[error("the agent is not registered")]
    NotListed,
}

impl Command for Declare {
    type State<'a> = &'a Entry;
    type Event = DirectoryEvent;
    type Error = DirectoryError;

    fn decide(&self, entry: &Entry) -> Result<Vec<DirectoryEvent>, DirectoryError> {
        // Repeating the declaration in force changes nothing, however late it arrives.
        if entry.last == digest(&self.text) {
            return Ok(vec![]);
        }
        if (self.now - self.signed_at).abs() >= agora_envelope::TIME_WINDOW {
            return Err(DirectoryError::OutOfWindow);
        }
        if entry.signed_at.is_some_and(|last| self.signed_at <= last) {
            return Err(DirectoryError::Stale);
        }
        let Self { did, signed_at, text, .. } = self.clone();
        Ok(vec![match self.declaration {
            Declaration::Registration => PartyRegistered { did, signed_at, registration: text }.into(),
            Declaration::Withdrawal if !entry.listed => return Err(DirectoryError::NotListed),
            Declaration::Withdrawal => PartyWithdrawn { did, signed_at, withdrawal: text }.into(),
        }])
    }
}

#[cfg(test)]
mod tests {
    use chrono::TimeDelta;
    use proptest::prelude::*;

    use super::*;
    use crate::decide::{State, testing::given};

    fn declare(declaration: Declaration, second: i64, text: &str) -> Declare {
        let signed_at = DateTime::UNIX_EPOCH + TimeDelta::seconds(second);
        let (did, text) = ("did:key:z6Mk".parse().unwrap(), Sealed::new(format!("\"{text}\"")));
        Declare { did, declaration, signed_at, text, now: signed_at }
    }

    fn registration(second: i64, text: &str) -> Declare {
        declare(Declaration::Registration, second, text)
    }

    #[test]
    fn the_newest_registration_replaces_older_ones_and_a_repeat_changes_nothing() {
        let entry: Entry = given(registration(10, "a").decide(&Entry::default()).unwrap());
        assert!(entry.listed);
        assert_eq!(registration(10, "a").decide(&entry), Ok(vec![]));
        assert_eq!(registration(10, "b").decide(&entry), Err(DirectoryError::Stale));
        assert_eq!(registration(9, "b").decide(&entry), Err(DirectoryError::Stale));
        assert_eq!(registration(11, "b").decide(&entry).map(|events| events.len()), Ok(1));
        let late = Declare { now: DateTime::UNIX_EPOCH + TimeDelta::days(1), ..registration(10, "a") };
        assert_eq!(late.decide(&entry), Ok(vec![]));
    }

    #[test]
    fn a_withdrawal_cannot_be_undone_by_an_older_registration() {
        let mut entry: Entry = given(registration(10, "a").decide(&Entry::default()).unwrap());
        let withdrawal = declare(Declaration::Withdrawal, 20, "w");
        for event in withdrawal.decide(&entry).unwrap() {
            entry = entry.apply(&event);
        }
        assert!(!entry.listed);
        assert_eq!(registration(10, "a").decide(&entry), Err(DirectoryError::Stale));
        assert_eq!(registration(19, "b").decide(&entry), Err(DirectoryError::Stale));
        let again = declare(Declaration::Withdrawal, 21, "v");
        assert_eq!(again.decide(&entry), Err(DirectoryError::NotListed));
    }

    #[test]
    fn a_declaration_signed_at_another_time_is_refused() {
        for minutes in [-5, 5] {
            let now = DateTime::UNIX_EPOCH + TimeDelta::minutes(minutes);
            let command = Declare { now, ..registration(0, "a") };
            assert_eq!(command.decide(&Entry::default()), Err(DirectoryError::OutOfWindow));
        }
    }

    proptest! {
        #[test]
        fn the_time_of_the_last_declaration_never_decreases(sent in proptest::collection::vec((any::<bool>(), 0..20_i64, 0..3_u8), 0..30)) {
            let mut entry = Entry::default();
            for (withdraws, second, text) in sent {
                let kind = if withdraws { Declaration::Withdrawal } else { Declaration::Registration };
                let before = entry.signed_at;
                for event in declare(kind, second, &text.to_string()).decide(&entry).unwrap_or_default() {
                    entry = entry.apply(&event);
                    prop_assert!(before < entry.signed_at);
                }
            }
        }
    }
}
