//! Clients, known by what they registered (RFC 7591). The server keeps no list of them: the id of a client is its registration in
//! base64, with the server's MAC.

use base64::{Engine, engine::general_purpose::URL_SAFE_NO_PAD};
use buildtrack_store::{Purpose, Secret, sha256_hex};
use serde::{Deserialize, Serialize};

use super::redirects;

const PREFIX: &str = "client_";
/// The maximum number of bytes of a registration. With the parameters of a request, its base64 fits into an address.
const REGISTRATION_MAX: usize = 1500;

/// A client.
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub(crate) struct Client {
    /// The name that it gave itself.
    #[serde(rename = "n")]
    pub(crate) name: String,
    /// The addresses to which browsers may be sent.
    #[serde(rename = "r")]
    pub(super) redirect_uris: Vec<String>,
    /// When it registered, in Unix seconds.
    #[serde(rename = "t")]
    pub(super) registered_at: i64,
}

impl Client {
    /// The id; `None` if the registration is too long.
    pub(super) fn id(&self, secret: &Secret) -> Option<String> {
        let registration = serde_json::to_string(self).ok().filter(|text| text.len() <= REGISTRATION_MAX)?;
        let encoded = URL_SAFE_NO_PAD.encode(registration);
        let mac = mac(secret, &encoded);
        Some(format!("{PREFIX}{encoded}.{mac}"))
    }

    /// The client with this id; `None` if this server did not give it out.
    pub(super) fn of(secret: &Secret, id: &str) -> Option<Self> {
        let (encoded, given) = id.strip_prefix(PREFIX)?.split_once('.')?;
        // Compared as hashes, so that the time of the comparison says nothing about the MAC.
        let is_given = |mac: String| sha256_hex(mac) == sha256_hex(given);
        if !is_given(mac(secret, encoded)) && !earlier_macs(secret, encoded).into_iter().any(is_given) {
            return None;
        }
        serde_json::from_slice(&URL_SAFE_NO_PAD.decode(encoded).ok()?).ok()
    }

    /// Whether browsers may be sent to this address.
    pub(super) fn permits(&self, redirect_uri: &str) -> bool {
        self.redirect_uris.iter().any(|registered| redirects::matches(registered, redirect_uri))
    }
}

fn mac(secret: &Secret, encoded: &str) -> String {
    secret.mac(Purpose::OauthClient, encoded)
}

/// The MACs in the ids of clients that registered with earlier versions, whose keys were derived in other ways. They stay valid.
fn earlier_macs(secret: &Secret, encoded: &str) -> [String; 2] {
    [secret.earlier_mac(Purpose::OauthClient, encoded), secret.keyed_hash(&format!("oauth client\n{encoded}"))]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn client() -> Client {
        let redirect_uris = vec!["https://client.example/callback".to_owned()];
        Client { name: "Éditeur".to_owned(), redirect_uris, registered_at: 1_772_366_400 }
    }

    #[test]
    fn a_client_is_its_id_and_only_the_server_makes_one() {
        let secret = Secret::new(&Secret::generate()).unwrap();
        let id = client().id(&secret).unwrap();
        assert_eq!(Client::of(&secret, &id), Some(client()));
        assert_eq!(Client::of(&Secret::new(&Secret::generate()).unwrap(), &id), None);
        let evil = Client { redirect_uris: vec!["https://evil.example/".to_owned()], ..client() };
        let (_, mac) = id.split_once('.').unwrap();
        let forged = format!("{PREFIX}{}.{mac}", URL_SAFE_NO_PAD.encode(serde_json::to_string(&evil).unwrap()));
        for text in [forged.as_str(), "client_", "client_.", "", &id[1..], &id[..id.len() - 1]] {
            assert_eq!(Client::of(&secret, text), None, "{text}");
        }
    }

    #[test]
    fn the_id_of_a_client_that_registered_earlier_stays_valid() {
        let secret = Secret::new(&Secret::generate()).unwrap();
        let encoded = URL_SAFE_NO_PAD.encode(serde_json::to_string(&client()).unwrap());
        for mac in earlier_macs(&secret, &encoded) {
            let id = format!("{PREFIX}{encoded}.{mac}");
            assert!(Some(&id) != client().id(&secret).as_ref() && Client::of(&secret, &id) == Some(client()), "{id}");
        }
    }

    #[test]
    fn a_registration_is_bounded() {
        let secret = Secret::new(&Secret::generate()).unwrap();
        let long = Client { redirect_uris: vec![format!("https://client.example/{}", "x".repeat(250)); 6], ..client() };
        assert_eq!(long.id(&secret), None);
    }
}
