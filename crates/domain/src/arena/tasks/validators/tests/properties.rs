//! Properties of validators.

use proptest::prelude::*;
use serde_json::json;

use super::*;
use crate::arena::tasks::{Reason, Score, reading::Sink, validators::decimal::Decimal};

proptest! {
    #[test]
    fn normalising_twice_is_normalising_once(text in any::<String>(), articles: bool) {
        let sink = Sink::default();
        let ignore = if articles { json!({"ignore": ["case", "spaces", "punctuation", "articles"]}) } else { json!({}) };
        let normalisation = Normalisation::read(&mut At::root(&ignore, &sink).object().unwrap()).unwrap();
        let once = normalisation.apply(&text);
        prop_assert_eq!(normalisation.apply(&once), once);
    }

    #[test]
    fn every_way_to_write_a_whole_number_is_the_same(number in any::<i64>(), zeros in 0_usize..5) {
        let plain = Decimal::parse(&number.to_string()).unwrap();
        let sign = if number < 0 { "-" } else { "" };
        let digits = number.unsigned_abs().to_string();
        let mut grouped = String::new();
        for (index, digit) in digits.chars().enumerate() {
            if index > 0 && (digits.len() - index) % 3 == 0 {
                grouped.push(',');
            }
            grouped.push(digit);
        }
        let zeros = "0".repeat(zeros);
        for text in [format!("{sign}{grouped}"), format!("{sign}{zeros}{digits}"), format!("{number}.0{zeros}"), format!("{number}{zeros}e-{}", zeros.len())] {
            prop_assert!(Decimal::parse(&text).unwrap().equals(&plain), "{}", text);
        }
        let other = Decimal::parse(&number.wrapping_add(1).to_string()).unwrap();
        prop_assert!(!other.equals(&plain));
    }

    #[test]
    fn a_number_has_the_double_that_rust_parses(number in any::<f64>().prop_filter("finite", |number| number.is_finite())) {
        prop_assert_eq!(Decimal::parse(&format!("{number:e}")).unwrap().double().to_bits(), (number + 0.0).to_bits());
    }

    #[test]
    fn a_set_is_the_same_in_any_order(mut items in prop::collection::btree_set("[a-z]{1,6}", 1..12).prop_map(|set| set.into_iter().collect::<Vec<_>>()).prop_shuffle()) {
        let validator = read(&json!({"kind": "set", "items": items}), &[]).unwrap();
        items.reverse();
        prop_assert_eq!(validator.judge(&items.join(", ")), Verdict::CORRECT);
        prop_assert_eq!(validator.judge(&json!(items).to_string()), Verdict::CORRECT);
        items.pop();
        prop_assert!(validator.judge(&items.join(",")) != Verdict::CORRECT);
    }

    #[test]
    fn any_json_equals_itself_however_it_is_written(text in "[a-z\"\\\\é]{0,8}", number in any::<i32>(), flag: bool) {
        let value = json!({"text": text, "list": [number, flag, null, {"x": f64::from(number) / 4.0}]});
        let validator = read(&json!({"kind": "json_equal", "value": value}), &[]).unwrap();
        prop_assert_eq!(validator.judge(&value.to_string()), Verdict::CORRECT);
        prop_assert_eq!(validator.judge(&serde_json::to_string_pretty(&value).unwrap()), Verdict::CORRECT);
    }

    #[test]
    fn a_partial_score_never_reaches_one(given in "[a-f](,[a-f]){0,7}") {
        let validator = read(&json!({"kind": "ordered_list", "items": ["a", "b", "c"], "partial": true}), &[]).unwrap();
        match validator.judge(&given) {
            Verdict::Scored { score: Score::ONE, reason } => prop_assert_eq!((reason, &*given), (Reason::Correct, "a,b,c")),
            Verdict::Scored { reason, .. } => prop_assert_ne!(reason, Reason::Correct),
            Verdict::NeedsSandbox | Verdict::NeedsPanel => prop_assert!(false),
        }
    }
}
