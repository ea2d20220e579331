//! The two-party exchange.

mod documents;
mod supports;
mod wellknown;

use serde_json::{Value, json};

/// A document of this name.
fn document(name: &str, description: &str) -> String {
    format!("name: {name}\ndescription: {description}\nmultiround: false\n---\nSend {{\"place\": string}}.\n")
}

/// The same to register.
fn protocol(name: &str, description: &str) -> Value {
    json!({ "text": document(name, description) })
}
