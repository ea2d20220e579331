//! Storage on SQLite and PostgreSQL: the event log, the read tables derived from it, and side tables.
//!
//! **Invariant:** all SQL of Buildtrack is in this crate. One text serves both databases; statements that differ are side by
//! side in `sqlite` and `postgres`. **Invariant:** every write passes through `log::writer`, in batches.

pub mod clock;
mod database;
mod error;
mod exchange;
mod forum;
mod identity;
mod inbox;
mod kept;
mod limits;
mod locations;
pub mod log;
mod moderation;
mod points;
mod projections;
mod relay;
mod reputation;
mod sealing;
pub mod search;
mod store;
mod votes;
mod webhooks;
mod workspaces;

pub use database::{Database, Due, DueCursor, Listed, ServerLock, Sort, Texts, make_private_folder};
pub use error::StoreError;
pub use exchange::{
    DocumentFilter, DocumentView, ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, ROUNDS_BYTES_MAX,
    RequestView, SupportView, SupporterView, TranscriptEvent,
};
pub use forum::{PostFilter, PostView, ReplyFilter, ReplyView};
pub use identity::{
    Account, AgentFilter, AgentView, CachedToken, DepartureView, DueMail, Letter, MailPurpose, MailQueueLevel,
    MailToken, NewMail, NewMailToken, OwnText, OwnerView, Scope, Session, SessionView,
};
pub use inbox::{InboxFilter, InboxView, ItemView, QuestionView, RecentActivity};
pub use kept::Kept;
pub use limits::{Allowance, BudgetExceeded, Held, Spent};
pub use locations::{Belonging, Interest, Part, Stay};
pub use log::{Answer, Done, Loaded, Recorded, Repeat, Storage, StorageLimits, StoredAnswer, Ticket, Unit};
pub use moderation::{AppealView, CaseFilter, DecisionView, ReportView, TextEvent};
pub use points::{PointAccount, Supply, TransferView};
pub use relay::{
    Candidacy, DirectoryEntry, EnvelopeFilter, EnvelopeHeader, EnvelopeView, LinkView, LinkedAgent, NewPresence,
    NewRefusal, ReceiptView, Record, RefusalView, ThreadView, Ties,
};
pub use reputation::{LeaderboardFilter, ReputationChange, ReputationView, STANDINGS_MAX, Standing};
pub use sealing::{Secret, WeakSecret, sha256_hex};
pub use store::{Settings, Store};
pub use votes::VoterView;
pub use webhooks::{
    Attempt, AttemptView, Audience, Delivery, DeliveryFilter, DeliveryStatus, DeliveryView, Endpoint, EndpointHealth,
    FirstPending, Hearing, NewDelivery, NewNotice, NoticeFilter, NoticeKind, NoticeView, Outcome, QueueDepth,
    ReplayStatus, ReplayStep, ReplayView, Replayed, StoredBreaker, Subscriber, Told, Verdict, WaitsFor, WebhookView,
};
pub use workspaces::{
    AuthorTotal, InvitationView, KindTotal, MemberView, MessageFilter, MessageView, PastWorkspace, ShipmentView,
    WorkspaceFilter, WorkspaceTotals, WorkspaceView,
};
