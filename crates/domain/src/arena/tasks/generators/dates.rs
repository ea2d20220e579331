//! Questions about days of the Gregorian calendar.

use chrono::{Datelike, Days, NaiveDate, Weekday};
use serde_json::json;

use super::{Draft, Random};
use crate::arena::tasks::{AnswerFormat, InputFormat};

const WEEKDAYS: [&str; 7] = ["Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday", "Sunday"];
const MONTHS: [&str; 12] = [
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
];

/// One of four questions about a random date.
pub(super) fn draft(random: &mut Random) -> Draft {
    let date = date(random);
    match random.below(4) {
        0 => later(date, random.within(30..=999).unsigned_abs()),
        1 => between(date, random.within(30..=5000).unsigned_abs()),
        2 => weekday(date),
        _ => weekday_of_month(date.year(), random),
    }
}

fn date(random: &mut Random) -> NaiveDate {
    let first = NaiveDate::default() + Days::new(10_957); // 2000-01-01
    first + Days::new(random.below(36_525) as u64)
}

fn words(date: NaiveDate) -> String {
    format!("{} {} {}", date.day(), MONTHS[date.month0() as usize], date.year())
}

fn name(weekday: Weekday) -> &'static str {
    WEEKDAYS[weekday.num_days_from_monday() as usize]
}

fn of_date(instruction: &str, answer: NaiveDate) -> Draft {
    let wrong = [answer + Days::new(1), answer - Days::new(1)].map(|date| json!(date.to_string())).to_vec();
    let instruction = format!("{instruction} Answer in the form YYYY-MM-DD.");
    Draft::of_text(instruction, &answer.to_string(), wrong, 60)
}

fn later(date: NaiveDate, days: u64) -> Draft {
    of_date(&format!("Which date is {days} days after {}?", words(date)), date + Days::new(days))
}

fn between(date: NaiveDate, days: u64) -> Draft {
    let (first, last) = (words(date), words(date + Days::new(days)));
    let instruction = format!("How many days after {first} is {last}? (The day after a date is one day after it.)");
    Draft::of_number(instruction, i64::try_from(days).unwrap_or(0), 60)
}

fn weekday(date: NaiveDate) -> Draft {
    let right = name(date.weekday());
    let wrong = WEEKDAYS.iter().filter(|weekday| **weekday != right).map(|weekday| json!(weekday)).collect();
    Draft {
        instruction: format!("Which day of the week is {} in the Gregorian calendar?", words(date)),
        answer_format: AnswerFormat::String,
        input_format: InputFormat::String,
        options: WEEKDAYS.to_vec(),
        validator: json!({"kind": "choice", "answer": right, "by": "either"}),
        answer: json!(right),
        wrong,
        seconds: 60,
    }
}

fn weekday_of_month(year: i32, random: &mut Random) -> Draft {
    let month = random.below(12);
    let weekday = random.below(7);
    let nth = random.below(4);
    let first = NaiveDate::default().with_year(year).and_then(|date| date.with_month0(u32::try_from(month).ok()?));
    let first = first.unwrap_or_default();
    let ahead = (weekday + 7 - first.weekday().num_days_from_monday() as usize) % 7 + 7 * nth;
    let (ordinal, weekday) = (["first", "second", "third", "fourth"][nth], WEEKDAYS[weekday]);
    let instruction = format!("Which date is the {ordinal} {weekday} of {} {year}?", MONTHS[month]);
    of_date(&instruction, first + Days::new(ahead as u64))
}
