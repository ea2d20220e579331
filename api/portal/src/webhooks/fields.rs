//! The fields of an endpoint's settings, and what the page shows of each.

use buildtrack_domain::{
    actors::ActorKind,
    webhooks::{Filter, PushType, WEBHOOK_DESCRIPTION_MAX},
    workspaces::MessageKind,
};
use buildtrack_http::problem::Problem;

use crate::form::Entered;

const URL_MAX: u64 = 2000;
/// The digits of a number.
const DIGITS_MAX: u64 = 18;
/// The characters of a list with their ends of lines: its values have at most 100 characters each.
const LINES_MAX: u64 = Filter::VALUES_MAX * 102;
const WORKSPACES_MAX: u64 = Filter::WORKSPACES_MAX * 102;

/// The kind of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Url,
    Text,
    Number,
    /// Several values, one on each line.
    Lines,
    /// Boxes to tick.
    Several,
    /// One box to tick.
    Switch,
}

/// A field of the form.
pub(super) struct Field {
    name: &'static str,
    /// Where its value stands in the body (JSON Pointer).
    pointer: &'static str,
    /// The key of the label.
    label: &'static str,
    /// The key of the explanation.
    help: &'static str,
    kind: Kind,
    longest: u64,
    /// The values to choose from.
    values: fn() -> Vec<&'static str>,
}

/// The fields of every endpoint.
pub(super) const SETTINGS: &[Field] = &[
    Field {
        name: "url",
        pointer: "/url",
        label: "portal-webhooks-url",
        help: "portal-webhooks-url-help",
        kind: Kind::Url,
        longest: URL_MAX,
        values: Vec::new,
    },
    Field {
        name: "description",
        pointer: "/description",
        label: "portal-webhooks-description",
        help: "portal-webhooks-description-help",
        kind: Kind::Text,
        longest: WEBHOOK_DESCRIPTION_MAX,
        values: Vec::new,
    },
    Field {
        name: "events",
        pointer: "/events",
        label: "portal-webhooks-events",
        help: "portal-webhooks-events-help",
        kind: Kind::Several,
        longest: 0,
        values: || PushType::ALL.map(PushType::as_str).to_vec(),
    },
    Field {
        name: "ordered",
        pointer: "/ordered",
        label: "portal-webhooks-ordered",
        help: "portal-webhooks-ordered-help",
        kind: Kind::Switch,
        longest: 0,
        values: || vec!["true"],
    },
    Field {
        name: "batch",
        pointer: "/batch",
        label: "portal-webhooks-batch",
        help: "portal-webhooks-batch-help",
        kind: Kind::Number,
        longest: DIGITS_MAX,
        values: Vec::new,
    },
];

/// The fields of the filter.
pub(super) const FILTERS: &[Field] = &[
    Field {
        name: "workspaces",
        pointer: "/filter/workspaces",
        label: "portal-webhooks-workspaces",
        help: "portal-webhooks-workspaces-help",
        kind: Kind::Lines,
        longest: WORKSPACES_MAX,
        values: Vec::new,
    },
    Field {
        name: "kind",
        pointer: "/filter/fields/kind",
        label: "portal-webhooks-kinds",
        help: "portal-webhooks-kinds-help",
        kind: Kind::Several,
        longest: 0,
        values: || MessageKind::ALL.map(MessageKind::as_str).to_vec(),
    },
    Field {
        name: "actorType",
        pointer: "/filter/fields/actorType",
        label: "portal-webhooks-actor-types",
        help: "portal-webhooks-actor-types-help",
        kind: Kind::Several,
        longest: 0,
        values: || [ActorKind::AiAgent, ActorKind::Human].map(ActorKind::as_str).to_vec(),
    },
    Field {
        name: "actorName",
        pointer: "/filter/fields/actorName",
        label: "portal-webhooks-actor-names",
        help: "portal-webhooks-lines-help",
        kind: Kind::Lines,
        longest: LINES_MAX,
        values: Vec::new,
    },
    Field {
        name: "actorModel",
        pointer: "/filter/fields/actorModel",
        label: "portal-webhooks-actor-models",
        help: "portal-webhooks-lines-help",
        kind: Kind::Lines,
        longest: LINES_MAX,
        values: Vec::new,
    },
    Field {
        name: "actorId",
        pointer: "/filter/fields/actorId",
        label: "portal-webhooks-actor-ids",
        help: "portal-webhooks-lines-help",
        kind: Kind::Lines,
        longest: LINES_MAX,
        values: Vec::new,
    },
];

/// A field as the page shows it.
#[derive(Debug)]
pub(super) struct FieldShown {
    pub(super) name: &'static str,
    pub(super) label: &'static str,
    pub(super) help: &'static str,
    pub(super) longest: u64,
    pub(super) text: String,
    /// The values to choose from, and whether each is chosen.
    pub(super) choices: Vec<(&'static str, bool)>,
    pub(super) errors: Vec<String>,
    pointer: &'static str,
    kind: Kind,
}

impl FieldShown {
    pub(super) fn of(field: &Field, entered: &Entered) -> Self {
        let Field { name, pointer, label, help, kind, longest, values } = *field;
        let chosen: Vec<_> = entered.texts(name).collect();
        let choices = values().into_iter().map(|value| (value, chosen.contains(&value))).collect();
        Self { name, label, help, longest, text: entered.text(name).to_owned(), choices, errors: vec![], pointer, kind }
    }

    /// The type of the `input` element.
    pub(super) fn input(&self) -> &'static str {
        if self.kind == Kind::Url { "url" } else { "text" }
    }

    /// The keyboard that phones show.
    pub(super) fn keyboard(&self) -> &'static str {
        match self.kind {
            Kind::Url => "url",
            Kind::Number => "numeric",
            _ => "text",
        }
    }

    /// Whether it is a list with one value on each line.
    pub(super) fn is_lines(&self) -> bool {
        self.kind == Kind::Lines
    }

    /// Whether it is a set of boxes.
    pub(super) fn is_several(&self) -> bool {
        self.kind == Kind::Several
    }

    /// Whether it is one box.
    pub(super) fn is_switch(&self) -> bool {
        self.kind == Kind::Switch
    }

    /// Whether one of the values is chosen.
    pub(super) fn is_on(&self) -> bool {
        self.choices.iter().any(|(_, is_chosen)| *is_chosen)
    }

    /// The ids of the elements that describe the field.
    pub(super) fn described_by(&self) -> String {
        let errors = if self.errors.is_empty() { String::new() } else { format!(" {}-errors", self.name) };
        format!("{}-help{errors}", self.name)
    }

    /// Whether something was entered, or refused.
    pub(super) fn is_set(&self) -> bool {
        !self.text.is_empty() || self.is_on() || !self.errors.is_empty()
    }

    /// Shows the errors of the field.
    pub(super) fn refuse(&mut self, problem: &Problem) {
        let errors = problem.errors.iter().filter(|error| {
            let rest = error.pointer.as_deref().and_then(|pointer| pointer.strip_prefix(self.pointer));
            rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
        });
        self.errors = errors.map(|error| error.message.clone()).collect();
    }
}
