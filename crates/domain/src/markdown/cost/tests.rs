use proptest::prelude::*;
use pulldown_cmark::html::push_html;

use super::*;

/// Parts of texts that parsers and sanitisers take long for when they are repeated.
const UNITS: &[&str] = &[
    ">",
    "> ",
    ">- ",
    "- ",
    "1. ",
    "1.\n",
    "-\n",
    "- \n\n",
    "- - a\n",
    "> a\n",
    "#\n",
    "a\n=\n",
    "---\n",
    "a\n\n",
    "  \n",
    "*",
    "**",
    "_",
    "*a ",
    "**a ",
    "*a_",
    "*a **a ",
    "***a***",
    "~~",
    "~~a ",
    "`",
    "`` ` ",
    "`a`",
    "[",
    "![",
    "]",
    "[]",
    "[a](",
    "[a](b \"",
    "| [a](b \" ",
    "[a](<b",
    "[a](b)",
    "![a](b)",
    "[![a](b)](",
    "[a]",
    "[a]: b\n",
    "[a]: b '",
    "[^a]",
    "<!--",
    "<!-- a -->",
    "<",
    "<a ",
    "<a b=\"",
    "</",
    "<?",
    "<![CDATA[",
    "&",
    "&#x",
    "\\",
    "|",
    "|-",
    "a|",
    "```\n",
    "    ",
    "\t",
    "\n",
    "<http://a>",
    "\"",
    "\u{1f600}",
    "\u{301}",
    "a",
    " ",
];

fn excess(text: &str) -> Option<(Limit, usize)> {
    check(text).err().map(|Excess { limit, line }| (limit, line))
}

#[test]
fn what_people_write_is_within_the_limits() {
    let list: String = (0..8).flat_map(|level| ["  ".repeat(level), "- level\n".to_owned()]).collect();
    let table = format!(
        "{}|\n{}|\n{}",
        "| name ".repeat(20),
        "|---".repeat(20),
        format!("{}|\n", "| 17 ".repeat(20)).repeat(100)
    );
    let links = "See [the guide](https://build.example/docs/guide/webhooks.html), please.\n".repeat(270);
    let thread: String = (1..=10).flat_map(|depth| [">".repeat(depth), " answer\n".to_owned()]).collect();
    let code = format!("```\n{}\n```", ">".repeat(15_000));
    let rule = "* * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * * *";
    for text in ["", "word ".repeat(4000).as_str(), &list, &table, &links, &thread, &code, rule, &"&<>\"".repeat(5000)]
    {
        assert_eq!(excess(text), None, "{}", &text[..text.len().min(60)]);
    }
}

#[test]
fn each_limit_names_the_line_that_exceeds_it() {
    let deep = |levels: usize| format!("first\n\n{}a", ">".repeat(levels));
    assert_eq!(excess(&deep(NESTING_MAX - 1)), None);
    assert_eq!(excess(&deep(NESTING_MAX + 1)), Some((Limit::Nesting, 3)));
    let table = |columns: usize| format!("{}|\n{}|\n", "|a".repeat(columns), "|-".repeat(columns));
    assert_eq!((excess(&table(COLUMNS_MAX)), excess(&table(COLUMNS_MAX + 1))), (None, Some((Limit::Columns, 1))));
    let links = |count: usize| "[a](b)\n".repeat(count);
    assert_eq!((excess(&links(LINKS_MAX)), excess(&links(LINKS_MAX + 1))), (None, Some((Limit::Links, LINKS_MAX + 1))));
    assert_eq!(excess(&format!("[a]: b\n\n{}", "[a]\n".repeat(LINKS_MAX + 1))), Some((Limit::Links, LINKS_MAX + 3)));
    let rules = |count: usize| "\n---\n".repeat(count);
    assert_eq!(
        (excess(&rules(ELEMENTS_MAX)), excess(&rules(2 * ELEMENTS_MAX)).map(|(limit, _)| limit)),
        (None, Some(Limit::Elements))
    );
    let expanded = format!("[a]: http://{}\n\n{}", "b".repeat(9000), "[a] ".repeat(LINKS_MAX));
    assert_eq!(excess(&expanded), Some((Limit::Html, 3)));
}

#[test]
fn texts_that_nest_or_grow_are_refused() {
    let columns = format!("{}|\n{}|\n{}", "|".repeat(2000), "|-".repeat(2000), "|\n".repeat(5000));
    let steps: String = (0..190).flat_map(|level| ["  ".repeat(level), "- a\n".to_owned()]).collect();
    let rows = format!("{}|\n{}|\n{}", "|a".repeat(100), "|-".repeat(100), "|\n".repeat(5000));
    let repeated =
        [">", "> ", ">- ", "+ ", "1. ", "[![a](b)](", "- - a\n"].map(|unit| unit.repeat(20_000 / unit.len()));
    for text in repeated.iter().chain([&columns, &steps, &rows]) {
        assert!(check(text).is_err(), "{}", &text[..20]);
    }
}

#[test]
fn an_excess_is_stated_in_a_sentence() {
    let excess = check(&">".repeat(20_000)).unwrap_err();
    let sentence = "line 1 of the Markdown nests quotes, lists and formatting more than 32 levels deep";
    assert_eq!(excess.to_string(), sentence);
}

proptest! {
    #[test]
    fn the_html_of_an_accepted_text_stays_within_its_limit(
        parts in proptest::collection::vec((prop::sample::select(UNITS), 1_usize..3000), 1..6),
    ) {
        let text: String = parts.iter().map(|(unit, count)| unit.repeat(*count)).collect();
        let text: String = text.chars().take(20_000).collect();
        if check(&text).is_ok() {
            let mut html = String::new();
            push_html(&mut html, parser(&text));
            prop_assert!(html.len() <= HTML_MAX, "{} bytes", html.len());
        }
    }
}
