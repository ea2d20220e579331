//! The standings of a tournament: points, and the tie-breaks Buchholz, Sonneborn-Berger and direct result. Players are numbers from 0,
//! in the order of their seeds.

use std::cmp::Reverse;

/// What a pairing ended as.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Scored {
    /// The players; `None` in place of the second for a bye, which counts as a won match without an opponent.
    pub players: (usize, Option<usize>),
    /// The halves of a point of the first player: 0, 1 or 2. The second has the others; none has any after a double walkover.
    pub halves: (u32, u32),
}

/// A player's place.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Standing {
    /// The player.
    pub player: usize,
    /// From 1. Players share a place if nothing but their seeds tells them apart.
    pub place: usize,
    /// The points, in halves.
    pub halves: u32,
    /// Buchholz: the sum of the opponents' points, in halves.
    pub buchholz: u32,
    /// Sonneborn-Berger: the opponents' points, each times the points against it, in quarters.
    pub sonneborn_berger: u32,
}

/// The standings of so many players after these pairings, the best first.
pub fn standings(players: usize, scored: &[Scored]) -> Vec<Standing> {
    let halves = points(players, scored);
    let mut rows: Vec<Standing> = (0..players).map(|player| row(player, &halves, scored)).collect();
    rows.sort_by_key(|row| (Reverse(key(row)), row.player));
    // The direct results count among all who are equal in everything else.
    let mut direct = vec![0; players];
    for group in rows.chunk_by(|one, other| key(one) == key(other)) {
        for row in group {
            direct[row.player] = results_of(row.player, scored)
                .filter(|(other, _)| group.iter().any(|row| row.player == *other))
                .map(|(_, halves)| halves)
                .sum();
        }
    }
    let full = |row: &Standing| (key(row), direct[row.player]);
    rows.sort_by_key(|row| (Reverse(full(row)), row.player));
    for index in 0..rows.len() {
        let is_shared = index > 0 && full(&rows[index - 1]) == full(&rows[index]);
        rows[index].place = if is_shared { rows[index - 1].place } else { index + 1 };
    }
    rows
}

/// The points of each player, in halves.
pub fn points(players: usize, scored: &[Scored]) -> Vec<u32> {
    let mut halves = vec![0; players];
    for Scored { players: (first, second), halves: (of_first, of_second) } in scored {
        if let Some(sum) = halves.get_mut(*first) {
            *sum += of_first;
        }
        if let Some(sum) = second.and_then(|second| halves.get_mut(second)) {
            *sum += of_second;
        }
    }
    halves
}

fn key(row: &Standing) -> (u32, u32, u32) {
    (row.halves, row.buchholz, row.sonneborn_berger)
}

fn row(player: usize, halves: &[u32], scored: &[Scored]) -> Standing {
    let opponents = || results_of(player, scored).map(|(other, against)| (halves[other], against));
    Standing {
        player,
        place: 0,
        halves: halves[player],
        buchholz: opponents().map(|(points, _)| points).sum(),
        sonneborn_berger: opponents().map(|(points, against)| points * against).sum(),
    }
}

/// A player's opponents, with the halves against each.
fn results_of(player: usize, scored: &[Scored]) -> impl Iterator<Item = (usize, u32)> {
    scored.iter().filter_map(move |Scored { players: (first, second), halves }| {
        let second = (*second)?;
        if *first == player {
            Some((second, halves.0))
        } else if second == player {
            Some((*first, halves.1))
        } else {
            None
        }
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn won(first: usize, second: usize) -> Scored {
        Scored { players: (first, Some(second)), halves: (2, 0) }
    }

    fn drew(first: usize, second: usize) -> Scored {
        Scored { players: (first, Some(second)), halves: (1, 1) }
    }

    fn bye(player: usize) -> Scored {
        Scored { players: (player, None), halves: (2, 0) }
    }

    fn places(players: usize, scored: &[Scored]) -> Vec<(usize, usize)> {
        standings(players, scored).iter().map(|row| (row.player, row.place)).collect()
    }

    #[test]
    fn points_rank_first() {
        let scored = [won(2, 1), won(2, 0), drew(1, 0)];
        let rows = standings(3, &scored);
        assert_eq!(rows[0], Standing { player: 2, place: 1, halves: 4, buchholz: 2, sonneborn_berger: 4 });
        assert_eq!(places(3, &scored), [(2, 1), (0, 2), (1, 2)]);
    }

    #[test]
    fn stronger_opponents_break_a_tie() {
        // 0 and 1 have a win each; the opponent of 1 has a bye's point.
        assert_eq!(places(4, &[won(0, 2), won(1, 3), bye(3)])[..2], [(1, 1), (3, 2)]);
    }

    #[test]
    fn a_result_against_a_stronger_opponent_breaks_a_tie_of_buchholz() {
        // 0 beat 2 (four halves) and lost to 3 (two); 1 lost to 2 and beat 3.
        let scored = [won(0, 2), won(3, 0), won(2, 1), won(1, 3), bye(2), won(2, 4), won(5, 3)];
        let rows = standings(6, &scored);
        let of = |player: usize| *rows.iter().find(|row| row.player == player).unwrap();
        assert_eq!((of(0).halves, of(0).buchholz), (of(1).halves, of(1).buchholz));
        assert!(of(0).sonneborn_berger > of(1).sonneborn_berger && of(0).place < of(1).place);
    }

    #[test]
    fn the_direct_result_breaks_the_last_tie() {
        // Both have two halves, and the same opponents' points.
        let scored = [won(1, 0), won(0, 2), won(3, 1), won(2, 3)];
        let rows = standings(4, &scored);
        assert!(rows.iter().all(|row| row.halves == 2 && row.buchholz == 4 && row.sonneborn_berger == 4));
        // Among all four, each has won once: nothing tells them apart.
        assert!(rows.iter().all(|row| row.place == 1));
        // 1 beat 0, and both have the same points, Buchholz and Sonneborn-Berger.
        let scored = [won(1, 0), won(2, 1), won(0, 3), bye(3)];
        let rows = standings(4, &scored);
        assert_eq!(key(&rows[0]), key(&rows[1]));
        assert_eq!(places(4, &scored)[..2], [(1, 1), (0, 2)]);
    }

    #[test]
    fn every_player_has_a_place_and_no_points_are_lost() {
        let scored = [won(0, 3), drew(1, 2), bye(4), Scored { players: (1, Some(4)), halves: (0, 0) }];
        let rows = standings(6, &scored);
        assert_eq!(rows.len(), 6);
        assert_eq!(rows.iter().map(|row| row.halves).sum::<u32>(), 6);
        assert!(rows.windows(2).all(|pair| pair[0].place <= pair[1].place));
    }
}
