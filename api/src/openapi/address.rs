//! The server's address in the document, which linters and generators of clients want to be absolute.

use utoipa::openapi::{ContactBuilder, ExternalDocs, OpenApi as Document, ServerBuilder};

use crate::discovery::manifests::DEFAULT_ADDRESS;

/// Names the default address. A server that answers the document fills in its own.
pub(super) fn name_address(document: &mut Document) {
    let operator = ContactBuilder::new().name(Some("The operator of this server")).url(Some(DEFAULT_ADDRESS));
    document.info.contact = Some(operator.build());
    document.servers = Some(vec![ServerBuilder::new().url(DEFAULT_ADDRESS).build()]);
    let mut guide = ExternalDocs::new(format!("{DEFAULT_ADDRESS}/docs/guide"));
    guide.description = Some("The guide".to_owned());
    document.external_docs = Some(guide);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_address_is_named_where_a_server_fills_in_its_own_and_in_no_example() {
        let document = serde_json::to_value(crate::openapi::document()).unwrap();
        for pointer in ["/servers/0/url", "/info/contact/url", "/externalDocs/url"] {
            assert!(document.pointer(pointer).unwrap().as_str().unwrap().starts_with(DEFAULT_ADDRESS), "{pointer}");
        }
        assert_eq!(document.to_string().matches(DEFAULT_ADDRESS).count(), 3);
    }
}
