//! What the keys of the server's secret are used for. Each purpose has a key of its own: HKDF-SHA256 (RFC 5869) of the secret, with
//! the purpose's label.
//!
//! **Invariant:** a value that was made for one purpose is none for another. **Invariant:** the label of a purpose never changes.

use super::{Secret, keyed};

/// A use of a key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    /// Sealed: the seed of the log's signing key.
    SigningKey,
    /// Sealed: the e-mail addresses of accounts.
    EmailAddress,
    /// Sealed: mails until they are sent.
    Mail,
    /// Sealed: what a token in a mail confirms.
    MailToken,
    /// Sealed: the signing secrets of webhooks.
    WebhookSecret,
    /// Sealed: the addresses of chats that owners are notified in.
    ChatAddress,
    /// Sealed: where the updates of tasks are pushed, with credentials.
    TaskPush,
    /// Hashed: codes of invites, which name their streams.
    InviteCode,
    /// Hashed: bodies of requests with an idempotency key.
    RequestBody,
    /// Hashed: names and addresses whose password guesses are counted.
    PasswordGuess,
    /// Hashed: networks whose open conversations are counted.
    ExchangeHolder,
    /// Hashed: the fingerprint of the secret itself.
    Fingerprint,
    /// Authenticated: the forms of a session in the portal.
    Form,
    /// Authenticated: the ids of OAuth clients.
    OauthClient,
    /// Authenticated: challenges to the keys of DIDs.
    DidChallenge,
}

impl Purpose {
    /// All purposes.
    pub const ALL: [Self; 15] = [
        Self::SigningKey,
        Self::EmailAddress,
        Self::Mail,
        Self::MailToken,
        Self::WebhookSecret,
        Self::ChatAddress,
        Self::TaskPush,
        Self::InviteCode,
        Self::RequestBody,
        Self::PasswordGuess,
        Self::ExchangeHolder,
        Self::Fingerprint,
        Self::Form,
        Self::OauthClient,
        Self::DidChallenge,
    ];

    /// The text from which the purpose's key is derived.
    fn label(self) -> &'static str {
        match self {
            Self::SigningKey => "buildtrack sealed signing key v2",
            Self::EmailAddress => "buildtrack sealed email address v2",
            Self::Mail => "buildtrack sealed mail v2",
            Self::MailToken => "buildtrack sealed mail token v2",
            Self::WebhookSecret => "buildtrack sealed webhook secret v2",
            Self::ChatAddress => "buildtrack sealed chat address v2",
            Self::TaskPush => "buildtrack sealed task push v2",
            Self::InviteCode => "buildtrack hash of invite codes v2",
            Self::RequestBody => "buildtrack hash of request bodies v2",
            Self::PasswordGuess => "buildtrack hash of password guesses v2",
            Self::ExchangeHolder => "buildtrack hash of exchange holders v2",
            Self::Fingerprint => "buildtrack fingerprint of the secret v2",
            Self::Form => "buildtrack form v2",
            Self::OauthClient => "buildtrack oauth client v2",
            Self::DidChallenge => "buildtrack did challenge v2",
        }
    }

    /// The purpose's key.
    pub(super) fn key(self, secret: &Secret) -> [u8; 32] {
        expand(&secret.root, self.label())
    }

    /// Whether the purpose's sealed values expire by themselves. Those of earlier versions are not sealed anew.
    pub(super) fn expires(self) -> bool {
        matches!(self, Self::Mail | Self::MailToken | Self::TaskPush)
    }

    /// The hash that earlier versions made for this purpose, if values with it may still be stored or in the hands of callers. All of
    /// them came from one key.
    pub(super) fn earlier_hash(self, secret: &Secret, text: &str) -> Option<[u8; 32]> {
        match self {
            Self::InviteCode | Self::RequestBody | Self::Fingerprint => Some(keyed(&secret.hashing, text)),
            Self::OauthClient => Some(keyed(&keyed(&secret.hashing, "buildtrack oauth client v1"), text)),
            _ => None,
        }
    }
}

/// HKDF-Extract (RFC 5869, section 2.2) of a secret.
pub(super) fn extract(secret: &[u8]) -> [u8; 32] {
    keyed(b"buildtrack", secret)
}

/// The first block of HKDF-Expand (RFC 5869, section 2.3): 32 bytes.
fn expand(root: &[u8; 32], label: &str) -> [u8; 32] {
    keyed(root, [label.as_bytes(), &[1]].concat())
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;

    #[test]
    fn no_two_purposes_have_the_same_key() {
        let secret = Secret::new("a secret of the tests with 32 characters").unwrap();
        let mut keys: BTreeSet<_> = Purpose::ALL.map(|purpose| purpose.key(&secret)).into();
        keys.extend([secret.root, secret.hashing, secret.sealing]);
        let earlier = keyed(&secret.hashing, "buildtrack oauth client v1");
        assert_eq!((keys.len(), keys.contains(&earlier)), (Purpose::ALL.len() + 3, false));
        assert!(Purpose::ALL.is_sorted() && Purpose::ALL.last() == Some(&Purpose::DidChallenge));
    }

    /// RFC 5869, appendix A.1, as far as one block reaches.
    #[test]
    fn keys_are_expanded_as_the_standard_has_it() {
        let root = keyed(&hex::decode("000102030405060708090a0b0c").unwrap(), [11; 22]);
        assert_eq!(hex::encode(root), "077709362c2e32df0ddc3f0dc47bba6390b6c73bb50f9c3122ec844ad7c2b3e5");
        let info = hex::decode("f0f1f2f3f4f5f6f7f8f9").unwrap();
        let block = keyed(&root, [&info[..], &[1]].concat());
        assert_eq!(hex::encode(block), "3cb25f25faacd57a90434f64d0362f2a2d2d0a90cf1a5a4c5db02d56ecc4c5bf");
    }
}
