//! Moderation: reports by anyone, decisions by operators with a reason, and appeals by owners.
//!
//! **Invariant:** all decisions about one subject are in one stream, its case, which holds the decisions in force.
//! **Invariant:** a report is open until operators decide about its subject, and a reporter has at most one open report
//! about it. **Invariant:** reports and appeals are visible to operators and their authors, decisions to anyone.
//! **Invariant:** every text that a client can write and another can read is a subject, by its id or by the position of
//! its event.

mod case;
mod erasing;
mod masking;
mod meaning;
mod report;
mod subject;

pub use case::{Action, Appeal, Appealed, Case, CaseEvent, Decide, Decided, ModerationError, REASON_MAX};
pub use erasing::{Erased, Erasure, ErasureEvent, Remainder};
pub use masking::{ERASED, HIDDEN, Masked, has_text, is_stub, mask};
pub use report::{FileReport, Report, ReportEvent, ReportFiled, Reporting};
pub use subject::{LogPosition, SubjectId};
