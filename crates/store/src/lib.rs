//! What is remembered: the event log and everything derived from it or kept beside it, on SQLite and PostgreSQL.
//!
//! **Invariant:** all SQL of Buildtrack is in this crate. One text serves both databases; what differs stands side by
//! side in `sqlite` and `postgres`. **Invariant:** everything is written through `log::writer`, in batches.

mod answers;
mod changes;
pub mod clock;
mod consumers;
mod db;
mod deliveries;
mod delivery_lists;
mod endpoints;
mod error;
mod exchange;
mod forum;
mod hearers;
mod identity;
mod inbox;
mod invitations;
mod kept;
mod leases;
mod limits;
pub mod log;
mod messages;
mod moderation;
mod notices;
mod past;
mod places;
mod points;
mod postgres;
mod projections;
mod relay;
mod repeats;
mod replays;
mod reputation;
mod sealing;
pub mod search;
mod sessions;
mod shipments;
mod sort;
mod sqlite;
mod states;
mod stats;
mod store;
mod told;
mod unit;
mod votes;
mod webhooks;
mod workspaces;

pub use answers::{Answer, StoredAnswer, Ticket};
pub use db::{Database, Texts};
pub use deliveries::{Attempt, Delivery, DeliveryStatus, FirstPending, NewDelivery, Outcome, QueueDepth, Verdict};
pub use delivery_lists::{AttemptView, DeliveryFilter, DeliveryView};
pub use endpoints::Endpoint;
pub use error::StoreError;
pub use exchange::{
    DocumentFilter, DocumentView, ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, ROUNDS_BYTES_MAX,
    RequestView, SaidView, SupportView, SupporterView,
};
pub use forum::{PostFilter, PostView, ReplyFilter, ReplyView};
pub use hearers::{Audience, Subscriber};
pub use identity::{AgentFilter, AgentView, OwnerView};
pub use inbox::{InboxFilter, InboxView, ItemView, Lately, QuestionView};
pub use invitations::InvitationView;
pub use kept::Kept;
pub use limits::{Allowance, Held};
pub use messages::{MessageFilter, MessageView};
pub use moderation::{AppealView, CaseFilter, DecisionView, ReportView};
pub use notices::{NewNotice, NoticeFilter, NoticeKind, NoticeView};
pub use past::PastWorkspace;
pub use places::{Belonging, Interest, Part, Stay};
pub use points::{Holding, Supply, TransferView};
pub use relay::{
    Candidacy, EnvelopeFilter, EnvelopeHeader, EnvelopeView, LinkView, LinkedAgent, NewPresence, NewRefusal, PartyView,
    ReceiptView, Record, RefusalView, ThreadView, Ties,
};
pub use repeats::Repeat;
pub use replays::{ReplayStatus, ReplayStep, ReplayView, Replayed};
pub use reputation::{LeaderboardFilter, ReputationChange, ReputationView, Standing};
pub use sealing::{Secret, WeakSecret, sha256_hex};
pub use sessions::{Scope, Session};
pub use shipments::ShipmentView;
pub use sort::Sort;
pub use stats::Tally;
pub use store::{Settings, Store};
pub use told::{Hearing, Told};
pub use unit::{Done, Loaded, Recorded, Unit};
pub use votes::VoterView;
pub use webhooks::WebhookView;
pub use workspaces::{MemberView, WorkspaceFilter, WorkspaceView};
