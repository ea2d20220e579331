//! Taking an envelope in: verified, placed in its thread, recorded, all at once or not at all.

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
use buildtrack_store::{Kept, Loaded, NewRefusal, ThreadView, Unit};

use super::{
    allowance::{admit_address, admit_sender},
    budgets::spend_bytes,
    senders::signer,
};
use crate::{
    app::App,
    http::{dialect::code_of, networks::Network, problem::Problem},
};

/// How many refusals a minute are kept of one address.
const REFUSALS: u32 = 60;

/// What became of an envelope that was not refused.
pub(super) struct Taken {
    pub(super) id: String,
    /// Whether it had been accepted before.
    pub(super) duplicate: bool,
}

/// Takes in what was posted; what is refused is remembered under its id.
pub(super) async fn take(app: &App, request: &HttpRequest, bytes: &[u8], wrapped: bool) -> Result<Taken, Problem> {
    admit_address(app, request)?;
    let limits = Limits::default();
    let envelope = if wrapped { Envelope::parse_wrapped(bytes, &limits) } else { Envelope::parse(bytes, &limits) }?;
    let admitted = admit(app, &envelope).await;
    conclude(app, request, &envelope, admitted).await
}

/// Verifies it and counts it against its sender.
pub(super) async fn admit(app: &App, envelope: &Envelope) -> Result<(), Problem> {
    let sender = signer(app, envelope).await?;
    admit_sender(app, envelope.sender().as_str(), sender.quota).await
}

/// Records what was let through; what is refused is remembered.
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
        remember(app, request, envelope, problem).await;
    }
    Ok(Taken { id: envelope.id().to_owned(), duplicate: recorded? })
}

/// Spends the bytes that the envelope takes, unless nothing comes of it.
async fn record_within_budget(app: &App, request: &HttpRequest, envelope: &Envelope) -> Result<bool, Problem> {
    let spent = spend_bytes(app, request, envelope.sender().as_str(), envelope.canonical().len())?;
    let recorded = record(app, envelope).await;
    if !matches!(recorded, Ok(false)) {
        spent.refund();
    }
    recorded
}

/// Records a verified envelope, with what it does to its thread; true where that was done before.
pub(super) async fn record(app: &App, envelope: &Envelope) -> Result<bool, Problem> {
    let submission = Submission::of(envelope)?;
    Ok(app.store.transact(None, async |unit| submission.decide(app, unit).await).await?.value)
}

/// A verified envelope on its way into the log.
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

    /// Appends it and what it does to its thread; true where that was done before.
    async fn decide(&self, app: &App, unit: &mut Unit<'_>) -> Result<bool, Problem> {
        let stream = self.id.stream();
        if unit.is_fresh() {
            // Looked at before the time: a repeat of what was accepted may come late.
            let known = unit.load::<Submitted>(&stream).await?;
            if let Some(accepted) = &known.state.accepted {
                let is_same = accepted.envelope.as_str() == self.envelope.canonical();
                return if is_same { Ok(true) } else { Err(id_taken()) };
            }
            // Of an envelope that has left the log its id stays taken.
            if known.version > 0 {
                return Err(id_taken());
            }
        }
        let now = app.store.clock().now();
        self.envelope.check_time(now)?;
        let thread_id = self.thread(app).await?;
        let step = self.step(thread_id.clone());
        let thread = self.load(unit, &thread_id).await?;
        let timeouts = app.settings.relay_timeouts();
        let events = SendEnvelope { step, now, timeouts }.decide(&thread.state)?;
        unit.append(thread_id.stream(), &thread, events);
        // Taken for free, until the commit finds that it is not.
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

    /// The thread as it is. One that a REQUEST begins is taken for new, until the commit finds that it is not.
    async fn load(&self, unit: &mut Unit<'_>, thread_id: &ThreadId) -> Result<Loaded<Thread>, Problem> {
        if self.envelope.kind() == MessageType::Request && !unit.is_fresh() {
            unit.expect(thread_id.stream(), 0);
            return Ok(Loaded { state: std::sync::Arc::default(), version: 0 });
        }
        Ok(unit.load::<Thread>(thread_id.stream()).await?)
    }

    /// The thread that it belongs to: the one it names, or that of the request it names. A REQUEST that names neither begins
    /// one under its own id.
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

    /// The thread with this request that is meant: one in which the sender may send such an envelope, and else the one that is
    /// called as the request is. A stranger that begins a thread under the same name takes no other's envelopes.
    async fn thread_of_request(&self, app: &App, request_id: &str) -> Result<Option<ThreadId>, Problem> {
        let between = (self.sender.as_str(), self.recipient.as_ref().map(Did::as_str));
        let all = app.store.threads_of_request(request_id, between, 100).await?;
        let mine: Vec<_> = all.iter().filter(|thread| self.concerns(thread)).collect();
        let open: Vec<_> = mine.iter().copied().filter(|thread| !thread.phase.is_over()).collect();
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

    /// Whether the sender may send this type of envelope in the thread, or could have.
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
    let detail = "Another envelope has this id, and ids are taken for ever.";
    let hint = "Sign it anew under a new id. A repeat has to be the same to the last character.";
    Problem::new(StatusCode::CONFLICT, "id_taken", detail, hint)
}

/// Keeps why it was refused, for whoever asks; that it cannot be kept is no reason to answer otherwise.
async fn remember(app: &App, request: &HttpRequest, envelope: &Envelope, problem: &Problem) {
    let Ok(envelope_id) = envelope.id().parse() else { return };
    let quota = Quota::at_least_one(REFUSALS);
    if problem.retryable || !Network::calling(app, request).admit(app, "refused", quota).allowed {
        return;
    }
    let (reason, error) = (problem.code.clone(), code_of(problem).to_owned());
    let refusal = NewRefusal { envelope_id, reason, error, message: problem.detail.clone() };
    if let Err(error) = app.store.keep(vec![Kept::Refused(Box::new(refusal))]).await {
        tracing::warn!(%error, "why an envelope was refused is not kept");
    }
}
