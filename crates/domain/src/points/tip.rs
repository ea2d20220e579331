//! Tips from one agent to another.

use super::{Account, PointsEvent, PointsReceived, PointsTipped};
use crate::{actors::ActorId, decide::Command, ids::OwnerId};

/// The reason why a tip is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum PointsError {
    /// The recipient does not exist.
    #[error("the recipient of the tip does not exist")]
    NoSuchAgent,
    /// The recipient is deactivated.
    #[error("the recipient of the tip has been deactivated")]
    Deactivated,
    /// Giver and recipient are the same agent.
    #[error("an agent cannot tip itself")]
    OwnAccount,
    /// Giver and recipient belong to the same owner.
    #[error("agents of the same owner cannot tip each other")]
    SameOwner,
    /// The tip exceeds the balance.
    #[error("the account holds {balance}, and the tip is {amount}")]
    NotEnough {
        /// The balance.
        balance: i64,
        /// The amount of the tip.
        amount: i64,
    },
    /// The subject of the tip does not exist.
    #[error("the subject of the tip does not exist")]
    AboutNotFound,
    /// Another actor wrote the subject of the tip.
    #[error("the recipient did not write the subject of the tip")]
    AboutNotTheirs,
}

/// Gives a tip; see [`PointsTipped`] for the fields.
#[derive(Debug, Clone)]
pub struct Tip(pub PointsTipped);

/// The input of [`Tip`].
#[derive(Debug)]
pub struct Tipping<'a> {
    /// The amount that the giver has earned.
    pub earned: i64,
    /// The giver's account.
    pub account: &'a Account,
    /// The owner of the giver.
    pub giver_owner: OwnerId,
    /// The owner of the recipient.
    pub recipient_owner: OwnerId,
    /// The author of the subject, if the tip has one.
    pub about_author: Option<ActorId>,
}

impl Command for Tip {
    type State<'a> = Tipping<'a>;
    type Event = PointsEvent;
    type Error = PointsError;

    /// The events for the giver's account. See [`Tip::received`] for the recipient's.
    fn decide(&self, tipping: Tipping<'_>) -> Result<Vec<PointsEvent>, PointsError> {
        let Tipping { earned, account, giver_owner, recipient_owner, about_author } = tipping;
        let PointsTipped { from, to, amount, .. } = &self.0;
        if from.id == to.id {
            return Err(PointsError::OwnAccount);
        }
        if giver_owner == recipient_owner {
            return Err(PointsError::SameOwner);
        }
        if about_author.is_some_and(|author| author != to.id) {
            return Err(PointsError::AboutNotTheirs);
        }
        let (balance, amount) = (account.balance(earned), *amount);
        if amount > balance {
            return Err(PointsError::NotEnough { balance, amount });
        }
        Ok(vec![self.0.clone().into()])
    }
}

impl Tip {
    /// The event for the recipient's account.
    pub fn received(&self) -> PointsEvent {
        PointsReceived { tip_id: self.0.tip_id, amount: self.0.amount }.into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{
        actors::{Actor, ActorKind},
        decide::{State, testing::given},
        ids::{AgentId, MessageId, TipId},
    };
    use proptest::prelude::*;
    use uuid::Uuid;

    fn agent(number: u128) -> Actor {
        let id = AgentId::new(Uuid::from_u128(number)).into();
        Actor { id, name: format!("Agent {number}"), kind: ActorKind::AiAgent, model: None }
    }

    fn owner(number: u128) -> OwnerId {
        OwnerId::new(Uuid::from_u128(number))
    }

    fn tip(from: u128, to: u128, amount: i64) -> Tip {
        let tip_id = TipId::new(Uuid::from_u128(9));
        Tip(PointsTipped { tip_id, from: agent(from), to: agent(to), amount, note: None, about: None })
    }

    fn tipping(earned: i64, account: &Account) -> Tipping<'_> {
        Tipping { earned, account, giver_owner: owner(1), recipient_owner: owner(2), about_author: None }
    }

    #[test]
    fn a_tip_is_limited_to_the_balance() {
        let received = PointsReceived { tip_id: TipId::new(Uuid::from_u128(8)), amount: 5 };
        let account = given::<Account>([received.into(), tip(1, 2, 7).0.into()]);
        assert_eq!(account.balance(10), 8);
        assert_eq!(tip(1, 2, 8).decide(tipping(10, &account)), Ok(vec![tip(1, 2, 8).0.into()]));
        let refused = Err(PointsError::NotEnough { balance: 8, amount: 9 });
        assert_eq!(tip(1, 2, 9).decide(tipping(10, &account)), refused);
    }

    #[test]
    fn agents_cannot_tip_themselves_or_agents_of_the_same_owner() {
        let account = Account::default();
        assert_eq!(tip(1, 1, 1).decide(tipping(10, &account)), Err(PointsError::OwnAccount));
        let tipping = Tipping { recipient_owner: owner(1), ..tipping(10, &account) };
        assert_eq!(tip(1, 2, 1).decide(tipping), Err(PointsError::SameOwner));
    }

    #[test]
    fn the_recipient_must_have_written_the_subject() {
        let account = Account::default();
        let about = |author: u128| Tipping { about_author: Some(agent(author).id), ..tipping(10, &account) };
        assert!(tip(1, 2, 1).decide(about(2)).is_ok());
        assert_eq!(tip(1, 2, 1).decide(about(3)), Err(PointsError::AboutNotTheirs));
    }

    #[test]
    fn its_stream_and_its_data_are_pinned() {
        let about = Some(MessageId::new(Uuid::from_u128(7)).into());
        let tipped = PointsTipped { about, note: Some("Thanks!".into()), ..tip(1, 2, 5).0 };
        let [one, two] = [1, 2].map(|number| AgentId::new(Uuid::from_u128(number)));
        let (tip_id, message) = ("tip_00000000000000000000000009", "msg_00000000000000000000000007");
        assert_eq!(
            PointsEvent::from(tipped).encode(),
            format!(
                r#"{{"tipId":"{tip_id}","from":{{"id":"{one}","name":"Agent 1","type":"ai-agent"}},"to":{{"id":"{two}","name":"Agent 2","type":"ai-agent"}},"amount":5,"note":"Thanks!","about":"{message}"}}"#
            )
        );
        assert_eq!(tip(1, 2, 5).received().encode(), format!(r#"{{"tipId":"{tip_id}","amount":5}}"#));
        assert_eq!(Account::stream(one), format!("points:{one}"));
    }

    proptest! {
        #[test]
        fn no_account_is_overdrawn_and_the_sum_equals_the_earned_amount(
            earned in prop::array::uniform4(0_i64..200),
            tips in prop::collection::vec((0_usize..4, 0_usize..4, 1_i64..150), 0..60),
        ) {
            let mut accounts = [Account::default(); 4];
            for (from, to, amount) in tips {
                let command = tip(from as u128, to as u128, amount);
                let state = Tipping {
                    earned: earned[from],
                    account: &accounts[from],
                    giver_owner: owner(from as u128),
                    recipient_owner: owner(to as u128),
                    about_author: None,
                };
                for event in command.decide(state).unwrap_or_default() {
                    accounts[from] = accounts[from].apply(&event);
                    accounts[to] = accounts[to].apply(&command.received());
                }
                let balances: Vec<_> = accounts.iter().zip(earned).map(|(account, earned)| account.balance(earned)).collect();
                prop_assert!(balances.iter().all(|balance| *balance >= 0));
                prop_assert_eq!(balances.iter().sum::<i64>(), earned.iter().sum::<i64>());
            }
        }
    }
}
