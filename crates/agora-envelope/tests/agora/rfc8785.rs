//! The examples of RFC 8785, by section.

use agora_envelope::{JsonError, Limits, jcs::canonicalize, json::parse_strict};
use serde_json::json;

fn canonical(text: &str) -> String {
    canonicalize(&parse_strict(text.as_bytes(), &Limits::default()).unwrap())
}

#[test]
fn the_sample_of_section_3_2_2_has_the_bytes_of_section_3_2_4() {
    let input = r#"{
        "numbers": [333333333.33333329, 1E30, 4.50, 2e-3, 0.000000000000000000000000001],
        "string": "\u20ac$\u000F\u000aA'\u0042\u0022\u005c\\\"\/",
        "literals": [null, true, false]
    }"#;
    let hex = "7b226c69746572616c73223a5b6e756c6c2c747275652c66616c73655d2c226e756d62657273223a\
               5b3333333333333333332e333333333333332c31652b33302c342e352c302e3030322c31652d32375d2c22737472696e67223a\
               22e282ac245c75303030665c6e4127425c225c5c5c5c5c222f227d";
    assert_eq!(hex::encode(canonical(input)), hex);
}

#[test]
fn the_names_of_section_3_2_3_are_sorted_by_utf_16_code_units() {
    let input = r#"{
        "\u20ac": "Euro Sign",
        "\r": "Carriage Return",
        "\ufb33": "Hebrew Letter Dalet With Dagesh",
        "1": "One",
        "\ud83d\ude00": "Emoji: Grinning Face",
        "\u0080": "Control",
        "\u00f6": "Latin Small Letter O With Diaeresis"
    }"#;
    let expected = "{\"\\r\":\"Carriage Return\",\"1\":\"One\",\"\u{80}\":\"Control\",\
        \"\u{f6}\":\"Latin Small Letter O With Diaeresis\",\"\u{20ac}\":\"Euro Sign\",\
        \"\u{1f600}\":\"Emoji: Grinning Face\",\"\u{fb33}\":\"Hebrew Letter Dalet With Dagesh\"}";
    assert_eq!(canonical(input), expected);
}

#[test]
fn the_numbers_of_appendix_b_have_their_canonical_form() {
    let samples = [
        (0x0000_0000_0000_0000, "0"),
        (0x8000_0000_0000_0000, "0"),
        (0x0000_0000_0000_0001, "5e-324"),
        (0x8000_0000_0000_0001, "-5e-324"),
        (0x7fef_ffff_ffff_ffff, "1.7976931348623157e+308"),
        (0xffef_ffff_ffff_ffff, "-1.7976931348623157e+308"),
        (0x4340_0000_0000_0000, "9007199254740992"),
        (0xc340_0000_0000_0000, "-9007199254740992"),
        (0x4430_0000_0000_0000, "295147905179352830000"),
        (0x44b5_2d02_c7e1_4af5, "9.999999999999997e+22"),
        (0x44b5_2d02_c7e1_4af6, "1e+23"),
        (0x44b5_2d02_c7e1_4af7, "1.0000000000000001e+23"),
        (0x444b_1ae4_d6e2_ef4e, "999999999999999700000"),
        (0x444b_1ae4_d6e2_ef4f, "999999999999999900000"),
        (0x444b_1ae4_d6e2_ef50, "1e+21"),
        (0x3eb0_c6f7_a0b5_ed8c, "9.999999999999997e-7"),
        (0x3eb0_c6f7_a0b5_ed8d, "0.000001"),
        (0x41b3_de43_5555_5553, "333333333.3333332"),
        (0x41b3_de43_5555_5554, "333333333.33333325"),
        (0x41b3_de43_5555_5555, "333333333.3333333"),
        (0x41b3_de43_5555_5556, "333333333.3333334"),
        (0x41b3_de43_5555_5557, "333333333.33333343"),
        (0xbecb_f647_612f_3696, "-0.0000033333333333333333"),
        (0x4314_3ff3_c1cb_0959, "1424953923781206.2"),
    ];
    for (bits, text) in samples {
        let double = f64::from_bits(bits);
        assert_eq!(canonicalize(&json!(double)), text, "{bits:016x}");
        // The seventeen digits of its text parse to the same double.
        assert_eq!(canonical(&format!("{double:e}")), text, "{bits:016x}");
    }
}

#[test]
fn infinity_and_nan_are_refused() {
    for text in ["1e400", "-1e400"] {
        assert!(matches!(parse_strict(text.as_bytes(), &Limits::default()), Err(JsonError::NumberOutOfRange { .. })));
    }
    for text in ["NaN", "Infinity"] {
        assert_eq!(parse_strict(text.as_bytes(), &Limits::default()), Err(JsonError::Syntax { line: 1, column: 1 }));
    }
}

#[test]
fn the_object_of_appendix_c_is_sorted() {
    let input = r#"{"name": "John Doe", "address": "2000 Sunset Boulevard", "city": "Los Angeles", "zip": "90001",
        "state": "CA"}"#;
    let expected =
        r#"{"address":"2000 Sunset Boulevard","city":"Los Angeles","name":"John Doe","state":"CA","zip":"90001"}"#;
    assert_eq!(canonical(input), expected);
}

#[test]
fn the_object_of_appendix_e_keeps_its_texts_unchanged() {
    let input = r#"{"time": "2019-01-28T07:45:10Z", "big": "055", "val": 3.5}"#;
    assert_eq!(canonical(input), r#"{"big":"055","time":"2019-01-28T07:45:10Z","val":3.5}"#);
}

#[test]
fn characters_are_escaped_as_in_section_3_2_2_2() {
    for code in 0..=u8::MAX {
        let expected = match code {
            0x08 => "\\b".into(),
            0x09 => "\\t".into(),
            0x0a => "\\n".into(),
            0x0c => "\\f".into(),
            0x0d => "\\r".into(),
            b'"' => "\\\"".into(),
            b'\\' => r"\\".into(),
            0x00..0x20 => format!("\\u{code:04x}"),
            _ => char::from(code).to_string(),
        };
        assert_eq!(canonicalize(&json!(char::from(code).to_string())), format!("\"{expected}\""), "U+{code:04X}");
    }
}

#[test]
fn integers_above_2_to_the_53rd_are_rounded_as_in_ecmascript() {
    for (text, expected) in [
        ("9007199254740991", "9007199254740991"),
        ("9007199254740993", "9007199254740992"),
        ("-9007199254740993", "-9007199254740992"),
        ("9007199254740995", "9007199254740996"),
        ("18446744073709551615", "18446744073709552000"),
        ("-9223372036854775808", "-9223372036854776000"),
        ("123456789012345678901234567890", "1.2345678901234568e+29"),
    ] {
        assert_eq!(canonical(text), expected);
        // A value parsed elsewhere, whose integer is not yet rounded, has the same form.
        assert_eq!(canonicalize(&serde_json::from_str(text).unwrap()), expected);
    }
}

#[test]
fn every_spelling_of_a_number_has_the_same_form() {
    for text in ["300", "300.0", "3e2", "3.0E+2", "30000e-2"] {
        assert_eq!(parse_strict(text.as_bytes(), &Limits::default()), Ok(json!(300)));
    }
    for text in ["0", "-0", "-0.0", "0e5"] {
        assert_eq!(parse_strict(text.as_bytes(), &Limits::default()), Ok(json!(0)));
    }
}
