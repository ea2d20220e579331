//! Registration mode: who may create an account.

use buildtrack_domain::words;

words! {
    /// Who may open an account.
    #[derive(Default)]
    pub enum Registration, "expected open, invite or closed" {
        /// Everyone.
        #[default]
        Open = "open",
        /// Holders of an invite: `buildtrack admin invite`.
        Invite = "invite",
        /// Registration is disabled.
        Closed = "closed",
    }
}
