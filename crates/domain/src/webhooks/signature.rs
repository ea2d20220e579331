//! Signatures of a push: the seed's format, and the one of Standard Webhooks.

use base64::{Engine, prelude::BASE64_STANDARD};
use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The value of `X-ARAF-Signature`: `sha256=` and the lower-case hex HMAC-SHA256 of the exact body, keyed with the
/// UTF-8 bytes of the whole secret, `whsec_` included (seed: «Receive events»).
pub fn araf_signature(secret: &str, body: &[u8]) -> String {
    format!("sha256={}", hex::encode(hmac(secret.as_bytes(), body)))
}

/// The value of `webhook-signature`: for each secret `v1,` and the base64 HMAC-SHA256 of `id.timestamp.body`, separated
/// by spaces. The key is the base64-decoded part after `whsec_` (Standard Webhooks 1.0.0, «Symmetric signatures»). The
/// timestamp is Unix seconds. A secret that is not base64 yields no signature.
pub fn standard_signature<'s>(
    secrets: impl IntoIterator<Item = &'s str>,
    id: &str,
    timestamp: i64,
    body: &str,
) -> String {
    let signed = format!("{id}.{timestamp}.{body}");
    let keys = secrets
        .into_iter()
        .filter_map(|secret| BASE64_STANDARD.decode(secret.strip_prefix("whsec_").unwrap_or(secret)).ok());
    let signatures = keys.map(|key| format!("v1,{}", BASE64_STANDARD.encode(hmac(&key, signed.as_bytes()))));
    signatures.collect::<Vec<_>>().join(" ")
}

fn hmac(key: &[u8], text: &[u8]) -> Vec<u8> {
    // HMAC accepts keys of any length.
    let Ok(mac) = Hmac::<Sha256>::new_from_slice(key) else { return vec![] };
    mac.chain_update(text).finalize().into_bytes().to_vec()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_seeds_signature_equals_the_one_of_node() {
        // crypto.createHmac("sha256", "whsec_c2VjcmV0").update('{"a":"é"}').digest("hex")
        assert_eq!(
            araf_signature("whsec_c2VjcmV0", "{\"a\":\"é\"}".as_bytes()),
            "sha256=175cc0f89c9a103f7af0cb3fc843d5f466695b253aa5f2a738eaff0bd1176bde"
        );
    }

    /// The published test vector of the Standard Webhooks libraries.
    const SECRET: &str = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw";
    const SIGNATURE: &str = "v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=";

    fn sign(secrets: &[&str]) -> String {
        let body = r#"{"test": 2432232314}"#;
        standard_signature(secrets.iter().copied(), "msg_p5jXN8AQM9LWM0D4loKWxJek", 1_614_265_330, body)
    }

    #[test]
    fn the_standard_signature_equals_the_published_example() {
        assert_eq!(sign(&[SECRET]), SIGNATURE);
    }

    #[test]
    fn two_secrets_give_two_signatures() {
        let both = sign(&[SECRET, "whsec_c2VjcmV0"]);
        assert_eq!(both.split_once(' ').unwrap().0, SIGNATURE);
        assert_eq!(both.split_once(' ').unwrap().1, sign(&["whsec_c2VjcmV0"]));
        assert_eq!(sign(&["whsec_no base64"]), "");
    }
}
