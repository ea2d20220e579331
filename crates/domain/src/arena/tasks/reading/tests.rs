//! Task files: what is refused, and where.

use serde_json::{Value, json};

use super::*;
use crate::arena::tasks::{AnswerFormat, InvalidTaskId, League, Reason, Score};

fn entry() -> Value {
    json!({
        "id": "trivia-a", "version": 1, "league": "trivia",
        "public": {"instruction": "What?", "answer_format": "string"},
        "limits": {"seconds": 30, "tokens": 500, "answer_bytes": 100},
        "hidden": {"validator": {"kind": "text", "answers": ["x"]}, "accepts": ["x", "X"], "rejects": ["y"]},
    })
}

fn python_entry() -> Value {
    json!({
        "id": "python-a", "version": 1, "league": "python",
        "public": {"instruction": "Write f.", "answer_format": "python_source"},
        "limits": {"seconds": 30, "tokens": 500, "answer_bytes": 100},
        "hidden": {
            "validator": {"kind": "python_tests", "function": "f", "cases": [{"arguments": [], "result": 1}]},
            "reference": "def f(): return 1", "rejects": ["def f(): return 2"],
        },
    })
}

/// The faults of a file with these tasks: task, pointer, problem.
fn faults(entries: &[Value]) -> Vec<(Option<String>, String, Problem)> {
    let text = json!({"tasks": entries}).to_string();
    let faults = read_tasks(text.as_bytes()).err().unwrap_or_default();
    faults.into_iter().map(|fault| (fault.task, fault.pointer, fault.problem)).collect()
}

/// The faults of one task in which the value at the pointer is replaced; `null` removes it.
fn faults_with(mut entry: Value, pointer: &str, value: Value) -> Vec<(String, Problem)> {
    let (parent, name) = pointer.rsplit_once('/').unwrap();
    let parent = entry.pointer_mut(parent).unwrap();
    match value {
        Value::Null => drop(parent.as_object_mut().unwrap().remove(name)),
        value => parent[name] = value,
    }
    let prefix = "/tasks/0";
    faults(&[entry])
        .into_iter()
        .map(|(_, pointer, problem)| (pointer.strip_prefix(prefix).unwrap().to_owned(), problem))
        .collect()
}

#[test]
fn a_valid_file_is_read() {
    assert_eq!(faults(&[entry(), python_entry()]), []);
    let tasks = read_tasks(json!({"tasks": [entry(), python_entry()]}).to_string().as_bytes()).unwrap();
    assert_eq!(tasks.iter().map(|task| task.id().as_str()).collect::<Vec<_>>(), ["trivia-a", "python-a"]);
}

#[test]
fn a_file_is_strict_json() {
    let problem = |text: &str| read_tasks(text.as_bytes()).err().map(|faults| faults[0].problem.to_string());
    let fault =
        |text: &str, words: &str| assert!(problem(text).unwrap().contains(words), "{text}: {:?}", problem(text));
    fault("", "ends before its value");
    fault("{\"tasks\": [}", "line 1, column 12");
    fault("{\"tasks\": [], \"tasks\": []}", "\"tasks\" twice");
    fault("[]", "expected an object");
    fault("{}", "\"tasks\" is missing");
    fault("{\"tasks\": []}", "1 to 1000 items");
    fault("{\"tasks\": [1], \"x\": 1}", "\"x\" is unknown");
    fault("\u{feff}{}", "byte order mark");
    fault(&"[".repeat(100), "64 deep");
    fault(&format!("{{\"tasks\": [\"{}\"]}}", "x".repeat(1024 * 1024)), "larger than 1048576 bytes");
}

#[test]
fn every_field_is_checked_where_it_stands() {
    let at = |pointer: &str, problem: Problem| vec![(pointer.to_owned(), problem)];
    let table = [
        ("/id", json!("Trivia A"), at("/id", Problem::Id(InvalidTaskId))),
        ("/id", json!(7), at("/id", Problem::Expected("a string"))),
        ("/id", Value::Null, at("", Problem::Missing("id"))),
        ("/version", json!(0), at("/version", Problem::Range { least: 1, most: u64::from(u32::MAX) })),
        ("/version", json!("1"), at("/version", Problem::Range { least: 1, most: u64::from(u32::MAX) })),
        (
            "/league",
            json!("chess"),
            at("/league", Problem::Expected("trivia, reasoning, structured, python or debate")),
        ),
        ("/extra", json!(1), at("", Problem::Unknown("extra".to_owned()))),
        (
            "/public/instruction",
            json!(""),
            at("/public/instruction", Problem::Length { least: 1, most: 16384, got: 0 }),
        ),
        ("/public/options", json!(["a"]), at("/public/options", Problem::Count { least: 2, most: 26, got: 1 })),
        ("/public/options", json!(["a", "A."]), at("/public/options/1", Problem::Twice("A.".to_owned()))),
        (
            "/public/rules",
            json!(["No rule"]),
            at("/public/rules/0", Problem::Expected("a name such as only_one_answer")),
        ),
        ("/public/answer", json!("x"), at("/public", Problem::Unknown("answer".to_owned()))),
        (
            "/public/input_format",
            json!("xml"),
            at("/public/input_format", Problem::Expected("string, json, csv or table")),
        ),
        ("/limits/answer_bytes", json!(65537), at("/limits/answer_bytes", Problem::Range { least: 1, most: 65536 })),
        ("/limits/seconds", Value::Null, at("/limits", Problem::Missing("seconds"))),
        ("/hidden/reference", json!("x"), at("/hidden/reference", Problem::PythonOnly)),
        ("/hidden/salt", json!("short"), at("/hidden/salt", Problem::Length { least: 16, most: 256, got: 5 })),
        ("/hidden/rejects", json!([]), at("/hidden/rejects", Problem::Count { least: 1, most: 64, got: 0 })),
        ("/hidden/validator/answer", json!("x"), at("/hidden/validator", Problem::Unknown("answer".to_owned()))),
        (
            "/hidden/validator/ignore",
            json!(["colour"]),
            at("/hidden/validator/ignore/0", Problem::Expected("case, spaces, punctuation or articles")),
        ),
    ];
    for (pointer, value, expected) in table {
        assert_eq!(faults_with(entry(), pointer, value), expected, "{pointer}");
    }
}

#[test]
fn format_validator_and_league_fit_each_other() {
    let at = |pointer: &str, problem: Problem| vec![(pointer.to_owned(), problem)];
    let number = json!({"kind": "number", "value": 1});
    assert_eq!(
        faults_with(entry(), "/hidden/validator", number),
        at("/hidden/validator/kind", Problem::Format(AnswerFormat::Number))
    );
    assert_eq!(
        faults_with(entry(), "/league", json!("structured")),
        at("/league", Problem::League(League::Structured, AnswerFormat::String))
    );
    assert_eq!(
        faults_with(python_entry(), "/league", json!("reasoning")),
        at("/league", Problem::League(League::Reasoning, AnswerFormat::PythonSource))
    );
    assert_eq!(
        faults_with(python_entry(), "/hidden/reference", Value::Null),
        at("/hidden", Problem::Missing("reference"))
    );
    let choice = json!({"kind": "choice", "answer": "x", "by": "text"});
    assert_eq!(faults_with(entry(), "/hidden/validator", choice), at("/hidden/validator", Problem::NoOptions));
}

#[test]
fn the_self_tests_are_run() {
    let at = |pointer: &str, problem: Problem| vec![(pointer.to_owned(), problem)];
    assert_eq!(
        faults_with(entry(), "/hidden/accepts", json!(["x", "y"])),
        at("/hidden/accepts/1", Problem::NotAccepted(Score::ZERO, Reason::Wrong))
    );
    assert_eq!(
        faults_with(entry(), "/hidden/rejects", json!(["y", " X."])),
        at("/hidden/rejects/1", Problem::NotRejected(Score::ONE, Reason::Correct))
    );
    let long = "x".repeat(101);
    assert_eq!(
        faults_with(entry(), "/hidden/accepts", json!([long])),
        at("/hidden/accepts/0", Problem::NotAccepted(Score::ZERO, Reason::TooLong))
    );
}

#[test]
fn all_faults_of_all_tasks_are_reported_with_the_task() {
    let mut one = entry();
    one["version"] = json!(-1);
    one["public"]["answer_format"] = json!("text");
    one["limits"]["seconds"] = json!(0);
    let mut other = entry();
    other["id"] = json!("trivia-b");
    other["hidden"]["validator"]["kind"] = json!("magic");
    let named: Vec<_> = faults(&[one, other, entry()])
        .into_iter()
        .map(|(task, pointer, _)| format!("{} {pointer}", task.unwrap_or_default()))
        .collect();
    assert_eq!(
        named,
        [
            "trivia-a /tasks/0/version",
            "trivia-a /tasks/0/public/answer_format",
            "trivia-a /tasks/0/limits/seconds",
            "trivia-b /tasks/1/hidden/validator/kind",
            "trivia-a /tasks/2/id",
        ]
    );
}

#[test]
fn a_fault_is_named_with_task_and_pointer() {
    let fault = TaskFault {
        task: Some("trivia-a".to_owned()),
        pointer: "/tasks/0/hidden/accepts/1".to_owned(),
        problem: Problem::NotAccepted(Score::of_share(1, 2), Reason::Partial),
    };
    let text =
        "task trivia-a, at /tasks/0/hidden/accepts/1: this answer must score 1, and it scores 500 of 1000 (partial)";
    assert_eq!(fault.to_string(), text);
    assert_eq!(TaskFault::of_file(Problem::Missing("tasks")).to_string(), "the field \"tasks\" is missing");
}

fn motion_entry() -> Value {
    json!({
        "id": "debate-a", "version": 1, "league": "debate",
        "public": {"motion": "Tea is better than coffee.", "rubric": {"version": 2, "criteria": ["Be clear."]}},
        "limits": {"seconds": 90, "tokens": 500, "answer_bytes": 4000},
    })
}

#[test]
fn a_motion_has_a_rubric_and_no_hidden_part() {
    assert_eq!(faults(&[motion_entry()]), []);
    let at = |pointer: &str, problem: Problem| vec![(pointer.to_owned(), problem)];
    let range = |most| Problem::Range { least: 1, most };
    for (pointer, value, expected) in [
        ("/hidden", json!({}), at("", Problem::Unknown("hidden".to_owned()))),
        ("/public/instruction", json!("x"), at("/public", Problem::Unknown("instruction".to_owned()))),
        ("/public/motion", Value::Null, at("/public", Problem::Missing("motion"))),
        ("/public/rubric", Value::Null, at("/public", Problem::Missing("rubric"))),
        ("/public/rubric/version", json!(0), at("/public/rubric/version", range(u64::from(u32::MAX)))),
        (
            "/public/rubric/criteria",
            json!([]),
            at("/public/rubric/criteria", Problem::Count { least: 1, most: 10, got: 0 }),
        ),
        ("/limits/answer_bytes", json!(16385), at("/limits/answer_bytes", range(16384))),
    ] {
        assert_eq!(faults_with(motion_entry(), pointer, value), expected, "{pointer}");
    }
}
