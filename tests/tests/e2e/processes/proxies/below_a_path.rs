//! A server on a host that it shares, behind nginx and Caddy that pass the path on (docs/examples), and that take it away.

use std::path::Path;

use buildtrack_tests::Backend;
use rstest::rstest;
use serde_json::json;
use tokio_tungstenite::connect_async;

use super::Proxy;
use crate::processes::{
    client::Client,
    site::{Server, Site},
    waiting::soon,
};

const BASE: &str = "/buildtrack";

/// A configuration of docs/examples with this upstream.
fn example(name: &str, upstream: &str) -> String {
    let file = Path::new(env!("CARGO_MANIFEST_DIR")).join("../docs/examples").join(name);
    std::fs::read_to_string(file).unwrap().replace("127.0.0.1:8080", upstream)
}

/// nginx as in the example, or with a location that takes the path away.
async fn nginx(upstream: &str, takes_away: bool) -> Proxy {
    let taking = format!(
        "location {BASE}/ {{ proxy_pass http://{upstream}/; proxy_http_version 1.1; proxy_set_header Host $http_host;\n\
         proxy_set_header Upgrade $http_upgrade; proxy_set_header Connection $http_connection; }}\n\
         location ~ ^/\\.well-known/ {{ proxy_pass http://{upstream}; proxy_set_header Host $http_host; }}"
    );
    let locations = if takes_away { taking } else { example("nginx-below-a-path.conf", upstream) };
    Proxy::nginx_of(&format!("server {{ listen 8080;\n{locations}\nlocation / {{ return 204; }}\n}}")).await
}

/// Caddy as in the example without TLS, or with a route that takes the path away. `None` without Caddy.
async fn caddy(upstream: &str, takes_away: bool) -> Option<Proxy> {
    let taking = format!(
        "shared.example {{\n\thandle_path {BASE}/* {{\n\t\treverse_proxy {upstream}\n\t}}\n\
         \thandle /.well-known/* {{\n\t\treverse_proxy {upstream}\n\t}}\n}}\n"
    );
    let text = if takes_away { taking } else { example("Caddyfile-below-a-path", upstream) };
    Proxy::caddy(|address| {
        let text = text.replace("\nshared.example {", &format!("\nhttp://{address} {{"));
        let text = text.replacen("shared.example {", &format!("http://{address} {{"), usize::from(takes_away));
        format!("{{\n\tadmin off\n\tauto_https off\n}}\n{text}")
    })
    .await
}

/// Uses the server as browsers and programs do.
async fn use_through(proxy: &Proxy, server: &Server) {
    let client = Client::new(&proxy.url(), None);
    let within = async |path: &str| client.get(&format!("{BASE}{path}")).await;
    within("/livez").await.expect(200);
    let card = within("/.well-known/agent.json").await.expect(200);
    assert_eq!(card["endpoints"]["docs"], format!("https://shared.example{BASE}/docs"));
    let metadata = format!("/.well-known/oauth-authorization-server{BASE}");
    assert_eq!(client.get(&metadata).await.expect(200)["issuer"], format!("https://shared.example{BASE}"));
    let browser = client.clone().sending("accept", "text/html");
    let page = browser.get(&format!("{BASE}/build")).await.expect(200).as_str().unwrap().to_owned();
    let style = page.split(&format!("href=\"{BASE}/assets/pages.")).nth(1).unwrap().split('"').next().unwrap();
    within(&format!("/assets/pages.{style}")).await.expect(200);
    assert!(!page.contains("href=\"/build\"") && page.contains(&format!("href=\"{BASE}/build\"")), "{page}");
    // Redirects are followed, and stay below the path.
    let sign_in = browser.get(&format!("{BASE}/portal")).await.expect(200);
    assert!(sign_in.as_str().unwrap().contains(&format!("action=\"{BASE}/portal/sign-in")), "{sign_in}");
    let account = json!({"displayName": "Ada", "email": "ada@example.org", "password": "correct horse battery"});
    let opened = client.post(&format!("{BASE}/api/v1/accounts"), account).await;
    assert!(opened.header("location").starts_with(&format!("{BASE}/api/v1/accounts/")), "{opened:?}");
    let socket = format!("ws://{}{BASE}/events?cursor=0", proxy.url().trim_start_matches("http://"));
    let (_socket, answer) = soon("the upgrade", connect_async(socket)).await.unwrap();
    assert_eq!(answer.status().as_u16(), 101);
    // Probes ask the server itself.
    server.anyone().get("/readyz").await.expect(200);
}

#[rstest]
#[case::passed_on(false)]
#[case::taken_away(true)]
#[tokio::test]
async fn a_server_shares_its_host_behind_nginx_and_caddy(#[case] takes_away: bool) {
    let site = Site::new(Backend::Sqlite).await.with("BUILDTRACK_TRUSTED_PROXIES", "127.0.0.0/8");
    let site = site.with("BUILDTRACK_PUBLIC_URL", &format!("https://shared.example{BASE}"));
    let server = site.serve().await;
    let upstream = server.url().trim_start_matches("http://").to_owned();
    let proxy = nginx(&upstream, takes_away).await;
    use_through(&proxy, &server).await;
    if !takes_away {
        let client = Client::new(&proxy.url(), None);
        for path in ["/buildtrack/metrics", "/buildtrack/%6detrics", "/buildtrack//metrics"] {
            assert_eq!(client.get(path).await.status, 404, "{path}");
        }
        // Other paths of the host are those of other servers.
        assert_eq!(client.get("/buildtracks/build").await.status, 204);
    }
    let site = Site::new(Backend::Sqlite).await.with("BUILDTRACK_TRUSTED_PROXIES", "127.0.0.0/8");
    let site = site.with("BUILDTRACK_PUBLIC_URL", &format!("https://shared.example{BASE}"));
    let server = site.serve().await;
    let upstream = server.url().trim_start_matches("http://").to_owned();
    if let Some(proxy) = caddy(&upstream, takes_away).await {
        use_through(&proxy, &server).await;
    }
}
