//! E-mail addresses that mail can be sent to.
//!
//! **Invariant:** what this parser accepts, the mailer accepts. An address is stored, compared and mailed to in one form: the domain in
//! ASCII (punycode, UTS 46) and all of it in lower case.

use std::{fmt, str::FromStr};

use url::Host;

/// The maximum number of characters in an address (RFC 5321, as corrected in its erratum 1690).
pub const EMAIL_MAX: usize = 254;
/// The maximum number of characters before the `@` (RFC 5321, section 4.5.3.1.1).
const LOCAL_MAX: usize = 64;
/// The maximum number of characters in a part of a domain between two dots.
const LABEL_MAX: usize = 63;

/// An address in its one form.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EmailAddress(String);

/// The reason why a text is no address that mail can be sent to.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum EmailAddressError {
    /// The text has no part before or after an `@`.
    #[error("the address has the form name@example.org")]
    Form,
    /// The address is too long.
    #[error("the address has more than {EMAIL_MAX} characters, or more than {LOCAL_MAX} before the @")]
    TooLong,
    /// The name is not a dot-atom of RFC 5322.
    #[error("before the @ stand letters from a to z, digits and !#$%&'*+/=?^_`{{|}}~-, with single dots between them")]
    Name,
    /// The domain is not a host name.
    #[error("after the @ stands a domain such as example.org, not an IP address")]
    Domain,
}

impl EmailAddress {
    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl FromStr for EmailAddress {
    type Err = EmailAddressError;

    /// Parses an address, without regard to spaces around it and to case.
    fn from_str(text: &str) -> Result<Self, EmailAddressError> {
        let (name, domain) = text.trim().rsplit_once('@').ok_or(EmailAddressError::Form)?;
        if name.is_empty() || domain.is_empty() {
            return Err(EmailAddressError::Form);
        }
        if name.len() > LOCAL_MAX {
            return Err(EmailAddressError::TooLong);
        }
        if !name.split('.').all(is_atom) {
            return Err(EmailAddressError::Name);
        }
        let address = format!("{}@{}", name.to_ascii_lowercase(), ascii(domain)?);
        if address.len() > EMAIL_MAX {
            return Err(EmailAddressError::TooLong);
        }
        Ok(Self(address))
    }
}

/// An atom of RFC 5322, section 3.2.3.
fn is_atom(text: &str) -> bool {
    !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"!#$%&'*+/=?^_`{|}~-".contains(&byte))
}

/// The domain in ASCII and lower case.
fn ascii(domain: &str) -> Result<String, EmailAddressError> {
    // The parser of URLs decodes percent signs, which a domain does not have.
    let parsed = if domain.contains('%') { None } else { Host::parse(domain).ok() };
    let Some(Host::Domain(name)) = parsed else { return Err(EmailAddressError::Domain) };
    let is_label = |label: &str| {
        let is_plain = label.bytes().all(|byte| byte.is_ascii_alphanumeric() || byte == b'-');
        is_plain && (1..=LABEL_MAX).contains(&label.len()) && !label.starts_with('-') && !label.ends_with('-')
    };
    if name.split('.').all(is_label) { Ok(name) } else { Err(EmailAddressError::Domain) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    fn parsed(text: &str) -> Result<String, EmailAddressError> {
        text.parse::<EmailAddress>().map(|address| address.to_string())
    }

    #[test]
    fn an_address_has_one_form() {
        for (text, address) in [
            ("ada@example.org", "ada@example.org"),
            (" Ada.L+x@Example.ORG ", "ada.l+x@example.org"),
            ("user@exämple.org", "user@xn--exmple-cua.org"),
            ("user@EXÄMPLE.org", "user@xn--exmple-cua.org"),
            ("user@xn--exmple-cua.org", "user@xn--exmple-cua.org"),
            ("user@straße.de", "user@xn--strae-oqa.de"),
            ("ada@localhost", "ada@localhost"),
            ("ada@例え.テスト", "ada@xn--r8jz45g.xn--zckzah"),
        ] {
            assert_eq!(parsed(text).as_deref(), Ok(address), "{text}");
        }
    }

    #[test]
    fn what_mail_cannot_be_sent_to_is_refused_with_a_reason() {
        let (long, longer) = (format!("{}@example.org", "a".repeat(65)), format!("a@{}org", "example.".repeat(40)));
        let label = format!("a@{}.org", "x".repeat(64));
        for (text, error) in [
            ("", EmailAddressError::Form),
            ("ada", EmailAddressError::Form),
            ("@example.org", EmailAddressError::Form),
            ("ada@", EmailAddressError::Form),
            (&long, EmailAddressError::TooLong),
            (&longer, EmailAddressError::TooLong),
            ("a..b@example.org", EmailAddressError::Name),
            (".a@example.org", EmailAddressError::Name),
            ("a.@example.org", EmailAddressError::Name),
            ("a@b@example.org", EmailAddressError::Name),
            ("\"a b\"@example.org", EmailAddressError::Name),
            ("ädä@example.org", EmailAddressError::Name),
            ("a\r\nBcc: b@example.org", EmailAddressError::Name),
            ("Ada <ada@example.org>", EmailAddressError::Name),
            ("ada@example..org", EmailAddressError::Domain),
            ("ada@example.org.", EmailAddressError::Domain),
            ("ada@-example.org", EmailAddressError::Domain),
            ("ada@exa_mple.org", EmailAddressError::Domain),
            ("ada@exa%6dple.org", EmailAddressError::Domain),
            ("ada@127.0.0.1", EmailAddressError::Domain),
            ("ada@[127.0.0.1]", EmailAddressError::Domain),
            ("ada@[::1]", EmailAddressError::Domain),
            ("ada@xn--a", EmailAddressError::Domain),
            (&label, EmailAddressError::Domain),
        ] {
            assert_eq!(parsed(text), Err(error), "{text}");
        }
    }

    proptest! {
        #[test]
        fn an_accepted_address_is_plain_and_stays_the_same(text in "[a-zA-Z.+_-]{1,8}@(\\PC{1,6}|[a-zäß]{1,6})(\\.[a-z中]{1,4}){0,2}") {
            if let Ok(address) = parsed(&text) {
                prop_assert!(address.is_ascii() && address.len() <= EMAIL_MAX && !address.contains(|c: char| c.is_control() || c == ' '));
                prop_assert_eq!(parsed(&address), Ok(address.clone()));
            }
        }
    }
}
