//! Failures of the client's commands, and the exit codes that scripts can tell apart.

use buildtrack_terminal::{OUTPUT_FAILED, PrintError};
use serde_json::{Value, json};

use crate::problem::Problem;

/// The server refuses the request, or something on this machine fails.
pub(crate) const FAILED: u8 = 1;
/// The command line, or a value on it, is invalid.
pub(crate) const USAGE: u8 = 2;
/// The server cannot be reached.
pub(crate) const UNREACHABLE: u8 = 3;
/// The command needs a login, or the server does not accept the stored one.
pub(crate) const NOT_LOGGED_IN: u8 = 4;

/// The failure of a command.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The server refuses the request.
    #[error("{0}")]
    Refused(Box<Problem>),
    /// Something on this machine fails, such as reading a file.
    #[error("{0}")]
    Failed(String),
    /// An argument is invalid.
    #[error("{0}")]
    Usage(String),
    /// There is no answer.
    #[error("{0}")]
    Unreachable(String),
    /// There are no credentials, or they have ended.
    #[error("{0}")]
    NotLoggedIn(String),
    /// The answer could not be printed. Where the reader, such as `head`, has read enough, that is a success.
    #[error(transparent)]
    Output(#[from] PrintError),
}

impl Failure {
    /// The exit code of the process.
    pub(crate) fn exit_code(&self) -> u8 {
        match self {
            Self::Refused(problem) if problem.status() == 401 => NOT_LOGGED_IN,
            Self::Refused(_) | Self::Failed(_) => FAILED,
            Self::Usage(_) => USAGE,
            Self::Unreachable(_) => UNREACHABLE,
            Self::NotLoggedIn(_) => NOT_LOGGED_IN,
            Self::Output(PrintError::Closed) => 0,
            Self::Output(PrintError::Failed(_)) => OUTPUT_FAILED,
        }
    }

    /// The failure for programs: the server's problem, or a code and a text.
    pub(crate) fn document(&self) -> Value {
        let code = match self {
            Self::Refused(problem) => return json!({ "error": problem.body() }),
            Self::Failed(_) | Self::Output(_) => "failed",
            Self::Usage(_) => "usage",
            Self::Unreachable(_) => "unreachable",
            Self::NotLoggedIn(_) => "not_logged_in",
        };
        json!({ "error": { "code": code, "detail": self.to_string() } })
    }
}

/// The message of an error with those of its causes.
pub(crate) fn reason(error: &dyn std::error::Error) -> String {
    let mut text = error.to_string();
    let mut cause = error.source();
    while let Some(error) = cause {
        let message = error.to_string();
        if !text.ends_with(&message) {
            text = format!("{text}: {message}");
        }
        cause = error.source();
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scripts_can_tell_failures_apart() {
        let refused = |status| Failure::Refused(Box::new(Problem::new(status, None, "{}")));
        assert_eq!(refused(422).exit_code(), 1);
        assert_eq!(refused(401).exit_code(), 4);
        assert_eq!(Failure::Usage(String::new()).exit_code(), 2);
        assert_eq!(Failure::Unreachable(String::new()).exit_code(), 3);
        assert_eq!(Failure::NotLoggedIn(String::new()).exit_code(), 4);
        assert_eq!(Failure::Output(PrintError::Closed).exit_code(), 0);
        assert_eq!(Failure::Output(PrintError::Failed(std::io::ErrorKind::StorageFull.into())).exit_code(), 74);
    }

    #[test]
    fn a_program_reads_the_code_of_a_failure() {
        let document = Failure::NotLoggedIn("Log in.".into()).document();
        assert_eq!(document["error"], json!({ "code": "not_logged_in", "detail": "Log in." }));
        let problem = Problem::new(409, None, r#"{"code": "conflict"}"#);
        assert_eq!(Failure::Refused(Box::new(problem)).document()["error"]["code"], "conflict");
    }
}
