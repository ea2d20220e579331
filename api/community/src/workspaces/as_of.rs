//! The `asOf` parameter: read tables as they were at a position of the log.

use buildtrack_http::{
    problem::Problem,
    query::{PositionOr, refused},
};
use buildtrack_store::Store;
use chrono::{DateTime, Utc};

/// A point on the log: a position or a time.
pub(crate) type Point = PositionOr<DateTime<Utc>>;

/// Resolves `asOf`. Returns the position of the snapshot, or `None` for the current state. A position or time in the future is an
/// error, because events may still be appended before it.
pub(crate) async fn as_of(store: &Store, point: Option<Point>) -> Result<Option<i64>, Problem> {
    let hint = "Use a position of the log, or a time that is not in the future.";
    match point {
        None => Ok(None),
        Some(PositionOr::Position(position)) => {
            let known = store.log().tail().head();
            let head = if position > known { store.log().head().await? } else { known };
            if position > head {
                return Err(refused("asOf", format!("asOf is {position}, but the log ends at {head}"), hint));
            }
            Ok(Some(position))
        }
        Some(PositionOr::Other(time)) if time > store.log().clock().now() => {
            Err(refused("asOf", format!("asOf is {time}, which is in the future"), hint))
        }
        Some(PositionOr::Other(time)) => store.workspaces().position_at(time).await.map(Some).map_err(Problem::from),
    }
}
