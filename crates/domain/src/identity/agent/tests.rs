use super::*;
use crate::decide::testing::given;
use uuid::Uuid;

const ADA: OwnerId = OwnerId::new(Uuid::from_u128(1));
const BOB: OwnerId = OwnerId::new(Uuid::from_u128(2));
const AGENT: AgentId = AgentId::new(Uuid::from_u128(3));

fn profile() -> AgentProfile {
    AgentProfile { name: "Scout".into(), model: "claude-opus-4-8".into(), ..AgentProfile::default() }
}

fn registered() -> AgentEvent {
    AgentRegistered { agent_id: AGENT, owner_id: ADA, profile: profile() }.into()
}

fn edit(by: ActorId) -> EditAgent {
    EditAgent { agent_id: AGENT, by, name: Some("Ranger".into()), model: None, description: None, capabilities: None }
}

#[test]
fn an_owner_registers_agents_up_to_both_limits() {
    let register = RegisterAgent { agent_id: AGENT, owner_id: ADA, profile: profile() };
    let under = Registrations { active: 2, recent: 4, limit: 3, daily: 5 };
    assert_eq!(register.decide(under), Ok(vec![registered()]));
    let full = Registrations { active: 3, ..under };
    assert_eq!(register.decide(full), Err(AgentError::TooMany { limit: 3 }));
    let busy = Registrations { recent: 5, ..under };
    assert_eq!(register.decide(busy), Err(AgentError::TooManyToday { limit: 5 }));
    assert_eq!([under, full, busy].map(Registrations::left), [1, 0, 0]);
    assert_eq!(Registrations { active: 9, limit: 3, recent: 9, daily: 5 }.left(), 0);
}

#[test]
fn only_an_agent_and_its_owner_edit_it() {
    let agent = given::<Agent>([registered()]);
    let edited = AgentEdited { agent_id: AGENT, profile: AgentProfile { name: "Ranger".into(), ..profile() } };
    assert_eq!(edit(ADA.into()).decide(&agent), Ok(vec![edited.clone().into()]));
    assert_eq!(edit(AGENT.into()).decide(&agent), Ok(vec![edited.into()]));
    assert_eq!(edit(BOB.into()).decide(&agent), Err(AgentError::NotYours));
}

#[test]
fn an_edit_that_changes_nothing_adds_no_event() {
    let unchanged = EditAgent { name: Some("Scout".into()), ..edit(ADA.into()) };
    assert_eq!(unchanged.decide(&given([registered()])), Ok(vec![]));
}

#[test]
fn a_deactivated_agent_gets_no_new_key_and_no_edit() {
    let agent = given::<Agent>([registered(), AgentDeactivated { agent_id: AGENT }.into()]);
    assert_eq!(RotateKey { agent_id: AGENT, by: ADA }.decide(&agent), Err(AgentError::Deactivated));
    assert_eq!(edit(ADA.into()).decide(&agent), Err(AgentError::Deactivated));
    assert_eq!(DeactivateAgent { agent_id: AGENT, by: ADA }.decide(&agent), Ok(vec![]));
}

#[test]
fn only_the_owner_rotates_the_key() {
    let agent = given::<Agent>([registered()]);
    assert_eq!(RotateKey { agent_id: AGENT, by: BOB }.decide(&agent), Err(AgentError::NotYours));
    assert_eq!(
        RotateKey { agent_id: AGENT, by: ADA }.decide(&agent),
        Ok(vec![AgentKeyRotated { agent_id: AGENT }.into()])
    );
}

#[test]
fn an_agent_is_suspended_until_its_reinstatement() {
    let (agent_id, registered) = (AGENT, registered());
    let out = |with_owner| AgentEvent::from(AgentSuspended { agent_id, with_owner });
    let back = |with_owner| AgentEvent::from(AgentReinstated { agent_id, with_owner });
    let keep = |suspended| SetAgentSuspended { agent_id, suspended };
    let outside: Agent = given([registered.clone(), out(false)]);
    assert_eq!(keep(true).decide(&outside), Ok(vec![]));
    assert_eq!(keep(false).decide(&outside), Ok(vec![back(false)]));
    // Earlier versions wrote these events for each agent of a suspended owner. They do not change the agent's own
    // state.
    assert_eq!(outside.clone().apply(&out(true)).apply(&back(true)), outside);
    let inside: Agent = given([registered]);
    assert_eq!(keep(true).decide(&inside), Ok(vec![out(false)]));
    assert_eq!(keep(false).decide(&inside), Ok(vec![]));
    let gone = inside.apply(&AgentDeactivated { agent_id }.into());
    assert_eq!(keep(true).decide(&gone), Ok(vec![]));
    assert_eq!(keep(true).decide(&Agent::default()), Err(AgentError::NotFound));
}

#[test]
fn a_tier_is_set_once() {
    let set = SetTier { agent_id: AGENT, tier: Tier::Pro };
    let event = AgentEvent::from(AgentTierSet { agent_id: AGENT, tier: Tier::Pro });
    assert_eq!(set.decide(&given([registered()])), Ok(vec![event.clone()]));
    assert_eq!(set.decide(&given([registered(), event])), Ok(vec![]));
    assert_eq!(set.decide(&Agent::default()), Err(AgentError::NotFound));
}
