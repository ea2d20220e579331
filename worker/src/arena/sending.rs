//! Sends rounds and ballots to agents' endpoints (seed AAP), and reads what they answer.

use std::time::Duration;

use buildtrack_domain::{
    arena::matches::{MissReason, SealedAnswer},
    ids::{AgentId, MatchId},
};
use buildtrack_store::{ArenaChange, PauseReason, Store};
use reqwest::{Method, StatusCode};
use tokio::time::sleep;

use super::aap::read_answer;
use crate::outbound::{Body, CallError, Client, Limits, Refused, Request, Response};

/// Bytes of an answer that are read: the longest answer, escaped, with its other members.
const BODY_MAX: usize = 512 * 1024;
/// How long an agent is paused that answered 429 (seed: «Tu agente paused 5min»).
const PAUSE: Duration = Duration::from_mins(5);
/// The least time that is left for a second try after a status 500.
const RETRY_MIN: Duration = Duration::from_secs(1);

/// What is sent: a round or a ballot of a turn, to an agent.
pub(super) type Key = (MatchId, u16, AgentId);

/// How a round ended for its agent.
pub(super) enum Played {
    Answered(SealedAnswer),
    /// The agent is unavailable (AAP status 503).
    Unavailable,
    Missed(MissReason, Option<u16>),
}

/// The pause of an agent that asked for it. It is recorded together with the outcome: an agent that was paused alone would lose a
/// match that it may skip. None without an endpoint: such a round was not sent.
pub(super) fn pause_after(
    store: &Store,
    (agent_id, endpoint_url): (AgentId, Option<String>),
    played: &Played,
) -> Option<ArenaChange> {
    let reason = match played {
        Played::Missed(MissReason::RateLimited, Some(_)) => PauseReason::RateLimited,
        Played::Unavailable => PauseReason::Unavailable,
        _ => return None,
    };
    Some(ArenaChange::EndpointPaused {
        agent_id,
        endpoint_url: endpoint_url?,
        until: store.log().clock().after(PAUSE),
        reason,
    })
}

/// What becomes of a round that falls into a pause: it is not sent.
pub(super) fn while_paused(reason: PauseReason) -> Played {
    let missed = match reason {
        PauseReason::RateLimited => MissReason::RateLimited,
        PauseReason::Unavailable => MissReason::Unavailable,
    };
    Played::Missed(missed, None)
}

/// The request of a round.
pub(super) fn request<'u>(url: &'u str, token: &str, body: String, timeout: Duration) -> Request<'u> {
    let limits = Limits { timeout, body_max: BODY_MAX };
    let headers = vec![("Content-Type", "application/json".to_owned()), ("Authorization", format!("Bearer {token}"))];
    Request { method: Method::POST, url, headers, body: Some(body), limits }
}

/// Sends the round, and a second time after a status 500. A connection that breaks before an answer begins is replaced once for each.
pub(super) async fn send(client: &Client, url: &str, token: &str, body: String, left: Duration) -> Played {
    let begun = tokio::time::Instant::now();
    let mut tries = 0;
    loop {
        tries += 1;
        let request = request(url, token, body.clone(), left.saturating_sub(begun.elapsed()));
        // An agent gets rounds only after a good health check, so its host has the larger budget. The caller bounds the wait.
        let _permit = loop {
            match client.admit(url, true).await {
                Ok(permit) => break permit,
                Err(Refused { wait }) => sleep(wait).await,
            }
        };
        let answer = client.send_repeatable(request).await;
        let may_retry = tries == 1 && left.saturating_sub(begun.elapsed()) > RETRY_MIN;
        match answer {
            Ok(answer) if answer.status == StatusCode::INTERNAL_SERVER_ERROR && may_retry => {}
            Ok(answer) => return read(&answer),
            Err(CallError::Timeout) => return Played::Missed(MissReason::Timeout, None),
            Err(_) => return Played::Missed(MissReason::Unreachable, None),
        }
    }
}

/// The table of AAP's codes.
fn read(answer: &Response) -> Played {
    let status = answer.status.as_u16();
    let missed = |reason| Played::Missed(reason, Some(status));
    match status {
        200 => {
            let Body { bytes, is_complete } = &answer.body;
            match read_answer(bytes).filter(|_| *is_complete) {
                Some(sealed) => Played::Answered(sealed),
                None => missed(MissReason::InvalidAnswer),
            }
        }
        408 => missed(MissReason::Timeout),
        429 => missed(MissReason::RateLimited),
        503 => Played::Unavailable,
        500..=599 => missed(MissReason::ServerError),
        _ => missed(MissReason::InvalidAnswer),
    }
}

#[cfg(test)]
mod tests {
    use std::{
        io::{BufRead, BufReader, Read, Write},
        net::{TcpListener, TcpStream},
        thread,
    };

    use super::*;

    const LEFT: Duration = Duration::from_secs(20);

    /// Reads a request with a body; false if the connection has ended.
    fn read_request(stream: &mut BufReader<TcpStream>) -> bool {
        let mut length = 0;
        loop {
            let mut line = String::new();
            if stream.read_line(&mut line).unwrap_or(0) == 0 {
                return false;
            }
            if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length: ") {
                length = value.trim().parse().unwrap();
            }
            if line == "\r\n" {
                break;
            }
        }
        stream.read_exact(&mut vec![0; length]).is_ok()
    }

    /// A server that answers so many requests of each connection, and closes it when the next one has arrived. After so many connections,
    /// it returns the number of requests.
    fn serve(answers: usize, connections: usize) -> (String, thread::JoinHandle<usize>) {
        let listener = TcpListener::bind(("127.0.0.1", 0)).unwrap();
        let url = format!("http://{}/agora", listener.local_addr().unwrap());
        let served = thread::spawn(move || {
            let mut requests = 0;
            for _ in 0..connections {
                let mut stream = BufReader::new(listener.accept().unwrap().0);
                for number in 0..=answers {
                    if !read_request(&mut stream) {
                        break;
                    }
                    requests += 1;
                    if number < answers {
                        let body = r#"{"answer":"42"}"#;
                        let answer = format!("HTTP/1.1 200 OK\r\nContent-Length: {}\r\n\r\n{body}", body.len());
                        stream.get_mut().write_all(answer.as_bytes()).unwrap();
                    }
                }
            }
            requests
        });
        (url, served)
    }

    /// The number of requests that the server got. Its last connection ends meanwhile.
    async fn requests(served: thread::JoinHandle<usize>) -> usize {
        tokio::task::spawn_blocking(|| served.join().unwrap()).await.unwrap()
    }

    async fn play(client: &Client, url: &str) -> Played {
        send(client, url, "token", "{}".to_owned(), LEFT).await
    }

    /// Lets the tasks of the HTTP client run, so that it has put a connection back for the next request.
    async fn settle() {
        for _ in 0..1000 {
            tokio::task::yield_now().await;
        }
    }

    #[tokio::test]
    async fn a_round_that_meets_the_end_of_an_idle_connection_is_sent_once_more() {
        let client = Client::new(true).unwrap();
        let (url, served) = serve(1, 2);
        assert!(matches!(play(&client, &url).await, Played::Answered(_)));
        settle().await;
        assert!(matches!(play(&client, &url).await, Played::Answered(_)), "over a new connection");
        drop(client);
        assert_eq!(requests(served).await, 3);
    }

    #[tokio::test(flavor = "multi_thread", worker_threads = 2)]
    async fn a_round_that_breaks_twice_is_lost() {
        let client = Client::new(true).unwrap();
        let (url, served) = serve(0, 2);
        assert!(matches!(play(&client, &url).await, Played::Missed(MissReason::Unreachable, None)));
        assert_eq!(requests(served).await, 2);
    }
}
