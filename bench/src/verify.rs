//! The server's own checks on what a load left behind.

use anyhow::Result;

use crate::server::Site;

/// Runs the server's own checks, prints how they ended, and gives whether all of them ended well.
pub(crate) async fn verify(site: &Site) -> Result<bool> {
    let mut passed = true;
    for subcommand in ["verify-log", "rebuild"] {
        let finished = site.run(subcommand).await?;
        println!("{subcommand}: {}, {:.1} s\n{}", finished.status, finished.took.as_secs_f64(), finished.last_lines);
        passed &= finished.status.success();
    }
    Ok(passed)
}
