//! Rotation of an endpoint's secret, with an overlap in which both secrets are valid.

use chrono::{DateTime, TimeDelta, Utc};

use super::{Addressed, WebhookError, WebhookEvent, WebhookSecretActivated, WebhookSecretRotated};
use crate::decide::Command;

/// The default overlap, in hours.
pub const OVERLAP_HOURS: i64 = 24;
/// The maximum overlap, in hours.
pub const OVERLAP_HOURS_MAX: i64 = 168;

/// Gives an endpoint a new secret. It replaces a new secret that is not activated yet.
#[derive(Debug, Clone, Copy)]
pub struct RotateSecret {
    /// The current time.
    pub now: DateTime<Utc>,
    /// How long the old secret stays valid; zero ends it at once.
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
    /// When the old secret becomes invalid.
    pub fn ends_at(&self) -> DateTime<Utc> {
        self.now.checked_add_signed(self.overlap).unwrap_or(self.now)
    }
}

/// Ends the overlap early, so that only the new secret is valid.
#[derive(Debug, Clone, Copy)]
pub struct ActivateSecret {
    /// The current time.
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
    fn the_old_secret_is_valid_until_the_overlap_ends() {
        let rotate = RotateSecret { now: NOON, overlap: TimeDelta::hours(24) };
        let tomorrow = NOON + TimeDelta::hours(24);
        assert_eq!(rotate.decide(scouts(&given([registered()]))), Ok(vec![rotated(tomorrow)]));
        let later = RotateSecret { now: NOON + TimeDelta::hours(1), ..rotate };
        let again = later.decide(scouts(&given([registered(), rotated(tomorrow)])));
        assert_eq!(again, Ok(vec![rotated(tomorrow + TimeDelta::hours(1))]));
    }

    #[test]
    fn a_new_secret_is_activated_once_and_only_during_the_overlap() {
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
    fn a_missing_endpoint_has_no_secrets() {
        let nothing = Webhook::default();
        let rotate = RotateSecret { now: NOON, overlap: TimeDelta::zero() };
        assert_eq!(rotate.decide(scouts(&nothing)), Err(WebhookError::NotFound));
        assert_eq!(ActivateSecret { now: NOON }.decide(scouts(&nothing)), Err(WebhookError::NotFound));
    }
}
