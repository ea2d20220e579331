//! A new secret in place of an old one, while both count for a while.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Addressed, WebhookError, WebhookEvent, WebhookSecretActivated, WebhookSecretRotated};
use crate::decide::Command;

/// For how many hours both secrets count where nothing is said.
pub const OVERLAP_HOURS: i64 = 24;
/// For how many they may.
pub const OVERLAP_HOURS_MAX: i64 = 168;

/// Gives an endpoint a new secret. One that waits to take its place already is forgotten for it.
#[derive(Debug, Clone, Copy)]
pub struct RotateSecret {
    /// When.
    pub now: DateTime<Utc>,
    /// How long the old one counts; not at all where it is zero.
    pub overlap: TimeDelta,
}

impl Command for RotateSecret {
    type State<'a> = Addressed<'a>;
    type Event = WebhookEvent;
    type Error = WebhookError;

    fn decide(
        &self,
        Addressed { webhook_id, agent_id, webhook }: Addressed<'_>,
    ) -> Result<Vec<WebhookEvent>, WebhookError> {
        webhook.held_by(agent_id)?;
        let overlap_ends_at = self.ends_at();
        Ok(vec![WebhookSecretRotated { webhook_id, agent_id, overlap_ends_at }.into()])
    }
}

impl RotateSecret {
    /// Until when the old secret counts.
    pub fn ends_at(&self) -> DateTime<Utc> {
        self.now.checked_add_signed(self.overlap).unwrap_or(self.now)
    }
}

/// Lets the new secret count alone, before its time.
#[derive(Debug, Clone, Copy)]
pub struct ActivateSecret {
    /// When.
    pub now: DateTime<Utc>,
}

impl Command for ActivateSecret {
    type State<'a> = Addressed<'a>;
    type Event = WebhookEvent;
    type Error = WebhookError;

    fn decide(
        &self,
        Addressed { webhook_id, agent_id, webhook }: Addressed<'_>,
    ) -> Result<Vec<WebhookEvent>, WebhookError> {
        webhook.held_by(agent_id)?;
        if webhook.overlap_ends_at.is_none_or(|ends_at| ends_at <= self.now) {
            return Err(WebhookError::NoNextSecret);
        }
        Ok(vec![WebhookSecretActivated { webhook_id, agent_id }.into()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        decide::testing::given,
        ids::{AgentId, WebhookId},
        webhooks::{Webhook, WebhookRegistered},
    };
    use uuid::Uuid;

    const SCOUT: AgentId = AgentId::new(Uuid::from_u128(1));
    const HOOK: WebhookId = WebhookId::new(Uuid::from_u128(3));
    const NOON: DateTime<Utc> = DateTime::from_timestamp(1_772_366_400, 0).unwrap();

    fn registered() -> WebhookEvent {
        WebhookRegistered { webhook_id: HOOK, agent_id: SCOUT, events: vec![] }.into()
    }

    fn rotated(overlap_ends_at: DateTime<Utc>) -> WebhookEvent {
        WebhookSecretRotated { webhook_id: HOOK, agent_id: SCOUT, overlap_ends_at }.into()
    }

    fn activated() -> WebhookEvent {
        WebhookSecretActivated { webhook_id: HOOK, agent_id: SCOUT }.into()
    }

    fn scouts(webhook: &Webhook) -> Addressed<'_> {
        Addressed { webhook_id: HOOK, agent_id: SCOUT, webhook }
    }

    #[test]
    fn the_old_secret_counts_until_the_overlap_ends() {
        let rotate = RotateSecret { now: NOON, overlap: TimeDelta::hours(24) };
        let tomorrow = NOON + TimeDelta::hours(24);
        assert_eq!(rotate.decide(scouts(&given([registered()]))), Ok(vec![rotated(tomorrow)]));
        let later = RotateSecret { now: NOON + TimeDelta::hours(1), ..rotate };
        let again = later.decide(scouts(&given([registered(), rotated(tomorrow)])));
        assert_eq!(again, Ok(vec![rotated(tomorrow + TimeDelta::hours(1))]));
    }

    #[test]
    fn a_new_secret_is_activated_once_and_before_its_time() {
        let (tomorrow, activate) = (NOON + TimeDelta::hours(24), ActivateSecret { now: NOON });
        let webhook = given([registered(), rotated(tomorrow)]);
        assert_eq!(activate.decide(scouts(&webhook)), Ok(vec![activated()]));
        assert_eq!(ActivateSecret { now: tomorrow }.decide(scouts(&webhook)), Err(WebhookError::NoNextSecret));
        for history in
            [vec![registered()], vec![registered(), rotated(NOON)], vec![registered(), rotated(tomorrow), activated()]]
        {
            assert_eq!(activate.decide(scouts(&given(history))), Err(WebhookError::NoNextSecret));
        }
    }

    #[test]
    fn an_endpoint_that_is_not_there_has_no_secrets() {
        let nothing = Webhook::default();
        let rotate = RotateSecret { now: NOON, overlap: TimeDelta::zero() };
        assert_eq!(rotate.decide(scouts(&nothing)), Err(WebhookError::NotFound));
        assert_eq!(ActivateSecret { now: NOON }.decide(scouts(&nothing)), Err(WebhookError::NotFound));
    }
}
