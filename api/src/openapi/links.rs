//! Links between operations (OpenAPI 3.1, «Link Object»): from the answer that contains an entity's id to the operations on that
//! entity. They follow from the paths: an entity created at, or listed by, `…/things` is available at `…/things/{id}`.

use std::collections::BTreeMap;

use buildtrack_http::described::operations;
use utoipa::openapi::{
    Components, OpenApi as Document, PathItem, RefOr, Response, Schema,
    link::{Link, LinkBuilder},
};

/// An operation on one entity: its path and its operation id.
struct Target {
    path: String,
    operation_id: String,
}

/// Links the answers of each collection to the operations on its entries.
pub(super) fn link(document: &mut Document) {
    let components = document.components.clone().unwrap_or_default();
    let targets = targets(document);
    for (path, item) in &mut document.paths.paths {
        let below: Vec<_> = targets.iter().filter_map(|target| Some((target, entry(path, &target.path)?))).collect();
        if below.is_empty() {
            continue;
        }
        add(path, item.post.as_mut().map(|operation| &mut operation.responses.responses), "201", &below, &components);
        let shows: Vec<_> = below.iter().copied().filter(|(target, _)| target.is_short(path)).collect();
        add(path, item.get.as_mut().map(|operation| &mut operation.responses.responses), "200", &shows, &components);
    }
}

impl Target {
    /// Whether the path is that of the entry itself.
    fn is_short(&self, collection: &str) -> bool {
        self.path[collection.len() + 1..].split('/').count() == 1
    }
}

fn targets(document: &mut Document) -> Vec<Target> {
    let of = |(path, item): (&String, &mut PathItem)| {
        let ids = operations(item).filter_map(|operation| operation.operation_id.clone());
        ids.map(|operation_id| Target { path: path.clone(), operation_id }).collect::<Vec<_>>()
    };
    document.paths.paths.iter_mut().flat_map(of).collect()
}

/// Returns the parameter of the collection's entry if the path is that of an entry, or below it without further parameters.
fn entry<'t>(collection: &str, target: &'t str) -> Option<&'t str> {
    let rest = target.strip_prefix(collection)?.strip_prefix("/{")?;
    let (parameter, below) = rest.split_once('}')?;
    (!below.contains('{')).then_some(parameter)
}

fn add(
    path: &str,
    responses: Option<&mut BTreeMap<String, RefOr<Response>>>,
    status: &str,
    below: &[(&Target, &str)],
    components: &Components,
) {
    let Some(RefOr::T(response)) = responses.and_then(|responses| responses.get_mut(status)) else { return };
    for (target, parameter) in below {
        let Some(pointer) = id_in(response, parameter, components) else { continue };
        let link = link_to(path, target, parameter, &pointer);
        response.links.insert(target.operation_id.clone(), RefOr::T(link));
    }
}

fn link_to(path: &str, target: &Target, parameter: &str, pointer: &str) -> Link {
    let own = path.split('/').filter_map(|part| part.strip_prefix('{')?.strip_suffix('}'));
    let link = LinkBuilder::new().operation_id(&target.operation_id);
    let link = own.fold(link, |link, name| link.parameter(name, format!("$request.path.{name}")));
    link.parameter(parameter, format!("$response.body#{pointer}")).build()
}

/// Returns the location of the entity's id in an answer: at the top, in a nested entity, or in the first entry of a list.
fn id_in(response: &Response, parameter: &str, components: &Components) -> Option<String> {
    let content = response.content.get("application/json")?;
    let RefOr::T(content) = content else { return None };
    let schema = resolved(content.schema.as_ref()?, components)?;
    let named = [parameter, "id"];
    let in_it = |schema: &Schema| named.into_iter().find(|name| property(schema, name).is_some());
    if let Some(name) = in_it(schema) {
        return Some(format!("/{name}"));
    }
    if let Some(Schema::Array(list)) = property(schema, "items").and_then(|items| resolved(items, components)) {
        let utoipa::openapi::schema::ArrayItems::RefOrSchema(item) = &list.items else { return None };
        return in_it(resolved(item, components)?).map(|name| format!("/items/0/{name}"));
    }
    let Schema::Object(object) = schema else { return None };
    object.properties.iter().find_map(|(field, inner)| {
        let RefOr::Ref(_) = inner else { return None };
        in_it(resolved(inner, components)?).map(|name| format!("/{field}/{name}"))
    })
}

fn property<'s>(schema: &'s Schema, name: &str) -> Option<&'s RefOr<Schema>> {
    match schema {
        Schema::Object(object) => object.properties.get(name),
        _ => None,
    }
}

fn resolved<'s>(schema: &'s RefOr<Schema>, components: &'s Components) -> Option<&'s Schema> {
    match schema {
        RefOr::T(schema) => Some(schema),
        RefOr::Ref(reference) => {
            let name = reference.ref_location.rsplit('/').next()?;
            components.schemas.get(name).and_then(|schema| resolved(schema, components))
        }
    }
}
