//! The Model Context Protocol at `POST /mcp`

mod checkers;
mod client;
mod limits;
mod protocol;
mod tools;

use buildtrack_tests::{Caller, Reply, Request};
use serde_json::{Value, json};

const PATH: &str = "/mcp";
const STATELESS: &str = "2026-07-28";

/// A request as the revisions with a handshake have it.
fn ask(caller: &Caller, method: &str, params: Value) -> Request {
    let mut message = json!({ "jsonrpc": "2.0", "id": 1, "method": method });
    message["params"] = params;
    caller.post(PATH, message)
}

/// A request as the stateless revision has it.
fn ask_alone(caller: &Caller, method: &str, mut params: Value) -> Request {
    params["_meta"] = metadata();
    let name = params.get("name").or(params.get("uri")).and_then(Value::as_str).map(ToOwned::to_owned);
    let request = ask(caller, method, params).header("mcp-protocol-version", STATELESS).header("mcp-method", method);
    match name {
        Some(name) => request.header("mcp-name", &name),
        None => request,
    }
}

/// The metadata of every stateless request.
fn metadata() -> Value {
    json!({
        "io.modelcontextprotocol/protocolVersion": STATELESS,
        "io.modelcontextprotocol/clientCapabilities": {},
    })
}

/// A call of a tool.
pub(crate) fn call(caller: &Caller, name: &str, arguments: Value) -> Request {
    let mut params = json!({ "name": name });
    params["arguments"] = arguments;
    ask(caller, "tools/call", params)
}

/// The structured content of a call that succeeds.
pub(crate) async fn tool(caller: &Caller, name: &str, arguments: Value) -> Value {
    let reply = call(caller, name, arguments).await.expect_status(200);
    let result = &reply["result"];
    assert_eq!(result["isError"], false, "{name}: {}", reply.text);
    let text: Value = serde_json::from_str(&reply.text_at("/result/content/0/text")).unwrap();
    assert_eq!(text, result["structuredContent"], "{name}");
    result["structuredContent"].clone()
}

/// The problem of a call that fails.
#[track_caller]
fn problem(reply: &Reply) -> Value {
    assert_eq!((reply.status, &reply["result"]["isError"]), (200, &json!(true)), "{}", reply.text);
    assert!(reply["result"].get("structuredContent").is_none(), "{}", reply.text);
    serde_json::from_str(&reply.text_at("/result/content/0/text")).unwrap()
}
