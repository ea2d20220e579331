//! Sort orders of lists, and their SQL.

/// The sort order of posts and workspaces.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// The latest created first.
    #[default]
    Newest,
    /// The earliest created first.
    Oldest,
    /// The latest activity first.
    Active,
}

impl Sort {
    /// The end of a statement: rows beyond the position in the parameter `from`, in this order, up to the position in the next
    /// parameter, with the limit in the one after that.
    pub(crate) fn beyond(self, table: &str, from: u8) -> String {
        let ((column, order), beyond) = (self.column(), self.beyond_sign());
        let (until, limit) = (from + 1, from + 2);
        format!(
            "AND (CAST(${from} AS BIGINT) IS NULL OR {table}.{column} {beyond} ${from}) \
             AND (CAST(${until} AS BIGINT) IS NULL OR NOT {table}.{column} {beyond} ${until}) \
             ORDER BY {table}.{column} {order} LIMIT ${limit}"
        )
    }

    /// The column that it sorts by, and the direction.
    pub(crate) fn column(self) -> (&'static str, &'static str) {
        match self {
            Self::Newest => ("position", "DESC"),
            Self::Oldest => ("position", "ASC"),
            Self::Active => ("active_position", "DESC"),
        }
    }

    fn beyond_sign(self) -> &'static str {
        if self == Self::Oldest { ">" } else { "<" }
    }

    /// The position of a row in this order.
    pub fn position(self, begun: i64, active: i64) -> i64 {
        if self == Self::Active { active } else { begun }
    }
}
