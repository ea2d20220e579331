//! The commit notification: what a batch announces to this process and, in a database notice, to other processes.

use std::{fmt, sync::Arc};

use buildtrack_domain::event;

/// The most streams that a notice names. If more changed, receivers invalidate all cached values.
const INVALIDATED_MAX: usize = 100;
/// The longest list of types in a notice, in bytes. The whole notice stays below PostgreSQL's limit of 8000 bytes.
const TYPES_MAX: usize = 3000;

/// The changes between two positions of the log.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct CommitNotification {
    /// The position before the first event, and that of the last.
    pub(crate) after: i64,
    pub(crate) until: i64,
    /// The events' types, in log order; empty if unknown.
    pub(crate) types: Vec<&'static str>,
    /// Keys of cached values to invalidate; `None` means all of them.
    pub(crate) invalidated: Option<Vec<Arc<str>>>,
}

/// The notice: `AFTER UNTIL TYPE,TYPE*COUNT,… STREAM STREAM …`. `-` in place of types and `*` in place of streams mean that the
/// notice does not list them. A repeated type appears as its index among the types named before, from 0.
impl fmt::Display for CommitNotification {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let types = Some(runs_of(&self.types)).filter(|types| !types.is_empty() && types.len() <= TYPES_MAX);
        let invalidated = self.invalidated.as_ref().filter(|invalidated| invalidated.len() <= INVALIDATED_MAX);
        let invalidated = invalidated.map(|invalidated| invalidated.join(" "));
        let (types, invalidated) = (types.as_deref().unwrap_or("-"), invalidated.as_deref().unwrap_or("*"));
        write!(formatter, "{} {} {types} {invalidated}", self.after, self.until)
    }
}

impl CommitNotification {
    /// Parses a notice; `None` if it has another format.
    pub(crate) fn read(notice: &str) -> Option<Self> {
        let mut parts = notice.splitn(4, ' ');
        let mut part = || parts.next();
        let (after, until, types, invalidated) = (part()?.parse().ok()?, part()?.parse().ok()?, part()?, part()?);
        let invalidated = (invalidated != "*").then(|| invalidated.split_whitespace().map(Arc::from).collect());
        Some(Self { after, until, types: types_of(types).unwrap_or_default(), invalidated })
    }
}

fn runs_of(types: &[&'static str]) -> String {
    let mut named = Vec::new();
    let runs = types.chunk_by(|left, right| left == right).map(|run| {
        let number = named.iter().position(|name| *name == run[0]);
        let name = number.map_or_else(|| run[0].to_owned(), |number| number.to_string());
        if number.is_none() {
            named.push(run[0]);
        }
        if run.len() == 1 { name } else { format!("{name}*{}", run.len()) }
    });
    runs.collect::<Vec<_>>().join(",")
}

/// `None` if a type is unknown: another version of the server may have written it.
fn types_of(runs: &str) -> Option<Vec<&'static str>> {
    let (mut types, mut named) = (Vec::new(), Vec::new());
    for run in runs.split(',') {
        let (name, count) = run.split_once('*').unwrap_or((run, "1"));
        let known = match name.parse::<usize>() {
            Ok(number) => *named.get(number)?,
            Err(_) => event::types().find(|known| *known == name).inspect(|known| named.push(*known))?,
        };
        types.resize(types.len() + count.parse::<u16>().map_or(0, usize::from), known);
    }
    Some(types)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn notification(types: Vec<&'static str>, invalidated: Option<Vec<Arc<str>>>) -> CommitNotification {
        CommitNotification { after: 4, until: 4 + i64::try_from(types.len()).unwrap(), types, invalidated }
    }

    #[test]
    fn a_notice_is_read_as_it_was_written() {
        let (posted, joined) = ("message.posted", "workspace.joined");
        for (notification, notice) in [
            (notification(vec![posted], Some(vec![])), "4 5 message.posted "),
            (
                notification(vec![posted, posted, joined], Some(vec!["ws_1".into(), "ag_2".into()])),
                "4 7 message.posted*2,workspace.joined ws_1 ag_2",
            ),
            (
                notification(vec![posted, posted, joined, posted, joined, joined], Some(vec![])),
                "4 10 message.posted*2,workspace.joined,0,1*2 ",
            ),
            (notification(vec![posted], None), "4 5 message.posted *"),
            (CommitNotification { after: 4, until: 9, types: vec![], invalidated: Some(vec![]) }, "4 9 - "),
        ] {
            assert_eq!(notification.to_string(), notice);
            assert_eq!(CommitNotification::read(notice), Some(notification));
        }
    }

    #[test]
    fn notices_of_another_version_are_not_misread() {
        for notice in ["", "7", "7 ws_1", "7 *", "x 7 - "] {
            assert_eq!(CommitNotification::read(notice), None, "{notice}");
        }
        for notice in ["4 6 message.posted,message.sung ", "4 6 message.posted,1 "] {
            assert_eq!(CommitNotification::read(notice).unwrap().types, <[&str; 0]>::default(), "{notice}");
        }
    }

    #[test]
    fn a_notice_is_never_too_long_for_postgresql() {
        let stream = |number| Arc::from(format!("rp_{number:026}"));
        for (events, lists_types) in [(1024, true), (4096, false)] {
            let mixed = ["thread.requested", "envelope.accepted"].repeat(events / 2);
            for streams in [100, 1000] {
                let notification = notification(mixed.clone(), Some((0..streams).map(stream).collect()));
                let notice = notification.to_string();
                assert!(notice.len() < 8000);
                assert_eq!(CommitNotification::read(&notice).unwrap().types == mixed, lists_types, "{events}");
            }
        }
    }
}
