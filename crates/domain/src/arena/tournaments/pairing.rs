//! Who plays whom in a round: a pure function of the number of players and of the earlier rounds. Players are numbers from 0, in the
//! order of their seeds.
//!
//! **Invariant:** no two players meet twice, each player has one pair or the bye in a round, and no player has two byes.

use std::collections::BTreeSet;

/// The pairs of a round, the first seat first, and the player without an opponent.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Round {
    /// The pairs.
    pub pairs: Vec<(usize, usize)>,
    /// The player that has the bye; only if the number of players is odd.
    pub bye: Option<usize>,
}

/// The number of rounds of a round-robin: each meets each.
pub fn round_robin_rounds(players: usize) -> usize {
    even(players) - 1
}

/// The greatest number of rounds of a Swiss tournament for which a next round without a rematch always exists: half of the players.
///
/// Before round r, each player has at most r − 1 of m − 1 others behind it, so that m − r ≥ m/2 are left for r ≤ m/2. By Dirac's
/// theorem the graph of the pairs that are left has a Hamiltonian cycle, so a perfect matching.
pub fn swiss_rounds_max(players: usize) -> usize {
    even(players) / 2
}

/// With the bye as a player.
fn even(players: usize) -> usize {
    players + players % 2
}

/// A round of a round-robin, from 0, by the polygon method (Schurig). The seats alternate.
pub fn round_robin(players: usize, round: usize) -> Round {
    let seats = even(players);
    if seats < 2 {
        return Round::default();
    }
    let moving = seats - 1;
    let at = |seat: usize| if seat == 0 { moving } else { (seat - 1 + round) % moving };
    let mut paired = Round::default();
    for seat in 0..seats / 2 {
        let (one, other) = (at(seat), at(seats - 1 - seat));
        let is_turned = if seat == 0 { round % 2 == 1 } else { seat % 2 == 1 };
        paired.add(players, if is_turned { (other, one) } else { (one, other) });
    }
    paired
}

impl Round {
    /// Adds a pair, one of which may be the bye.
    fn add(&mut self, players: usize, (one, other): (usize, usize)) {
        match (one < players, other < players) {
            (true, true) => self.pairs.push((one, other)),
            (true, false) => self.bye = Some(one),
            (false, true) => self.bye = Some(other),
            (false, false) => {}
        }
    }
}

/// The players of a Swiss tournament before a round.
#[derive(Debug, Clone)]
pub struct Swiss<'a> {
    /// The points of each player, in halves.
    pub points: &'a [u32],
    /// The earlier rounds.
    pub rounds: &'a [Round],
}

impl Swiss<'_> {
    /// The next round: players of equal points meet, the upper half of a score group the lower half. A player who finds no new
    /// opponent there meets one of the next group. The last player without a bye has the bye.
    pub fn next(&self) -> Round {
        let players = self.points.len();
        let count = even(players);
        let (met, first_seats) = (self.met(), self.first_seats());
        let mut partner: Vec<Option<usize>> = vec![None; count];
        let order = self.order();
        self.give_bye(&order, &mut partner, &met);
        for index in 0..count {
            let player = order[index];
            if partner[player].is_none()
                && let Some(other) = self.opponent(player, &order[index + 1..], (&partner, &met))
            {
                (partner[player], partner[other]) = (Some(other), Some(player));
            }
        }
        complete(&order, &mut partner, &met);
        let mut round = Round::default();
        for player in order {
            let Some(other) = partner[player].take() else { continue };
            partner[other] = None;
            let is_turned = player < players && other < players && first_seats[player] > first_seats[other];
            round.add(players, if is_turned { (other, player) } else { (player, other) });
        }
        round
    }

    /// The players by points and seeds, the bye last.
    fn order(&self) -> Vec<usize> {
        let mut order: Vec<_> = (0..even(self.points.len())).collect();
        order.sort_by_key(|player| (std::cmp::Reverse(self.points_of(*player)), *player));
        order
    }

    /// The bye has fewer points than anyone.
    fn points_of(&self, player: usize) -> Option<u32> {
        self.points.get(player).copied()
    }

    /// The pairs that have met, each in both orders; the bye is the number behind the last player.
    fn met(&self) -> BTreeSet<(usize, usize)> {
        let bye = self.points.len();
        let byes = self.rounds.iter().filter_map(|round| round.bye).map(|player| (player, bye));
        let pairs = self.rounds.iter().flat_map(|round| round.pairs.iter().copied()).chain(byes);
        pairs.flat_map(|(one, other)| [(one, other), (other, one)]).collect()
    }

    /// How often each player had the first seat.
    fn first_seats(&self) -> Vec<u32> {
        let mut counts = vec![0; self.points.len()];
        for (first, _) in self.rounds.iter().flat_map(|round| &round.pairs) {
            if let Some(count) = counts.get_mut(*first) {
                *count += 1;
            }
        }
        counts
    }

    /// Gives the bye to the last player that has had none.
    fn give_bye(&self, order: &[usize], partner: &mut [Option<usize>], met: &BTreeSet<(usize, usize)>) {
        let bye = self.points.len();
        let last = order.iter().rev().copied().find(|player| *player < bye && !met.contains(&(*player, bye)));
        if let (Some(player), Some(seat)) = (last, partner.get_mut(bye)) {
            *seat = Some(player);
            partner[player] = Some(bye);
        }
    }

    /// The opponent of a player among those after it in the order.
    fn opponent(
        &self,
        player: usize,
        after: &[usize],
        (partner, met): (&[Option<usize>], &BTreeSet<(usize, usize)>),
    ) -> Option<usize> {
        let free = || after.iter().copied().filter(|other| partner[*other].is_none());
        let peers: Vec<_> = free().filter(|other| self.points_of(*other) == self.points_of(player)).collect();
        // The group is the player and its peers: the first of the lower half comes first. The last of an odd group is left over.
        let (upper, lower) = peers.split_at(peers.len().saturating_sub(1) / 2);
        let below = free().filter(|other| self.points_of(*other) != self.points_of(player));
        let mut candidates = lower.iter().chain(upper.iter().rev()).copied().chain(below);
        candidates.find(|other| !met.contains(&(player, *other)))
    }
}

/// Pairs those who are left. For two of them, u and v, a pair (x, y) exists such that u may meet x and v may meet y: see
/// [`swiss_rounds_max`]. Both have m/2 possible opponents or more, all of them paired, so that the two have more possible
/// opponents than there are paired players, and three of four between some pair and them. The lowest such pair is split.
fn complete(order: &[usize], partner: &mut [Option<usize>], met: &BTreeSet<(usize, usize)>) {
    loop {
        let left: Vec<_> = order.iter().copied().filter(|player| partner[*player].is_none()).collect();
        let [u, v, ..] = left[..] else { return };
        let may_meet = |one: usize, other: usize| !met.contains(&(one, other));
        if may_meet(u, v) {
            (partner[u], partner[v]) = (Some(v), Some(u));
            continue;
        }
        let split = order.iter().rev().find_map(|x| {
            let y = partner[*x]?;
            (may_meet(u, *x) && may_meet(v, y)).then_some((*x, y))
        });
        let Some((x, y)) = split else { return };
        (partner[u], partner[x], partner[v], partner[y]) = (Some(x), Some(u), Some(y), Some(v));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Numbers that look random, from a seed.
    fn next_random(seed: &mut u64) -> usize {
        *seed = seed.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(*seed >> 40).unwrap()
    }

    fn assert_complete(round: &Round, players: usize) {
        let mut seen: Vec<_> = round.pairs.iter().flat_map(|(one, other)| [*one, *other]).chain(round.bye).collect();
        seen.sort_unstable();
        assert_eq!(seen, (0..players).collect::<Vec<_>>(), "{round:?}");
        assert_eq!(round.bye.is_some(), players % 2 == 1);
    }

    fn assert_fair(rounds: &[Round]) {
        let mut pairs = BTreeSet::new();
        for (one, other) in rounds.iter().flat_map(|round| &round.pairs) {
            assert!(pairs.insert((one.min(other), one.max(other))), "{one} and {other} meet twice");
        }
        let byes: Vec<_> = rounds.iter().filter_map(|round| round.bye).collect();
        assert_eq!(byes.iter().collect::<BTreeSet<_>>().len(), byes.len(), "someone has two byes: {byes:?}");
    }

    #[test]
    fn in_a_round_robin_each_meets_each_once() {
        for players in 2..=33 {
            let rounds: Vec<_> = (0..round_robin_rounds(players)).map(|round| round_robin(players, round)).collect();
            for round in &rounds {
                assert_complete(round, players);
            }
            assert_fair(&rounds);
            assert_eq!(rounds.iter().map(|round| round.pairs.len()).sum::<usize>(), players * (players - 1) / 2);
        }
    }

    #[test]
    fn in_a_round_robin_the_first_seats_are_spread() {
        for players in 3..=32 {
            let mut first_seats = vec![0_i64; players];
            for (first, second) in (0..round_robin_rounds(players)).flat_map(|round| round_robin(players, round).pairs)
            {
                first_seats[first] += 1;
                first_seats[second] -= 1;
            }
            assert!(first_seats.iter().all(|difference| difference.abs() <= 2), "{players}: {first_seats:?}");
        }
    }

    #[test]
    fn a_swiss_tournament_has_no_rematch_and_fair_byes_whatever_the_results() {
        let mut seed = 1;
        for players in 3..=40 {
            for _ in 0..4 {
                let (mut points, mut rounds) = (vec![0; players], Vec::<Round>::new());
                for _ in 0..swiss_rounds_max(players) {
                    let round = Swiss { points: &points, rounds: &rounds }.next();
                    assert_eq!(round, Swiss { points: &points, rounds: &rounds }.next(), "it is deterministic");
                    assert_complete(&round, players);
                    for (one, other) in &round.pairs {
                        let halves = u32::try_from(next_random(&mut seed) % 3).unwrap();
                        points[*one] += halves;
                        points[*other] += 2 - halves;
                    }
                    if let Some(player) = round.bye {
                        points[player] += 2;
                    }
                    rounds.push(round);
                }
                assert_fair(&rounds);
            }
        }
    }

    #[test]
    fn the_first_round_pairs_the_upper_half_with_the_lower_half() {
        let round = Swiss { points: &[0; 8], rounds: &[] }.next();
        assert_eq!(round.pairs, [(0, 4), (1, 5), (2, 6), (3, 7)]);
        assert_eq!(Swiss { points: &[0; 5], rounds: &[] }.next().bye, Some(4));
    }

    #[test]
    fn players_of_equal_points_meet() {
        let first = Round { pairs: vec![(0, 2), (1, 3)], bye: None };
        let round = Swiss { points: &[2, 2, 0, 0], rounds: &[first] }.next();
        assert_eq!(round.pairs, [(0, 1), (2, 3)]);
    }
}
