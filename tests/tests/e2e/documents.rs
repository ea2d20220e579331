//! The Markdown documents of the repository: links, anchors, commands, and what they repeat of the code.

use std::{
    collections::{BTreeMap, BTreeSet, HashMap},
    path::{Path, PathBuf},
};

use buildtrack_settings::KNOWN;
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

/// The project's folder.
pub(crate) const ROOT: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/..");

/// Folders whose Markdown is not the project's.
const FOREIGN: [&str; 4] = ["target", "node_modules", ".git", "data"];

/// One Markdown file.
pub(crate) struct Document {
    /// From the project's folder.
    pub(crate) path: String,
    /// Its code blocks.
    pub(crate) blocks: Vec<Block>,
    links: Vec<String>,
    anchors: BTreeSet<String>,
}

/// A fenced code block.
pub(crate) struct Block {
    /// What stands behind the fence.
    info: String,
    pub(crate) text: String,
    /// Its first line in the file.
    pub(crate) line: usize,
}

impl Block {
    /// Whether the tests run it.
    pub(crate) fn is_run(&self) -> bool {
        self.info == "bash run"
    }
}

impl Document {
    /// Reads one.
    pub(crate) fn read(path: &str) -> Self {
        let text =
            std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap_or_else(|error| panic!("{path}: {error}"));
        let (mut blocks, mut links, mut headings) = (Vec::new(), Vec::new(), Vec::new());
        let (mut heading, mut block) = (None::<String>, None::<Block>);
        for (event, range) in Parser::new_ext(&text, Options::ENABLE_TABLES).into_offset_iter() {
            match event {
                Event::Start(Tag::Link { dest_url, .. } | Tag::Image { dest_url, .. }) => {
                    links.push(dest_url.into_string());
                }
                Event::Start(Tag::Heading { .. }) => heading = Some(String::new()),
                Event::End(TagEnd::Heading(_)) => headings.extend(heading.take()),
                Event::Start(Tag::CodeBlock(CodeBlockKind::Fenced(info))) => {
                    let line = text[..range.start].lines().count() + 2;
                    block = Some(Block { info: info.into_string(), text: String::new(), line });
                }
                Event::End(TagEnd::CodeBlock) => blocks.extend(block.take()),
                Event::Text(part) | Event::Code(part) => {
                    if let Some(block) = &mut block {
                        block.text.push_str(&part);
                    } else if let Some(heading) = &mut heading {
                        heading.push_str(&part);
                    }
                }
                _ => (),
            }
        }
        Self { path: path.to_owned(), blocks, links, anchors: anchors(&headings) }
    }
}

/// The anchors that code hosts make of headings.
fn anchors(headings: &[String]) -> BTreeSet<String> {
    let mut used: HashMap<String, usize> = HashMap::new();
    let anchor = |heading: &String| {
        let lowered = heading.trim().to_lowercase().replace(' ', "-");
        let anchor: String =
            lowered.chars().filter(|letter| letter.is_alphanumeric() || "-_".contains(*letter)).collect();
        let count = used.entry(anchor.clone()).or_default();
        *count += 1;
        if *count == 1 { anchor } else { format!("{anchor}-{}", *count - 1) }
    };
    headings.iter().map(anchor).collect()
}

/// Every Markdown file of the project.
pub(crate) fn documents() -> Vec<Document> {
    let mut paths = Vec::new();
    collect(Path::new(ROOT), "md", &mut paths);
    paths.sort();
    paths.iter().map(|path| Document::read(&path.strip_prefix(ROOT).unwrap().to_string_lossy())).collect()
}

/// The files with an extension below a folder.
fn collect(folder: &Path, extension: &str, found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).unwrap() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        if path.is_dir() && !path.is_symlink() && !FOREIGN.contains(&&*name) {
            collect(&path, extension, found);
        } else if path.extension().is_some_and(|given| given == extension) {
            found.push(path);
        }
    }
}

/// The addresses that a page's links lead to.
pub(crate) fn hrefs(html: &str) -> impl Iterator<Item = &str> {
    html.split("<a href=\"").skip(1).filter_map(|rest| rest.split('"').next())
}

#[test]
fn every_link_and_anchor_in_the_documents_leads_somewhere() {
    let documents = documents();
    let anchors: BTreeMap<_, _> = documents.iter().map(|page| (resolved("", &page.path), &page.anchors)).collect();
    let mut broken = Vec::new();
    for page in &documents {
        for link in page.links.iter().filter(|link| !link.contains("://") && !link.starts_with("mailto:")) {
            let (file, anchor) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.path.clone() } else { resolved(&page.path, file) };
            let is_there = Path::new(ROOT).join(&target).exists();
            let has_anchor = anchor.is_empty() || anchors.get(&target).is_some_and(|anchors| anchors.contains(anchor));
            if !is_there || !has_anchor {
                broken.push(format!("{}: {link}", page.path));
            }
        }
    }
    assert!(broken.is_empty(), "{}", broken.join("\n"));
}

/// A path from the project's folder, of a link relative to a file.
fn resolved(from: &str, link: &str) -> String {
    let mut segments: Vec<_> = from.split('/').collect();
    segments.pop();
    for segment in link.split('/') {
        match segment {
            "" | "." => (),
            ".." => drop(segments.pop().expect("a link stays in the project")),
            name => segments.push(name),
        }
    }
    segments.join("/")
}

#[test]
fn every_block_of_commands_runs_or_says_why_it_cannot() {
    let mut unmarked = Vec::new();
    for page in documents() {
        for block in &page.blocks {
            let language = block.info.split_whitespace().next().unwrap_or_default();
            let is_shell = matches!(language, "bash" | "sh" | "shell" | "console" | "zsh");
            let reason = block.info.strip_prefix("bash norun: ").is_some_and(|reason| reason.len() > 10);
            if is_shell && !block.is_run() && !reason {
                unmarked.push(format!("{}:{}: ```{}", page.path, block.line, block.info));
            }
        }
    }
    assert!(unmarked.is_empty(), "neither `bash run` nor `bash norun: REASON`:\n{}", unmarked.join("\n"));
}

/// The names between backticks in the first column of a page's tables.
fn first_column(path: &str) -> BTreeSet<String> {
    let text = std::fs::read_to_string(Path::new(ROOT).join(path)).unwrap();
    let rows = text.lines().filter_map(|line| line.strip_prefix("| `"));
    rows.filter_map(|row| row.split('`').next().map(ToOwned::to_owned)).collect()
}

#[test]
fn the_configuration_page_has_every_setting_and_no_other() {
    let page = first_column("docs/guide/configuration.md");
    let named = page.into_iter().filter(|name| name.chars().all(|letter| letter.is_ascii_uppercase() || letter == '_'));
    let outside = ["OTEL_EXPORTER_OTLP_ENDPOINT", "OTEL_SERVICE_NAME"].map(ToOwned::to_owned);
    let known: BTreeSet<_> = KNOWN.iter().map(buildtrack_settings::Known::variable).chain(outside).collect();
    assert_eq!(named.collect::<BTreeSet<_>>(), known);
}

#[test]
fn the_configuration_page_has_the_default_of_every_setting() {
    let text = std::fs::read_to_string(Path::new(ROOT).join("docs/guide/configuration.md")).unwrap();
    for known in KNOWN {
        let row = text.lines().find(|line| line.starts_with(&format!("| `{}` ", known.variable()))).unwrap_or_default();
        let default = known.default.filter(|default| !default.is_empty());
        assert!(default.is_none_or(|default| row.contains(&format!("| `{default}` |"))), "{}: {row}", known.variable());
    }
}

#[test]
fn the_metrics_page_has_every_metric_and_no_other() {
    let source = std::fs::read_to_string(Path::new(ROOT).join("crates/traces/src/descriptions.rs")).unwrap();
    let quoted =
        source.split('"').skip(1).step_by(2).filter(|text| text.starts_with("buildtrack_") && *text != "buildtrack_");
    let recorded: BTreeSet<_> = quoted.map(ToOwned::to_owned).collect();
    let page = first_column("docs/guide/metrics.md");
    assert_eq!(
        page.iter().filter_map(|name| name.split('{').next()).map(ToOwned::to_owned).collect::<BTreeSet<_>>(),
        recorded
    );
}

#[test]
fn the_webhooks_page_shows_every_receiver_as_it_is() {
    let page = Document::read("docs/guide/webhooks.md");
    for file in ["node/receiver.mjs", "python/receiver.py", "go/receiver.go", "rust/receiver.rs"] {
        let text = std::fs::read_to_string(Path::new(ROOT).join("docs/examples/receivers").join(file)).unwrap();
        assert!(page.blocks.iter().any(|block| block.text == text), "{file} differs from its block");
    }
}

#[test]
fn every_test_that_the_page_of_limits_names_exists() {
    let page = std::fs::read_to_string(Path::new(ROOT).join("docs/reference/limits.md")).unwrap();
    let mut paths = Vec::new();
    collect(Path::new(ROOT), "rs", &mut paths);
    let read = |path: &PathBuf| (path.to_string_lossy().into_owned(), std::fs::read_to_string(path).unwrap());
    let files: Vec<_> = paths.iter().map(read).collect();
    let (mut named, mut missing) = (0, Vec::new());
    // Rows of a table of bounds have their tests in the last column.
    for row in page.lines().filter_map(|line| line.strip_prefix("| ")?.strip_suffix(" |")) {
        let tests = row.rsplit(" | ").next().unwrap_or_default();
        let mut mapped_path = String::new();
        for name in tests.split('`').skip(1).step_by(2).filter(|name| name.contains(".rs") || name.contains("::")) {
            let (package, path) = name.rsplit_once(' ').unwrap_or(("", name));
            let (modules, function) = match path.rsplit_once("::") {
                Some((modules, function)) if function != "tests" => (modules, function),
                _ => (path, ""),
            };
            if modules != "…" {
                let folder = if package.is_empty() { "e2e/" } else { "" };
                let below = modules.trim_end_matches("tests").trim_end_matches("::").replace("::", "/");
                mapped_path = format!("/{folder}{below}");
            }
            named += 1;
            let is_there = |path: &str| {
                path.ends_with(&mapped_path)
                    || path.contains(&format!("{mapped_path}/"))
                    || path.ends_with(&format!("{mapped_path}.rs"))
            };
            let function =
                function.strip_prefix('*').map_or_else(|| format!("fn {function}("), |end| format!("{end}("));
            let has = |text: &str| function == "fn (" || text.contains(&function);
            if !files.iter().any(|(path, text)| is_there(path) && has(text)) {
                missing.push(name);
            }
        }
    }
    assert!(named > 100, "{named}");
    assert!(missing.is_empty(), "docs/reference/limits.md names tests that do not exist: {missing:?}");
}
