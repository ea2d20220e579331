//! Tests of the bounds of error answers.

use super::*;

#[test]
fn a_text_is_cut_between_characters() {
    assert_eq!(shortened("ééé".into(), 3), "ééé");
    assert_eq!(shortened("éééé".into(), 3), "ééé…");
}
