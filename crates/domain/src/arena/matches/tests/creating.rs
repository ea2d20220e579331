//! Making matches: seats, turns and modes.

use super::*;

#[test]
fn a_match_has_from_2_to_100_seats() {
    for (seats, expected) in [(0, false), (1, false), (2, true), (100, true), (101, false)] {
        let events = create(created(&vec![Channel::Push; seats], 3));
        assert_eq!(events.as_ref().err(), if expected { None } else { Some(&MatchError::SeatCount) }, "{seats}");
    }
    let events = create(created(&SOCKETS, 3)).unwrap();
    assert_eq!(events, [created(&SOCKETS, 3).into(), opened(1, 0).into()]);
    let state = begun(&SOCKETS);
    assert_eq!((state.phase, state.judged, state.totals, state.tasks), {
        (Phase::Playing, 0, vec![0, 0], vec!["trivia-1".to_owned()])
    });
}

#[test]
fn a_match_has_from_1_to_50_turns() {
    for (turns, expected) in [(0, false), (1, true), (50, true), (51, false)] {
        let events = create(created(&SOCKETS, turns));
        assert_eq!(events.as_ref().err(), if expected { None } else { Some(&MatchError::TurnCount) }, "{turns}");
    }
}

#[test]
fn an_agent_has_one_seat() {
    for mode in [Mode::Ranked, Mode::Challenge] {
        let mut created = MatchCreated { mode, ..created(&[Channel::Push; 3], 3) };
        created.seats[2].agent_id = agent_id(1);
        assert_eq!(create(created), Err(MatchError::SameAgent));
    }
}

#[test]
fn agents_of_one_owner_meet_in_challenges_alone() {
    for (mode, expected) in [(Mode::Ranked, Some(MatchError::SameOwner)), (Mode::Challenge, None)] {
        let challenger_id = (mode == Mode::Challenge).then_some(CHALLENGER);
        let mut created = MatchCreated { mode, challenger_id, ..created(&[Channel::Push; 3], 3) };
        created.seats[2].owner_id = created.seats[0].owner_id;
        assert_eq!(create(created).err(), expected);
    }
}

#[test]
fn an_owner_asks_for_a_challenge_and_for_no_ranked_match() {
    let asked = |mode, challenger_id| create(MatchCreated { mode, challenger_id, ..created(&SOCKETS, 3) }).err();
    assert_eq!(asked(Mode::Ranked, Some(CHALLENGER)), Some(MatchError::Challenger));
    assert_eq!(asked(Mode::Challenge, None), Some(MatchError::Challenger));
    assert_eq!((asked(Mode::Ranked, None), asked(Mode::Challenge, Some(CHALLENGER))), (None, None));
}

/// An agent against the bot, over its socket.
fn sparring() -> MatchCreated {
    let mut created = MatchCreated { mode: Mode::Sparring, ..created(&SOCKETS, 3) };
    created.seats[1] = sparring_seat();
    created
}

#[test]
fn the_sparring_bot_plays_one_agent_in_a_match_of_its_mode() {
    assert!(create(sparring()).is_ok());
    assert!(create(MatchCreated { challenger_id: Some(CHALLENGER), ..sparring() }).is_ok());
    let refused = |change: fn(&mut MatchCreated)| {
        let mut created = sparring();
        change(&mut created);
        create(created).err()
    };
    let sparring = Some(MatchError::Sparring);
    assert_eq!(refused(|created| created.mode = Mode::Ranked), sparring);
    assert_eq!(refused(|created| created.seats[1] = seat(2, Channel::Socket)), sparring);
    assert_eq!(refused(|created| created.seats[1].channel = Channel::Socket), sparring);
    assert_eq!(refused(|created| created.seats[0].channel = Channel::System), sparring);
    assert_eq!(refused(|created| created.seats.push(seat(3, Channel::Push))), sparring);
}

#[test]
fn a_match_with_the_sparring_bot_is_unrated_and_ends_at_a_missed_turn_of_a_socket() {
    assert!(!sparring().is_rated() && sparring().ends_at_a_missed_turn());
    let mut created = sparring();
    created.seats[0].channel = Channel::Push;
    assert!(!created.ends_at_a_missed_turn());
    // The bot has no feed.
    let begun = create(sparring()).unwrap();
    assert_eq!(begun[0].locations(), vec![Location::Actor(agent_id(1).into())]);
}

#[test]
fn only_ranked_matches_are_rated_and_only_sockets_end_at_a_missed_turn() {
    let challenge = MatchCreated { mode: Mode::Challenge, ..created(&SOCKETS, 3) };
    assert!(created(&SOCKETS, 3).is_rated() && !challenge.is_rated());
    assert!(challenge.ends_at_a_missed_turn());
    assert!(!created(&[Channel::Socket, Channel::Push], 3).ends_at_a_missed_turn());
}
