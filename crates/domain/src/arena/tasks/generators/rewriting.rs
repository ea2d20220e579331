//! Rules that are applied to a text of lower-case letters and digits, one after another.

use std::fmt::Write;

use serde_json::json;

use super::{Draft, Random};

const VOWELS: &str = "aeiou";
const ALPHABET: &[u8] = b"aaabcdeeefghiiiklmnooopqrstuuuvwxyz23456789";

/// The rules, each with its words.
#[derive(Debug, Clone, Copy)]
enum Rule {
    Reverse,
    NextVowel,
    Rotate(usize),
    SwapPairs,
    DeleteEvery(usize),
    DoubleDigits,
    VowelsFirst,
    Shift,
}

/// A text of 10 to 14 characters, and four to six rules.
pub(super) fn draft(random: &mut Random) -> Draft {
    let length = 10 + random.below(5);
    let start: String = (0..length).map(|_| char::from(random.pick(ALPHABET))).collect();
    let mut text = start.clone();
    let mut listed = String::new();
    let rules = [
        Rule::Reverse,
        Rule::NextVowel,
        Rule::Rotate(random.below(4) + 2),
        Rule::SwapPairs,
        Rule::DeleteEvery(random.below(3) + 3),
        Rule::DoubleDigits,
        Rule::VowelsFirst,
        Rule::Shift,
    ];
    let count = 4 + random.below(3);
    for (index, rule) in random.sample(&rules, count).into_iter().enumerate() {
        let _ = write!(listed, "\n{}. {}", index + 1, rule.words());
        text = rule.apply(&text);
    }
    let instruction = format!(
        "Begin with the text {start}. Apply these rules in order, each to the result of the one before it. The vowels are a, \
         e, i, o and u.\n{listed}\n\nWhich text results?"
    );
    let wrong = vec![json!(format!("{text}x")), json!(text[1..]), json!(text.to_uppercase() + "!")];
    Draft::of_text(instruction, &text, wrong, 90)
}

impl Rule {
    fn words(self) -> String {
        match self {
            Self::Reverse => "Reverse the text.".to_owned(),
            Self::NextVowel => {
                "Replace each vowel by the next one: a by e, e by i, i by o, o by u, and u by a.".to_owned()
            }
            Self::Rotate(count) => format!("Move the first {count} characters to the end, in the same order."),
            Self::SwapPairs => {
                "Swap the first and the second character, the third and the fourth, and so on. A last character without a \
                 partner stays."
                    .to_owned()
            }
            Self::DeleteEvery(step) => {
                format!("Delete every character whose position, counted from 1, is a multiple of {step}.")
            }
            Self::DoubleDigits => "Write each digit twice.".to_owned(),
            Self::VowelsFirst => {
                "Move all vowels to the beginning; keep the order among the vowels, and among the other characters."
                    .to_owned()
            }
            Self::Shift => "Replace each letter by the next one of the alphabet, and z by a. Keep the digits.".to_owned(),
        }
    }

    fn apply(self, text: &str) -> String {
        let letters: Vec<char> = text.chars().collect();
        match self {
            Self::Reverse => letters.into_iter().rev().collect(),
            Self::NextVowel => letters.into_iter().map(next_vowel).collect(),
            Self::Rotate(count) => {
                let (head, tail) = letters.split_at(count.min(letters.len()));
                tail.iter().chain(head).collect()
            }
            Self::SwapPairs => letters.chunks(2).flat_map(|pair| pair.iter().rev()).collect(),
            Self::DeleteEvery(step) => {
                (1..).zip(letters).filter(|(at, _)| at % step != 0).map(|(_, letter)| letter).collect()
            }
            Self::DoubleDigits => letters
                .into_iter()
                .flat_map(|letter| vec![letter; if letter.is_ascii_digit() { 2 } else { 1 }])
                .collect(),
            Self::VowelsFirst => {
                let (vowels, others): (String, String) =
                    letters.into_iter().partition(|letter| VOWELS.contains(*letter));
                vowels + &others
            }
            Self::Shift => letters.into_iter().map(next_letter).collect(),
        }
    }
}

fn next_vowel(letter: char) -> char {
    match letter {
        'a' => 'e',
        'e' => 'i',
        'i' => 'o',
        'o' => 'u',
        'u' => 'a',
        other => other,
    }
}

fn next_letter(letter: char) -> char {
    match letter {
        'z' => 'a',
        'a'..='y' => char::from(letter as u8 + 1),
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_rule_does_what_it_says() {
        let table = [
            (Rule::Reverse, "2zau9be"),
            (Rule::NextVowel, "ib9aez2"),
            (Rule::Rotate(3), "uaz2eb9"),
            (Rule::SwapPairs, "beu9za2"),
            (Rule::DeleteEvery(3), "ebua2"),
            (Rule::DoubleDigits, "eb99uaz22"),
            (Rule::VowelsFirst, "euab9z2"),
            (Rule::Shift, "fc9vba2"),
        ];
        for (rule, expected) in table {
            assert_eq!(rule.apply("eb9uaz2"), expected, "{rule:?}");
        }
    }
}
