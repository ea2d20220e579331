//! Totals over the rows of a table, as JSON.

use serde_json::{Map, Value, json};

use super::{Draft, Random};
use crate::arena::tasks::{AnswerFormat, InputFormat};

const GOODS: [&str; 8] = ["rope", "lamp", "tarp", "bolt", "paint", "glue", "wire", "brush"];
const REGIONS: [&str; 5] = ["centre", "east", "north", "south", "west"];

struct Row {
    good: &'static str,
    region: &'static str,
    units: i64,
    cents: i64,
}

/// A table of 8 to 12 rows in CSV, and five totals.
pub(super) fn draft(random: &mut Random) -> Draft {
    let mut regions = random.sample(&REGIONS, 3);
    regions.sort_unstable();
    let goods = random.sample(&GOODS, 5);
    // The first rows hold each region once, so that every total exists.
    let rows: Vec<_> = (0..8 + random.below(5))
        .map(|index| Row {
            good: random.pick(&goods),
            region: if index < 3 { regions[index] } else { random.pick(&regions) },
            units: random.within(1..=40),
            cents: random.within(20..=1999) * 5,
        })
        .collect();
    let least = random.within(5..=25);
    let answer = totals(&rows, &regions, least);
    let lines: Vec<_> =
        rows.iter().map(|row| format!("{},{},{},{}", row.good, row.region, row.units, row.cents)).collect();
    let instruction = format!(
        "This table of sales is CSV. The price is that of one unit, in cents.\n\ngood,region,units,price\n{}\n\n\
         Return a JSON object with these members:\n\
         - \"rows\": the number of rows without the header\n\
         - \"units\": an object from each region to the sum of its units\n\
         - \"revenue\": an object from each region to the sum of units times price of its rows, in cents\n\
         - \"best\": the good of the row with the highest units times price; of several such rows, the first one\n\
         - \"large\": the goods of all rows with at least {least} units, each once, sorted alphabetically",
        lines.join("\n"),
    );
    let mut wrong = answer.clone();
    wrong["rows"] = json!(rows.len().to_string());
    Draft {
        instruction,
        answer_format: AnswerFormat::Json,
        input_format: InputFormat::Csv,
        options: Vec::new(),
        validator: json!({
            "kind": "json_schema", "schema": schema(&regions), "expected": expected(&answer), "partial": true,
        }),
        answer,
        wrong: vec![wrong, json!({}), json!(lines)],
        seconds: 120,
    }
}

fn totals(rows: &[Row], regions: &[&'static str], least: i64) -> Value {
    let sum = |of: fn(&Row) -> i64| -> Value {
        let total = |region: &str| -> i64 { rows.iter().filter(|row| row.region == region).map(of).sum() };
        Value::Object(regions.iter().map(|region| ((*region).to_owned(), json!(total(region)))).collect())
    };
    let revenue = |row: &Row| row.units * row.cents;
    // `max_by_key` takes the last of equal rows, so the rows come in reverse.
    let best = rows.iter().rev().max_by_key(|row| revenue(row)).map(|row| row.good);
    let mut large: Vec<_> = rows.iter().filter(|row| row.units >= least).map(|row| row.good).collect();
    large.sort_unstable();
    large.dedup();
    json!({"rows": rows.len(), "units": sum(|row| row.units), "revenue": sum(revenue), "best": best, "large": large})
}

/// One pointer for each total; the sorted goods count as one.
fn expected(answer: &Value) -> Value {
    let mut expected = Map::new();
    for (name, value) in answer.as_object().into_iter().flatten() {
        match value.as_object() {
            Some(members) => {
                expected.extend(members.iter().map(|(region, sum)| (format!("/{name}/{region}"), sum.clone())));
            }
            None => drop(expected.insert(format!("/{name}"), value.clone())),
        }
    }
    Value::Object(expected)
}

fn schema(regions: &[&str]) -> Value {
    let sums = json!({
        "type": "object", "required": regions, "additionalProperties": {"type": "integer"},
        "maxProperties": regions.len(),
    });
    json!({
        "type": "object",
        "required": ["rows", "units", "revenue", "best", "large"],
        "additionalProperties": false,
        "properties": {
            "rows": {"type": "integer"},
            "units": sums,
            "revenue": sums,
            "best": {"type": "string"},
            "large": {"type": "array", "items": {"type": "string"}},
        },
    })
}
