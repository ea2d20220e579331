//! Lists of tasks, as a table and as JSON.

use std::fmt::Write as _;

use buildtrack_domain::arena::tasks::{PublishedTask, Task};
use buildtrack_terminal::visible_line;

use super::CommandError;

/// The number of characters of an instruction, and of digits of a hash, in a row of the table.
const INSTRUCTION_SHOWN: usize = 60;
const HASH_SHOWN: usize = 12;

pub(super) fn as_json<'t>(tasks: impl Iterator<Item = &'t Task>) -> Result<String, CommandError> {
    let tasks: Vec<PublishedTask<'_>> = tasks.map(Task::published).collect();
    serde_json::to_string_pretty(&tasks).map_err(|error| CommandError::Failed(error.to_string()))
}

pub(super) fn as_table<'t>(tasks: impl Iterator<Item = &'t Task>) -> String {
    let header = ["TASK", "VERSION", "LEAGUE", "ANSWER", "HASH", "INSTRUCTION"].map(ToOwned::to_owned);
    let rows: Vec<_> = std::iter::once(header).chain(tasks.map(row)).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max().unwrap_or(0);
    let widths: Vec<_> = (0..5).map(width).collect();
    let mut text = String::new();
    for row in &rows {
        for (cell, width) in row.iter().zip(&widths) {
            let _ = write!(text, "{:width$}  ", visible_line(cell));
        }
        text.push_str(&visible_line(&row[5]));
        text.push('\n');
    }
    text
}

fn row(task: &Task) -> [String; 6] {
    let public = task.public();
    let mut instruction: String = public.instruction.split_whitespace().collect::<Vec<_>>().join(" ");
    if let Some((end, _)) = instruction.char_indices().nth(INSTRUCTION_SHOWN) {
        instruction.truncate(end);
        instruction.push('…');
    }
    [
        task.id().to_string(),
        task.version().to_string(),
        task.league().to_string(),
        public.answer_format.to_string(),
        task.hash().to_string()[..HASH_SHOWN].to_owned(),
        instruction,
    ]
}

#[cfg(test)]
mod tests {
    use buildtrack_domain::arena::tasks::{Bank, League};
    use serde_json::Value;

    use super::*;

    #[test]
    fn a_list_shows_the_public_part_alone() {
        let tasks = || Bank::bundled().in_league(League::Trivia);
        let table = as_table(tasks());
        assert_eq!(table.lines().count(), 1 + tasks().count());
        let json: Value = serde_json::from_str(&as_json(tasks()).unwrap()).unwrap();
        assert_eq!(json.as_array().unwrap().len(), tasks().count());
        assert!(json[0].get("hidden").is_none() && json[0]["hash"].as_str().unwrap().len() == 64);
    }
}
