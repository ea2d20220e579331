//! Acceptance of an envelope: verify it, find its thread, record both in one transaction.

use actix_web::{HttpRequest, http::StatusCode};
use agora_envelope::{Envelope, Limits};
use buildtrack_domain::{
    decide::Command,
    limits::Quota,
    relay::{
        Did, EnvelopeAccepted, EnvelopeEvent, EnvelopeId, Header, MessageType, Payload, RelayError, Sealed,
        SendEnvelope, Step, Submitted, Thread, ThreadId,
    },
};
use buildtrack_http::{app::App, guard::state_of, networks::Network, problem::Problem};
use buildtrack_store::{Loaded, NewRefusal, RelayChange, ThreadView, Unit};

use super::{Relay, allowance::admit_sender, budgets::spend_bytes};

use crate::relay::dialect::code_of;

/// Refusals stored a minute for one address.
const REFUSALS: u32 = 60;

/// The result of an accepted envelope.
pub(super) struct Taken {
    pub(super) id: String,
    /// Whether it was already accepted.
    pub(super) duplicate: bool,
}

/// Accepts an envelope of a counted request. A refusal is stored under the envelope's id.
pub(super) async fn take(app: &App, request: &HttpRequest, bytes: &[u8], wrapped: bool) -> Result<Taken, Problem> {
    let limits = Limits::default();
    let envelope = if wrapped { Envelope::parse_wrapped(bytes, &limits) } else { Envelope::parse(bytes, &limits) }?;
    let admitted = admit(app, request, &envelope).await;
    conclude(app, request, &envelope, admitted).await
}

/// Verifies an envelope and counts it against its sender.
pub(super) async fn admit(app: &App, request: &HttpRequest, envelope: &Envelope) -> Result<(), Problem> {
    let sender = state_of::<Relay>(request).senders.signer(app, envelope).await?;
    admit_sender(app, envelope.sender().as_str(), sender.quota).await
}

/// Records an admitted envelope. A refusal is stored under the envelope's id.
pub(super) async fn conclude(
    app: &App,
    request: &HttpRequest,
    envelope: &Envelope,
    admitted: Result<(), Problem>,
) -> Result<Taken, Problem> {
    let recorded = match admitted {
        Ok(()) => record_within_budget(app, request, envelope).await,
        Err(problem) => Err(problem),
    };
    if let Err(problem) = &recorded {
        store_refusal(app, request, envelope, problem).await;
    }
    Ok(Taken { id: envelope.id().to_owned(), duplicate: recorded? })
}

/// Records an envelope and spends its bytes. The bytes are refunded if nothing was recorded.
async fn record_within_budget(app: &App, request: &HttpRequest, envelope: &Envelope) -> Result<bool, Problem> {
    let spent = spend_bytes(app, request, envelope.sender().as_str(), envelope.canonical().len())?;
    let recorded = record(app, envelope).await;
    if !matches!(recorded, Ok(false)) {
        spent.refund();
    }
    recorded
}

/// Records a verified envelope with its effects on the thread; true if it was already recorded.
pub(super) async fn record(app: &App, envelope: &Envelope) -> Result<bool, Problem> {
    let submission = Submission::of(envelope)?;
    Ok(app.store.log().transact(None, async |unit| submission.decide(app, unit).await).await?.value)
}

/// A verified envelope that is being recorded.
struct Submission<'e> {
    envelope: &'e Envelope,
    id: EnvelopeId,
    sender: Did,
    recipient: Option<Did>,
    payload: Payload,
}

impl<'e> Submission<'e> {
    fn of(envelope: &'e Envelope) -> Result<Self, Problem> {
        let name = |text: &str| text.parse().map_err(|error| Problem::internal(&error));
        Ok(Self {
            id: envelope.id().parse().map_err(|error| Problem::internal(&error))?,
            sender: name(envelope.sender().as_str())?,
            recipient: envelope.recipient().map(|did| name(did.as_str())).transpose()?,
            payload: Payload::read(envelope.kind(), envelope.payload()).map_err(RelayError::from)?,
            envelope,
        })
    }

    /// Appends the envelope and its effects on the thread; true if it was already recorded.
    async fn decide(&self, app: &App, unit: &mut Unit<'_>) -> Result<bool, Problem> {
        let stream = self.id.stream();
        if unit.is_fresh() {
            // Checked before the timestamp: a repeat of an accepted envelope may arrive late.
            let known = unit.load::<Submitted>(&stream).await?;
            if let Some(accepted) = &known.state.accepted {
                let is_same = accepted.envelope.as_str() == self.envelope.canonical();
                return if is_same { Ok(true) } else { Err(id_taken()) };
            }
            // The id of an erased envelope stays taken.
            if known.version > 0 {
                return Err(id_taken());
            }
        }
        let now = app.store.log().clock().now();
        self.envelope.check_time(now)?;
        let thread_id = self.thread(app).await?;
        let step = self.step(thread_id.clone());
        let thread = self.load(unit, &thread_id).await?;
        let timeouts = app.settings.relay_timeouts();
        let events = SendEnvelope { step, now, timeouts }.decide(&thread.state)?;
        unit.append(thread_id.stream(), &thread, events);
        // Assumes that the id is free; the commit fails and retries if it is not.
        unit.expect(&stream, 0);
        let (envelope_id, envelope) = (self.id.clone(), Sealed::with_header(self.envelope.canonical(), self.header()));
        unit.begin(&stream, [EnvelopeEvent::from(EnvelopeAccepted { envelope_id, thread_id, envelope })]);
        Ok(false)
    }

    fn header(&self) -> Header {
        let (sender, recipient) = (self.sender.clone(), self.recipient.clone());
        Header::new(self.envelope.kind(), sender, recipient, self.envelope.ts(), self.envelope.ttl())
    }

    fn step(&self, thread_id: ThreadId) -> Step {
        Step {
            envelope_id: self.id.clone(),
            thread_id,
            kind: self.envelope.kind(),
            sender: self.sender.clone(),
            recipient: self.recipient.clone(),
            payload: self.payload.clone(),
            ttl: self.envelope.ttl(),
        }
    }

    /// Loads the thread. A thread that a REQUEST begins is assumed to be new; the commit fails and retries if it is
    /// not.
    async fn load(&self, unit: &mut Unit<'_>, thread_id: &ThreadId) -> Result<Loaded<Thread>, Problem> {
        if self.envelope.kind() == MessageType::Request && !unit.is_fresh() {
            unit.expect(thread_id.stream(), 0);
            return Ok(Loaded { state: std::sync::Arc::default(), version: 0 });
        }
        Ok(unit.load::<Thread>(thread_id.stream()).await?)
    }

    /// The envelope's thread: the one that it names, or that of the request that it names. A REQUEST that names neither
    /// begins a thread under its own id.
    async fn thread(&self, app: &App) -> Result<ThreadId, Problem> {
        let named = self.envelope.thread_id().or(self.payload.request_id.as_deref());
        let parse = |text: &str| text.parse::<ThreadId>().map_err(|error| Problem::internal(&error));
        if self.envelope.kind() == MessageType::Request {
            return parse(named.unwrap_or(self.envelope.id()));
        }
        let named = named.ok_or(RelayError::NoThread)?;
        if self.envelope.thread_id().is_some() {
            return parse(named);
        }
        self.thread_of_request(app, named).await?.map_or_else(|| parse(named), Ok)
    }

    /// Finds the thread with this request id: one in which the sender may send this type of envelope, otherwise the
    /// thread whose id equals the request id. An unrelated agent that begins a thread with the same request id
    /// therefore cannot capture envelopes of others.
    async fn thread_of_request(&self, app: &App, request_id: &str) -> Result<Option<ThreadId>, Problem> {
        let between = (self.sender.as_str(), self.recipient.as_ref().map(Did::as_str));
        let all = app.store.relay().threads_of_request(request_id, between, 100).await?;
        let mine: Vec<_> = all.iter().filter(|thread| self.concerns(thread)).collect();
        let open: Vec<_> = mine.iter().copied().filter(|thread| !thread.phase.is_final()).collect();
        let meant =
            [open, mine, all.iter().collect()].into_iter().find(|threads| !threads.is_empty()).unwrap_or_default();
        match meant[..] {
            [] => Ok(None),
            [only] => Ok(Some(only.id.clone())),
            _ => {
                let same = meant.iter().find(|thread| thread.id.as_str() == request_id);
                same.map(|thread| Some(thread.id.clone())).ok_or_else(|| RelayError::WhichThread.into())
            }
        }
    }

    /// Whether the sender may send this type of envelope in the thread, or could have sent it earlier.
    fn concerns(&self, thread: &ThreadView) -> bool {
        let (sender, recipient) = (self.sender.as_str(), self.recipient.as_ref().map(Did::as_str));
        let requested = thread.requester == self.sender;
        let to_requester = recipient.is_none_or(|recipient| thread.requester.as_str() == recipient);
        let addressed = thread.recipient.as_deref();
        match self.envelope.kind() {
            MessageType::Request | MessageType::Accept | MessageType::Cancel => requested,
            MessageType::Offer => !requested && to_requester && addressed.is_none_or(|addressed| addressed == sender),
            MessageType::Result => to_requester && thread.agent.as_deref() == Some(sender),
            MessageType::Error => {
                let other = thread.agent.as_deref().or(addressed);
                requested || to_requester && other.is_none_or(|other| other == sender)
            }
        }
    }
}

fn id_taken() -> Problem {
    let detail = "Another envelope has this id, and ids cannot be reused.";
    let hint = "Sign it again with a new id. A repeated envelope must be identical to the first.";
    Problem::new(StatusCode::CONFLICT, "id_taken", detail, hint)
}

/// Stores the reason of a refusal for later queries. A failure to store it does not change the answer.
async fn store_refusal(app: &App, request: &HttpRequest, envelope: &Envelope, problem: &Problem) {
    let Ok(envelope_id) = envelope.id().parse() else { return };
    let quota = Quota::at_least_one(REFUSALS);
    if problem.retryable || !Network::calling(app, request).admit(&app.store, "refused", quota).allowed {
        return;
    }
    let (reason, error) = (problem.code.clone(), code_of(problem).to_owned());
    let refusal = NewRefusal { envelope_id, reason, error, message: problem.detail.clone() };
    if let Err(error) = app.store.log().write_side(vec![RelayChange::Refused(Box::new(refusal))]).await {
        tracing::warn!(%error, "the refusal of an envelope could not be stored");
    }
}
