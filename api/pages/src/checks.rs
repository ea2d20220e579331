//! Checks of the catalogues: no message is missing in any language, none is left over, and no template holds a text of its own.

use std::{
    collections::{BTreeMap, BTreeSet},
    fs,
    path::{Path, PathBuf},
};

use buildtrack_domain::{arena::tasks::League, workspaces::MessageKind};
use fluent_bundle::FluentResource;

use super::{catalogues, languages::Language};

/// Names, and abbreviations that every language has.
const SAME_EVERYWHERE: [&str; 4] = ["Buildtrack", "JSON", "Buchholz", "Sonneborn-Berger"];
/// Attributes that people read.
const READ: [&str; 5] = [" aria-label=\"", " title=\"", " alt=\"", " placeholder=\"", " data-copied=\""];

/// A message: its text, and the names of its values.
type Messages = BTreeMap<String, (String, BTreeSet<String>)>;

/// The folder of the templates and texts.
fn sources() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("src")
}

/// Every file below a folder with this extension, with its text.
fn files(folder: &Path, extension: &str) -> Vec<(PathBuf, String)> {
    let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let found = entries.map(|path| match path.extension().and_then(|extension| extension.to_str()) {
        _ if path.is_dir() => files(&path, extension),
        Some(known) if known == extension => vec![(path.clone(), fs::read_to_string(&path).unwrap())],
        _ => vec![],
    });
    found.flatten().collect()
}

fn templates() -> Vec<(PathBuf, String)> {
    files(&sources(), "html")
}

/// The programs without their tests.
fn programs() -> Vec<(PathBuf, String)> {
    let programs = files(&Path::new(env!("CARGO_MANIFEST_DIR")).join(".."), "rs").into_iter();
    let programs = programs.map(|(path, text)| {
        let text = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default().to_owned();
        (path, text)
    });
    programs.filter(|(path, _)| !path.ends_with("src/checks.rs")).collect()
}

/// The messages of a catalogue.
fn messages(text: &str) -> Messages {
    let parsed = FluentResource::try_new(text.to_owned()).map_err(|(_, errors)| errors).unwrap();
    let mut messages = Messages::new();
    let mut current = None;
    for line in text.lines().filter(|line| !line.starts_with('#')) {
        if let Some((key, _)) =
            line.split_once(" =").filter(|_| line.starts_with(|first: char| first.is_ascii_lowercase()))
        {
            assert!(messages.insert(key.to_owned(), (String::new(), BTreeSet::new())).is_none(), "{key} twice");
            current = Some(key.to_owned());
        }
        let Some((message, names)) = current.as_ref().and_then(|key| messages.get_mut(key)) else { continue };
        message.push_str(line);
        names.extend(line.split('$').skip(1).map(|rest| beginning(rest, |letter| letter.is_ascii_alphanumeric())));
    }
    assert_eq!(messages.len(), parsed.entries().count());
    messages
}

/// The letters at the beginning of a text.
fn beginning(text: &str, is_part: impl Fn(char) -> bool) -> String {
    text.chars().take_while(|letter| is_part(*letter)).collect()
}

/// All messages of a language; no two catalogues have one of the same name.
fn all_messages(language: Language) -> Messages {
    let mut all = Messages::new();
    for (key, message) in catalogues::sources(language).iter().flat_map(|text| messages(text)) {
        assert!(all.insert(key.clone(), message).is_none(), "{key} is in two catalogues");
    }
    all
}

/// A use of a message in a template: its key, its filter, and the names of the values that it gets.
fn uses(template: &str) -> Vec<(String, String, BTreeSet<String>)> {
    let mut uses = Vec::new();
    for (at, _) in template.match_indices("\"|say") {
        let key = template[..at].rsplit('"').next().unwrap_or_default().to_owned();
        let rest = &template[at + 2..];
        let filter = beginning(rest, |letter| letter.is_ascii_lowercase() || letter == '_');
        let arguments = rest[filter.len()..].strip_prefix('(').map(arguments).unwrap_or_default();
        uses.push((key, filter, arguments.iter().step_by(2).map(|name| name.trim_matches('"').to_owned()).collect()));
    }
    uses
}

/// The arguments of a call, from behind its parenthesis.
fn arguments(call: &str) -> Vec<String> {
    let (mut depth, mut is_quoted, mut arguments) = (1, false, vec![String::new()]);
    for letter in call.chars() {
        match letter {
            '"' => is_quoted = !is_quoted,
            '(' if !is_quoted => depth += 1,
            ')' if !is_quoted => depth -= 1,
            _ => (),
        }
        if depth == 0 {
            break;
        }
        if letter == ',' && depth == 1 && !is_quoted {
            arguments.push(String::new());
        } else if let Some(argument) = arguments.last_mut() {
            argument.push(letter);
        }
    }
    arguments.iter().map(|argument| argument.trim().to_owned()).collect()
}

/// A text without what stands between two marks.
fn without(text: &str, begin: &str, end: &str) -> String {
    let mut parts = text.split(begin);
    let first = parts.next().unwrap_or_default().to_owned();
    first + &parts.map(|part| part.split_once(end).map_or("", |(_, rest)| rest)).collect::<Vec<_>>().join(" ")
}

/// Whether a text has a word of people: two letters or more.
fn has_words(text: &str) -> bool {
    let text = SAME_EVERYWHERE.iter().fold(text.to_owned(), |text, same| text.replace(same, ""));
    text.split(|letter: char| !letter.is_ascii_alphabetic()).any(|word| word.len() > 1)
}

#[test]
fn every_catalogue_file_is_listed_and_exists_in_every_language() {
    for language in Language::ALL {
        let folder = sources().join("texts").join(language.tag());
        let found = files(&folder, "ftl").into_iter().map(|(path, _)| path);
        let found: BTreeSet<_> = found.map(|path| path.file_stem().unwrap().to_str().unwrap().to_owned()).collect();
        let listed: BTreeSet<_> = catalogues::NAMES.iter().map(|name| (*name).to_owned()).collect();
        assert_eq!(found, listed, "{}", language.tag());
    }
}

#[test]
fn every_message_exists_in_every_language_with_the_same_values() {
    let english = all_messages(Language::English);
    for language in [Language::Korean, Language::Spanish] {
        let translated = all_messages(language);
        for (key, (_, values)) in &english {
            assert_eq!(translated.get(key).map(|(_, values)| values), Some(values), "{key} in {}", language.tag());
        }
        let unknown: Vec<_> = translated.keys().filter(|key| !english.contains_key(*key)).collect();
        assert!(unknown.is_empty(), "{unknown:?} in {}", language.tag());
    }
}

#[test]
fn templates_use_messages_that_exist_with_their_values_and_escape_all_but_markup() {
    let english = all_messages(Language::English);
    let mut count = 0;
    for (path, template) in templates() {
        for (key, filter, values) in uses(&template) {
            let (text, expected) = english.get(&key).unwrap_or_else(|| panic!("{key} of {}", path.display()));
            assert_eq!(&values, expected, "{key} of {}", path.display());
            let number = ["one", "two", "three"].iter().position(|number| filter.ends_with(number));
            assert_eq!(number.map_or(0, |number| number + 1), values.len(), "{key}|{filter}");
            assert!(!text.contains('<') || filter.starts_with("say_html"), "{key}|{filter}");
            count += 1;
        }
    }
    assert!(count > 100, "{count}");
}

/// In a program that makes pages, a text that begins with the name of a catalogue and a hyphen is a key.
#[test]
fn programs_use_messages_that_exist() {
    let english = all_messages(Language::English);
    let is_key = |text: &&str| {
        let catalogue =
            catalogues::NAMES.iter().any(|name| text.strip_prefix(name).is_some_and(|rest| rest.starts_with('-')));
        catalogue
            && !catalogues::NAMES.contains(text)
            && text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'-')
    };
    for (path, program) in programs().into_iter().filter(|(_, program)| program.contains("pages")) {
        let said = [".say(\"", ".say_with(\""].into_iter().flat_map(|call| program.split(call).skip(1));
        let said = said.filter_map(|rest| rest.split('"').next());
        for key in program.split('"').filter(is_key).chain(said) {
            assert!(english.contains_key(key), "{key} of {}", path.display());
        }
    }
}

#[test]
fn no_message_is_left_over() {
    let texts: String = templates().into_iter().chain(programs()).map(|(_, text)| text).collect();
    let english = all_messages(Language::English);
    let unused = english.keys().filter(|key| !key.starts_with("word-") && !texts.contains(&format!("\"{key}\"")));
    assert_eq!(unused.collect::<Vec<_>>(), Vec::<&String>::new());
}

#[test]
fn no_template_holds_a_text_of_its_own() {
    for (path, template) in templates() {
        let bare = [("{{", "}}"), ("{%", "%}"), ("<pre", "</pre>"), ("<code", "</code>")];
        let bare = bare.iter().fold(template, |text, (begin, end)| without(&text, begin, end));
        for attribute in READ {
            for value in bare.split(attribute).skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(!has_words(value), "{attribute}{value}\" in {}", path.display());
            }
        }
        for line in without(&bare, "<", ">").lines() {
            assert!(!has_words(line), "{line} in {}", path.display());
        }
    }
}

#[test]
fn words_of_the_api_that_pages_show_most_are_translated() {
    let english = all_messages(Language::English);
    let kinds = MessageKind::ALL.into_iter().map(MessageKind::as_str);
    for word in kinds.chain(League::ALL.into_iter().map(League::as_str)) {
        assert!(english.contains_key(&format!("word-{word}")), "{word}");
        assert_eq!(Language::English.word(word), word);
    }
}

#[test]
fn a_text_in_a_template_is_noticed() {
    assert!(has_words(&without("<p class=\"lead\">Agents</p>", "<", ">")));
    assert!(!has_words(&without("<p class=\"lead\">· → JSON 3 s</p>", "<", ">")));
    let uses = uses("{{ \"a-key\"|say_two(\"name\", name(a, \")\"), \"count\", 3) }}");
    let values = ["name", "count"].map(ToOwned::to_owned).into();
    assert_eq!(uses, [("a-key".to_owned(), "say_two".to_owned(), values)]);
}
