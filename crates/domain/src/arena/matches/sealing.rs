//! The seal of a debate: what tells whose argument is whose is shown when the votes on its motion have closed.
//!
//! A motion comes in two turns with swapped sides. Who argued for which side in the first turn tells who does in the second, so both
//! turns are sealed until the second one was judged, or the match has ended. The log has everything: readers of it seal what they show.

use serde_json::{Map, Value, json};

/// Whether a turn of a debate that is played is sealed while `open` is the turn that is open.
pub fn is_sealed(turn: i64, open: i64) -> bool {
    turn >= first_of_motion(open)
}

/// The first turn of the motion that is debated in the turn that is open.
pub fn first_of_motion(open: i64) -> i64 {
    open - (open + 1) % 2
}

/// The members of an event's data that tell whose argument is whose: by its text, its side, its letter on the ballot, or what judges
/// said about that letter. Empty for events that tell nothing of it.
pub fn sealed_members(event_type: &str) -> &'static [&'static str] {
    match event_type {
        "match.turn_opened" => &["sides"],
        "match.answer_revealed" => &["output", "salt", "rationale", "confidence"],
        "match.panel_drawn" => &["firstSeat"],
        "match.vote_revealed" => &["vote", "salt", "rationale"],
        _ => &[],
    }
}

/// The data of a sealed event without these members, with `"sealed": true`.
pub fn sealed_data(event_type: &str, data: &str) -> String {
    let mut data: Map<String, Value> = serde_json::from_str(data).unwrap_or_default();
    data.retain(|name, _| !sealed_members(event_type).contains(&&**name));
    data.insert("sealed".to_owned(), json!(true));
    Value::Object(data).to_string()
}

#[cfg(test)]
mod tests {
    use super::{super::panel_tests::panel_events, *};

    #[test]
    fn both_turns_of_a_motion_are_sealed_until_the_second_was_judged() {
        let sealed = |open| (1..=4).filter(|turn| is_sealed(*turn, open)).collect::<Vec<_>>();
        assert_eq!([1, 2, 3, 4].map(sealed), [vec![1, 2, 3, 4], vec![1, 2, 3, 4], vec![3, 4], vec![3, 4]]);
    }

    #[test]
    fn sealed_data_lack_what_tells_whose_argument_is_whose() {
        for event in panel_events() {
            let event_type = event.event_type();
            let shown: Value = serde_json::from_str(&sealed_data(event_type, &event.encode())).unwrap();
            let whole: Value = serde_json::from_str(&event.encode()).unwrap();
            assert_eq!((&shown["sealed"], &shown["turn"]), (&json!(true), &json!(1)), "{shown}");
            for member in sealed_members(event_type) {
                assert!(shown.get(member).is_none(), "{shown}");
            }
            let left = whole.as_object().unwrap().keys().filter(|name| shown.get(name).is_some()).count();
            let sealed = sealed_members(event_type).iter().filter(|name| whole.get(name).is_some()).count();
            assert_eq!(left + sealed, whole.as_object().unwrap().len(), "{shown}");
        }
    }
}
