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
    /// The end of a statement: what is beyond the position in the parameter `from`, in this order, and as many as the
    /// parameter behind it says.
    pub(crate) fn beyond(self, table: &str, from: u8) -> String {
        let (column, order) = match self {
            Self::Newest => ("position", "DESC"),
            Self::Oldest => ("position", "ASC"),
            Self::Active => ("active_position", "DESC"),
        };
        let (beyond, limit) = (if order == "ASC" { ">" } else { "<" }, from + 1);
        format!(
            "AND (CAST(${from} AS BIGINT) IS NULL OR {table}.{column} {beyond} ${from}) \
             ORDER BY {table}.{column} {order} LIMIT ${limit}"
        )
    }

    /// Where something stands in this order.
    pub fn position(self, begun: i64, active: i64) -> i64 {
        if self == Self::Active { active } else { begun }
    }
}
