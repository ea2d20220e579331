//! The doors for agents that speak other protocols: MCP, A2A and OAuth.

pub mod a2a;
pub mod mcp;
pub mod oauth;
