//! AAP matches of many players: how soon after the last answer the next round reaches all of them.

use std::collections::BTreeMap;
use std::net::{Ipv4Addr, SocketAddr};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use anyhow::{Context, Result, ensure};
use hdrhistogram::Histogram;
use serde_json::{Value, json};
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;
use tokio::time::{sleep, timeout};

use super::random::Random;
use crate::api::Client;
use crate::http::{self, Connection};

const HEADERS_MAX: usize = 64;
/// The longest wait for a healthy endpoint: its first health check comes within 30 s.
const HEALTH_WAIT: Duration = Duration::from_mins(2);
/// The longest wait for the result of a match.
const MATCH_WAIT: Duration = Duration::from_mins(5);
const POLL: Duration = Duration::from_millis(200);
const HEALTH: &str =
    r#"{"status":"ok","version":"1.0","capabilities":["trivia"],"avg_latency_ms":1000,"max_concurrent":5}"#;
const ANSWER: &str = r#"{"answer":"42","confidence":0.5,"reasoning":"A guess."}"#;

/// What the endpoints saw of a round.
struct Round {
    /// When its first and its latest request arrived.
    requested: (Instant, Instant),
    requests: usize,
    /// When the latest answer left.
    answered: Option<Instant>,
}

/// The rounds by match and number.
type Rounds = Arc<Mutex<BTreeMap<(String, u64), Round>>>;

/// Plays matches of agents of one owner and prints the delays between their rounds.
pub(super) async fn rounds(address: SocketAddr, players: u16, matches: u16, thinking: Duration) -> Result<()> {
    let rounds = Rounds::default();
    // Endpoints of different agents have different hosts, and each host has an allowance of its own.
    let (mut endpoints, mut serving) = (Vec::new(), JoinSet::new());
    for number in 0..players {
        let [high, low] = number.to_be_bytes();
        let listener = TcpListener::bind((Ipv4Addr::new(127, 1, high, low + 1), 0)).await?;
        endpoints.push(listener.local_addr()?);
        serving.spawn(serve(listener, Arc::clone(&rounds), (thinking, number.into())));
    }
    let mut client = Client::open(address).await?;
    let ids = enrol(&mut client, &endpoints).await?;
    for _ in 0..matches {
        play(&mut client, &ids).await?;
    }
    let reference = reference(&endpoints).await?;
    report(&rounds.lock().unwrap_or_else(PoisonError::into_inner), players, reference)
}

/// Registers agents of one owner, enrols each with an endpoint, and waits until all endpoints are healthy.
async fn enrol(client: &mut Client, endpoints: &[SocketAddr]) -> Result<Vec<String>> {
    client.token = Some(client.sign_up().await?);
    let mut ids = Vec::with_capacity(endpoints.len());
    for endpoint in endpoints {
        let id = client.register(&format!("Player {}", ids.len())).await?.id;
        let enrolment = json!({ "leagues": ["trivia"], "endpointUrl": format!("http://{endpoint}") });
        client.call("PUT", &format!("/api/v1/agents/{id}/arena"), Some(&enrolment)).await?;
        ids.push(id);
    }
    for id in &ids {
        let healthy = async {
            while client.call("GET", &format!("/api/v1/agents/{id}/arena"), None).await?["endpoint"]["status"] != "well"
            {
                sleep(POLL).await;
            }
            anyhow::Ok(())
        };
        timeout(HEALTH_WAIT, healthy).await.context("an endpoint does not become well")??;
    }
    Ok(ids)
}

/// Plays one match to its end.
async fn play(client: &mut Client, ids: &[String]) -> Result<()> {
    let challenge = json!({ "league": "trivia", "agentIds": ids });
    let created = client.call("POST", "/api/v1/arena/matches", Some(&challenge)).await?;
    let id = created["id"].as_str().with_context(|| format!("a match without an id: {created}"))?;
    let path = format!("/api/v1/arena/matches/{id}");
    let finished = async {
        loop {
            let shown = client.call("GET", &path, None).await?;
            match shown["status"].as_str() {
                Some("finished") => return anyhow::Ok(()),
                Some("voided") => anyhow::bail!("the match was voided: {}", shown["ending"]),
                _ => sleep(POLL).await,
            }
        }
    };
    timeout(MATCH_WAIT, finished).await.context("a match does not end")?
}

/// Serves the endpoint of one player.
async fn serve(listener: TcpListener, rounds: Rounds, (thinking, player): (Duration, u64)) -> Result<()> {
    for connection in 1.. {
        let (stream, _) = listener.accept().await?;
        let seed = (player << 32) + connection;
        let rounds = Arc::clone(&rounds);
        tokio::spawn(async move {
            if let Err(error) = answer(stream, &rounds, (thinking, Random(seed))).await {
                eprintln!("an endpoint failed: {error:#}");
            }
        });
    }
    Ok(())
}

/// Answers the requests of one connection.
async fn answer(mut stream: TcpStream, rounds: &Rounds, (thinking, mut random): (Duration, Random)) -> Result<()> {
    stream.set_nodelay(true)?;
    let mut buffer = Vec::with_capacity(8 * 1024);
    while let Some(body) = read(&mut stream, &mut buffer).await? {
        let round: Option<Value> = serde_json::from_slice(&body).ok();
        let Some(round) = round else {
            respond(&mut stream, HEALTH).await?;
            continue;
        };
        let key = (round["match_id"].to_string(), round["round"].as_u64().context("a round without a number")?);
        let change = |change: fn(&mut Round, Instant)| {
            let now = Instant::now();
            let mut rounds = rounds.lock().unwrap_or_else(PoisonError::into_inner);
            let first = Round { requested: (now, now), requests: 0, answered: None };
            change(rounds.entry(key.clone()).or_insert(first), now);
        };
        change(|round, now| {
            round.requested.1 = now;
            round.requests += 1;
        });
        sleep(thinking.mul_f64(0.5 + random.next())).await;
        change(|round, now| round.answered = Some(now));
        respond(&mut stream, ANSWER).await?;
    }
    Ok(())
}

/// Reads one request and returns its body; `None` at the end of the connection.
async fn read(stream: &mut TcpStream, buffer: &mut Vec<u8>) -> Result<Option<Vec<u8>>> {
    loop {
        let mut headers = [httparse::EMPTY_HEADER; HEADERS_MAX];
        let mut request = httparse::Request::new(&mut headers);
        if let httparse::Status::Complete(head) = request.parse(buffer)? {
            let length = request.headers.iter().find(|header| header.name.eq_ignore_ascii_case("content-length"));
            let length = length
                .map_or(Ok(0), |header| std::str::from_utf8(header.value)?.parse().map_err(anyhow::Error::from))?;
            if buffer.len() >= head + length {
                let body = buffer[head..head + length].to_vec();
                buffer.drain(..head + length);
                return Ok(Some(body));
            }
        }
        if stream.read_buf(buffer).await? == 0 {
            ensure!(buffer.is_empty(), "a connection ended in the middle of a request");
            return Ok(None);
        }
    }
}

async fn respond(stream: &mut TcpStream, body: &str) -> Result<()> {
    let head = format!("HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: {}\r\n\r\n", body.len());
    Ok(stream.write_all(format!("{head}{body}").as_bytes()).await?)
}

/// How long this process takes for one request to each endpoint, all at once on new connections.
async fn reference(endpoints: &[SocketAddr]) -> Result<Duration> {
    let begin = Instant::now();
    let mut asking = JoinSet::new();
    for endpoint in endpoints.iter().copied() {
        asking.spawn(async move {
            let request = http::request("GET", "/agora/health", endpoint, None, None);
            Connection::open(endpoint).await?.exchange(&request).await.map(|answer| answer.status)
        });
    }
    while let Some(status) = asking.join_next().await {
        ensure!(status?? == 200, "an endpoint does not answer");
    }
    Ok(begin.elapsed())
}

fn report(rounds: &BTreeMap<(String, u64), Round>, players: u16, reference: Duration) -> Result<()> {
    let (mut first, mut last) = (Histogram::<u64>::new(3)?, Histogram::<u64>::new(3)?);
    let micros =
        |from: Instant, to: Instant| u64::try_from(to.saturating_duration_since(from).as_micros()).unwrap_or(u64::MAX);
    for ((match_id, number), round) in rounds {
        ensure!(round.requests == usize::from(players), "{} players got round {number}", round.requests);
        let before = number.checked_sub(1).and_then(|before| rounds.get(&(match_id.clone(), before)));
        if let Some(answered) = before.and_then(|before| before.answered) {
            first.record(micros(answered, round.requested.0))?;
            last.record(micros(answered, round.requested.1))?;
        }
    }
    let shown = |micros: u64| Duration::from_micros(micros).as_secs_f64() * 1e3;
    println!(
        "{} rounds of {players} players: from the last answer to the next round's first request {:.1} ms (median), {:.1} ms (max), to its \
         last {:.1} ms (median), {:.1} ms (max)",
        rounds.len(),
        shown(first.value_at_quantile(0.5)),
        shown(first.max()),
        shown(last.value_at_quantile(0.5)),
        shown(last.max()),
    );
    let median = Duration::from_micros(last.value_at_quantile(0.5));
    println!(
        "{players} bare requests at once on this machine take {:.1} ms; a round takes {:.1} times as long",
        reference.as_secs_f64() * 1e3,
        median.as_secs_f64() / reference.as_secs_f64(),
    );
    Ok(())
}
