//! Tests of pages and cursors.

use buildtrack_domain::ids::DeliveryId;

use super::*;

#[test]
fn a_position_cursor_round_trips_and_other_texts_are_rejected() {
    for position in [42, -4] {
        assert_eq!(Cursor(position).encode().parse(), Ok(Cursor(position)));
    }
    // The base64 form of earlier versions.
    assert_eq!("cDQy".parse(), Ok(Cursor(42)));
    for text in ["", "42", "p", "p-", "p+1", "p1234567890123456789", "cDQy=", "eDQy", "cHg"] {
        assert_eq!(text.parse::<Cursor>(), Err(InvalidCursor), "{text}");
    }
}

#[test]
fn an_id_cursor_round_trips_and_is_no_position_cursor() {
    let id: DeliveryId = "dlv_01h2e8kqvbfwea724h75qc655w".parse().unwrap_or_else(|error| panic!("{error}"));
    assert_eq!(IdCursor(id).encode().parse(), Ok(IdCursor(id)));
    assert_eq!(Cursor(42).encode().parse::<IdCursor<DeliveryId>>(), Err(InvalidCursor));
    assert_eq!(IdCursor(id).encode().parse::<Cursor>(), Err(InvalidCursor));
}

#[test]
fn a_rank_cursor_round_trips_and_is_no_position_cursor() {
    let cursor = RankCursor { until: 42, skip: 50 };
    assert_eq!(cursor.encode().parse(), Ok(cursor));
    assert_eq!(cursor.encode().parse::<Cursor>(), Err(InvalidCursor));
    assert_eq!(RankCursor { until: 42, skip: -1 }.encode().parse::<RankCursor>(), Err(InvalidCursor));
}

#[test]
fn the_next_page_continues_at_the_scan_limit() {
    let listed = |rows, scanned_to| Page::listed(Listed { rows, scanned_to }, 2, |row| *row, |row| row);
    assert_eq!(listed(vec![], Some(7)).next_cursor, Some(Cursor(7).encode()));
    assert_eq!(listed(vec![1, 2, 3], Some(7)).next_cursor, Some(Cursor(2).encode()));
    assert_eq!(listed(vec![1], None).next_cursor, None);
}

#[test]
fn the_last_page_has_no_cursor() {
    let page = Page::of(vec![1, 2, 3], 3, |row| *row, |row| row);
    assert_eq!((page.items, page.next_cursor), (vec![1, 2, 3], None));
    let page = Page::of(vec![1, 2, 3], 2, |row| *row, |row| row);
    assert_eq!((page.items, page.next_cursor), (vec![1, 2], Some(Cursor(2).encode())));
}

#[test]
fn a_page_ends_before_the_entry_that_exceeds_its_bytes() {
    let quarter = || "x".repeat(BYTES_MAX / 4);
    let page = |texts: Vec<String>| {
        let rows = (1..).zip(texts).collect();
        let page = Page::of(rows, 10, |(position, _)| *position, |(_, text)| text);
        (page.items.len(), page.next_cursor)
    };
    // With their quotes, four of them are longer than a page.
    assert_eq!(page(vec![quarter(), quarter(), quarter(), quarter()]), (3, Some("p3".to_owned())));
    assert_eq!(page(vec![quarter(), quarter(), quarter()]), (3, None));
    let long = "x".repeat(2 * BYTES_MAX);
    assert_eq!(page(vec![long.clone(), quarter()]), (1, Some("p1".to_owned())), "a page has at least one entry");
    assert_eq!(page(vec![long]), (1, None));
    let rows = vec![quarter(), quarter(), quarter(), quarter(), quarter()];
    let ranked = Page::ranked(rows.clone(), 4, RankCursor { until: 9, skip: 10 }, |text| text);
    assert_eq!((ranked.items.len(), ranked.next_cursor), (3, Some("r9.13".to_owned())));
    assert_eq!((fitting(&rows), fitting::<String>(&[])), (3, 0));
}
