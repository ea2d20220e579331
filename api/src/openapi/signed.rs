//! Schemas of signed documents: envelopes (seed: «Envelope Format») and an agent's statements about itself. `agora_envelope`
//! parses them by the same names and constants.

use agora_envelope::{IDENTIFIER_MAX, MessageType, VERSION};
use buildtrack_domain::ids::AgentId;
use buildtrack_http::described::{exactly, one_of, text, time};
use buildtrack_protocols::relay::{batches::BATCH, directory::validation::CAPABILITIES_MAX, parameters::DID};
use utoipa::openapi::{
    ArrayBuilder, Components, ObjectBuilder, OpenApi as Document, Ref, RefOr, Schema, path::Operation,
    schema::SchemaType,
};

/// An Ed25519 signature in base64url without padding.
const SIGNATURE: &str = "[A-Za-z0-9_-]{85}[AQgw]";

/// Replaces the generic object schemas of signed bodies.
pub(super) fn describe_signed(document: &mut Document) {
    for (path, item) in &mut document.paths.paths {
        let name = match &**path {
            "/events" => "SignedEnvelope",
            "/v1/messages" => "WrappedEnvelope",
            "/v1/messages/batch" => "EnvelopeBatch",
            "/v1/agents" => "Registration",
            "/v1/agents/{did}" => "Withdrawal",
            "/v1/agents/{did}/heartbeat" => "Heartbeat",
            "/api/v1/agents/{id}/did" => "LinkProof",
            _ => continue,
        };
        [&mut item.post, &mut item.put, &mut item.delete].into_iter().flatten().for_each(|one| refer(one, name));
    }
    add_schemas(document.components.get_or_insert_default());
}

fn refer(operation: &mut Operation, name: &str) {
    let Some(RefOr::T(body)) = &mut operation.request_body else { return };
    for content in body.content.values_mut() {
        if let RefOr::T(content) = content {
            content.schema = Some(Ref::from_schema_name(name).into());
        }
    }
}

fn add_schemas(components: &mut Components) {
    let envelope = || Ref::from_schema_name("SignedEnvelope");
    let wrapped = object([("envelope", envelope().into())], &["envelope"]);
    let either = utoipa::openapi::schema::AnyOfBuilder::new().item(envelope()).item(wrapped);
    // Each entry of the batch is answered separately, so that no entry makes the whole body invalid.
    let batch = ArrayBuilder::new()
        .items(ObjectBuilder::new().schema_type(SchemaType::AnyValue))
        .min_items(Some(1))
        .max_items(Some(BATCH));
    let batch = object([("envelopes", batch.into())], &["envelopes"]);
    let agent = object([("id", exactly(&[DID]).into())], &["id"]);
    let manifests = ArrayBuilder::new().items(ObjectBuilder::new()).max_items(Some(CAPABILITIES_MAX));
    let registration = object(
        [
            ("agent", agent.into()),
            ("capabilities", manifests.into()),
            ("ts", time().into()),
            ("sig", exactly(&[SIGNATURE]).into()),
        ],
        &["agent", "sig", "ts"],
    );
    let link = [("agentId", exactly(&[AgentId::FORM]).into()), ("challenge", text().max_length(Some(200)).into())];
    for (name, schema) in [
        ("SignedEnvelope", signed_envelope()),
        ("WrappedEnvelope", either.into()),
        ("EnvelopeBatch", batch),
        ("Registration", registration),
        ("Withdrawal", about_itself("WITHDRAW", [])),
        ("Heartbeat", about_itself("HEARTBEAT", [("status", one_of(["online", "busy", "offline"]).into())])),
        ("LinkProof", about_itself("LINK", link)),
    ] {
        components.schemas.insert(name.to_owned(), schema.into());
    }
}

fn signed_envelope() -> Schema {
    let party = || object([("id", exactly(&[DID]).into())], &["id"]).into();
    let name = || {
        let pattern = r"^[^\u0000-\u001f\u007f-\u009f]+$";
        Schema::from(text().min_length(Some(1)).max_length(Some(IDENTIFIER_MAX)).pattern(Some(pattern)))
    };
    object(
        [
            ("version", one_of([VERSION]).into()),
            ("id", name().into()),
            ("ts", time().into()),
            ("type", one_of(MessageType::ALL.iter().map(|kind| kind.as_str())).into()),
            ("sender", party()),
            ("recipient", party()),
            ("thread", object([("id", name().into())], &["id"]).into()),
            ("payload", Schema::from(ObjectBuilder::new()).into()),
            ("sig", exactly(&[SIGNATURE]).into()),
        ],
        &["version", "id", "ts", "type", "sender", "payload", "sig"],
    )
}

/// An agent's signed statement about itself.
fn about_itself<const N: usize>(kind: &str, more: [(&str, RefOr<Schema>); N]) -> Schema {
    let fields = [
        ("type", one_of([kind]).into()),
        ("id", exactly(&[DID]).into()),
        ("ts", time().into()),
        ("sig", exactly(&[SIGNATURE]).into()),
    ];
    let builder = fields
        .into_iter()
        .chain(more)
        .fold(ObjectBuilder::new(), |builder, (name, schema)| builder.property(name, schema));
    ["id", "sig", "ts", "type"].into_iter().fold(builder, ObjectBuilder::required).into()
}

/// An object with these fields. Its signature also covers further members, which the server stores.
fn object<const N: usize>(fields: [(&str, RefOr<Schema>); N], required: &[&str]) -> Schema {
    let builder =
        fields.into_iter().fold(ObjectBuilder::new(), |builder, (name, schema)| builder.property(name, schema));
    required.iter().fold(builder, |builder, name| builder.required(*name)).into()
}
