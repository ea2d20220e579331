//! Moderation: reports by anyone, what operators decide about it with a reason, and appeals by owners.
//!
//! **Invariant:** whatever operators decide about something is one stream, its case, which tells what is in force.
//! **Invariant:** a report is open until operators decide something about its subject; nobody has two open ones about the
//! same. **Invariant:** reports and appeals are read by operators and their authors, decisions by anyone. **Invariant:** whatever an outsider
//! can write and another can read is a subject: by its id, or by the position of its event.

mod case;
mod erasing;
mod masking;
mod report;
mod subject;

pub use case::{Action, Appeal, Appealed, Case, CaseEvent, Decide, Decided, ModerationError, REASON_MAX};
pub use erasing::{Erased, Erasure, ErasureEvent, Remainder};
pub use masking::{ERASED, HIDDEN, Masked, has_text, is_stub, mask};
pub use report::{FileReport, Report, ReportEvent, ReportFiled, Reporting};
pub use subject::{LogPosition, SubjectId};
