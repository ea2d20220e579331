use proptest::prelude::*;

use super::*;
use crate::relay::directory::Pricing;

fn query() -> DirectoryQuery {
    DirectoryQuery { intent: None, language: None, max_price: None, currency: "USD".into() }
}

fn offering(intent: &str, price: Option<f64>) -> Offering {
    let model = if price.is_some() { "fixed" } else { "subscription" };
    let pricing =
        Pricing { model: model.into(), currency: Some("USD".into()), fixed_price: price, ..Pricing::default() };
    Offering {
        id: format!("cap_{intent}"),
        name: intent.to_owned(),
        intents: vec![intent.to_owned()],
        languages: vec!["en".into()],
        pricing: Some(pricing),
    }
}

fn candidate(position: i64, price: Option<f64>) -> Candidate {
    let listing = Listing { name: None, offerings: vec![offering("translation.en_zh", price)] };
    Candidate { position, listing, record: PartyRecord::default(), availability: Availability::Online }
}

fn order(ranked: &[Ranked]) -> Vec<i64> {
    ranked.iter().map(|one| one.candidate.position).collect()
}

#[test]
fn cheaper_faster_reliable_and_present_agents_rank_first() {
    let plain = || candidate(1, Some(1.0));
    let reliable = Candidate { position: 2, record: PartyRecord { completed: 5, ..PartyRecord::default() }, ..plain() };
    let record = PartyRecord { completed: 5, promised: 5, on_time: 5, ..PartyRecord::default() };
    let fast = Candidate { position: 3, record, ..plain() };
    let away = Candidate { position: 4, availability: Availability::Offline, ..plain() };
    let cheap = candidate(5, Some(0.5));
    assert_eq!(order(&rank(&query(), vec![plain(), reliable.clone()])), [2, 1]);
    assert_eq!(order(&rank(&query(), vec![reliable, fast])), [3, 2]);
    assert_eq!(order(&rank(&query(), vec![away, candidate(6, Some(1.0))])), [6, 4]);
    assert_eq!(order(&rank(&query(), vec![plain(), cheap])), [5, 1]);
    assert_eq!(order(&rank(&query(), vec![candidate(1, None), candidate(2, Some(9.0))])), [2, 1]);
}

#[test]
fn one_capability_must_match_the_whole_query() {
    let mut both = candidate(1, Some(1.0));
    both.listing.offerings.push(Offering { languages: vec!["zh".into()], ..offering("summary.text", Some(0.1)) });
    let found = |query: DirectoryQuery| order(&rank(&query, vec![both.clone()]));
    let intent = |text: &str| DirectoryQuery { intent: text.parse().ok(), ..query() };
    assert_eq!(found(intent("translation.*")), [1]);
    assert_eq!(found(DirectoryQuery { language: Some("en".into()), ..intent("translation.*") }), [1]);
    assert!(found(DirectoryQuery { language: Some("zh".into()), ..intent("translation.*") }).is_empty());
    assert!(found(DirectoryQuery { max_price: Some(0.5), ..intent("translation.*") }).is_empty());
    assert_eq!(found(DirectoryQuery { max_price: Some(0.5), ..intent("summary.text") }), [1]);
    assert!(found(DirectoryQuery { max_price: Some(0.5), currency: "EUR".into(), ..query() }).is_empty());
    assert_eq!(rank(&query(), vec![both])[0].offering, 1);
}

#[test]
fn ties_are_in_the_order_of_registration() {
    let all = vec![candidate(3, Some(1.0)), candidate(1, Some(1.0)), candidate(2, Some(1.0))];
    assert_eq!(order(&rank(&query(), all)), [1, 2, 3]);
}

fn any_candidate() -> impl Strategy<Value = Candidate> {
    let price = prop_oneof![Just(None), (0..5_u8).prop_map(|price| Some(f64::from(price)))];
    let availability = prop_oneof![Just(Availability::Online), Just(Availability::Busy), Just(Availability::Offline)];
    (0..9_i64, price, 0..9_i64, 0..9_i64, 0..9_i64, availability).prop_map(
        |(position, price, on_time, late, failed, availability)| {
            let (completed, promised) = (on_time + late, on_time + late);
            let record = PartyRecord { completed, failed, promised, on_time, delivery_ms: 0 };
            Candidate { record, availability, ..candidate(position, price) }
        },
    )
}

proptest! {
    #[test]
    fn more_completions_never_rank_lower(
        others in proptest::collection::vec(any_candidate(), 0..8),
        mut one in any_candidate(),
        more in 1..20_i64,
    ) {
        one.position = 100;
        let index_of = |one: Candidate| {
            let all = others.iter().cloned().chain([one]).collect();
            order(&rank(&query(), all)).iter().position(|position| *position == 100)
        };
        let before = index_of(one.clone());
        one.record.completed += more;
        prop_assert!(index_of(one) <= before);
    }

    #[test]
    fn a_lower_price_never_ranks_lower(
        others in proptest::collection::vec(any_candidate(), 0..8),
        one in any_candidate(),
        price in 0.0..5.0,
        less in 0.0..1.0,
    ) {
        let index_of = |price: f64| {
            let priced = Candidate { position: 100, listing: candidate(0, Some(price)).listing, ..one.clone() };
            let all = others.iter().cloned().chain([priced]).collect();
            order(&rank(&query(), all)).iter().position(|position| *position == 100)
        };
        prop_assert!(index_of(price * less) <= index_of(price));
    }

    #[test]
    fn parts_and_scores_are_shares(all in proptest::collection::vec(any_candidate(), 0..8)) {
        for Ranked { parts, .. } in rank(&query(), all) {
            for part in [parts.completion, parts.price, parts.speed, parts.presence, parts.score()] {
                prop_assert!((0..=WHOLE).contains(&part));
            }
        }
    }
}

#[test]
fn the_mean_time_counts_delivered_threads() {
    let record = PartyRecord { completed: 4, failed: 3, delivery_ms: 6_000, ..PartyRecord::default() };
    assert_eq!(record.mean_seconds(), Some(1.5));
    assert_eq!(PartyRecord { failed: 3, ..PartyRecord::default() }.mean_seconds(), None);
}
