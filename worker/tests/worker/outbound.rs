//! Outbound HTTP: vetted addresses, bounded time and responses, no redirects.

use std::time::Duration;

use buildtrack_domain::targets::TargetError;
use buildtrack_worker::outbound::{Body, CallError, Client, Limits, Request, ResolveError, Response};
use reqwest::Method;

use crate::receiver::{Reaction, Receiver};

const BODY_MAX: usize = 10_000;

fn post(url: &str) -> Request<'_> {
    let limits = Limits { timeout: Duration::from_secs(10), body_max: BODY_MAX };
    Request { method: Method::POST, url, headers: vec![], body: Some("hello".to_owned()), limits }
}

fn short(url: &str) -> Request<'_> {
    let limits = Limits { timeout: Duration::from_millis(300), body_max: BODY_MAX };
    Request { limits, ..post(url) }
}

async fn send(request: Request<'_>) -> Result<Response, CallError> {
    Client::new(true).unwrap().send(request).await
}

#[tokio::test]
async fn a_request_is_sent_as_given_and_its_response_is_complete() {
    let said = Reaction::Responds(404, "Retry-After: 7\r\n", "unknown".to_owned());
    let mut receiver = Receiver::with_plan(vec![said]).await;
    let (client, url) = (Client::new(true).unwrap(), receiver.url());
    let headers = vec![("X-Kind", "round".to_owned()), ("Content-Type", "text/plain".to_owned())];
    let response = client.send(Request { headers, ..post(&url) }).await.unwrap();
    assert_eq!((response.status.as_u16(), &response.headers["retry-after"]), (404, &"7".parse().unwrap()));
    assert_eq!(response.body, Body { bytes: b"unknown".to_vec(), is_complete: true });
    assert!(response.elapsed < Duration::from_secs(10));
    client.send(Request { method: Method::GET, body: None, ..post(&url) }).await.unwrap();

    let [posted, got] = receiver.rest().try_into().unwrap();
    assert_eq!(posted.request_line, "POST /araf/webhook?token=of-the-url HTTP/1.1");
    assert_eq!((posted.header("x-kind"), posted.header("content-type")), ("round", "text/plain"));
    assert_eq!(posted.header("user-agent"), concat!("Buildtrack/", env!("CARGO_PKG_VERSION")));
    assert_eq!(posted.body, b"hello");
    assert_eq!(got.request_line, "GET /araf/webhook?token=of-the-url HTTP/1.1");
    assert_eq!((posted.connection, got.connection), (1, 1), "the connection is reused");
}

#[tokio::test]
async fn a_body_beyond_the_limit_is_cut_and_its_connection_closed() {
    for reaction in [Reaction::Endless, Reaction::Responds(200, "", "x".repeat(BODY_MAX * 100))] {
        let mut receiver = Receiver::with_plan(vec![reaction, Reaction::Status(200)]).await;
        let (client, url) = (Client::new(true).unwrap(), receiver.url());
        let cut = client.send(post(&url)).await.unwrap();
        assert_eq!(cut.body, Body { bytes: vec![b'x'; BODY_MAX], is_complete: false });
        let whole = client.send(post(&url)).await.unwrap();
        assert_eq!(whole.body, Body { bytes: b"{}".to_vec(), is_complete: true });
        let connections: Vec<_> = receiver.rest().iter().map(|received| received.connection).collect();
        assert_eq!(connections, [1, 2]);
    }
}

#[tokio::test]
async fn the_time_limit_covers_the_body() {
    let silent = Receiver::with_plan(vec![Reaction::Silence]).await;
    assert_eq!(send(short(&silent.url())).await, Err(CallError::Timeout));
    let stalling = Receiver::with_plan(vec![Reaction::Stalls]).await;
    let response = send(short(&stalling.url())).await.unwrap();
    assert_eq!(response.body, Body { bytes: b"123".to_vec(), is_complete: false });
}

#[tokio::test]
async fn a_broken_connection_and_a_closed_port_are_errors_without_the_address() {
    let receiver = Receiver::with_plan(vec![Reaction::HangsUp]).await;
    let url = receiver.url();
    let broken = send(post(&url)).await.unwrap_err();
    drop(receiver);
    let closed = send(post(&url)).await.unwrap_err();
    assert_eq!((broken.kind(), closed.kind()), ("answer", "connect"));
    assert!(!format!("{broken} {closed} {:?}", post(&url)).contains("token"));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    let mut elsewhere = Receiver::friendly().await;
    let receiver = Receiver::with_plan(vec![Reaction::Redirect(elsewhere.url())]).await;
    let response = send(post(&receiver.url())).await.unwrap();
    assert_eq!((response.status.as_u16(), &response.headers["location"]), (307, &elsewhere.url().parse().unwrap()));
    assert_eq!(elsewhere.rest(), []);
}

#[tokio::test]
async fn a_private_address_is_called_only_if_allowed() {
    let mut receiver = Receiver::friendly().await;
    let (strict, port) = (Client::new(false).unwrap(), receiver.port());
    let refused = |error: TargetError| Err(CallError::Target(error));
    assert_eq!(strict.send(post(&receiver.url())).await, refused(TargetError::Scheme));
    for host in ["127.0.0.1", "[::1]", "[::ffff:127.0.0.1]", "localhost", "10.0.0.1", "169.254.169.254"] {
        let url = format!("https://{host}:{port}/");
        assert_eq!(strict.send(post(&url)).await, refused(TargetError::NotPublic), "{url}");
    }
    assert_eq!(receiver.rest(), []);
    assert_eq!(send(post(&receiver.url())).await.unwrap().status.as_u16(), 200);
    assert_eq!(receiver.rest().len(), 1);
}

#[tokio::test]
async fn vetting_reports_the_errors_of_a_call() {
    let client = Client::new(false).unwrap();
    assert_eq!(client.vet("https://127.0.0.1/").await, Err(CallError::Target(TargetError::NotPublic)));
    assert!(client.vet("https://1.1.1.1/").await.is_ok());
    // A reserved name, so that no network is needed.
    let unknown = client.vet("https://no-such-host.invalid/").await;
    assert!(matches!(unknown, Err(CallError::Resolve(ResolveError::Unknown(_)) | CallError::Timeout)), "{unknown:?}");
    let open = Client::new(true).unwrap();
    assert!(open.vet("http://localhost:9000/").await.is_ok());
}

#[tokio::test]
async fn a_target_beyond_its_budget_is_refused_until_it_has_answered() {
    let client = Client::new(true).unwrap().bounded("unverified=1,rate=50".parse().unwrap());
    let receiver = Receiver::with_plan(vec![Reaction::Status(404), Reaction::Status(204)]).await;
    let url = receiver.url();
    let permit = client.admit(&url, false).await.unwrap();
    let mut admitted = 1;
    while client.admit(&url, false).await.is_ok() {
        admitted += 1;
        assert!(admitted < 100, "calls to one target are unlimited");
    }
    client.send_within(&permit, post(&url)).await.unwrap();
    assert!(client.admit(&url, false).await.is_err());
    client.send_within(&permit, post(&url)).await.unwrap();
    assert!(client.admit(&url, false).await.is_ok());
}
