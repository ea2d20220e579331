//! Revisions of the protocol: which one a message follows, and the headers that the stateless revision repeats from the body
//! (MCP 2026-07-28, «Request Metadata»).

use actix_web::http::header::HeaderMap;
use base64::{Engine, engine::general_purpose::STANDARD};
use serde_json::{Value, json};

use super::wire::{INVALID_PARAMS, Message, Refusal, excerpt};

/// The revision whose requests stand alone.
pub(super) const STATELESS: &str = "2026-07-28";
/// The revisions that begin with a handshake, the latest first.
pub(super) const WITH_HANDSHAKE: [&str; 3] = ["2025-11-25", "2025-06-18", "2025-03-26"];

/// The header that names the revision of a request or of an answer.
pub(super) const VERSION_HEADER: &str = "mcp-protocol-version";

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES_KEY: &str = "io.modelcontextprotocol/clientCapabilities";
const HEADER_MISMATCH: i64 = -32020;
const UNSUPPORTED_VERSION: i64 = -32022;

/// What a message expects of its answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Era {
    /// The revision without a handshake.
    Stateless,
    /// The revisions with one.
    Handshake,
}

impl Era {
    /// The era of a message. Errors: a revision that the server does not know, or metadata that contradict the headers.
    pub(super) fn of(message: &Message, headers: &HeaderMap) -> Result<Self, Refusal> {
        let header = text(headers, VERSION_HEADER);
        let meta = message.params.get("_meta");
        let named = meta.and_then(|meta| meta.get(VERSION_KEY));
        match (named, header) {
            _ if message.method == "initialize" => Ok(Self::Handshake),
            (None, None) => Ok(Self::Handshake),
            (None, Some(header)) if WITH_HANDSHAKE.contains(&header) => Ok(Self::Handshake),
            (None, Some(STATELESS)) => Err(malformed(VERSION_KEY)),
            (None, Some(other)) => Err(unsupported(other)),
            (Some(named), header) => {
                let named = named.as_str().ok_or_else(|| malformed(VERSION_KEY))?;
                if header != Some(named) {
                    return Err(mismatch("MCP-Protocol-Version", header, named));
                }
                if WITH_HANDSHAKE.contains(&named) {
                    return Ok(Self::Handshake);
                }
                if named != STATELESS {
                    return Err(unsupported(named));
                }
                if !meta.and_then(|meta| meta.get(CAPABILITIES_KEY)).is_some_and(Value::is_object) {
                    return Err(malformed(CAPABILITIES_KEY));
                }
                check_headers(message, headers)?;
                Ok(Self::Stateless)
            }
        }
    }
}

/// The revision that answers a handshake: the requested one, or the latest that has a handshake.
pub(super) fn negotiated(requested: Option<&str>) -> &'static str {
    let [latest, ..] = WITH_HANDSHAKE;
    WITH_HANDSHAKE.into_iter().find(|known| Some(*known) == requested).unwrap_or(latest)
}

/// The revision that an answer follows. For a request that names none, that is the one that the specification lets servers assume.
pub(super) fn answered(message: &Message, headers: &HeaderMap, era: Era) -> &'static str {
    let [.., assumed] = WITH_HANDSHAKE;
    match era {
        Era::Stateless => STATELESS,
        Era::Handshake if message.method == "initialize" => negotiated(message.text("protocolVersion")),
        Era::Handshake => {
            let header = text(headers, VERSION_HEADER);
            WITH_HANDSHAKE.into_iter().find(|known| Some(*known) == header).unwrap_or(assumed)
        }
    }
}

/// All revisions that the server knows, the latest first.
pub(super) fn known() -> Vec<&'static str> {
    std::iter::once(STATELESS).chain(WITH_HANDSHAKE).collect()
}

/// Compares the headers of a request with its body. Notifications need none.
fn check_headers(message: &Message, headers: &HeaderMap) -> Result<(), Refusal> {
    if message.id.is_none() {
        return Ok(());
    }
    let method = text(headers, "mcp-method");
    if method != Some(&*message.method) {
        return Err(mismatch("Mcp-Method", method, &message.method));
    }
    let name = match &*message.method {
        "tools/call" | "prompts/get" => message.text("name"),
        "resources/read" => message.text("uri"),
        _ => None,
    };
    let header = text(headers, "mcp-name");
    match name {
        Some(name) if header.and_then(decoded).as_deref() != Some(name) => Err(mismatch("Mcp-Name", header, name)),
        _ => Ok(()),
    }
}

fn text<'a>(headers: &'a HeaderMap, name: &str) -> Option<&'a str> {
    headers.get(name).and_then(|value| value.to_str().ok()).map(str::trim)
}

/// The value of a header, which clients encode if it is not plain ASCII («Value Encoding»).
fn decoded(header: &str) -> Option<String> {
    match header.strip_prefix("=?base64?").and_then(|rest| rest.strip_suffix("?=")) {
        Some(encoded) => STANDARD.decode(encoded).ok().and_then(|bytes| String::from_utf8(bytes).ok()),
        None => Some(header.to_owned()),
    }
}

fn malformed(key: &str) -> Refusal {
    Refusal::new(INVALID_PARAMS, format!("params._meta must have {key}, as in revision {STATELESS}."))
}

fn mismatch(name: &str, header: Option<&str>, body: &str) -> Refusal {
    let header = header.map_or_else(|| "missing".to_owned(), |header| format!("{:?}", excerpt(header)));
    let message = format!("Header mismatch: {name} is {header}, but the body has {:?}.", excerpt(body));
    Refusal::new(HEADER_MISMATCH, message)
}

fn unsupported(requested: &str) -> Refusal {
    let data = json!({ "supported": known(), "requested": excerpt(requested) });
    Refusal::new(UNSUPPORTED_VERSION, "Unsupported protocol version").with_data(data)
}

#[cfg(test)]
mod tests {
    use actix_web::http::header::{HeaderName, HeaderValue};

    use super::{super::arguments::Texts, *};

    fn era(params: &Value, headers: &[(&'static str, &str)]) -> Result<Era, i64> {
        let message = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params });
        let mut map = HeaderMap::new();
        for (name, value) in headers {
            map.insert(HeaderName::from_static(name), HeaderValue::from_str(value).unwrap());
        }
        Era::of(&Message::of(message, Texts::new()).unwrap(), &map).map_err(|refusal| refusal.code)
    }

    fn stateless(name: &str) -> Value {
        json!({ "name": name, "_meta": { VERSION_KEY: STATELESS, CAPABILITIES_KEY: {} } })
    }

    #[test]
    fn messages_without_metadata_follow_the_revisions_with_a_handshake() {
        assert_eq!(era(&json!({}), &[]), Ok(Era::Handshake));
        assert_eq!(era(&json!({}), &[("mcp-protocol-version", "2025-06-18")]), Ok(Era::Handshake));
        assert_eq!(era(&json!({}), &[("mcp-protocol-version", "1900-01-01")]), Err(UNSUPPORTED_VERSION));
        assert_eq!(era(&json!({}), &[("mcp-protocol-version", STATELESS)]), Err(INVALID_PARAMS));
        assert_eq!((negotiated(Some("2025-03-26")), negotiated(Some("2099-01-01"))), ("2025-03-26", "2025-11-25"));
    }

    #[test]
    fn the_headers_of_a_stateless_request_repeat_its_body() {
        let version = ("mcp-protocol-version", STATELESS);
        let (method, name) = (("mcp-method", "tools/call"), ("mcp-name", "next"));
        assert_eq!(era(&stateless("next"), &[version, method, name]), Ok(Era::Stateless));
        assert_eq!(
            era(&stateless("next"), &[version, method, ("mcp-name", "=?base64?bmV4dA==?=")]),
            Ok(Era::Stateless)
        );
        for headers in [
            &[method, name][..],
            &[version, name],
            &[version, method],
            &[version, method, ("mcp-name", "vote")],
            &[version, method, ("mcp-name", "=?base64?%%?=")],
            &[("mcp-protocol-version", "2025-06-18"), method, name],
        ] {
            assert_eq!(era(&stateless("next"), headers), Err(HEADER_MISMATCH), "{headers:?}");
        }
        let incapable = json!({ "name": "next", "_meta": { VERSION_KEY: STATELESS } });
        assert_eq!(era(&incapable, &[version, method, name]), Err(INVALID_PARAMS));
    }
}
