//! E-mail addresses in the one form in which the server stores, compares and uses them.

use std::fmt;

use url::Host;

/// The maximum number of bytes in an address (RFC 5321, section 4.5.3.1.3, without the angle brackets).
pub const EMAIL_MAX: usize = 254;
/// The maximum number of bytes before the `@` (RFC 5321, section 4.5.3.1.1).
const LOCAL_MAX: usize = 64;

/// An address that every SMTP server accepts: a `Dot-string` and a domain (RFC 5321, section 4.1.2) in ASCII and lower case. A domain in
/// another script is in Punycode (RFC 5891).
///
/// Quoted local parts, addresses in place of a domain, and local parts beyond ASCII (SMTPUTF8) are no addresses here.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct EmailAddress(String);

/// A text that is no address.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum InvalidEmail {
    /// It has no `@`.
    #[error("an e-mail address is a name, an @ and a domain")]
    NoAt,
    /// What stands before the `@` is no `Dot-string`.
    #[error(
        "before the @ stand 1 to {LOCAL_MAX} letters, digits and signs such as . _ + - without accents, and no dot at an end or beside \
         another"
    )]
    Local,
    /// What stands after the `@` is no domain.
    #[error("after the @ stands a domain, such as example.org")]
    Domain,
    /// It has more than [`EMAIL_MAX`] bytes.
    #[error("an e-mail address has at most {EMAIL_MAX} characters")]
    TooLong,
}

impl EmailAddress {
    /// Reads an address; spaces around it and its case do not count.
    pub fn parse(text: &str) -> Result<Self, InvalidEmail> {
        let (local, domain) = text.trim().rsplit_once('@').ok_or(InvalidEmail::NoAt)?;
        let is_atom = |atom: &str| !atom.is_empty() && atom.bytes().all(is_atext);
        if local.len() > LOCAL_MAX || !local.split('.').all(is_atom) {
            return Err(InvalidEmail::Local);
        }
        let Ok(Host::Domain(domain)) = Host::parse(domain) else { return Err(InvalidEmail::Domain) };
        if !domain.split('.').all(is_label) {
            return Err(InvalidEmail::Domain);
        }
        let address = format!("{}@{domain}", local.to_ascii_lowercase());
        if address.len() > EMAIL_MAX { Err(InvalidEmail::TooLong) } else { Ok(Self(address)) }
    }

    /// The address.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The domain.
    pub fn domain(&self) -> &str {
        self.0.rsplit_once('@').map_or("", |(_, domain)| domain)
    }
}

impl fmt::Display for EmailAddress {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// `atext` of RFC 5322, section 3.2.3.
fn is_atext(byte: u8) -> bool {
    byte.is_ascii_alphanumeric() || b"!#$%&'*+-/=?^_`{|}~".contains(&byte)
}

/// A label of a domain (RFC 1123, section 2.1).
fn is_label(label: &str) -> bool {
    let is_inside = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'-';
    (1..=63).contains(&label.len()) && label.bytes().all(is_inside) && !label.starts_with('-') && !label.ends_with('-')
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn an_address_has_one_form() {
        for (text, form) in [
            (" Ada.Lovelace+build@Example.ORG ", "ada.lovelace+build@example.org"),
            ("user@exämple.org", "user@xn--exmple-cua.org"),
            ("user@XN--EXMPLE-CUA.org", "user@xn--exmple-cua.org"),
            ("o'neil@localhost", "o'neil@localhost"),
            ("user@例え.テスト", "user@xn--r8jz45g.xn--zckzah"),
        ] {
            assert_eq!(EmailAddress::parse(text).map(|address| address.0), Ok(form.to_owned()), "{text}");
        }
    }

    #[test]
    fn what_no_server_delivers_is_refused() {
        let long = format!("{}@example.org", "a".repeat(LOCAL_MAX + 1));
        let longer = format!("a@{}.org", vec!["a".repeat(60); 5].join("."));
        for (text, error) in [
            ("", InvalidEmail::NoAt),
            ("ada", InvalidEmail::NoAt),
            ("@example.org", InvalidEmail::Local),
            ("a..b@example.org", InvalidEmail::Local),
            (".a@example.org", InvalidEmail::Local),
            ("a.@example.org", InvalidEmail::Local),
            ("a b@example.org", InvalidEmail::Local),
            ("a\r\nBcc: b@example.org", InvalidEmail::Local),
            ("ädä@example.org", InvalidEmail::Local),
            ("\"a b\"@example.org", InvalidEmail::Local),
            ("a@b@example.org", InvalidEmail::Local),
            (&long, InvalidEmail::Local),
            ("ada@", InvalidEmail::Domain),
            ("ada@[127.0.0.1]", InvalidEmail::Domain),
            ("ada@127.0.0.1", InvalidEmail::Domain),
            ("ada@example..org", InvalidEmail::Domain),
            ("ada@-example.org", InvalidEmail::Domain),
            ("ada@exa_mple.org", InvalidEmail::Domain),
            ("ada@example.org.", InvalidEmail::Domain),
            (&longer, InvalidEmail::TooLong),
        ] {
            assert_eq!(EmailAddress::parse(text), Err(error), "{text:?}");
        }
    }

    proptest! {
        #[test]
        fn the_form_of_an_address_is_itself_and_one_line_of_ascii(text in "[a-zA-Z.+@äß例\r\n ]{0,20}@[a-zA-Z0-9.äß例-]{0,20}") {
            if let Ok(address) = EmailAddress::parse(&text) {
                prop_assert!(address.as_str().bytes().all(|byte| byte.is_ascii_graphic()));
                prop_assert_eq!(EmailAddress::parse(address.as_str()), Ok(address.clone()));
            }
        }
    }
}
