//! Messages about unknown names of fields and parameters, with the name that was probably meant.

use buildtrack_domain::similar_names::most_similar;

/// The message that `name` is not a `what`.
pub(super) fn unknown_name(name: &str, what: &str, known: &[&str]) -> String {
    match most_similar(name, known.iter().copied()) {
        Some(meant) => format!("{name} is not a {what}; did you mean `{meant}`?"),
        None => format!("{name} is not a {what}"),
    }
}
