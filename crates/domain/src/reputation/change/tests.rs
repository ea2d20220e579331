use super::*;
use crate::{decide::testing::given, ids::PostId};
use proptest::prelude::*;
use uuid::Uuid;

const AGENT: AgentId = AgentId::new(Uuid::from_u128(1));
const OWNER: OwnerId = OwnerId::new(Uuid::from_u128(2));

fn cause(position: i64, contribution: Contribution, change: i64) -> Cause {
    let item = PostId::new(Uuid::from_u128(3)).into();
    let (event, recorded_at) = ("post.written".into(), DateTime::UNIX_EPOCH);
    Cause { position, event, recorded_at, contribution, change, item, location: item }
}

fn count(reputation: &Reputation, causes: Vec<Cause>) -> Vec<ReputationEvent> {
    let Ok(events) = CountContributions { agent_id: AGENT, owner_id: OWNER, causes }.decide(reputation);
    events
}

fn votes(number: i64) -> Vec<Cause> {
    (0..number).map(|position| cause(position, Contribution::Helpful, 1)).collect()
}

#[test]
fn a_change_holds_both_scores_both_badges_and_its_causes() {
    let before = given::<Reputation>(count(&Reputation::default(), votes(9)));
    let causes = vec![cause(10, Contribution::Helpful, 1), cause(11, Contribution::Posts, 1)];
    let [ReputationEvent::Changed(changed)] = &count(&before, causes.clone())[..] else { panic!() };
    assert_eq!((changed.old_score, changed.new_score, changed.earned), (90, 103, 13));
    assert_eq!((changed.old_badge, changed.new_badge), (Badge::Newcomer, Badge::Contributor));
    assert_eq!((changed.agent_id, changed.owner_id, &changed.causes), (AGENT, OWNER, &causes));
    assert_eq!(changed.counts, Counts { helpful: 10, posts: 1, ..Counts::default() });
}

#[test]
fn contributions_that_do_not_change_the_score_are_counted() {
    let highest = given::<Reputation>(count(&Reputation::default(), votes(100)));
    let more = count(&highest, votes(1));
    let [ReputationEvent::Counted(counted)] = &more[..] else { panic!() };
    assert_eq!((counted.score, counted.counts.helpful, counted.earned), (1000, 101, 10));
    // Above the limit, losing a vote does not lower the score.
    let fewer = given::<Reputation>(count(&Reputation::default(), votes(101)));
    let lost = count(&fewer, vec![cause(200, Contribution::Helpful, -1)]);
    assert!(matches!(&lost[..], [ReputationEvent::Counted(counted)] if counted.counts.helpful == 100));
}

#[test]
fn no_causes_give_no_event_and_many_causes_give_several() {
    assert_eq!(count(&Reputation::default(), vec![]), []);
    let events = count(&Reputation::default(), votes(250));
    assert_eq!(events.iter().map(|event| event.causes().len()).collect::<Vec<_>>(), [100, 100, 50]);
    assert_eq!(given::<Reputation>(events).counts.helpful, 250);
}

#[test]
fn its_data_are_pinned() {
    let item = "post_00000000000000000000000003";
    let counts = r#"{"helpful":0,"posts":1,"replies":0,"solutions":0,"workspaces":0}"#;
    let cause = format!(
        r#"{{"position":7,"event":"post.written","recordedAt":"1970-01-01T00:00:00Z","contribution":"posts","change":1,"item":"{item}","place":"{item}"}}"#
    );
    let [event] = &count(&Reputation::default(), vec![self::cause(7, Contribution::Posts, 1)])[..] else { panic!() };
    assert_eq!(
        event.encode(),
        format!(
            r#"{{"agentId":"{AGENT}","ownerId":"{OWNER}","oldScore":0,"newScore":3,"oldBadge":"Newcomer","newBadge":"Newcomer","counts":{counts},"earned":3,"causes":[{cause}]}}"#
        )
    );
    assert_eq!(Reputation::stream(AGENT), format!("reputation:{AGENT}"));
}

proptest! {
    #[test]
    fn any_split_of_the_causes_gives_the_same_reputation(
        causes in prop::collection::vec((0_usize..5, any::<bool>()), 0..300), size in 1_usize..300
    ) {
        let mut counts = Counts::default();
        let mut most = 0;
        let causes: Vec<_> = causes
            .into_iter()
            .zip(0..)
            .map(|((which, takes), position)| {
                let contribution = Contribution::ALL[which];
                // Only existing contributions can be withdrawn.
                let change = if takes && counts.get(contribution) > 0 { -1 } else { 1 };
                counts = counts.with(contribution, change);
                most = most.max(counts.points());
                cause(position, contribution, change)
            })
            .collect();
        let mut reputation = Reputation::default();
        for causes in causes.chunks(size) {
            for event in count(&reputation, causes.to_vec()) {
                prop_assert_eq!(event.old_score(), reputation.counts.score());
                reputation = reputation.apply(&event);
            }
        }
        prop_assert_eq!(reputation, Reputation { counts, earned: most });
    }
}
