//! Logic grids: four people, each with a day and a tool, and clues that exactly one assignment satisfies.

use serde_json::{Value, json};

use super::{Draft, Random};

const SIZE: usize = 4;
const NAMES: [&str; 10] = ["Aiko", "Bela", "Carla", "Deniz", "Emil", "Fatou", "Goran", "Hana", "Iris", "Jonas"];
const DAYS: [&str; SIZE] = ["Monday", "Tuesday", "Wednesday", "Thursday"];
const TOOLS: [&str; 8] = ["hammer", "saw", "drill", "ladder", "plane", "wrench", "chisel", "trowel"];

/// The day and the tool of each person, as numbers below [`SIZE`].
#[derive(Debug, Clone, Copy, PartialEq)]
struct Assignment {
    days: [usize; SIZE],
    tools: [usize; SIZE],
}

/// A statement about an assignment. The numbers are those of people, days and tools.
#[derive(Debug, Clone, Copy)]
enum Clue {
    HasTool {
        person: usize,
        tool: usize,
    },
    HasNotTool {
        person: usize,
        tool: usize,
    },
    NotOnDay {
        person: usize,
        day: usize,
    },
    ToolOnDay {
        tool: usize,
        day: usize,
    },
    ToolNotOnDay {
        tool: usize,
        day: usize,
    },
    /// The first person's day is before the second one's.
    Before {
        first: usize,
        second: usize,
    },
    /// The person's day is before the day of the tool, which another person has.
    BeforeTool {
        person: usize,
        tool: usize,
    },
    /// The first tool's day is directly before the second one's.
    DirectlyBefore {
        first: usize,
        second: usize,
    },
}

impl Assignment {
    fn day_of_tool(&self, tool: usize) -> usize {
        self.tools.iter().position(|held| *held == tool).map_or(SIZE, |person| self.days[person])
    }

    fn satisfies(&self, clue: Clue) -> bool {
        match clue {
            Clue::HasTool { person, tool } => self.tools[person] == tool,
            Clue::HasNotTool { person, tool } => self.tools[person] != tool,
            Clue::NotOnDay { person, day } => self.days[person] != day,
            Clue::ToolOnDay { tool, day } => self.day_of_tool(tool) == day,
            Clue::ToolNotOnDay { tool, day } => self.day_of_tool(tool) != day,
            Clue::Before { first, second } => self.days[first] < self.days[second],
            Clue::BeforeTool { person, tool } => self.days[person] < self.day_of_tool(tool),
            Clue::DirectlyBefore { first, second } => self.day_of_tool(first) + 1 == self.day_of_tool(second),
        }
    }
}

/// A grid with as few clues as removal leaves.
pub(super) fn draft(random: &mut Random) -> Draft {
    let mut names = random.sample(&NAMES, SIZE);
    names.sort_unstable();
    let tools = random.sample(&TOOLS, SIZE);
    let all = assignments();
    let solution = random.pick(&all);
    let clues = choose_clues(random, &all, &solution);
    let listed: Vec<_> =
        clues.iter().enumerate().map(|(index, clue)| clue.in_words(index + 1, &names, &tools)).collect();
    let instruction = format!(
        "{} came to the workshop on different days from {} to {}, and each borrowed a different one of these tools: {}.\n\n{}\n\n\
         Who came when, and borrowed what? Answer with a JSON object that has one member for each person: the name, with an \
         object of \"day\" and \"tool\", such as {{\"{}\": {{\"day\": \"{}\", \"tool\": \"{}\"}}, …}}.",
        names.join(", "),
        DAYS[0],
        DAYS[SIZE - 1],
        tools.join(", "),
        listed.join("\n"),
        names[0],
        DAYS[0],
        tools[0],
    );
    let mut swapped = solution;
    swapped.tools.swap(0, 1);
    let mut rotated = solution;
    rotated.days.rotate_left(1);
    let wrong = [swapped, rotated].map(|assignment| answer(&assignment, &names, &tools)).to_vec();
    Draft::of_json(instruction, answer(&solution, &names, &tools), wrong, 120)
}

fn answer(assignment: &Assignment, names: &[&str], tools: &[&str]) -> Value {
    let member = |person: usize| {
        let (day, tool) = (DAYS[assignment.days[person]], tools[assignment.tools[person]]);
        (names[person].to_owned(), json!({"day": day, "tool": tool}))
    };
    Value::Object((0..SIZE).map(member).collect())
}

/// Adds true clues until one assignment is left, then removes those that are not needed.
fn choose_clues(random: &mut Random, all: &[Assignment], solution: &Assignment) -> Vec<Clue> {
    let mut candidates: Vec<_> = clues().into_iter().filter(|clue| solution.satisfies(*clue)).collect();
    random.shuffle(&mut candidates);
    let mut chosen: Vec<Clue> = Vec::new();
    let mut left = all.to_vec();
    for clue in candidates {
        let before = left.len();
        left.retain(|assignment| assignment.satisfies(clue));
        if left.len() < before {
            chosen.push(clue);
        }
        if left.len() == 1 {
            break;
        }
    }
    for index in (0..chosen.len()).rev() {
        let without: Vec<_> = [&chosen[..index], &chosen[index + 1..]].concat();
        if count_solutions(all, &without) == 1 {
            chosen = without;
        }
    }
    chosen
}

fn count_solutions(all: &[Assignment], clues: &[Clue]) -> usize {
    all.iter().filter(|assignment| clues.iter().all(|clue| assignment.satisfies(*clue))).count()
}

/// All 576 assignments.
fn assignments() -> Vec<Assignment> {
    let orders = permutations();
    orders.iter().flat_map(|days| orders.iter().map(|tools| Assignment { days: *days, tools: *tools })).collect()
}

/// The orders of the numbers below [`SIZE`], in lexicographic order.
fn permutations() -> Vec<[usize; SIZE]> {
    let digits = (0..SIZE.pow(4)).map(|number| [number / 64, number / 16 % SIZE, number / 4 % SIZE, number % SIZE]);
    digits.filter(|order| (0..SIZE).all(|number| order.contains(&number))).collect()
}

/// Every clue, true or not.
fn clues() -> Vec<Clue> {
    let pairs = || (0..SIZE).flat_map(|one| (0..SIZE).map(move |other| (one, other)));
    let of_pair = |(one, other)| {
        [
            Clue::HasTool { person: one, tool: other },
            Clue::HasNotTool { person: one, tool: other },
            Clue::NotOnDay { person: one, day: other },
            Clue::ToolOnDay { tool: one, day: other },
            Clue::ToolNotOnDay { tool: one, day: other },
            Clue::Before { first: one, second: other },
            Clue::BeforeTool { person: one, tool: other },
            Clue::DirectlyBefore { first: one, second: other },
        ]
    };
    pairs().flat_map(of_pair).collect()
}

impl Clue {
    fn in_words(self, number: usize, names: &[&str], tools: &[&str]) -> String {
        let words = match self {
            Self::HasTool { person, tool } => format!("{} borrowed the {}.", names[person], tools[tool]),
            Self::HasNotTool { person, tool } => format!("{} did not borrow the {}.", names[person], tools[tool]),
            Self::NotOnDay { person, day } => format!("{} did not come on {}.", names[person], DAYS[day]),
            Self::ToolOnDay { tool, day } => format!("The {} was borrowed on {}.", tools[tool], DAYS[day]),
            Self::ToolNotOnDay { tool, day } => format!("The {} was not borrowed on {}.", tools[tool], DAYS[day]),
            Self::Before { first, second } => format!("{} came before {}.", names[first], names[second]),
            Self::BeforeTool { person, tool } => {
                format!("{} came before the {} was borrowed.", names[person], tools[tool])
            }
            Self::DirectlyBefore { first, second } => {
                format!("The {} was borrowed on the day before the {}.", tools[first], tools[second])
            }
        };
        format!("{number}. {words}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_clues_have_one_solution_and_none_is_superfluous() {
        let all = assignments();
        assert_eq!(all.len(), 576);
        for seed in 0..200 {
            let (mut random, _) = Random::of("test", 1, seed);
            let solution = random.pick(&all);
            let clues = choose_clues(&mut random, &all, &solution);
            assert!(clues.iter().all(|clue| solution.satisfies(*clue)));
            assert_eq!(count_solutions(&all, &clues), 1);
            for index in 0..clues.len() {
                let without: Vec<_> = [&clues[..index], &clues[index + 1..]].concat();
                assert!(count_solutions(&all, &without) > 1);
            }
        }
    }
}
