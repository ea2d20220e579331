//! Parts of the OpenAPI document that operations share: path parameters, error answers, conditional reads, headers.

use utoipa::openapi::{
    ContentBuilder, HeaderBuilder, KnownFormat, ObjectBuilder, PathItem, Ref, RefOr, Required, ResponseBuilder, Schema,
    SchemaFormat, Type,
    path::{Operation, Parameter, ParameterBuilder, ParameterIn},
};

use super::query::TEXT_MAX;

/// Declares types of path parameters for annotations: name, forms, example and description.
#[macro_export]
macro_rules! path_parameters {
    ($($(#[$doc:meta])* $parameter:ident = $name:literal, $forms:expr, $example:literal, $description:literal;)*) => {$(
        $(#[$doc])*
        pub struct $parameter;

        impl utoipa::IntoParams for $parameter {
            fn into_params(
                _: impl Fn() -> Option<utoipa::openapi::path::ParameterIn>,
            ) -> Vec<utoipa::openapi::path::Parameter> {
                vec![$crate::described::path_parameter($name, $forms, $example, $description)]
            }
        }
    )*};
}
/// A path parameter that fully matches one of these forms.
pub fn path_parameter(name: &str, forms: &[&str], example: &str, description: &str) -> Parameter {
    let parameter = ParameterBuilder::new().name(name).parameter_in(ParameterIn::Path).required(Required::True);
    parameter.description(Some(description)).schema(Some(exactly(forms))).example(Some(example.into())).build()
}

/// A text that fully matches one of these forms.
pub fn exactly(forms: &[&str]) -> Schema {
    let pattern = match forms {
        [only] => format!("^{only}$"),
        several => format!("^({})$", several.join("|")),
    };
    text().max_length(Some(TEXT_MAX)).pattern(Some(pattern)).into()
}

/// A text without bounds.
pub fn text() -> ObjectBuilder {
    ObjectBuilder::new().schema_type(Type::String)
}

/// One of these words.
pub fn one_of<'w>(words: impl IntoIterator<Item = &'w str>) -> Schema {
    text().enum_values(Some(words.into_iter().map(str::to_owned).collect::<Vec<_>>())).into()
}

/// An integer within bounds.
pub fn number(minimum: i64, maximum: i64, default: Option<i64>) -> Schema {
    ObjectBuilder::new()
        .schema_type(Type::Integer)
        .format(Some(SchemaFormat::KnownFormat(KnownFormat::Int64)))
        .minimum(Some(minimum))
        .maximum(Some(maximum))
        .default(default.map(Into::into))
        .into()
}

/// A position of the log.
pub fn position() -> Schema {
    number(0, i64::MAX, None)
}

/// A position of the log as text.
pub const POSITION: &str = "[0-9]{1,18}";

/// An RFC 3339 time.
pub fn time() -> Schema {
    text().format(Some(SchemaFormat::KnownFormat(KnownFormat::DateTime))).into()
}

/// A text to search for. It must not contain U+0000, which PostgreSQL cannot store.
pub fn search_text() -> Schema {
    text().max_length(Some(TEXT_MAX)).pattern(Some(r"^[^\u0000]*$")).into()
}

/// Returns every operation of a path.
pub fn operations(item: &mut PathItem) -> impl Iterator<Item = &mut Operation> {
    [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete].into_iter().flatten()
}

/// Adds an error answer unless the operation has one of this status. `schema` and `media_type` are those of the dialect.
pub fn failure(operation: &mut Operation, status: u16, description: &str, (schema, media_type): (&str, &str)) {
    let responses = &mut operation.responses.responses;
    if responses.contains_key(&status.to_string()) {
        return;
    }
    let content = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).build();
    let mut response = ResponseBuilder::new().description(description).content(media_type, content);
    if status == 429 || status == 503 {
        let seconds = HeaderBuilder::new().schema(Some(ObjectBuilder::new().schema_type(Type::Integer)));
        response = response.header("Retry-After", seconds.description(Some("Seconds to wait before a retry")).build());
    }
    responses.insert(status.to_string(), RefOr::T(response.build()));
}

/// Adds `If-None-Match` and 304 to a read whose answer has an entity tag.
pub fn conditional(operation: &mut Operation) {
    let tag = match operation.responses.responses.get("200") {
        Some(RefOr::T(response)) => response.headers.get("ETag").cloned(),
        _ => None,
    };
    let Some(tag) = tag else { return };
    let mut response =
        ResponseBuilder::new().description("The content is unchanged since the answer with that ETag").build();
    response.headers.insert("ETag".into(), tag);
    operation.responses.responses.insert("304".into(), RefOr::T(response));
    add_condition(operation, "If-None-Match", "The ETag of an earlier answer");
}

/// Adds `If-Match` or `If-None-Match` (RFC 9110). The value is any text, because the server searches it for the tag.
pub fn add_condition(operation: &mut Operation, name: &str, description: &str) {
    add_header(operation, name, description, ObjectBuilder::new().schema_type(Type::String));
}

/// Adds an optional header.
pub fn add_header(operation: &mut Operation, name: &str, description: &str, schema: ObjectBuilder) {
    let parameter = ParameterBuilder::new()
        .name(name)
        .parameter_in(ParameterIn::Header)
        .required(Required::False)
        .description(Some(description))
        .schema(Some(schema));
    operation.parameters.get_or_insert_default().push(RefOr::T(parameter.build()));
}
