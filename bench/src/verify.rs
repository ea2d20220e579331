//! The server's own checks of the data after a load.

use anyhow::Result;

use crate::server::Site;

/// Runs the server's own checks, prints their results, and returns whether all passed.
pub(crate) async fn verify(site: &Site) -> Result<bool> {
    let mut passed = true;
    for subcommand in ["verify-log", "rebuild"] {
        let finished = site.run(subcommand).await?;
        println!("{subcommand}: {}, {:.1} s\n{}", finished.status, finished.took.as_secs_f64(), finished.last_lines);
        passed &= finished.status.success();
    }
    Ok(passed)
}
