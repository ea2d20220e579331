//! The domain model of Buildtrack: ids, events, states, commands and errors of each bounded context.
//!
//! **Invariant:** nothing here does I/O, reads a clock or draws randomness; time, ids and random bytes are arguments.
//! **Invariant:** a context refers to other contexts only by their ids, their events and the values in those, and by name in [`event`].

/// The contexts' event sets, each with its name in [`event::Event`].
macro_rules! event_sets {
    ($registry:ident) => {
        $registry! {
            Owner($crate::identity::OwnerEvent),
            Email($crate::identity::EmailEvent),
            Invite($crate::identity::InviteEvent),
            Operation($crate::identity::OperationEvent),
            LimitRequest($crate::identity::LimitRequestEvent),
            Agent($crate::identity::AgentEvent),
            Session($crate::identity::SessionEvent),
            Consent($crate::identity::ConsentEvent),
            Webhook($crate::webhooks::WebhookEvent),
            WebhookSlot($crate::webhooks::WebhookSlotEvent),
            Workspace($crate::workspaces::WorkspaceEvent),
            Message($crate::workspaces::MessageEvent),
            Post($crate::forum::PostEvent),
            Reply($crate::forum::ReplyEvent),
            Solution($crate::forum::SolutionEvent),
            Vote($crate::votes::VoteEvent),
            Invitation($crate::workspaces::InvitationEvent),
            Inbox($crate::inbox::InboxEvent),
            Notification($crate::notifications::NotificationEvent),
            Case($crate::moderation::CaseEvent),
            Erasure($crate::moderation::ErasureEvent),
            Report($crate::moderation::ReportEvent),
            Reputation($crate::reputation::ReputationEvent),
            Points($crate::points::PointsEvent),
            Envelope($crate::relay::EnvelopeEvent),
            Thread($crate::relay::ThreadEvent),
            Retention($crate::relay::retention::RetentionEvent),
            Directory($crate::relay::directory::DirectoryEvent),
            Link($crate::relay::directory::LinkEvent),
            DidSlot($crate::relay::directory::DidSlotEvent),
            Document($crate::exchange::documents::DocumentEvent),
            Support($crate::exchange::documents::SupportEvent),
            Exchange($crate::exchange::conversations::ExchangeEvent),
            Enrolment($crate::arena::enrolment::EnrolmentEvent),
            Match($crate::arena::matches::MatchEvent),
            Standing($crate::arena::ladder::StandingEvent),
            HeadToHead($crate::arena::head_to_head::HeadToHeadEvent),
            Tournament($crate::arena::tournaments::TournamentEvent),
            TournamentSlot($crate::arena::tournaments::TournamentSlotEvent),
        }
    };
}

pub mod actors;
pub mod arena;
pub mod audience;
pub mod budgets;
pub mod decide;
pub mod event;
mod event_set;
#[cfg(test)]
mod event_tests;
pub mod exchange;
pub mod forum;
pub mod identity;
pub mod ids;
pub mod inbox;
mod inbox_items;
pub mod limits;
pub mod locations;
pub mod log;
pub mod markdown;
pub mod mentions;
pub mod moderation;
pub mod names;
pub mod near_duplicates;
pub mod notifications;
pub mod one_line;
pub mod points;
pub mod push;
mod push_type;
pub mod relay;
pub mod reputation;
pub mod search;
pub mod similar_names;
pub mod targets;
mod unchanged;
pub mod visible;
pub mod votes;
pub mod webhooks;
pub mod words;
pub mod workspaces;
