//! Forms and problems as the pages show them.

use askama::{Template, filters::HtmlSafe};
use buildtrack_http::problem::Problem;
use buildtrack_pages::filters;

use super::form::Entered;

/// A problem on a page of the portal.
#[derive(Debug)]
pub(super) struct ProblemShown {
    pub(super) detail: String,
    pub(super) code: String,
    pub(super) request_id: String,
    /// Seconds to wait before a retry.
    pub(super) wait: Option<u64>,
    /// Errors of fields: the name, and what is wrong.
    pub(super) errors: Vec<(String, String)>,
}

impl ProblemShown {
    pub(super) fn of(problem: &Problem, request_id: &str) -> Self {
        let errors = problem.errors.iter().map(|error| {
            let pointer = error.pointer.as_deref().unwrap_or_default();
            let name = pointer.trim_start_matches('/').split('/').next().unwrap_or_default();
            (name.to_owned(), error.message.clone())
        });
        Self {
            detail: problem.detail.clone(),
            code: problem.code.clone(),
            request_id: request_id.to_owned(),
            wait: problem.retry_after.map(|wait| wait.as_secs().max(1)),
            errors: errors.collect(),
        }
    }
}

/// The kind of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Kind {
    Text,
    Email,
    Url,
    /// An existing password, or a new one.
    Password(&'static str),
    /// Several lines.
    Long,
    /// One of several values, each with the key of its label. The first is chosen unless another was entered.
    Choice(&'static [(&'static str, &'static str)]),
}

/// A field of a form.
#[derive(Debug)]
pub(super) struct Field {
    pub(super) name: &'static str,
    /// The key of its label.
    pub(super) label: &'static str,
    pub(super) kind: Kind,
    /// The value of the attribute `autocomplete` (HTML, section 4.10.18.7.1).
    pub(super) autocomplete: &'static str,
    /// The key of the explanation below the label; empty for none.
    pub(super) help: &'static str,
    pub(super) is_required: bool,
    /// The maximum number of characters.
    pub(super) longest: u64,
    pub(super) text: String,
    pub(super) errors: Vec<String>,
}

impl Field {
    /// A required field.
    pub(super) fn new(name: &'static str, label: &'static str, kind: Kind, longest: u64) -> Self {
        let autocomplete = match kind {
            Kind::Email => "email",
            Kind::Password(which) => which,
            _ => "off",
        };
        Self {
            name,
            label,
            kind,
            autocomplete,
            help: "",
            is_required: true,
            longest,
            text: String::new(),
            errors: vec![],
        }
    }

    /// Adds an explanation below the label, by its key.
    pub(super) fn help(self, help: &'static str) -> Self {
        Self { help, ..self }
    }

    /// Fills in a text.
    pub(super) fn holding(self, text: &str) -> Self {
        Self { text: text.to_owned(), ..self }
    }

    /// Lets the field be empty.
    pub(super) fn optional(self) -> Self {
        Self { is_required: false, ..self }
    }

    /// The type of the `input` element.
    pub(super) fn input(&self) -> &'static str {
        match self.kind {
            Kind::Text | Kind::Long | Kind::Choice(_) => "text",
            Kind::Email => "email",
            Kind::Url => "url",
            Kind::Password(_) => "password",
        }
    }

    /// Whether the field has several lines.
    pub(super) fn is_long(&self) -> bool {
        self.kind == Kind::Long
    }

    /// The values of a choice with the keys of their labels, and whether each is chosen.
    pub(super) fn choices(&self) -> Vec<(&'static str, &'static str, bool)> {
        let Kind::Choice(choices) = self.kind else { return vec![] };
        let is_known = choices.iter().any(|(value, _)| *value == self.text);
        let is_chosen = |index, value| if is_known { value == self.text } else { index == 0 };
        choices.iter().enumerate().map(|(index, (value, label))| (*value, *label, is_chosen(index, *value))).collect()
    }

    /// The id of the field in the form with this name.
    pub(super) fn id(&self, form: &str) -> String {
        format!("{form}-{}", self.name)
    }

    /// The ids of the elements that describe the field, which has this id.
    pub(super) fn described_by(&self, id: &str) -> String {
        let help = (!self.help.is_empty()).then(|| format!("{id}-help"));
        let errors = (!self.errors.is_empty()).then(|| format!("{id}-errors"));
        help.into_iter().chain(errors).collect::<Vec<_>>().join(" ")
    }
}

/// A form of a page that was refused.
#[derive(Debug, Clone, Copy)]
pub(super) struct Refused<'r> {
    /// Its name.
    pub(super) form: &'r str,
    pub(super) entered: &'r Entered,
    pub problem: &'r Problem,
}

/// A form with its button.
#[derive(Debug, Template)]
#[template(path = "portal/form.html")]
pub(super) struct FormShown {
    /// The beginning of the ids of its fields, unique on the page.
    pub(super) name: String,
    pub(super) action: String,
    /// The key of the button's text.
    pub(super) button: &'static str,
    /// Whether the button destroys something.
    pub(super) is_grave: bool,
    pub(super) token: String,
    /// Fields that are not shown, with their values.
    pub(super) hidden: Vec<(&'static str, String)>,
    pub(super) fields: Vec<Field>,
}

/// The template escapes every value.
impl HtmlSafe for FormShown {}

impl FormShown {
    /// A form that is sent to `action`.
    pub(super) fn new(name: impl Into<String>, action: impl Into<String>, button: &'static str, token: &str) -> Self {
        let (name, action, token) = (name.into(), action.into(), token.to_owned());
        Self { name, action, button, is_grave: false, token, hidden: vec![], fields: vec![] }
    }

    /// Adds fields.
    pub(super) fn with(self, fields: Vec<Field>) -> Self {
        Self { fields, ..self }
    }

    /// Adds a field that is not shown.
    pub(super) fn hidden(mut self, name: &'static str, value: impl Into<String>) -> Self {
        self.hidden.push((name, value.into()));
        self
    }

    /// Marks the button as one that destroys something.
    pub(super) fn grave(self) -> Self {
        Self { is_grave: true, ..self }
    }

    /// Fills in what was entered if this form was refused.
    pub(super) fn again(self, refused: Option<&Refused<'_>>) -> Self {
        match refused {
            Some(refused) if self.name == refused.form => self.filled(refused.entered, refused.problem),
            _ => self,
        }
    }

    /// Fills in what was entered, except passwords, and shows errors beside their fields.
    pub(super) fn filled(mut self, entered: &Entered, problem: &Problem) -> Self {
        let shown = ProblemShown::of(problem, "");
        for field in &mut self.fields {
            if !matches!(field.kind, Kind::Password(_)) {
                entered.text(field.name).clone_into(&mut field.text);
            }
            let name = field.name.split('.').next().unwrap_or_default();
            let errors = shown.errors.iter().filter(|(of, _)| of == name).map(|(_, message)| message.clone());
            field.errors = errors.collect();
        }
        self
    }
}
