//! The address of the SMTP server.

use std::str::FromStr;

use url::Url;

/// An SMTP server: `smtps://user:password@host:465` (TLS from the start), or `smtp://…` (STARTTLS, which is optional only for
/// a server on the loopback interface).
#[derive(Clone, PartialEq, Eq)]
pub struct SmtpUrl(Url);

impl SmtpUrl {
    /// The address, with user and password.
    pub fn url(&self) -> &Url {
        &self.0
    }
}

impl std::fmt::Debug for SmtpUrl {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("SmtpUrl(…)")
    }
}

impl FromStr for SmtpUrl {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, &'static str> {
        let url: Url = text.parse().map_err(|_| EXPECTED)?;
        let known = matches!(url.scheme(), "smtp" | "smtps") && url.host_str().is_some_and(|host| !host.is_empty());
        if known { Ok(Self(url)) } else { Err(EXPECTED) }
    }
}

const EXPECTED: &str = "expected smtps://user:password@host:port or smtp://host:port";

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_smtp_url_is_parsed_and_its_password_is_not_printed() {
        let url: SmtpUrl = "smtps://ada:hunter2@mail.example:465".parse().unwrap();
        assert_eq!(format!("{url:?}"), "SmtpUrl(…)");
        for wrong in ["mail.example", "https://mail.example", "smtp://", "smtps:mail"] {
            assert!(wrong.parse::<SmtpUrl>().is_err(), "{wrong}");
        }
    }
}
