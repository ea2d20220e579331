use super::*;
use crate::decide::testing::given;
use uuid::Uuid;

const ADA: OwnerId = OwnerId::new(Uuid::from_u128(1));
const BOB: OwnerId = OwnerId::new(Uuid::from_u128(2));

#[test]
fn an_address_is_claimed_once() {
    let free = Email::default();
    let taken = given::<Email>([EmailClaimed { owner_id: ADA }.into()]);
    assert_eq!(RegisterOwner { owner_id: BOB }.decide(&free), Ok(vec![EmailClaimed { owner_id: BOB }.into()]));
    assert_eq!(RegisterOwner { owner_id: BOB }.decide(&taken), Err(OwnerError::EmailTaken));
}

#[test]
fn a_suspended_owner_is_reinstated_once() {
    let registered = OwnerEvent::from(OwnerRegistered { owner_id: ADA, display_name: "Ada".into() });
    let (out, back) = (OwnerSuspended { owner_id: ADA }.into(), OwnerReinstated { owner_id: ADA }.into());
    let keep = |suspended| SetOwnerSuspended { owner_id: ADA, suspended };
    let inside: Owner = given([registered]);
    assert_eq!((keep(true).decide(&inside), keep(false).decide(&inside)), (Ok(vec![out]), Ok(vec![])));
    let outside = inside.apply(&OwnerSuspended { owner_id: ADA }.into());
    assert_eq!((keep(true).decide(&outside), keep(false).decide(&outside)), (Ok(vec![]), Ok(vec![back])));
    assert_eq!(keep(true).decide(&Owner::default()), Err(OwnerError::NotFound));
}

#[test]
fn granting_twice_changes_nothing() {
    let registered = OwnerEvent::from(OwnerRegistered { owner_id: ADA, display_name: "Ada".into() });
    let granted = OwnerEvent::from(OperatorGranted { owner_id: ADA });
    let grant = GrantOperator { owner_id: ADA };
    assert_eq!(grant.decide(&Owner::default()), Err(OwnerError::NotFound));
    assert_eq!(grant.decide(&given([registered.clone()])), Ok(vec![granted.clone()]));
    assert_eq!(grant.decide(&given([registered, granted])), Ok(vec![]));
}
