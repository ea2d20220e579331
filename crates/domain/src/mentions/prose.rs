//! The prose of a Markdown text (without code), and the mentions in it. Implements the part of `CommonMark` that
//! mentions need: fenced blocks and code spans. An indented block counts as prose.

use super::{Handle, Mention};

/// The maximum number of characters of a mentioned name, equal to the maximum of a name.
const LONGEST: usize = 100;

/// The parts outside of code.
pub(super) fn pieces(text: &str) -> Vec<&str> {
    unfenced(text).into_iter().flat_map(without_spans).collect()
}

/// The parts outside of fenced blocks (`CommonMark` 0.31, section 4.5).
fn unfenced(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut fence, mut from, mut at) = (None, 0, 0);
    for line in text.split_inclusive('\n') {
        let next = at + line.len();
        match (fence, opening(line)) {
            (None, Some(opened)) => {
                pieces.push(&text[from..at]);
                fence = Some(opened);
            }
            (Some(opened), _) if closes(line, opened) => {
                fence = None;
                from = next;
            }
            _ => {}
        }
        at = next;
    }
    if fence.is_none() {
        pieces.push(&text[from..]);
    }
    pieces
}

/// The fence at the beginning of a line: its character and its length.
fn opening(line: &str) -> Option<(char, usize)> {
    let rest = line.trim_start_matches(' ');
    let letter = rest.chars().next().filter(|letter| matches!(letter, '`' | '~'))?;
    let length = rest.len() - rest.trim_start_matches(letter).len();
    // ```code``` on one line is a span.
    let is_span = letter == '`' && rest[length..].contains('`');
    (line.len() - rest.len() < 4 && length >= 3 && !is_span).then_some((letter, length))
}

fn closes(line: &str, (letter, length): (char, usize)) -> bool {
    let rest = line.trim();
    rest.len() >= length && rest.chars().all(|found| found == letter)
}

/// The parts outside of code spans (section 6.1). A span reaches from a run of backticks to the next run of the same
/// length in the paragraph. A run without such an end is literal.
fn without_spans(text: &str) -> Vec<&str> {
    let mut pieces = Vec::new();
    let (mut from, mut at) = (0, 0);
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        let inside = start + run(&text[start..]);
        at = inside;
        if let Some(end) = closing(&text[inside..], inside - start) {
            pieces.push(&text[from..start]);
            at += end;
            from = at;
        }
    }
    pieces.push(&text[from..]);
    pieces
}

fn run(text: &str) -> usize {
    text.len() - text.trim_start_matches('`').len()
}

/// The end of a span that began with this many backticks.
fn closing(text: &str, length: usize) -> Option<usize> {
    let mut at = 0;
    while let Some(found) = text[at..].find('`') {
        let start = at + found;
        if ends_paragraph(&text[at..start]) {
            return None;
        }
        at = start + run(&text[start..]);
        if at - start == length {
            return Some(at);
        }
    }
    None
}

/// Whether the text contains a blank line.
fn ends_paragraph(text: &str) -> bool {
    text.split_inclusive('\n').skip(1).any(|line| line.ends_with('\n') && line.trim().is_empty())
}

/// The mentions in a piece of prose.
pub(super) fn mentions(piece: &str) -> impl Iterator<Item = Mention> {
    let (mut before, mut slashes, mut in_address, mut named_to) = (None, 0, false, 0);
    piece.char_indices().filter_map(move |(index, letter)| {
        // After «://» an address continues up to the first character that an address cannot contain.
        in_address = (in_address && !ends_address(letter)) || (slashes == 2 && letter == '/');
        slashes = match (letter, slashes) {
            (':', _) => 1,
            ('/', 1) => 2,
            _ => 0,
        };
        let begins = letter == '@' && index >= named_to && !in_address && before.is_none_or(may_precede);
        before = Some(letter);
        let rest = &piece[index + letter.len_utf8()..];
        let (mention, length) = begins.then(|| bracketed(rest).or_else(|| token(rest))).flatten()?;
        named_to = index + letter.len_utf8() + length;
        Some(mention)
    })
}

/// Whether a mention may follow this character: not after the local part of an e-mail address, nor after a path. In
/// scripts without spaces between words, any letter may precede.
fn may_precede(letter: char) -> bool {
    (!letter.is_alphanumeric() || is_unspaced(letter)) && !"._+-/@=&#%~\\".contains(letter)
}

fn ends_address(letter: char) -> bool {
    letter.is_whitespace()
        || "<>\"'()[]{}|".contains(letter)
        || matches!(letter, '\u{3000}'..='\u{303f}' | '\u{ff00}'..='\u{ffef}')
}

/// Whether a letter belongs to a script that puts no spaces between words, or attaches endings without one.
fn is_unspaced(letter: char) -> bool {
    matches!(letter,
        '\u{0e00}'..='\u{0eff}' | '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}'
        | '\u{ac00}'..='\u{d7af}' | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{3ffff}')
}

/// The name in brackets after an `@`, on the same line, and its length with the brackets.
fn bracketed(rest: &str) -> Option<(Mention, usize)> {
    let inside = rest.strip_prefix('[')?;
    let end = inside.char_indices().take(LONGEST + 1).find(|(_, letter)| matches!(letter, ']' | '\n'))?.0;
    let handle = inside[end..].starts_with(']').then(|| Handle::of(&inside[..end])).flatten()?;
    Some((Mention::Name(handle), "[]".len() + end))
}

/// The name without brackets after an `@`, and its length: letters of the same kind, digits, `-` and `_`.
fn token(rest: &str) -> Option<(Mention, usize)> {
    let first = rest.chars().next()?;
    let belongs = |letter: char| {
        matches!(letter, '-' | '_') || (letter.is_alphanumeric() && is_unspaced(letter) == is_unspaced(first))
    };
    let end = rest.find(|letter| !belongs(letter)).unwrap_or(rest.len());
    let (token, after) = rest.split_at(end);
    // A package name, such as @types/node.
    if after.starts_with('/') || token.chars().nth(LONGEST).is_some() {
        return None;
    }
    let mention = token.parse().map(Mention::Actor).ok().or_else(|| Handle::of(token).map(Mention::Name))?;
    Some((mention, end))
}
