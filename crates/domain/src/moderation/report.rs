//! Reports to operators about a subject.

use serde::{Deserialize, Serialize};

use super::{Case, ModerationError, SubjectId};
use crate::{
    actors::Actor,
    decide::{Command, State},
    event::{event_set, unlisted_events},
};

event_set! {
    /// One reporter's reports about one subject; stream `report:{subject}:{reporter}`.
    pub enum ReportEvent: Uncached {
        /// The reporter filed a report.
        Filed(ReportFiled) = "report.filed", Private, [Texts("reason")];
    }
}

unlisted_events!(ReportEvent);

/// See [`ReportEvent::Filed`].
#[derive(Debug, Clone, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct ReportFiled {
    /// The subject.
    pub subject: SubjectId,
    /// The reporter, with its profile at that time.
    pub reporter: Actor,
    /// The reporter's reason.
    pub reason: String,
    /// The number of earlier decisions about the subject. The next decision closes the report.
    pub decisions: i64,
}

/// A reporter's reports about a subject, folded from their stream.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Report {
    /// The number of decisions when the last report was filed; `None` before the first report.
    pub filed: Option<i64>,
}

impl State for Report {
    type Event = ReportEvent;

    fn apply(self, ReportEvent::Filed(data): &ReportEvent) -> Self {
        Self { filed: Some(data.decisions) }
    }
}

impl Report {
    /// The stream of a reporter's reports about a subject.
    pub fn stream(subject: SubjectId, reporter: &Actor) -> String {
        format!("report:{subject}:{}", reporter.id)
    }
}

/// Files a report.
#[derive(Debug, Clone)]
pub struct FileReport {
    /// The subject.
    pub subject: SubjectId,
    /// The reporter, with its current profile.
    pub reporter: Actor,
    /// The reporter's reason.
    pub reason: String,
}

/// The input of [`FileReport`].
#[derive(Debug)]
pub struct Reporting<'a> {
    /// The reporter's earlier reports about the subject.
    pub report: &'a Report,
    /// The subject's case.
    pub case: &'a Case,
}

impl Command for FileReport {
    type State<'a> = Reporting<'a>;
    type Event = ReportEvent;
    type Error = ModerationError;

    fn decide(&self, Reporting { report, case }: Reporting<'_>) -> Result<Vec<ReportEvent>, ModerationError> {
        if report.filed == Some(case.decisions) {
            return Err(ModerationError::AlreadyReported);
        }
        let Self { subject, reporter, reason } = self.clone();
        Ok(vec![ReportFiled { subject, reporter, reason, decisions: case.decisions }.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::{
        super::{
            Action,
            case::tests::{MESSAGE, decided},
        },
        *,
    };
    use crate::{actors::ActorKind, decide::testing::given, ids::AgentId};
    use uuid::Uuid;

    #[test]
    fn a_second_report_requires_a_decision_about_the_first() {
        let id = AgentId::new(Uuid::from_u128(5)).into();
        let reporter = Actor { id, name: "Scout".into(), kind: ActorKind::AiAgent, model: None };
        let file = FileReport { subject: MESSAGE, reporter: reporter.clone(), reason: "Spam".into() };
        let fresh = Case::default();
        let filed = file.decide(Reporting { report: &Report::default(), case: &fresh }).unwrap();
        let report: Report = given(filed);
        let again = file.decide(Reporting { report: &report, case: &fresh });
        assert_eq!(again, Err(ModerationError::AlreadyReported));
        let dismissed: Case = given([decided(MESSAGE, Action::Dismiss).into()]);
        assert_eq!(file.decide(Reporting { report: &report, case: &dismissed }).map(|events| events.len()), Ok(1));
        assert_eq!(
            Report::stream(MESSAGE, &reporter),
            "report:msg_00000000000000000000000001:ag_00000000000000000000000005"
        );
    }
}
