//! Tests of the bundled bank and of the forms of tasks. Those of validators, files and generators stand beside these.

use std::collections::BTreeSet;

use proptest::prelude::*;
use serde_json::{Value, json};

use super::*;

/// A task file with one task, whose hidden part has the word `SECRET` everywhere.
fn secret_file() -> Value {
    json!({"tasks": [{
        "id": "trivia-secret", "version": 3, "league": "trivia",
        "public": {
            "instruction": "Say it.", "answer_format": "string", "options": ["one", "two"],
            "input_format": "csv", "rules": ["only_one_answer"],
        },
        "limits": {"seconds": 30, "tokens": 500, "answer_bytes": 16},
        "hidden": {
            "validator": {"kind": "text", "answers": ["SECRET 1"]},
            "accepts": ["SECRET 1"], "rejects": ["SECRET 2"], "salt": "SECRET SECRET SECRET",
        },
    }]})
}

fn read_one(file: &Value) -> Task {
    read_tasks(file.to_string().as_bytes()).unwrap().remove(0)
}

#[test]
fn every_bundled_task_is_valid_and_in_the_file_of_its_league() {
    let mut ids = BTreeSet::new();
    for (league, text) in BUNDLED {
        let tasks = read_tasks(text.as_bytes()).unwrap_or_else(|faults| panic!("{league}: {faults:#?}"));
        for task in tasks {
            assert_eq!(task.league(), league, "{}", task.id());
            assert!(task.id().as_str().starts_with(&format!("{league}-")), "{}", task.id());
            assert!(ids.insert(task.id().clone()), "{} occurs twice", task.id());
        }
    }
    assert_eq!(Bank::bundled().iter().count(), ids.len());
}

#[test]
fn the_bank_holds_enough_tasks_of_every_league() {
    for (league, least) in [
        (League::Trivia, 20),
        (League::Reasoning, 15),
        (League::Structured, 15),
        (League::Python, 12),
        (League::Debate, 8),
    ] {
        assert!(Bank::bundled().in_league(league).count() >= least, "{league}");
    }
    assert!(Bank::bundled().in_league(League::Python).all(|task| task.python_tests().unwrap().cases.len() >= 6));
}

#[test]
fn every_bundled_answer_scores_as_its_task_says() {
    for task in Bank::bundled().iter() {
        let is_program = task.python_tests().is_some();
        for answer in task.accepted_answers() {
            let expected = if is_program { Verdict::NeedsSandbox } else { Verdict::CORRECT };
            assert_eq!(task.judge(answer), expected, "{}: {answer:?}", task.id());
        }
        for answer in task.rejected_answers() {
            match task.judge(answer) {
                Verdict::NeedsSandbox => assert!(is_program),
                Verdict::NeedsPanel => panic!("{}: a motion has no answers", task.id()),
                Verdict::Scored { score, .. } => assert_eq!(score, Score::ZERO, "{}: {answer:?}", task.id()),
            }
        }
    }
}

#[test]
fn agents_see_the_public_part_in_their_protocols_form() {
    let task = read_one(&secret_file());
    let evalduel = json!({
        "id": "trivia-secret", "public_instruction": "Say it.", "answer_format": "string", "options": ["one", "two"],
        "rules": ["only_one_answer"],
    });
    assert_eq!(serde_json::to_value(task.public().evalduel()).unwrap(), evalduel);
    let aap = json!({
        "description": "Say it.", "input_format": "csv", "output_format": "string", "options": ["one", "two"],
    });
    assert_eq!(serde_json::to_value(task.public().aap()).unwrap(), aap);
    let published = json!({
        "id": "trivia-secret", "version": 3, "league": "trivia", "hash": task.hash().to_string(),
        "public_instruction": "Say it.", "answer_format": "string", "options": ["one", "two"],
        "rules": ["only_one_answer"], "input_format": "csv",
        "limits": {"seconds": 30, "tokens": 500, "answer_bytes": 16},
    });
    assert_eq!(serde_json::to_value(task.published()).unwrap(), published);
}

#[test]
fn no_form_of_a_task_shows_the_hidden_part() {
    let task = read_one(&secret_file());
    let forms = [
        serde_json::to_string(&task.published()).unwrap(),
        serde_json::to_string(&task.public().evalduel()).unwrap(),
        serde_json::to_string(&task.public().aap()).unwrap(),
        format!("{task:?}"),
    ];
    for form in forms {
        assert!(form.contains("Say it.") && !form.contains("SECRET"), "{form}");
    }
    let names = [
        "id",
        "version",
        "league",
        "hash",
        "public_instruction",
        "answer_format",
        "options",
        "rules",
        "input_format",
        "limits",
        "motion",
        "rubric",
    ];
    for task in Bank::bundled().iter() {
        let published = serde_json::to_value(task.published()).unwrap();
        assert!(published.as_object().unwrap().keys().all(|name| names.contains(&&**name)), "{published}");
    }
}

#[test]
fn a_task_without_options_has_none_in_evalduel_and_an_empty_list_in_aap() {
    let task = Bank::bundled().get("trivia-giraffe-neck").unwrap();
    assert_eq!(serde_json::to_value(task.public().evalduel()).unwrap().get("options"), None);
    assert_eq!(serde_json::to_value(task.public().aap()).unwrap()["options"], json!([]));
}

#[test]
fn the_hash_covers_all_of_a_task_and_not_how_it_is_written() {
    let task = read_one(&secret_file());
    let pretty = serde_json::to_string_pretty(&secret_file()).unwrap();
    assert_eq!(read_tasks(pretty.as_bytes()).unwrap()[0].hash(), task.hash());
    for (pointer, value) in [
        ("/version", json!(4)),
        ("/public/instruction", json!("Say it!")),
        ("/limits/seconds", json!(31)),
        ("/hidden/validator/answers/0", json!("secret 1")),
        ("/hidden/salt", json!("SECRET SECRET SECRET!")),
    ] {
        let mut file = secret_file();
        *file["tasks"][0].pointer_mut(pointer).unwrap() = value;
        assert_ne!(read_one(&file).hash(), task.hash(), "{pointer}");
    }
}

#[test]
fn an_answer_over_the_tasks_limit_is_too_long() {
    let task = read_one(&secret_file());
    assert_eq!(task.judge(&Answer::new("SECRET 1        ")), Verdict::CORRECT);
    assert_eq!(task.judge(&Answer::new("SECRET 1         ")), Verdict::TOO_LONG);
}

#[test]
fn an_answer_in_json_is_its_text() {
    for (value, text) in [
        (json!("Canberra"), "Canberra"),
        (json!(42), "42"),
        (json!(0.5), "0.5"),
        (json!(true), "true"),
        (json!(null), "null"),
        (json!({"b": [1, "x"], "a": null}), r#"{"a":null,"b":[1,"x"]}"#),
    ] {
        assert_eq!(Answer::from_json(&value).as_str(), text);
    }
}

#[test]
fn a_score_is_one_only_if_everything_is_right() {
    let score = |right, total| Score::of_share(right, total).thousandths();
    assert_eq!([score(0, 3), score(1, 3), score(2, 3), score(3, 3)], [0, 333, 666, 1000]);
    assert_eq!([score(9999, 10_000), score(5, 4), score(0, 0)], [999, 1000, 0]);
    let json = |score: Score| serde_json::to_string(&score).unwrap();
    assert_eq!([json(Score::ZERO), json(Score::ONE), json(Score::of_share(1, 4))], ["0", "1", "0.25"]);
}

#[test]
fn a_share_counts_only_with_partial_credit() {
    assert_eq!(Verdict::of_share(1, 2, false), Verdict::WRONG);
    let half = Verdict::Scored { score: Score::of_share(1, 2), reason: Reason::Partial };
    assert_eq!(Verdict::of_share(1, 2, true), half);
    assert_eq!(Verdict::of_share(0, 2, true), Verdict::WRONG);
    assert_eq!(Verdict::of_share(2, 2, false), Verdict::CORRECT);
    for reason in [Reason::Correct, Reason::Partial, Reason::Wrong, Reason::Malformed, Reason::TooLong] {
        assert_eq!(serde_json::to_value(reason).unwrap(), json!(reason.as_str()));
    }
}

/// Answers of the maximum size that are expensive to a careless parser.
fn hostile_answers() -> Vec<String> {
    let filled = |unit: &str| unit.repeat(ANSWER_BYTES_MAX / unit.len());
    let mut answers: Vec<String> = [
        "[",
        "{\"a\":",
        "[1,",
        "\"",
        "\\u0000",
        ",",
        "a,",
        ";\n",
        " ",
        "9",
        "0",
        "-",
        "1e9999",
        "١",
        "\u{fdfa}",
        "\u{301}\u{323}",
        "the ",
        "a ",
        "\"'`",
        "İ",
        "Σ",
        "\0",
        "(",
        "\u{202e}",
        "🦀",
        "1,000",
        "Phobos,",
        "def ",
    ]
    .map(filled)
    .into();
    let items = |item: &str| format!("[{}]", vec![item; ANSWER_BYTES_MAX / (item.len() + 1) - 1].join(","));
    answers.extend(["1", "{}", "[]", "\"a\"", "0.1"].map(items));
    answers.push(format!("{{{}}}", (0..5000).map(|key| format!("\"{key}\":1")).collect::<Vec<_>>().join(",")));
    answers.push(format!("{}1{}", "[".repeat(ANSWER_DEPTH_MAX), "]".repeat(ANSWER_DEPTH_MAX)));
    answers.push(format!("1{}", "0".repeat(ANSWER_BYTES_MAX - 1)));
    answers.push(format!("0.{}1", "0".repeat(ANSWER_BYTES_MAX - 3)));
    answers
}

#[test]
fn hostile_answers_of_the_maximum_size_score_nothing() {
    for answer in hostile_answers() {
        assert!(answer.len() <= ANSWER_BYTES_MAX);
        for task in Bank::bundled().iter() {
            let beginning: String = answer.chars().take(20).collect();
            match task.hidden.validator.judge(&answer) {
                Verdict::NeedsSandbox => assert!(task.python_tests().is_some()),
                Verdict::NeedsPanel => assert!(task.motion().is_some()),
                Verdict::Scored { score, .. } => assert!(score < Score::ONE, "{}: {beginning}", task.id()),
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn judging_any_answer_neither_panics_nor_differs_the_second_time(answer in any::<String>()) {
        let answer = Answer::new(answer);
        for task in Bank::bundled().iter() {
            prop_assert_eq!(task.judge(&answer), task.judge(&answer));
        }
    }

    #[test]
    fn reading_any_file_does_not_panic(text in "\\PC{0,200}") {
        prop_assert!(read_tasks(text.as_bytes()).is_err());
    }
}
