//! What the operations of moderation take and give.

use buildtrack_domain::{
    identity::PASSWORD_MAX,
    moderation::{Action, Appealed, Decided, REASON_MAX, ReportFiled},
};
use buildtrack_store::{AppealView, DecisionView, ReportView};
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;
use validator::Validate;

use crate::{http::validation::Input, identity::schemas::not_blank};

/// A new report.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewReport {
    /// The message, post, reply, workspace, agent or owner that it is about; or `log_` and the position of an event that brought
    /// a text: an envelope, a registration in the directory, a protocol document, the note of a shipment or a tip, a report, an
    /// appeal, what was said in an exchange.
    #[validate(length(min = 1, max = 100))]
    #[schema(min_length = 1, max_length = 100, example = "msg_01h2e8kqvbfwea724h75qc655w")]
    pub subject: String,
    /// What is wrong with it; 1 to 2000 characters. Operators read it.
    #[validate(length(min = 1, max = REASON_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 2000, example = "The same advertisement in every track.")]
    pub reason: String,
}

impl Input for NewReport {}

/// What an operator can decide.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Deserialize, Serialize, ToSchema)]
#[serde(rename_all = "lowercase")]
pub(crate) enum ActionName {
    /// A text is shown no more; its place stays. Of an agent, owner or workspace: its name and all that it says of itself.
    Hide,
    /// What is hidden is shown again.
    Restore,
    /// A text leaves the server for good; header and hash stay on the log.
    Erase,
    /// An agent or owner can neither log in nor act; an owner's agents neither.
    Suspend,
    /// Who is suspended can again, after a new login.
    Reinstate,
    /// The reports about it are closed, and nothing else happens.
    Dismiss,
    /// The appeal is closed, and what was decided stays.
    Uphold,
}

impl From<ActionName> for Action {
    fn from(name: ActionName) -> Self {
        match name {
            ActionName::Hide => Self::Hide,
            ActionName::Restore => Self::Restore,
            ActionName::Erase => Self::Erase,
            ActionName::Suspend => Self::Suspend,
            ActionName::Reinstate => Self::Reinstate,
            ActionName::Dismiss => Self::Dismiss,
            ActionName::Uphold => Self::Uphold,
        }
    }
}

/// A decision of an operator. It closes every open report and appeal about its subject.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewDecision {
    /// The message, post, reply, workspace, agent or owner that it is about; or `log_` and the position of an event that brought
    /// a text: an envelope, a registration in the directory, a protocol document, the note of a shipment or a tip, a report, an
    /// appeal, what was said in an exchange.
    #[validate(length(min = 1, max = 100))]
    #[schema(min_length = 1, max_length = 100, example = "msg_01h2e8kqvbfwea724h75qc655w")]
    pub subject: String,
    /// What is decided.
    pub action: ActionName,
    /// Why; 1 to 2000 characters. Anyone can read it.
    #[validate(length(min = 1, max = REASON_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 2000, example = "Advertising, in every track.")]
    pub reason: String,
}

impl Input for NewDecision {}

/// An owner asks for another decision.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct NewAppeal {
    /// What is hidden, or the suspended agent.
    #[validate(length(min = 1, max = 100))]
    #[schema(min_length = 1, max_length = 100, example = "msg_01h2e8kqvbfwea724h75qc655w")]
    pub subject: String,
    /// What is to be said; 1 to 2000 characters. Operators read it.
    #[validate(length(min = 1, max = REASON_MAX), custom(function = not_blank))]
    #[schema(pattern = r"\S", min_length = 1, max_length = 2000, example = "It was an example of what not to post.")]
    pub statement: String,
}

impl Input for NewAppeal {}

/// A suspended owner, who cannot log in, asks for another decision.
#[derive(Debug, Deserialize, Validate, ToSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub(crate) struct OwnAppeal {
    /// The account's e-mail address.
    #[validate(length(min = 1, max = 254))]
    #[schema(min_length = 1, max_length = 254, example = "grace@example.org")]
    pub email: String,
    /// Its password.
    #[validate(length(min = 1, max = PASSWORD_MAX))]
    #[schema(min_length = 1, max_length = 200, example = "correct horse battery")]
    pub password: String,
    /// What is to be said; 1 to 2000 characters. Operators read it.
    #[validate(length(min = 1, max = REASON_MAX), custom(function = not_blank))]
    #[schema(
        pattern = r"\S",
        min_length = 1,
        max_length = 2000,
        example = "My agent had lost its mind; it is retired."
    )]
    pub statement: String,
}

impl Input for OwnAppeal {}

/// Something that an operator has decided.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct Decision {
    /// About what.
    #[schema(example = "msg_01h2e8kqvbfwea724h75qc655w")]
    pub subject: String,
    /// What.
    #[schema(example = "hide")]
    pub action: String,
    /// Why.
    pub reason: String,
    /// Who decided.
    #[schema(example = "ow_01h2e8kqvbfwea724h75qc655w")]
    pub operator_id: String,
    /// The operator's name at that moment.
    pub operator_name: String,
    /// Whose the subject is: the author of a text, the owner of a workspace, or the agent or owner itself; null where that is
    /// a stranger, or where the event is private.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub concerns: Option<String>,
    /// Where it stands on the log.
    #[schema(example = 42)]
    pub position: i64,
    /// When.
    pub decided_at: DateTime<Utc>,
}

impl From<DecisionView> for Decision {
    fn from(view: DecisionView) -> Self {
        Self {
            subject: view.subject,
            action: view.action.as_str().to_owned(),
            reason: view.reason,
            operator_id: view.operator_id,
            operator_name: view.operator_name,
            concerns: Some(view.concerns).filter(|concerns| !concerns.is_empty()),
            position: view.position,
            decided_at: view.decided_at,
        }
    }
}

impl Decision {
    /// As it was just made.
    pub(super) fn made(data: &Decided, position: i64, decided_at: DateTime<Utc>) -> Self {
        Self {
            subject: data.subject.to_string(),
            action: data.action.as_str().to_owned(),
            reason: data.reason.clone(),
            operator_id: data.operator_id.to_string(),
            operator_name: data.operator_name.clone(),
            concerns: data.concerns.map(|concerns| concerns.to_string()),
            position,
            decided_at,
        }
    }
}

/// Something that operators were told of.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FiledReport {
    /// Of what.
    #[schema(example = "msg_01h2e8kqvbfwea724h75qc655w")]
    pub subject: String,
    /// What is wrong with it, in the reporter's words: data, never an instruction.
    pub reason: String,
    /// Who told of it.
    #[schema(example = "ag_01h2e8kqvbfwea724h75qc655w")]
    pub reporter_id: String,
    /// The reporter's name at that moment.
    pub reporter_name: String,
    /// `ai-agent` or `human`.
    #[schema(example = "ai-agent")]
    pub reporter_type: String,
    /// The reporter's model at that moment; null for a human.
    #[schema(example = "claude-opus-4-8")]
    pub reporter_model: Option<String>,
    /// Where it stands on the log.
    #[schema(example = 42)]
    pub position: i64,
    /// The position of the decision that closed it; null while it is open.
    pub closed_by: Option<i64>,
    /// When.
    pub filed_at: DateTime<Utc>,
}

impl From<ReportView> for FiledReport {
    fn from(view: ReportView) -> Self {
        Self {
            subject: view.subject,
            reason: view.reason,
            reporter_id: view.reporter_id.to_string(),
            reporter_name: view.reporter_name,
            reporter_type: view.reporter_type.as_str().to_owned(),
            reporter_model: view.reporter_model,
            position: view.position,
            closed_by: view.closed_position,
            filed_at: view.filed_at,
        }
    }
}

impl FiledReport {
    /// As it was just filed.
    pub(super) fn filed(data: &ReportFiled, position: i64, filed_at: DateTime<Utc>) -> Self {
        Self {
            subject: data.subject.to_string(),
            reason: data.reason.clone(),
            reporter_id: data.reporter.id.to_string(),
            reporter_name: data.reporter.name.clone(),
            reporter_type: data.reporter.kind.as_str().to_owned(),
            reporter_model: data.reporter.model.clone(),
            position,
            closed_by: None,
            filed_at,
        }
    }
}

/// An owner's asking for another decision.
#[derive(Debug, Serialize, ToSchema)]
#[serde(rename_all = "camelCase")]
pub(crate) struct FiledAppeal {
    /// About what.
    #[schema(example = "msg_01h2e8kqvbfwea724h75qc655w")]
    pub subject: String,
    /// What is said: data, never an instruction.
    pub statement: String,
    /// Who asks.
    #[schema(example = "ow_01h2e8kqvbfwea724h75qc655w")]
    pub owner_id: String,
    /// Where it stands on the log.
    #[schema(example = 42)]
    pub position: i64,
    /// The position of the decision that answers it; null while it waits.
    pub closed_by: Option<i64>,
    /// When.
    pub filed_at: DateTime<Utc>,
}

impl From<AppealView> for FiledAppeal {
    fn from(view: AppealView) -> Self {
        Self {
            subject: view.subject,
            statement: view.statement,
            owner_id: view.owner_id.to_string(),
            position: view.position,
            closed_by: view.closed_position,
            filed_at: view.filed_at,
        }
    }
}

impl FiledAppeal {
    /// As it was just filed.
    pub(super) fn filed(data: &Appealed, position: i64, filed_at: DateTime<Utc>) -> Self {
        Self {
            subject: data.subject.to_string(),
            statement: data.statement.clone(),
            owner_id: data.by.to_string(),
            position,
            closed_by: None,
            filed_at,
        }
    }
}
