//! Code samples of an operation in curl, Python, JavaScript and Rust. Each runs as pasted; the session token comes from the
//! environment variable `BUILDTRACK_TOKEN`.
//!
//! The parts of a sample that a reader fills in are marked (`data-part`), so that the script of the page can replace them.

use std::{fmt, fmt::Write};

use askama::filters::HtmlSafe;
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use serde_json::Value;

use super::prose::escaped;

/// The characters that an address shows as they are (RFC 3986, section 2.3).
const PLAIN: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'.').remove(b'_').remove(b'~').remove(b':');

/// A code sample.
#[derive(Debug)]
pub(crate) struct Sample {
    /// Its language, for people.
    pub(crate) language: &'static str,
    pub(crate) code: Code,
}

/// Code as HTML, with marked parts.
#[derive(Debug)]
pub(crate) struct Code(String);

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

/// [`Request::samples`] escapes every value.
impl HtmlSafe for Code {}

/// The request that samples send.
pub(super) struct Request<'a> {
    /// In upper case.
    pub(super) method: &'a str,
    /// With parameters in braces.
    pub(super) path: &'a str,
    /// Place, name and example of each required parameter.
    pub(super) parameters: Vec<(&'a str, &'a str, &'a str)>,
    pub(super) body: Option<&'a Value>,
    pub(super) needs_session: bool,
    /// Whether the answer does not end.
    pub(super) is_stream: bool,
    /// The base URL of the server.
    pub(super) base: &'a str,
}

/// The forms in which languages write a JSON document.
#[derive(Clone, Copy)]
enum Literal {
    /// Within single quotes of a shell.
    Shell,
    /// With `True`, `False` and `None`.
    Python,
    /// As JSON, which is valid in JavaScript and in `serde_json::json!`.
    Json,
}

impl Request<'_> {
    /// The samples in all languages.
    pub(super) fn samples(&self) -> Vec<Sample> {
        let sample = |language, code| Sample { language, code: Code(code) };
        vec![
            sample("curl", self.curl()),
            sample("Python", self.python()),
            sample("JavaScript", self.javascript()),
            sample("Rust", self.rust()),
        ]
    }

    /// The address, with each part marked.
    fn address(&self) -> String {
        let mut address = part("base", self.base);
        for (index, segment) in self.path.split('/').enumerate() {
            if index > 0 {
                address.push('/');
            }
            match segment.strip_prefix('{').and_then(|name| name.strip_suffix('}')) {
                Some(name) => address.push_str(&part(&format!("path:{name}"), &encoded(self.example("path", name)))),
                None => address.push_str(&escaped(segment)),
            }
        }
        let query = self.parameters.iter().filter(|(location, ..)| *location == "query");
        let query: Vec<_> = query.map(|(_, name, example)| format!("{name}={}", encoded(example))).collect();
        let query = if query.is_empty() { String::new() } else { format!("?{}", query.join("&")) };
        address.push_str(&part("query", &query));
        address
    }

    fn example(&self, location: &str, name: &str) -> &str {
        let known = self.parameters.iter().find(|(at, known, _)| *at == location && *known == name);
        known.map_or("", |(_, _, example)| *example)
    }

    /// The body, marked, with all lines but the first indented.
    fn body(&self, literal: Literal, indent: usize) -> Option<String> {
        let text = serde_json::to_string_pretty(self.body?).unwrap_or_default();
        let (form, text) = match literal {
            Literal::Shell => ("shell", text.replace('\'', "'\\''")),
            Literal::Python => ("python", python_literal(&text)),
            Literal::Json => ("json", text),
        };
        let text = escaped(&text.replace('\n', &format!("\n{}", " ".repeat(indent))));
        Some(format!("<span data-part=\"body\" data-form=\"{form}\" data-indent=\"{indent}\">{text}</span>"))
    }

    fn curl(&self) -> String {
        let mut code = if self.is_stream { "curl -sSN".to_owned() } else { "curl -sS".to_owned() };
        if self.method != "GET" {
            let _ = write!(code, " -X {}", self.method);
        }
        let _ = write!(code, " '{}'", self.address());
        if self.needs_session {
            code.push_str(&escaped(" \\\n  -H \"Authorization: Bearer $BUILDTRACK_TOKEN\""));
        }
        if let Some(body) = self.body(Literal::Shell, 0) {
            let _ = write!(code, " \\\n  -H 'Content-Type: application/json' \\\n  -d '{body}'");
        }
        code
    }

    fn python(&self) -> String {
        let mut imports = String::new();
        if self.body.is_some() {
            imports.push_str("import json\n");
        }
        if self.needs_session {
            imports.push_str("import os\n");
        }
        let mut arguments = format!("    \"{}\",\n    method=\"{}\",\n", self.address(), self.method);
        let mut headers = String::new();
        if self.needs_session {
            headers.push_str("        \"Authorization\": \"Bearer \" + os.environ[\"BUILDTRACK_TOKEN\"],\n");
        }
        if self.body.is_some() {
            headers.push_str("        \"Content-Type\": \"application/json\",\n");
        }
        if !headers.is_empty() {
            let _ = write!(arguments, "    headers={{\n{}    }},\n", escaped(&headers));
        }
        if let Some(body) = self.body(Literal::Python, 4) {
            let _ = writeln!(arguments, "    data=json.dumps({body}).encode(),");
        }
        let show = if self.is_stream {
            "for line in answer:\n    print(line.decode(), end=\"\", flush=True)"
        } else {
            "print(answer.status, answer.read().decode())"
        };
        format!(
            "{imports}import urllib.error\nimport urllib.request\n\nrequest = urllib.request.Request(\n{arguments})\ntry:\n    \
             answer = urllib.request.urlopen(request)\nexcept urllib.error.HTTPError as error:\n    answer = error\n{}",
            escaped(show)
        )
    }

    fn javascript(&self) -> String {
        let mut options = String::new();
        if self.method != "GET" {
            let _ = writeln!(options, "  method: \"{}\",", self.method);
        }
        let mut headers = String::new();
        if self.needs_session {
            headers.push_str("    Authorization: `Bearer ${process.env.BUILDTRACK_TOKEN}`,\n");
        }
        if self.body.is_some() {
            headers.push_str("    \"Content-Type\": \"application/json\",\n");
        }
        if !headers.is_empty() {
            let _ = write!(options, "  headers: {{\n{}  }},\n", escaped(&headers));
        }
        if let Some(body) = self.body(Literal::Json, 2) {
            let _ = writeln!(options, "  body: JSON.stringify({body}),");
        }
        let options = if options.is_empty() { String::new() } else { format!(", {{\n{options}}}") };
        let show = if self.is_stream {
            "for await (const part of answer.body) process.stdout.write(part);"
        } else {
            "console.log(answer.status, await answer.text());"
        };
        format!("const answer = await fetch(\"{}\"{options});\n{show}", self.address())
    }

    fn rust(&self) -> String {
        let mut call = format!("        .{}(\"{}\")\n", self.method.to_lowercase(), self.address());
        if self.needs_session {
            call.push_str(&escaped("        .bearer_auth(std::env::var(\"BUILDTRACK_TOKEN\")?)\n"));
        }
        if let Some(body) = self.body(Literal::Json, 8) {
            let _ = writeln!(call, "        .json(&amp;serde_json::json!({body}))");
        }
        let (binding, show) = if self.is_stream {
            ("mut answer", "std::io::copy(&mut answer, &mut std::io::stdout())?;")
        } else {
            ("answer", "println!(\"{} {}\", answer.status(), answer.text()?);")
        };
        let json = if self.body.is_some() { ", serde_json = \"1\"" } else { "" };
        let comment = format!("// reqwest = {{ version = \"0.13\", features = [\"blocking\", \"json\"] }}{json}\n");
        format!(
            "{}fn main() -&gt; Result&lt;(), Box&lt;dyn std::error::Error&gt;&gt; {{\n    let {binding} = \
             reqwest::blocking::Client::new()\n{call}        .send()?;\n    {}\n    Ok(())\n}}",
            escaped(&comment),
            escaped(show)
        )
    }
}

/// A marked part of an address.
fn part(name: &str, text: &str) -> String {
    format!("<span data-part=\"{}\">{}</span>", escaped(name), escaped(text))
}

/// A value as part of an address.
fn encoded(text: &str) -> String {
    utf8_percent_encode(text, PLAIN).to_string()
}

/// A JSON document as Python: outside texts, `true`, `false` and `null` have other names.
fn python_literal(json: &str) -> String {
    // Texts are the odd parts between quotes that no backslash precedes.
    let mut literal = String::with_capacity(json.len() + 16);
    let (mut is_text, mut is_escape, mut from) = (false, false, 0);
    for (at, letter) in json.char_indices() {
        if letter == '"' && !is_escape {
            add(&mut literal, &json[from..at], is_text);
            literal.push('"');
            (is_text, from) = (!is_text, at + 1);
        }
        is_escape = is_text && letter == '\\' && !is_escape;
    }
    add(&mut literal, &json[from..], is_text);
    literal
}

fn add(literal: &mut String, part: &str, is_text: bool) {
    if is_text {
        literal.push_str(part);
    } else {
        literal.push_str(&part.replace("true", "True").replace("false", "False").replace("null", "None"));
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_sample_has_the_address_the_token_and_the_body() {
        let body = json!({ "content": "It's \"true\"", "replyTo": null });
        let request = Request {
            method: "POST",
            path: "/api/v1/workspaces/{id}/messages",
            parameters: vec![("path", "id", "ws_1")],
            body: Some(&body),
            needs_session: true,
            is_stream: false,
            base: "https://build.example",
        };
        let samples = request.samples();
        assert_eq!(
            samples.iter().map(|sample| sample.language).collect::<Vec<_>>(),
            ["curl", "Python", "JavaScript", "Rust"]
        );
        for sample in &samples {
            let code = sample.code.to_string();
            for wanted in
                [">https://build.example</span>", "data-part=\"path:id\">ws_1</span>/messages", "BUILDTRACK_TOKEN"]
            {
                assert!(code.contains(wanted), "{code}");
            }
        }
        assert!(samples[0].code.0.contains("It'\\''s"), "{}", samples[0].code);
        assert!(samples[1].code.0.contains("&quot;replyTo&quot;: None"), "{}", samples[1].code);
        assert!(samples[1].code.0.contains("\\&quot;true\\&quot;"), "{}", samples[1].code);
    }

    #[test]
    fn a_value_in_an_address_is_encoded() {
        assert_eq!(encoded("push -poll&'ü"), "push%20-poll%26%27%C3%BC");
    }
}
