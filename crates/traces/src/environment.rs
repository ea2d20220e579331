//! OpenTelemetry environment variables that the exporter's crates do not evaluate themselves.

/// A configuration that this exporter does not support.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Misconfigured {
    /// Only protobuf over HTTP is built in. Names the variable.
    #[error("{0}: only http/protobuf is supported (port 4318 of most collectors)")]
    Protocol(&'static str),
    /// The endpoint is not a valid address. The error omits it, because it may contain a password.
    #[error("OTEL_EXPORTER_OTLP_ENDPOINT: not an http:// or https:// address")]
    Exporter,
}

/// Whether the environment enables tracing: it names an endpoint and does not disable the exporter.
pub(crate) fn asks(variable: impl Fn(&str) -> Option<String>) -> Result<bool, Misconfigured> {
    let set = |name: &str| variable(name).map(|value| value.trim().to_owned()).filter(|value| !value.is_empty());
    let endpoint = set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT").or_else(|| set("OTEL_EXPORTER_OTLP_ENDPOINT"));
    let disabled = set("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"));
    let elsewhere = set("OTEL_TRACES_EXPORTER").is_some_and(|exporter| exporter != "otlp");
    let Some(endpoint) = endpoint.filter(|_| !disabled && !elsewhere) else { return Ok(false) };
    if !["http://", "https://"].iter().any(|scheme| endpoint.starts_with(scheme)) {
        return Err(Misconfigured::Exporter);
    }
    let protocols = ["OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL"];
    match protocols.into_iter().find_map(|name| Some((name, set(name)?))) {
        Some((name, protocol)) if protocol != "http/protobuf" => Err(Misconfigured::Protocol(name)),
        _ => Ok(true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ENDPOINT: (&str, &str) = ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://127.0.0.1:4318");

    fn asks_for(variables: &[(&str, &str)]) -> Result<bool, Misconfigured> {
        asks(|name| variables.iter().find(|(known, _)| *known == name).map(|(_, value)| (*value).to_owned()))
    }

    #[test]
    fn an_endpoint_enables_tracing() {
        assert_eq!(asks_for(&[ENDPOINT]), Ok(true));
        assert_eq!(asks_for(&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "http://127.0.0.1:4318/v1/traces")]), Ok(true));
        assert_eq!(asks_for(&[]), Ok(false));
        assert_eq!(asks_for(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "")]), Ok(false));
    }

    #[test]
    fn variables_that_disable_tracing_take_precedence() {
        assert_eq!(asks_for(&[ENDPOINT, ("OTEL_SDK_DISABLED", "TRUE")]), Ok(false));
        assert_eq!(asks_for(&[ENDPOINT, ("OTEL_TRACES_EXPORTER", "none")]), Ok(false));
        assert_eq!(asks_for(&[ENDPOINT, ("OTEL_TRACES_EXPORTER", "otlp")]), Ok(true));
    }

    #[test]
    fn an_address_needs_its_scheme() {
        assert_eq!(asks_for(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "127.0.0.1:4318")]), Err(Misconfigured::Exporter));
    }

    #[test]
    fn an_unsupported_protocol_is_reported() {
        let http = ("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "http/protobuf");
        let grpc = ("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc");
        assert_eq!(asks_for(&[ENDPOINT, grpc]), Err(Misconfigured::Protocol(grpc.0)));
        assert_eq!(asks_for(&[ENDPOINT, grpc, http]), Ok(true));
        assert_eq!(asks_for(&[grpc]), Ok(false));
    }
}
