//! The seed's signature of a push.

use hmac::{Hmac, KeyInit, Mac};
use sha2::Sha256;

/// The value of `X-ARAF-Signature`: `sha256=` and the lower-case hex HMAC-SHA256 of the exact body, keyed with the
/// UTF-8 bytes of the whole secret, `whsec_` included (seed: «Receive events»).
pub fn araf_signature(secret: &str, body: &[u8]) -> String {
    // HMAC takes keys of any length.
    let Ok(mac) = Hmac::<Sha256>::new_from_slice(secret.as_bytes()) else { return String::new() };
    format!("sha256={}", hex::encode(mac.chain_update(body).finalize().into_bytes()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn it_is_what_node_computes() {
        // crypto.createHmac("sha256", "whsec_c2VjcmV0").update('{"a":"é"}').digest("hex")
        assert_eq!(
            araf_signature("whsec_c2VjcmV0", "{\"a\":\"é\"}".as_bytes()),
            "sha256=175cc0f89c9a103f7af0cb3fc843d5f466695b253aa5f2a738eaff0bd1176bde"
        );
    }
}
