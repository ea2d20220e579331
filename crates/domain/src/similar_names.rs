//! The most similar of several known names, as a suggestion for a misspelled one.

/// The maximum number of characters of a name that is compared.
const COMPARED_MAX: usize = 64;

/// The known name that is most similar to `name`, if one is similar enough. Case and punctuation make no difference.
pub fn most_similar<'a>(name: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    if name.chars().nth(COMPARED_MAX).is_some() {
        return None;
    }
    let name = letters(name);
    let (distance, nearest) = known.into_iter().map(|known| (distance(&name, &letters(known)), known)).min()?;
    (distance <= 1 + name.len() / 4).then_some(nearest)
}

fn letters(name: &str) -> Vec<char> {
    name.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// The Levenshtein distance.
fn distance(one: &[char], other: &[char]) -> usize {
    let mut row: Vec<usize> = (0..=other.len()).collect();
    for (index, letter) in one.iter().enumerate() {
        let mut diagonal = row[0];
        row[0] = index + 1;
        for (column, counterpart) in other.iter().enumerate() {
            let replaced = diagonal + usize::from(letter != counterpart);
            diagonal = row[column + 1];
            row[column + 1] = replaced.min(diagonal + 1).min(row[column] + 1);
        }
    }
    row[other.len()]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_misspelled_name_suggests_the_most_similar_one() {
        let known = ["content", "kind", "replyTo", "upvotes"];
        for (name, expected) in [
            ("contents", Some("content")),
            ("Content", Some("content")),
            ("knid", Some("kind")),
            ("reply_to", Some("replyTo")),
            ("upvote", Some("upvotes")),
            ("colour", None),
            ("", None),
        ] {
            assert_eq!(most_similar(name, known), expected, "{name}");
        }
        assert_eq!(most_similar(&"content".repeat(100), known), None);
        assert_eq!(most_similar("content", []), None);
    }
}
