//! The orders in which things are listed.

/// In which order posts and workspaces are listed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Sort {
    /// Begun last, first.
    #[default]
    Newest,
    /// Begun first, first.
    Oldest,
    /// Where something happened last, first.
    Active,
}

impl Sort {
    /// The end of a statement: what is beyond the position in the parameter `from`, in this order, up to the one in the
    /// next parameter, and as many as the one after that says.
    pub(crate) fn beyond(self, table: &str, from: u8) -> String {
        let ((column, order), beyond) = (self.column(), self.beyond_sign());
        let (until, limit) = (from + 1, from + 2);
        format!(
            "AND (CAST(${from} AS BIGINT) IS NULL OR {table}.{column} {beyond} ${from}) \
             AND (CAST(${until} AS BIGINT) IS NULL OR NOT {table}.{column} {beyond} ${until}) \
             ORDER BY {table}.{column} {order} LIMIT ${limit}"
        )
    }

    /// The column it goes by, and its direction.
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

    /// Where something stands in this order.
    pub fn position(self, begun: i64, active: i64) -> i64 {
        if self == Self::Active { active } else { begun }
    }
}
