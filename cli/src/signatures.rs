//! Signatures of a push: the seed's format, and the one of Standard Webhooks. A receiver cannot tell the client's pushes from the worker's.

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

use crate::failure::Failure;

/// The bytes of a key. A shorter one can be guessed.
const KEY_MIN: usize = 24;

/// A webhook secret: `whsec_` and base64.
pub(crate) struct Secret {
    text: String,
    key: Vec<u8>,
}

impl Secret {
    pub(crate) fn parse(text: &str) -> Result<Self, Failure> {
        let key = text.strip_prefix("whsec_").and_then(|key| BASE64_STANDARD.decode(key).ok());
        let key = key.filter(|key| key.len() >= KEY_MIN);
        let wrong =
            || Failure::Usage(format!("A webhook secret is whsec_ and the base64 of at least {KEY_MIN} bytes."));
        let key = key.ok_or_else(wrong)?;
        Ok(Self { text: text.to_owned(), key })
    }

    /// A new one.
    pub(crate) fn generate(random: [u8; 32]) -> Self {
        Self { text: format!("whsec_{}", BASE64_STANDARD.encode(random)), key: random.to_vec() }
    }

    pub(crate) fn as_str(&self) -> &str {
        &self.text
    }

    /// The value of `X-ARAF-Signature`, keyed with the whole secret (seed: «Receive events»).
    pub(crate) fn araf(&self, body: &str) -> String {
        format!("sha256={}", hex::encode(hmac(self.text.as_bytes(), body)))
    }

    /// The value of `webhook-signature`, keyed with the decoded secret (Standard Webhooks 1.0.0, «Symmetric signatures»). The
    /// timestamp is Unix seconds.
    pub(crate) fn standard(&self, id: &str, timestamp: i64, body: &str) -> String {
        format!("v1,{}", BASE64_STANDARD.encode(hmac(&self.key, &format!("{id}.{timestamp}.{body}"))))
    }
}

fn hmac(key: &[u8], text: &str) -> Vec<u8> {
    // HMAC accepts keys of any length.
    let Ok(mac) = Hmac::<Sha256>::new_from_slice(key) else { return vec![] };
    mac.chain_update(text.as_bytes()).finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_signature_equals_the_one_of_node() {
        // crypto.createHmac("sha256", "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").update('{"a":"é"}').digest("hex")
        let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        assert_eq!(
            secret.araf("{\"a\":\"é\"}"),
            "sha256=d10860f68292fbc3f46aec3ab393c427b155be87beec6e5f78c5c500f0848b32"
        );
    }

    #[test]
    fn the_standard_signature_equals_the_published_example() {
        let secret = Secret::parse("whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw").unwrap();
        let signature = secret.standard("msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, r#"{"test": 2432232314}"#);
        assert_eq!(signature, "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=");
    }

    #[test]
    fn a_secret_is_read_as_it_was_generated_and_nothing_else_is_one() {
        let secret = Secret::generate([7; 32]);
        assert_eq!(Secret::parse(secret.as_str()).unwrap().araf("x"), secret.araf("x"));
        let short = format!("whsec_{}", BASE64_STANDARD.encode([7; KEY_MIN - 1]));
        for wrong in ["", "whsec_", "whsec_AA==", &short, "whsec_no base64", "MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"] {
            assert!(Secret::parse(wrong).is_err(), "{wrong}");
        }
    }
}
