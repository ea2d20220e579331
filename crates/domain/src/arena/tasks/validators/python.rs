//! The validator `python_tests`: a function with cases. The sandbox runs it; here are its declaration and the checks that
//! need no run.

use serde_json::Value;

use super::{
    At, Object, Problem,
    json::{normal, read_value},
    read_partial,
};
use crate::arena::tasks::Verdict;

/// The maximum number of cases, of arguments, and of characters of a function's name.
const CASES_MAX: usize = 100;
const ARGUMENTS_MAX: usize = 16;
const NAME_MAX: usize = 64;

/// `{"kind": "python_tests", "function": "merge", "cases": [{"arguments": [[1, 2]], "result": 3}]}`.
///
/// A case is passed if the function, called with the arguments, returns a value whose JSON form equals the result. So a
/// tuple equals a list, `1` equals `1.0`, and `True` does not equal `1`. The order of a dictionary's keys does not count, and
/// integers beyond 2^53 are compared as doubles, as in all JSON here.
#[derive(Debug)]
pub struct PythonTests {
    /// The function that an answer defines.
    pub function: String,
    /// In the order in which they run.
    pub cases: Vec<PythonCase>,
    /// Whether the score is the share of passed cases, instead of 1 for all and 0 otherwise.
    pub partial: bool,
}

/// One call of the function.
#[derive(Debug)]
pub struct PythonCase {
    /// The positional arguments.
    pub arguments: Vec<Value>,
    /// The JSON form of what the function returns.
    pub result: Value,
}

impl PythonTests {
    pub(super) fn read(object: &mut Object<'_>) -> Option<Self> {
        let function = object.required("function").and_then(|function| read_function(&function));
        let cases = object.required("cases").and_then(|cases| cases.each(1..=CASES_MAX, read_case));
        let partial = read_partial(object);
        Some(Self { function: function?, cases: cases?, partial: partial? })
    }

    /// Judges what the function returned for each case, in their order: `None` if it returned no JSON value. A case without
    /// an entry is not passed.
    pub fn verdict(&self, results: &[Option<Value>]) -> Verdict {
        let is_passed = |case: &PythonCase, result: &Option<Value>| {
            let result = result.as_ref().and_then(|result| normal(result.clone()));
            result.is_some_and(|result| result == case.result)
        };
        let passed = self.cases.iter().zip(results).filter(|(case, result)| is_passed(case, result)).count();
        Verdict::of_share(passed, self.cases.len(), self.partial)
    }

    /// An answer that cannot be a program is malformed; the sandbox judges all others.
    pub(super) fn judge(answer: &str) -> Verdict {
        if answer.trim().is_empty() || answer.contains('\0') { Verdict::MALFORMED } else { Verdict::NeedsSandbox }
    }
}

fn read_function(at: &At<'_>) -> Option<String> {
    let name = at.text(1..=NAME_MAX)?;
    let is_letter = |byte: u8| byte.is_ascii_lowercase() || byte == b'_';
    let is_name = name.bytes().enumerate().all(|(index, byte)| is_letter(byte) || index > 0 && byte.is_ascii_digit());
    if is_name { Some(name.to_owned()) } else { at.fault(Problem::FunctionName) }
}

fn read_case(at: &At<'_>) -> Option<PythonCase> {
    let mut object = at.object()?;
    let arguments = object
        .required("arguments")
        .and_then(|arguments| arguments.each(0..=ARGUMENTS_MAX, |at| Some(at.value.clone())));
    let result = object.required("result").and_then(|result| read_value(&result));
    object.finish();
    Some(PythonCase { arguments: arguments?, result: result? })
}
