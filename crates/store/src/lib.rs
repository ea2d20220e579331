//! Storage on SQLite and PostgreSQL: the event log, the read tables derived from it, and side tables.
//!
//! **Invariant:** all SQL of Buildtrack is in this crate. One text serves both databases; statements that differ are side by
//! side in `sqlite` and `postgres`. **Invariant:** every write passes through `log::writer`, in batches.

mod answers;
mod budgets;
mod changes;
pub mod clock;
mod consumers;
mod db;
mod deliveries;
mod delivery_lists;
mod departures;
mod due;
mod endpoints;
mod error;
mod exchange;
mod fingerprint;
mod forum;
mod hearers;
mod hiding;
mod identity;
mod inbox;
mod invitations;
mod kept;
mod leases;
mod limits;
pub mod log;
mod mails;
mod masking;
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
mod scan_limits;
mod sealing;
pub mod search;
mod server_lock;
mod sessions;
mod shipments;
mod sort;
mod sqlite;
mod states;
mod storage;
mod store;
mod told;
mod totals;
mod unit;
mod votes;
mod webhooks;
mod workspaces;

pub use answers::{Answer, StoredAnswer, Ticket};
pub use budgets::{BudgetExceeded, Spent};
pub use db::{Database, Texts};
pub use deliveries::{
    Attempt, Delivery, DeliveryStatus, EndpointHealth, FirstPending, NewDelivery, Outcome, QueueDepth, StoredBreaker,
    Verdict, WaitsFor,
};
pub use delivery_lists::{AttemptView, DeliveryFilter, DeliveryView};
pub use departures::{DepartureView, OwnText};
pub use due::{Due, DueCursor};
pub use endpoints::Endpoint;
pub use error::StoreError;
pub use exchange::{
    DocumentFilter, DocumentView, ExchangeFilter, ExchangeRole, ExchangeStatus, ExchangeView, ROUNDS_BYTES_MAX,
    RequestView, SupportView, SupporterView, TranscriptEvent,
};
pub use forum::{PostFilter, PostView, ReplyFilter, ReplyView};
pub use hearers::{Audience, Subscriber};
pub use identity::{Account, AgentFilter, AgentView, OwnerView};
pub use inbox::{InboxFilter, InboxView, ItemView, QuestionView, RecentActivity};
pub use invitations::InvitationView;
pub use kept::Kept;
pub use limits::{Allowance, Held};
pub use mails::{DueMail, Letter, MailPurpose, MailQueueLevel, MailToken, NewMail, NewMailToken};
pub use masking::TextEvent;
pub use messages::{MessageFilter, MessageView};
pub use moderation::{AppealView, CaseFilter, DecisionView, ReportView};
pub use notices::{NewNotice, NoticeFilter, NoticeKind, NoticeView};
pub use past::PastWorkspace;
pub use places::{Belonging, Interest, Part, Stay};
pub use points::{PointAccount, Supply, TransferView};
pub use relay::{
    Candidacy, DirectoryEntry, EnvelopeFilter, EnvelopeHeader, EnvelopeView, LinkView, LinkedAgent, NewPresence,
    NewRefusal, ReceiptView, Record, RefusalView, ThreadView, Ties,
};
pub use repeats::Repeat;
pub use replays::{ReplayStatus, ReplayStep, ReplayView, Replayed};
pub use reputation::{LeaderboardFilter, ReputationChange, ReputationView, STANDINGS_MAX, Standing};
pub use scan_limits::Listed;
pub use sealing::{Secret, WeakSecret, sha256_hex};
pub use server_lock::{ServerLock, make_private_folder};
pub use sessions::{CachedToken, Scope, Session, SessionView};
pub use shipments::ShipmentView;
pub use sort::Sort;
pub use storage::{Storage, StorageLimits};
pub use store::{Settings, Store};
pub use told::{Hearing, Told};
pub use totals::{AuthorTotal, KindTotal, WorkspaceTotals};
pub use unit::{Done, Loaded, Recorded, Unit};
pub use votes::VoterView;
pub use webhooks::WebhookView;
pub use workspaces::{MemberView, WorkspaceFilter, WorkspaceView};
