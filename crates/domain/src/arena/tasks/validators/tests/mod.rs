//! Tables and properties of each validator.

mod json;
mod lists;
mod programs;
mod properties;

use serde_json::{Value, json};

use super::*;
use crate::arena::tasks::{InputFormat, Reason, reading::Sink};

/// Reads a validator, for a task with these options.
fn read(validator: &Value, options: &[&str]) -> Result<Validator, Vec<(String, Problem)>> {
    let (sink, format) = (Sink::default(), AnswerFormat::String);
    let public = (!options.is_empty()).then(|| PublicTask {
        id: "a".parse().unwrap(),
        instruction: "Choose.".to_owned(),
        answer_format: format,
        options: options.iter().map(|option| (*option).to_owned()).collect(),
        input_format: InputFormat::String,
        rules: Vec::new(),
        motion: None,
    });
    let read = Validator::read(&At::root(validator, &sink), public.as_ref());
    let faults = sink.into_faults();
    read.ok_or_else(|| faults.into_iter().map(|fault| (fault.pointer, fault.problem)).collect())
}

fn faults(validator: &Value) -> Vec<(String, Problem)> {
    read(validator, &[]).err().unwrap_or_default()
}

/// Judges answers: 1 for correct, 0 for wrong, M for malformed, S for the sandbox, and thousandths for partial ones.
fn judge(validator: &Value, answers: &[&str]) -> Vec<String> {
    judge_choice(validator, &[], answers)
}

fn judge_choice(validator: &Value, options: &[&str], answers: &[&str]) -> Vec<String> {
    let validator = read(validator, options).unwrap_or_else(|faults| panic!("{faults:?}"));
    let verdict = |answer: &&str| match validator.judge(answer) {
        Verdict::CORRECT => "1".to_owned(),
        Verdict::WRONG => "0".to_owned(),
        Verdict::MALFORMED => "M".to_owned(),
        Verdict::NeedsSandbox => "S".to_owned(),
        Verdict::NeedsPanel => "P".to_owned(),
        Verdict::Scored { score, reason } => {
            assert_eq!(reason, Reason::Partial);
            score.thousandths().to_string()
        }
    };
    answers.iter().map(verdict).collect()
}

/// Asserts the verdicts on a table of answers.
fn check(validator: &Value, table: &[(&str, &str)]) {
    let (answers, expected): (Vec<_>, Vec<_>) = table.iter().copied().unzip();
    let verdicts = judge(validator, &answers);
    let wrong: Vec<_> = verdicts.iter().zip(&expected).zip(&answers).filter(|((got, want), _)| got != *want).collect();
    assert!(wrong.is_empty(), "{validator}: {wrong:?}");
}

#[test]
fn an_exact_answer_has_the_same_bytes() {
    let validator = json!({"kind": "exact", "answers": ["MCMXCIV", "é"]});
    check(
        &validator,
        &[("MCMXCIV", "1"), ("é", "1"), ("mcmxciv", "0"), ("MCMXCIV\n", "0"), ("e\u{301}", "0"), ("", "M")],
    );
}

#[test]
fn a_text_is_compared_in_normal_form() {
    let validator = json!({"kind": "text", "answers": ["Café au lait", "C++", "Σίσυφος"]});
    check(
        &validator,
        &[
            ("café au lait", "1"),
            (" “CAFE\u{301}\tAU\u{a0}LAIT”.\n", "1"),
            ("**Café au lait**", "1"),
            ("ｃａｆé ａｕ ｌａｉｔ", "1"),
            ("c++", "1"),
            ("c", "0"),
            ("C#", "0"),
            ("ΣΊΣΥΦΟΣ", "1"),
            ("Cafe au lait", "0"),
            ("the café au lait", "0"),
            ("Café aulait", "0"),
            ("", "M"),
            (" .\u{3000}!", "M"),
        ],
    );
}

#[test]
fn a_text_ignores_only_what_it_declares() {
    let plain = json!({"kind": "text", "answers": ["The Who"], "ignore": []});
    check(&plain, &[("The Who", "1"), ("the who", "0"), ("The  Who", "0"), ("The Who.", "0"), ("Who", "0")]);
    let articles = json!({"kind": "text", "answers": ["The Who"], "ignore": ["case", "spaces", "articles"]});
    check(
        &articles,
        &[("who", "1"), ("THE who", "1"), ("a the  who", "1"), ("thewho", "0"), ("who.", "0"), ("the ", "0")],
    );
}

#[test]
fn a_number_is_compared_with_all_digits() {
    check(
        &json!({"kind": "number", "value": "9007199254740993"}),
        &[
            ("9007199254740993", "1"),
            ("9,007,199,254,740,993.00", "1"),
            ("9007199254740992", "0"),
            ("9.007199254740993e15", "1"),
        ],
    );
    check(
        &json!({"kind": "number", "value": 1000}),
        &[
            ("1e3", "1"),
            ("1E+3", "1"),
            ("1,000", "1"),
            (" +1000.0 ", "1"),
            ("0001000", "1"),
            ("10000e-1", "1"),
            ("-1000", "0"),
            ("1,00", "M"),
            ("1,0000", "M"),
            ("1000,000,00", "M"),
            (",100", "M"),
            ("1 000", "M"),
            ("1_000", "M"),
            ("1000.", "M"),
            (".5", "M"),
            ("½", "M"),
            ("2000/2", "M"),
            ("1000 %", "M"),
            ("$1000", "M"),
            ("0x3e8", "M"),
            ("١٠٠٠", "M"),
            ("NaN", "M"),
            ("inf", "M"),
            ("-Infinity", "M"),
            ("1e400", "M"),
            ("1e99999", "M"),
            ("", "M"),
            ("-", "M"),
            ("e3", "M"),
            ("1e", "M"),
            ("1e+", "M"),
            ("--1", "M"),
            ("1e3.0", "M"),
        ],
    );
    check(
        &json!({"kind": "number", "value": 0}),
        &[("0", "1"), ("-0.00", "1"), ("0e7", "1"), ("1e-400", "0"), ("1e-9999", "0")],
    );
    check(&json!({"kind": "number", "value": -2.5}), &[("-2.5", "1"), ("\u{2212}2.50", "1"), ("2.5", "0")]);
}

#[test]
fn a_tolerance_includes_its_bounds() {
    check(
        &json!({"kind": "number", "value": 1, "absolute": 0.1}),
        &[("1.1", "1"), ("0.9", "1"), ("1.1000001", "0"), ("0.8999999", "0"), ("1", "1"), ("1e300", "0")],
    );
    check(
        &json!({"kind": "number", "value": -200, "relative": 0.05}),
        &[("-190", "1"), ("-210", "1"), ("-189.9", "0"), ("200", "0")],
    );
    let tolerance = |pointer: &str| vec![(pointer.to_owned(), Problem::Tolerance)];
    assert_eq!(faults(&json!({"kind": "number", "value": 0, "relative": 0.1})), tolerance(""));
    assert_eq!(faults(&json!({"kind": "number", "value": 1, "relative": 0.1, "absolute": 1})), tolerance(""));
    assert_eq!(faults(&json!({"kind": "number", "value": 1, "absolute": -1})), tolerance("/absolute"));
    assert_eq!(faults(&json!({"kind": "number", "value": "one"})), [("/value".to_owned(), Problem::NotANumber)]);
}

#[test]
fn a_choice_is_named_by_text_or_letter_as_declared() {
    let options = ["Oslo", "New York", "Rome"];
    let answers = ["Rome", "rome.", "C", "(c)", "c)", "A", "Oslo", "D", "C) Rome", "", "Paris"];
    let judge_by =
        |by: &str| judge_choice(&json!({"kind": "choice", "answer": "Rome", "by": by}), &options, &answers).concat();
    assert_eq!(judge_by("either"), "1111100MMMM");
    assert_eq!(judge_by("text"), "11MMMM0MMMM");
    assert_eq!(judge_by("letter"), "MM1110MMMMM");
}

#[test]
fn a_choice_fits_its_options() {
    let choice = |answer: &str, by: &str| json!({"kind": "choice", "answer": answer, "by": by});
    let fault = |validator: &Value, options: &[&str]| read(validator, options).err().unwrap();
    assert_eq!(fault(&choice("c", "text"), &["a", "b"]), [("/answer".to_owned(), Problem::NoOption)]);
    assert_eq!(fault(&choice("x", "either"), &["b", "x"]), [(String::new(), Problem::LetterOption)]);
    assert!(read(&choice("a", "either"), &["a", "b"]).is_ok());
    assert!(read(&choice("x", "text"), &["b", "x"]).is_ok());
}
