//! Programs: what is refused without a run, and how the results of a run are judged.

use super::*;
use crate::arena::tasks::Score;

/// Judges the results of a run against the results of the cases: thousandths.
fn judge_results(partial: bool, expected: &[Value], results: &[Option<Value>]) -> u16 {
    let cases: Vec<_> = expected.iter().map(|result| json!({"arguments": [], "result": result})).collect();
    let tests = json!({"kind": "python_tests", "function": "f", "cases": cases, "partial": partial});
    let validator = read(&tests, &[]).unwrap_or_else(|faults| panic!("{faults:?}"));
    match validator.python_tests().unwrap().verdict(results) {
        Verdict::Scored { score, reason } => {
            assert_eq!(score == Score::ONE, reason == Reason::Correct);
            score.thousandths()
        }
        Verdict::NeedsSandbox | Verdict::NeedsPanel => panic!("judged after a run"),
    }
}

#[test]
fn a_program_needs_the_sandbox() {
    let tests = json!({"kind": "python_tests", "function": "f", "cases": [{"arguments": [1], "result": [2]}]});
    check(
        &tests,
        &[("def f(x): return [x + 1]", "S"), ("not python", "S"), ("", "M"), (" \n", "M"), ("def f(): \0", "M")],
    );
    for name in ["F", "1f", "", "a b", "f()", "é"] {
        let named = json!({"kind": "python_tests", "function": name, "cases": [{"arguments": [], "result": null}]});
        assert!(!faults(&named).is_empty(), "{name}");
    }
}

#[test]
fn a_case_is_passed_by_an_equal_json_form() {
    let is_equal = |expected: Value, result: Value| judge_results(false, &[expected], &[Some(result)]) == 1000;
    for (one, other) in [
        (json!(1), json!(1.0)),
        (json!(0), json!(-0.0)),
        (json!({"a": 1, "b": [2.0]}), json!({"b": [2], "a": 1.0})),
        (json!(9_007_199_254_740_993_u64), json!(9_007_199_254_740_992_u64)),
        (json!(null), json!(null)),
    ] {
        assert!(is_equal(one.clone(), other.clone()) && is_equal(other.clone(), one.clone()), "{one} {other}");
    }
    for (one, other) in [
        (json!(1), json!(true)),
        (json!(0), json!(false)),
        (json!(1), json!("1")),
        (json!(0), json!(null)),
        (json!([]), json!({})),
        (json!([1, 2]), json!([2, 1])),
        (json!([1]), json!([1, null])),
        (json!({"a": 1}), json!({"a": 1, "b": null})),
        (json!(0.1), json!(0.300_000_000_000_000_04)),
        (json!("é"), json!("e\u{301}")),
    ] {
        assert!(!is_equal(one.clone(), other.clone()) && !is_equal(other.clone(), one.clone()), "{one} {other}");
    }
}

#[test]
fn a_case_without_a_result_is_not_passed() {
    let null = json!(null);
    let expected = [null.clone(), null.clone(), null.clone()];
    assert_eq!(judge_results(true, &expected, &[Some(null.clone()), None, Some(null.clone())]), 666);
    assert_eq!(judge_results(false, &expected, &[Some(null.clone()), None, Some(null.clone())]), 0);
    assert_eq!(judge_results(true, &expected, &[Some(null.clone())]), 333);
    assert_eq!(judge_results(true, &expected, &[]), 0);
    assert_eq!(judge_results(true, &expected, &vec![Some(null); 9]), 1000);
}

#[test]
fn a_result_that_is_deeper_than_answers_may_be_is_not_passed() {
    let deep = |depth| (0..depth).fold(json!(1), |value, _| json!([value]));
    assert_eq!(judge_results(true, &[deep(32), deep(32)], &[Some(deep(32)), Some(deep(33))]), 500);
    let case = json!({"arguments": [], "result": deep(33)});
    let tests = json!({"kind": "python_tests", "function": "f", "cases": [case]});
    assert_eq!(faults(&tests)[0].0, "/cases/0/result");
}
