//! The next term of a sequence whose kind is stated, so that its terms determine it.

use super::{Draft, Random};

/// The number of terms that a task shows.
const SHOWN: usize = 7;

/// A sequence of one of four kinds.
pub(super) fn draft(random: &mut Random) -> Draft {
    let (rule, terms) = match random.below(4) {
        0 => affine(random),
        1 => quadratic(random),
        2 => interleaved(random),
        _ => recurrence(random),
    };
    let shown: Vec<_> = terms[..SHOWN].iter().map(ToString::to_string).collect();
    let instruction =
        format!("These are the first terms of a sequence:\n\n{}\n\n{rule} What is the next term?", shown.join(", "));
    Draft::of_number(instruction, terms[SHOWN], 60)
}

/// Two terms that differ determine the rule if three are known: the differences grow by the factor.
fn affine(random: &mut Random) -> (&'static str, Vec<i64>) {
    let factor = random.pick(&[-3, -2, 2, 3, 4]);
    let summand = random.within(-9..=9);
    // Of two starts next to each other, at most one is the fixed point of the rule.
    let mut start = random.within(1..=20);
    if start * factor + summand == start {
        start += 1;
    }
    let terms = iterate(vec![start], |terms| terms[terms.len() - 1] * factor + summand);
    ("Each term but the first is the term before it, multiplied by a fixed integer, plus another fixed integer.", terms)
}

fn quadratic(random: &mut Random) -> (&'static str, Vec<i64>) {
    let second = random.pick(&[-6, -4, -3, -2, 2, 3, 4, 5, 6, 8]);
    let first = random.within(-20..=20);
    let start = random.within(-50..=50);
    let mut step = first;
    let terms = iterate(vec![start], |terms| {
        let next = terms[terms.len() - 1] + step;
        step += second;
        next
    });
    ("The differences between neighbouring terms form an arithmetic progression.", terms)
}

fn interleaved(random: &mut Random) -> (&'static str, Vec<i64>) {
    let starts = vec![random.within(-30..=30), random.within(31..=90)];
    let steps = [random.within(3..=15), -random.within(3..=15)];
    let terms = iterate(starts, |terms| terms[terms.len() - 2] + steps[terms.len() % 2]);
    ("Its terms at odd positions form one arithmetic progression, and its terms at even positions another.", terms)
}

/// Both factors are drawn until the shown terms allow no others of the stated size.
fn recurrence(random: &mut Random) -> (&'static str, Vec<i64>) {
    loop {
        let (one, two) = (random.within(-3..=3), random.within(-3..=3));
        let starts = vec![random.within(1..=9), random.within(1..=9)];
        let terms = iterate(starts, |terms| terms[terms.len() - 1] * one + terms[terms.len() - 2] * two);
        let fits =
            |one: i64, two: i64| terms[..SHOWN].windows(3).all(|three| three[2] == three[1] * one + three[0] * two);
        let rules = (-3..=3).flat_map(|one| (-3..=3).map(move |two| (one, two)));
        if one != 0 && two != 0 && rules.filter(|(one, two)| fits(*one, *two)).count() == 1 {
            let rule = "There are two fixed integers from -3 to 3: each term from the third on is the term before it times \
                        the first integer, plus the term before that times the second one.";
            return (rule, terms);
        }
    }
}

/// The terms from the first ones to the one that a task asks for.
fn iterate(mut terms: Vec<i64>, mut next: impl FnMut(&[i64]) -> i64) -> Vec<i64> {
    while terms.len() <= SHOWN {
        terms.push(next(&terms));
    }
    terms
}
