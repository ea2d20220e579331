//! SQL expressions that differ between the databases and occur in statements of several contexts.

use super::{Db, Tx};

/// One database's expressions.
pub(crate) struct Dialect {
    /// A JSON list of texts bound as `$N`, as rows of `value`.
    listed: &'static str,
    /// The function that returns the index of one text in another, from 1; 0 if absent.
    pub(crate) find: &'static str,
}

const POSTGRES: Dialect =
    Dialect { listed: "json_array_elements_text(CAST($N AS JSON)) AS listed (value)", find: "strpos" };
const SQLITE: Dialect = Dialect { listed: "json_each($N) AS listed", find: "instr" };

impl Dialect {
    /// The texts of the list bound as this parameter, as rows of `value`.
    pub(crate) fn listed(&self, parameter: u8) -> String {
        self.listed.replace("$N", &format!("${parameter}"))
    }
}

impl Db {
    pub(crate) fn dialect(&self) -> &'static Dialect {
        match self {
            Self::Postgres { .. } => &POSTGRES,
            Self::Sqlite { .. } => &SQLITE,
        }
    }
}

impl Tx<'_> {
    pub(crate) fn dialect(&self) -> &'static Dialect {
        match self {
            Self::Postgres(_) => &POSTGRES,
            Self::Sqlite(_) => &SQLITE,
        }
    }
}
