//! The conversation with the agent beside the match: connections, pings, metadata and the queue, as the real server answers them.

use std::{future::pending, time::Duration};

use actix_ws::CloseCode;
use buildtrack_arena::socket::{
    IDLE, MESSAGES, Metadata, Outgoing, PERIOD, PROTOCOL, SocketError, evalduel_id, reading, server_time,
};
use buildtrack_domain::ids::AgentId;
use buildtrack_store::clock::Clock;
use buildtrack_worker::conformance::Findings;
use serde_json::Value;
use tokio::time::{Instant, sleep_until};

use super::{
    fields,
    listening::{Arrival, Frame, Link, Listener},
};

/// The seed asks for a ping every 30 seconds. A connection without one for so long gets a warning.
pub(super) const PING_PATIENCE: Duration = Duration::from_secs(40);

/// What concerns the match.
pub(super) enum Next {
    /// The agent joins the queue.
    Join,
    /// It answers a turn.
    Answer(Answered),
    /// It has connected, and was greeted.
    Connected,
    /// Its connection has ended.
    Gone,
    /// The time has run out.
    Nothing,
}

/// An answer to a turn.
pub(super) struct Answered {
    pub(super) match_id: String,
    pub(super) turn_id: String,
    pub(super) output: Value,
    pub(super) metadata: Option<Metadata>,
}

enum Heard {
    Arrival(Option<Arrival>),
    Frame(Option<Frame>),
    Silence,
}

/// What the agent does.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum AgentState {
    Idle,
    Queued,
    InMatch,
}

/// The conversation so far.
pub(super) struct Conversation<'r> {
    pub(super) findings: Findings<'r>,
    pub(super) agent_id: AgentId,
    pub(super) clock: Clock,
    pub(super) state: AgentState,
    /// The number of pings.
    pub(super) pings: u32,
    /// Whether the agent was warned that it sends no pings.
    has_missed_pings: bool,
    listener: Listener,
    link: Option<Link>,
    connections: u32,
    heard_at: Instant,
    /// When it last sent a ping, or connected.
    pub(super) pinged_at: Instant,
    /// The messages of the period, and its end.
    counted: (u32, Instant),
}

impl<'r> Conversation<'r> {
    pub(super) fn new(listener: Listener, findings: Findings<'r>, clock: Clock) -> Self {
        let (agent_id, now) = (AgentId::new(clock.uuid()), Instant::now());
        Self {
            findings,
            agent_id,
            clock,
            state: AgentState::Idle,
            pings: 0,
            has_missed_pings: false,
            listener,
            link: None,
            connections: 0,
            heard_at: now,
            pinged_at: now,
            counted: (0, now + PERIOD),
        }
    }

    /// Whether the agent is connected.
    pub(super) fn is_connected(&self) -> bool {
        self.link.is_some()
    }

    /// Sends a message, if the agent is connected.
    pub(super) async fn send(&self, text: String) {
        if let Some(link) = &self.link {
            link.send(text).await;
        }
    }

    /// Closes the connection.
    pub(super) async fn close(&mut self, code: CloseCode, reason: &'static str) {
        if let Some(link) = self.link.take() {
            link.close(code, reason).await;
        }
    }

    /// Ends the check.
    pub(super) async fn end(mut self) {
        self.close(CloseCode::Away, "the check has ended").await;
        self.listener.stop().await;
    }

    /// Waits for something that concerns the match, and answers everything else.
    pub(super) async fn next(&mut self, check: &str, until: Instant) -> Next {
        loop {
            self.expect_pings();
            let (silent_at, is_connected) = (self.heard_at + IDLE, self.is_connected());
            let Self { listener, link, .. } = self;
            let frame = async {
                match link {
                    Some(link) => link.heard.recv().await,
                    None => pending().await,
                }
            };
            let heard = tokio::select! {
                arrival = listener.arrivals.recv() => Heard::Arrival(arrival),
                frame = frame => Heard::Frame(frame),
                () = sleep_until(until) => return Next::Nothing,
                () = sleep_until(silent_at), if is_connected => Heard::Silence,
            };
            let next = match heard {
                Heard::Arrival(Some(arrival)) => self.welcome(arrival).await,
                // The listener lives as long as this conversation.
                Heard::Arrival(None) => Some(Next::Nothing),
                Heard::Frame(Some(frame)) => self.take(check, frame).await,
                Heard::Frame(None) => {
                    self.link = None;
                    Some(Next::Gone)
                }
                Heard::Silence => {
                    self.findings.fault("ping", None, "no message for 100 seconds: the server closes the connection");
                    self.close(CloseCode::Policy, "no message for 100 seconds").await;
                    Some(Next::Gone)
                }
            };
            if let Some(next) = next {
                return next;
            }
        }
    }

    /// Warns once if the agent sends no pings.
    fn expect_pings(&mut self) {
        if self.is_connected() && !self.has_missed_pings && self.pinged_at.elapsed() > PING_PATIENCE {
            self.has_missed_pings = true;
            let seconds = PING_PATIENCE.as_secs();
            self.findings.warn("ping", None, format!("no evalduel.ping for {seconds} s; send one every 30 seconds"));
        }
    }

    async fn welcome(&mut self, arrival: Arrival) -> Option<Next> {
        let (link, in_query) = match arrival {
            Arrival::Connected { link, in_query } => (link, in_query),
            Arrival::Refused(status, why) => {
                self.findings.fault("connect", None, format!("refused with {status}: {why}"));
                return None;
            }
        };
        if let Some(replaced) = self.link.replace(link) {
            let message = "a second connection while the first one is open: the server closes the first one";
            self.findings.warn("connect", None, message);
            replaced.close(CloseCode::Policy, "another connection of this agent replaced this one").await;
        }
        let now = Instant::now();
        (self.heard_at, self.pinged_at, self.counted) = (now, now, (0, now + PERIOD));
        // A new connection is not in the queue.
        if self.state == AgentState::Queued {
            self.state = AgentState::Idle;
        }
        self.connections += 1;
        if self.connections == 1 {
            let source =
                if in_query { "the query: prefer the header, because proxies log addresses" } else { "the header" };
            self.findings.good("connect", format!("connected with its token in {source}"));
        }
        let hello = Outgoing::Hello {
            protocol: PROTOCOL,
            agent_id: evalduel_id(self.agent_id),
            server_time: self.server_time(),
            message: "connected",
        };
        self.send(hello.text()).await;
        Some(Next::Connected)
    }

    async fn take(&mut self, check: &str, frame: Frame) -> Option<Next> {
        self.heard_at = Instant::now();
        if self.heard_at >= self.counted.1 {
            self.counted = (0, self.heard_at + PERIOD);
        }
        self.counted.0 += 1;
        if self.counted.0 > MESSAGES {
            let message = "the agent sends more than 60 messages in 10 seconds";
            self.findings.fault(check, None, format!("{message}: the server closes the connection"));
            self.send(SocketError::busy(message).text(None)).await;
            self.close(CloseCode::Policy, "too many messages").await;
            return Some(Next::Gone);
        }
        match frame {
            Frame::Text(text) => self.read(check, &text).await,
            Frame::Binary => {
                let error = SocketError::invalid("messages are JSON in text frames");
                self.findings.fault(check, None, "a binary frame: messages are JSON in text frames");
                self.send(error.text(None)).await;
                None
            }
            Frame::TooLarge => {
                self.findings.fault(
                    check,
                    None,
                    "a message of more than 262144 bytes: the server closes the connection",
                );
                self.send(SocketError::too_large().text(None)).await;
                self.close(CloseCode::Size, "message_too_large").await;
                Some(Next::Gone)
            }
        }
    }

    async fn read(&mut self, check: &str, text: &str) -> Option<Next> {
        let before = self.findings.faults();
        if let Ok(Value::Object(message)) = serde_json::from_str(text) {
            fields::examine(&mut self.findings, check, &message);
        }
        match reading::read(text) {
            Ok(incoming) => self.reply(incoming).await,
            Err(error) => {
                if self.findings.faults() == before {
                    self.findings.fault(check, None, error.message());
                }
                self.send(error.text(None)).await;
                None
            }
        }
    }

    /// The time on the wire.
    pub(super) fn server_time(&self) -> String {
        server_time(self.clock.now())
    }
}
