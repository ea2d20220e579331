//! Filters and numbers of cases: decisions, reports and appeals.

use buildtrack_domain::{
    event::{EventType, Visibility, declaration, visibility},
    ids::OwnerId,
    moderation::{Action, SubjectId},
};
use buildtrack_macros::boxed;
use serde_json::Value;

use crate::{StoreError, database::values, moderation::Moderation};

/// Filters of a list of decisions, reports or appeals; newest first.
#[derive(Debug, Clone, Copy, Default)]
pub struct CaseFilter {
    /// Only about this subject.
    pub subject: Option<SubjectId>,
    /// Only open ones, or only closed ones.
    pub open: Option<bool>,
    /// Only by this owner.
    pub by: Option<OwnerId>,
    /// Only with this action.
    pub action: Option<Action>,
    /// Only before this position.
    pub before: Option<i64>,
    /// Maximum number of rows.
    pub limit: i64,
}

impl CaseFilter {
    /// The condition for open or closed reports and appeals, as a literal: a partial index serves the open ones.
    pub(super) fn openness(&self) -> &'static str {
        match self.open {
            Some(true) => "AND closed_position IS NULL",
            Some(false) => "AND closed_position IS NOT NULL",
            None => "",
        }
    }
}

/// How many reports and appeals are open, each counted up to a limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct OpenCases {
    /// Reports.
    pub reports: i64,
    /// Appeals.
    pub appeals: i64,
}

#[boxed]
impl Moderation {
    /// Counts open reports and appeals, each up to `limit`.
    pub async fn open_cases(&self, limit: i64) -> Result<OpenCases, StoreError> {
        let (reports, appeals): (i64, i64) = self
            .db
            .one(
                "SELECT (SELECT count(*) FROM \
                 (SELECT position FROM reports WHERE closed_position IS NULL LIMIT $1) AS open_reports), \
                 (SELECT count(*) FROM \
                 (SELECT position FROM appeals WHERE closed_position IS NULL LIMIT $1) AS open_appeals)",
                values![limit],
            )
            .await?;
        Ok(OpenCases { reports, appeals })
    }

    /// The own texts of a public event, also while operators hide them, for operators who decide about them. Empty if the event is
    /// private, or has no text.
    pub async fn reported_texts(&self, position: i64) -> Result<Vec<String>, StoreError> {
        let logged = self.log.logged(position.saturating_sub(1), 1).await?;
        let found = logged.into_iter().find(|event| event.position == position);
        let Some(event) = found.filter(|event| visibility(&event.event_type) == Visibility::Public) else {
            return Ok(vec![]);
        };
        let data: Value = serde_json::from_str(event.data.as_deref().unwrap_or_default()).unwrap_or_default();
        let fields = declaration(&event.event_type).map(EventType::texts).unwrap_or_default();
        let texts = fields.iter().filter_map(|field| match data.get(*field)? {
            Value::String(text) => Some(text.clone()),
            other => Some(other.to_string()),
        });
        Ok(texts.collect())
    }
}
