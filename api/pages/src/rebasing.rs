//! Links of pages on a host that the server shares: the base path before every address that begins with a slash.
//!
//! The addresses in a page come from templates, messages in three languages, the guide and handlers. They are all translated here, in
//! the one place that every page passes, so that none can be forgotten. This relies on what templates and the Markdown renderer
//! guarantee: values are escaped and stand in double quotes.

/// The attributes that name addresses, in HTML and for scripts.
const ADDRESSES: [&str; 6] = ["href", "src", "action", "formaction", "data-live", "data-refreshes"];

/// Puts the base path before the addresses of this server in a page. Without a base path, the page stays as it is.
pub(super) fn rebased(base: &str, html: String) -> String {
    if base.is_empty() {
        return html;
    }
    let mut page = String::with_capacity(html.len() + html.len() / 8);
    let mut rest = &*html;
    while let Some(at) = rest.find('<') {
        let (text, tag) = rest.split_at(at);
        let (tag, following) = tag.split_at(end_of_tag(tag));
        page.push_str(text);
        rebase_tag(base, tag, &mut page);
        rest = following;
    }
    page.push_str(rest);
    page
}

/// The length of the tag at the beginning of a text. A `>` in a value ends no tag.
fn end_of_tag(text: &str) -> usize {
    let mut is_quoted = false;
    let end = text.bytes().position(|byte| {
        is_quoted ^= byte == b'"';
        byte == b'>' && !is_quoted
    });
    end.map_or(text.len(), |end| end + 1)
}

fn rebase_tag(base: &str, tag: &str, page: &mut String) {
    let mut name = "";
    for (number, part) in tag.split('"').enumerate() {
        let is_value = number % 2 == 1;
        if number > 0 {
            page.push('"');
        }
        if is_value && ADDRESSES.contains(&name) && part.starts_with('/') && !part.starts_with("//") {
            page.push_str(base);
        }
        page.push_str(part);
        name = part.strip_suffix('=').and_then(|part| part.split_ascii_whitespace().last()).unwrap_or_default();
    }
}

#[cfg(test)]
mod tests {
    use super::rebased;

    #[test]
    fn addresses_of_this_server_begin_with_the_base_path() {
        for (html, expected) in [
            (
                r#"<a class="x" href="/build?a=b&amp;c">/build</a>"#,
                r#"<a class="x" href="/hub/build?a=b&amp;c">/build</a>"#,
            ),
            (r#"<a href="/">Home</a>"#, r#"<a href="/hub/">Home</a>"#),
            ("<script\n src=\"/assets/a.js\" defer></script>", "<script\n src=\"/hub/assets/a.js\" defer></script>"),
            (
                r#"<form action="/portal"><button formaction="/portal/x" value="/portal">"#,
                r#"<form action="/hub/portal"><button formaction="/hub/portal/x" value="/portal">"#,
            ),
            (
                r#"<p data-live="/live" title="a > b" data-refreshes="/x">"#,
                r#"<p data-live="/hub/live" title="a > b" data-refreshes="/hub/x">"#,
            ),
        ] {
            assert_eq!(rebased("/hub", html.to_owned()), expected);
            assert_eq!(rebased("", html.to_owned()), html);
        }
    }

    #[test]
    fn other_addresses_and_texts_stay_as_they_are() {
        for html in [
            r##"<a href="#main">Skip</a>"##,
            r#"<a href="https://other.example/build">"#,
            r#"<a href="//other.example/build">"#,
            r#"<p title="href=&quot;/build">"#,
            r#"<code>&lt;a href="/build"&gt;</code>"#,
            r#"<meta content="/build"><p data-href="/x">"#,
            "a < b",
            "<p",
        ] {
            assert_eq!(rebased("/hub", html.to_owned()), html);
        }
    }
}
