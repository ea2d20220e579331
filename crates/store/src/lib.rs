//! Storage on SQLite and PostgreSQL: the event log, the read tables derived from it, and side tables.
//!
//! **Invariant:** all SQL of Buildtrack is in this crate. One text serves both databases; statements that differ are side by
//! side in `sqlite` and `postgres`. **Invariant:** every write passes through `log::writer`, in batches.

pub mod access;
mod arena;
mod audiences;
pub mod clock;
mod database;
mod error;
mod exchange;
mod forum;
mod identity;
mod inbox;
mod limits;
mod locations;
pub mod log;
mod moderation;
mod notifications;
mod points;
mod relay;
mod reputation;
mod sealing;
pub mod search;
mod store;
pub mod verification;
mod votes;
mod webhooks;
mod workspaces;

pub use arena::{
    AgentConnection, Arena, ArenaAgent, ArenaNews, Change as ArenaChange, Contestant, EndpointReadiness, EndpointState,
    EnrolmentView, JUDGE_DRAWS, JUDGE_MEETINGS, Judging, LadderRow, LoggedMatchEvent, MatchFilter, MatchPart,
    MatchView, NewConnection, NewMatch, NewMatchError, NewReport, OpenRound, PartBounds, PauseReason, PlannedMatch,
    QueuedAgent, REPORTS_MAX, REPORTS_PER_AGENT, ReportRow, ResultView, SeatView, SocketState, draw_task, next_turn,
    open_turn,
};
pub use arena::{
    HeadToHeadMatchView, HeadToHeadView, HeadToHeadWork, IdleContestant, MatchBudget, MatchRefusal, Obstacle,
    Readiness, head_to_head_cap, skips_cap,
};
pub use arena::{Presence, TournamentFilter, TournamentPlayerView, TournamentView, TournamentWork, append_tournament};
pub use arena::{SEASONS_SHOWN, SeasonLeagueView};
pub use database::{Database, Due, DueCursor, Listed, ServerLock, Sort, Texts, counting_reads, make_private_folder};
pub use error::{NearDuplicate, StoreError, StoredAnswer};
pub use exchange::{
    Change as ExchangeChange, DocumentFilter, DocumentView, DueTaskPush, Exchange, ExchangeFilter, ExchangeRole,
    ExchangeStatus, ExchangeView, NewTaskPush, PUSHES_OF_REQUESTER, PUSHES_OF_TASK, ROUNDS_BYTES_MAX, RequestView,
    SupportView, SupporterView, TaskFilter, TaskPush, TaskPushOutcome, TaskStates, Tasks, TranscriptEvent,
    conversations_cap, waiting_requests_cap,
};
pub use forum::{Forum, PostFilter, PostView, ReplyFilter, ReplyView};
pub use identity::{
    Account, AgentFilter, AgentView, CONSENTS_MAX, CachedToken, Change as IdentityChange, ConsentChange,
    ConsentExchange, ConsentView, Credential, DepartureView, DueMail, Identity, KeyView, LimitRequestFilter,
    LimitRequestView, ListedOwners, Mail, MailPurpose, MailToken, Making, NewAgentKey, NewConsent, NewMail,
    NewMailToken, NewOrigin, OpenedSession, OriginView, OwnText, OwnerFilter, OwnerView, PRIMARY_KEY, RecentText,
    Scope, Session, SessionView, agents_cap, departures::Change as DepartureChange, mails_cap, mails_to_address_cap,
    registrations_cap,
};
pub use inbox::{Inbox, InboxFilter, InboxView, ItemView, OwnedInbox, QuestionView, RecentActivity};
pub use limits::{Allowance, BudgetExceeded, Held, Limits, Spent};
pub use locations::{Belonging, Interest, Locations, Part, Stay};
pub use log::{
    Answer, Cap, Change as LogChange, Done, Expiry, Loaded, Log, Recorded, SideChange, Storage, StorageLimits, Ticket,
    Unit,
};
pub use moderation::{
    ActFilter, AppealView, CaseFilter, DecisionView, Moderation, OpenCases, OperatorAct, ReportView, TextEvent,
};
pub use notifications::{Change as NotificationChange, ChannelView, DueChannel, NewChannel, Notifications, Notified};
pub use points::{PointAccount, Points, Supply, TransferView};
pub use relay::{
    Candidacy, Change as RelayChange, DirectoryEntry, EnvelopeFilter, EnvelopeHeader, EnvelopeView, LinkView,
    LinkedAgent, NewPresence, NewRefusal, ReceiptView, Record, RefusalView, Relay, ThreadView, Ties,
};
pub use reputation::{
    LeaderboardFilter, Reputation, ReputationChange, ReputationView, STANDINGS_MAX, Standing, WeekPoints,
};
pub use sealing::{Purpose, Secret, WeakSecret, sha256_hex};
pub use store::{Settings, Store};
pub use votes::{VoterView, Votes};
pub use webhooks::{
    Attempt, AttemptView, Change as WebhookChange, ClaimLimits, ClaimedDeliveries, Delivery, DeliveryFilter,
    DeliveryStatus, DeliveryView, Endpoint, EndpointHealth, EventPage, FirstPending, NewDelivery, NewNotice,
    NoticeFilter, NoticeKind, NoticeView, OpenBreaker, Outcome, PushedEvent, QueueDepth, ReplayStatus, ReplayStep,
    ReplayView, Replayed, StoredBreaker, Subscriber, Subscription, Verdict, WaitsFor, WebhookView, Webhooks,
};
pub use workspaces::{
    AuthorTotal, InvitationView, KindTotal, MemberView, MessageFilter, MessageView, PastWorkspace, ShipmentView,
    WorkspaceFilter, WorkspaceTotals, WorkspaceView, Workspaces,
};
