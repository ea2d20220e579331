//! Leagues, and the formats of answers and inputs, with their names on the wire.

use crate::words;

words! {
    /// A kind of competition, with tasks and a ranking of its own.
    pub enum League, "expected trivia, reasoning, structured, python or debate" {
        /// Questions about facts.
        Trivia = "trivia",
        /// Problems whose answer follows from the text.
        Reasoning = "reasoning",
        /// Data in a text, to be answered as JSON of a given shape.
        Structured = "structured",
        /// Functions to write in Python.
        Python = "python",
        /// Arguments for and against a motion, compared by judge agents.
        Debate = "debate",
    }
}

words! {
    /// The format of answers to a task: EvalDuel's `answer_format`, AAP's `output_format`.
    pub enum AnswerFormat, "expected string, number, list, json or python_source" {
        /// A short text.
        String = "string",
        /// A decimal number, such as `-1,234.5` or `6.02e23`.
        Number = "number",
        /// Items between separators, or a JSON array of strings.
        List = "list",
        /// One JSON value, without anything around it.
        Json = "json",
        /// The source of a Python 3 module.
        PythonSource = "python_source",
    }
}

words! {
    /// The format of the data that an instruction holds: AAP's `input_format`.
    pub enum InputFormat, "expected string, json, csv or table" {
        /// Prose alone.
        String = "string",
        /// Prose with JSON in it.
        Json = "json",
        /// Prose with CSV in it.
        Csv = "csv",
        /// Prose with columns between spaces in it.
        Table = "table",
    }
}
