//! The validator `json_schema`: a JSON Schema, with values expected at pointers.

use jsonschema::{PatternOptions, Validator};

use super::{At, Object, Problem, json::parse, pointers::Expected, read_partial, schema_keywords::check_keywords};
use crate::arena::tasks::Verdict;

/// The maximum number of bytes of a compiled regular expression, and of its transitions in memory.
const PATTERN_BYTES_MAX: usize = 1024 * 1024;

/// `{"kind": "json_schema", "schema": {…}, "expected": {"/total": 12}, "partial": true}`: a value that is valid against the
/// schema (draft 2020-12) and has the expected values.
#[derive(Debug)]
pub(super) struct JsonSchema {
    schema: Validator,
    expected: Expected,
    partial: bool,
}

impl JsonSchema {
    pub(super) fn read(object: &mut Object<'_>) -> Option<Self> {
        let schema = object.required("schema").and_then(|schema| compile(&schema));
        let expected = Expected::read(object);
        let partial = read_partial(object);
        Some(Self { schema: schema?, expected: expected?, partial: partial? })
    }

    /// Partial credit: the pointers with the expected value, if the answer is valid against the schema.
    pub(super) fn judge(&self, answer: &str) -> Verdict {
        let Some(answer) = parse(answer) else {
            return Verdict::MALFORMED;
        };
        if !self.schema.is_valid(&answer) {
            return Verdict::WRONG;
        }
        if self.expected.len() == 0 {
            return Verdict::CORRECT;
        }
        Verdict::of_share(self.expected.count_right(&answer), self.expected.len(), self.partial)
    }
}

/// Compiles a schema, without references to anything outside it, and with the linear-time engine for patterns.
fn compile(at: &At<'_>) -> Option<Validator> {
    check_keywords(at)?;
    let patterns = PatternOptions::regex().size_limit(PATTERN_BYTES_MAX).dfa_size_limit(PATTERN_BYTES_MAX);
    let options = jsonschema::draft202012::options().offline().with_pattern_options(patterns);
    match options.build(at.value) {
        Ok(validator) => Some(validator),
        Err(error) => {
            let message: String = error.to_string().chars().take(300).collect();
            at.fault(Problem::Schema(message))
        }
    }
}
