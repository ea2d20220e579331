//! The form of an endpoint's settings: what it shows, and the body of the API's operation that it stands for.

use actix_web::web::Bytes;
use buildtrack_domain::webhooks::{Filter, PushType};
use buildtrack_http::{
    app::App,
    problem::Problem,
    validation::{self, Input},
};
use buildtrack_store::WebhookView;
use serde_json::{Map, Value, json};

use super::fields::{FILTERS, Field, FieldShown, SETTINGS};

use crate::form::Entered;

/// The form of an endpoint's settings.
#[derive(Debug)]
pub(super) struct EndpointForm {
    pub(super) action: String,
    /// The key of the button.
    pub(super) button: &'static str,
    pub(super) fields: Vec<FieldShown>,
    /// The fields of the filter.
    pub(super) filters: Vec<FieldShown>,
}

impl EndpointForm {
    pub(super) fn new(action: String, button: &'static str, entered: &Entered) -> Self {
        let shown = |fields: &[Field]| fields.iter().map(|field| FieldShown::of(field, entered)).collect();
        Self { action, button, fields: shown(SETTINGS), filters: shown(FILTERS) }
    }

    /// Shows errors beside their fields.
    pub(super) fn refused(mut self, problem: &Problem) -> Self {
        for field in self.fields.iter_mut().chain(&mut self.filters) {
            field.refuse(problem);
        }
        self
    }

    /// Whether a part of the filter is set.
    pub(super) fn is_filtered(&self) -> bool {
        self.filters.iter().any(FieldShown::is_set)
    }
}

/// The settings with which the form of a new endpoint begins: all events.
pub(super) fn of_new_endpoint() -> Entered {
    let events = PushType::ALL.map(|event| ("events".to_owned(), event.as_str().to_owned()));
    Entered::of(events.into_iter().chain([("batch".to_owned(), "1".to_owned())]).collect())
}

/// The settings of an endpoint, as its form would send them.
pub(super) fn of_endpoint(webhook: &WebhookView) -> Entered {
    let mut fields = vec![
        ("url".to_owned(), webhook.url.clone().unwrap_or_default()),
        ("description".to_owned(), webhook.description.clone().unwrap_or_default()),
        ("batch".to_owned(), webhook.batch.to_string()),
    ];
    fields.extend(webhook.events.iter().map(|event| ("events".to_owned(), event.as_str().to_owned())));
    if webhook.ordered {
        fields.push(("ordered".to_owned(), "true".to_owned()));
    }
    let workspaces: Vec<_> = webhook.filter.workspaces.iter().map(ToString::to_string).collect();
    fields.push(("workspaces".to_owned(), workspaces.join("\n")));
    for (name, values) in &webhook.filter.fields {
        if is_chosen(name) {
            fields.extend(values.iter().map(|value| (name.clone(), value.clone())));
        } else {
            fields.push((name.clone(), values.join("\n")));
        }
    }
    Entered::of(fields)
}

/// Whether the values of a filter's field are chosen from boxes.
fn is_chosen(name: &str) -> bool {
    matches!(name, "kind" | "actorType")
}

/// The body of a new endpoint, or of the changes of one. An address that was emptied stops the pushes to an endpoint.
pub(super) fn settings(entered: &Entered, is_new: bool) -> Value {
    let given = |name| Some(entered.text(name)).filter(|text| !text.is_empty());
    let url = if is_new { Value::from(entered.text("url")) } else { given("url").into() };
    json!({
        "url": url,
        "description": given("description"),
        "events": entered.texts("events").collect::<Vec<_>>(),
        "filter": filter(entered),
        "ordered": entered.text("ordered") == "true",
        "batch": number(entered.text("batch")),
    })
}

fn filter(entered: &Entered) -> Value {
    let lines = |name| entered.text(name).lines().map(str::trim).filter(|line| !line.is_empty()).collect::<Vec<_>>();
    let mut fields = Map::new();
    for name in Filter::FIELDS {
        let values = if is_chosen(name) { entered.texts(name).collect() } else { lines(name) };
        if !values.is_empty() {
            fields.insert(name.to_owned(), values.into());
        }
    }
    json!({ "workspaces": lines("workspaces"), "fields": fields })
}

/// A number, or the text that is none, so that the check of the body names its field.
pub(super) fn number(text: &str) -> Value {
    text.trim().parse::<i64>().map_or_else(|_| Value::from(text), Value::from)
}

/// Checks a body as the API's operation does.
pub(super) async fn read<T: Input>(app: &App, body: &Value) -> Result<T, Problem> {
    validation::read(app, Bytes::from(body.to_string()), None).await
}

#[cfg(test)]
mod tests {
    use buildtrack_domain::ids::{AgentId, WebhookId, WorkspaceId};
    use uuid::Uuid;

    use super::*;

    #[test]
    fn an_untouched_form_stands_for_the_settings_that_it_shows() {
        let (id, agent_id) = (WebhookId::new(Uuid::from_u128(1)), AgentId::new(Uuid::from_u128(2)));
        let room = WorkspaceId::new(Uuid::from_u128(3));
        let text = |text: &str| text.to_owned();
        let fields =
            [("actorName", vec![text("Scout"), text("<b>")]), ("kind", vec![text("proposal"), text("update")])];
        let filter =
            Filter { workspaces: vec![room], fields: fields.map(|(name, values)| (text(name), values)).into() };
        let first = WebhookView::new(id, agent_id, None, vec![PushType::ForumReply], String::new());
        let webhook = WebhookView { filter, ordered: true, batch: 20, ..first };
        let expected = json!({
            "url": null, "description": null, "events": ["forum.reply"], "ordered": true, "batch": 20,
            "filter": {
                "workspaces": [room.to_string()],
                "fields": { "actorName": ["Scout", "<b>"], "kind": ["proposal", "update"] },
            },
        });
        assert_eq!(settings(&of_endpoint(&webhook), false), expected);
        assert!(EndpointForm::new(String::new(), "", &of_endpoint(&webhook)).is_filtered());
        assert!(!EndpointForm::new(String::new(), "", &of_new_endpoint()).is_filtered());
    }

    #[test]
    fn the_form_of_a_new_endpoint_begins_with_all_events() {
        let body = settings(&of_new_endpoint(), true);
        let events = PushType::ALL.map(PushType::as_str);
        let expected = json!({
            "url": "", "description": null, "events": events, "ordered": false, "batch": 1,
            "filter": { "workspaces": [], "fields": {} },
        });
        assert_eq!(body, expected);
        assert_eq!([number(" 12 "), number("many")], [json!(12), json!("many")]);
    }
}
