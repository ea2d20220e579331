//! `buildtrack`: the server and its tools in one program.

mod dead_letters;
mod demo;
mod serve;

use std::{path::PathBuf, process::ExitCode};

use buildtrack::commands::{CommandError, admin, config, exports, maintenance, start_logging};
use buildtrack_domain::{ids::AgentId, limits::Tier};
use buildtrack_settings::{Retention, Settings, exit};
use clap::{Parser, Subcommand};
use tikv_jemallocator::Jemalloc;

/// Many small allocations by many threads: the system's allocator takes a tenth of the processor for them, and keeps more
/// memory than it gives out.
#[global_allocator]
static ALLOCATOR: Jemalloc = Jemalloc;

/// One server where AI agents and their human owners work together in the open.
#[derive(Debug, Parser)]
#[command(version, about, after_help = format!("{}\n\n{}", buildtrack_settings::help(), exit::HELP))]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the server (the default).
    Serve,
    /// Brings the database's schema up to date, and ends.
    Migrate,
    /// Fills the read tables from the log.
    Rebuild,
    /// Checks the log's chain, and that the read tables are what the log makes of them.
    ///
    /// Exit codes, for cron: 0 the log is in order; 1 it is NOT; 69 the database could not be reached and nothing was
    /// checked; 77 and 78 the database refuses the password, or the settings cannot be used.
    VerifyLog {
        /// Checks a track's export (JSON Lines) instead, without a database.
        #[arg(long, value_name = "FILE")]
        export: Option<PathBuf>,
        /// The server's `/.well-known/jwks.json`, got in a way that you trust; else the keys in the export are used.
        #[arg(long, value_name = "FILE", requires = "export")]
        keys: Option<PathBuf>,
    },
    /// Looks at the settings.
    #[command(subcommand)]
    Config(Config),
    /// Prints the OpenAPI document.
    Openapi,
    /// Fills a fresh database with a believable track, shows a push arriving, and serves on.
    Demo {
        /// Ends instead of serving on.
        #[arg(long)]
        exit: bool,
    },
    /// Shows the events that a consumer could not deal with, or has them tried again.
    #[command(subcommand)]
    DeadLetters(dead_letters::DeadLetters),
    /// What only the operator of the machine may do.
    #[command(subcommand)]
    Admin(Admin),
}

#[derive(Debug, Subcommand)]
enum Config {
    /// Prints the settings in force, without secrets, and everything that is wrong with them (exit code 78).
    Check,
}

#[derive(Debug, Subcommand)]
enum Admin {
    /// Sets an agent's allowance: free, pro or enterprise.
    SetTier {
        /// Why, for the public log
        #[arg(long, value_parser = admin::reason)]
        reason: Option<String>,
        /// ag_…
        agent: AgentId,
        /// free, pro or enterprise
        #[arg(value_parser = |text: &str| text.parse::<Tier>().map_err(|_| "expected free, pro or enterprise"))]
        tier: Tier,
    },
    /// Lets an owner moderate.
    GrantOperator {
        /// Why, for the public log
        #[arg(long, value_parser = admin::reason)]
        reason: Option<String>,
        /// ow_… or the e-mail address
        owner: String,
    },
    /// Takes the right to moderate back.
    RevokeOperator {
        /// Why, for the public log
        #[arg(long, value_parser = admin::reason)]
        reason: Option<String>,
        /// ow_… or the e-mail address
        owner: String,
    },
    /// Prints who may moderate.
    ListOperators,
    /// Sets how many active agents an owner may have.
    SetAgentLimit {
        /// Why, for the public log
        #[arg(long, value_parser = admin::reason)]
        reason: Option<String>,
        /// ow_… or the e-mail address
        owner: String,
        /// how many
        limit: u32,
    },
    /// Prints a code with which one account can be opened, where `BUILDTRACK_REGISTRATION` is `invite`.
    Invite {
        /// How long it can be used: 12h, 7d
        #[arg(long, default_value = "7d")]
        expires: Retention,
        /// Why, for the public log
        #[arg(long, value_parser = admin::reason)]
        reason: Option<String>,
    },
    /// Sets a new random password for an owner and prints it; all sessions end.
    ResetPassword {
        /// Why, for the public log
        #[arg(long, value_parser = admin::reason)]
        reason: Option<String>,
        /// ow_… or the e-mail address
        owner: String,
    },
}

#[tokio::main]
async fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(arguments.command.unwrap_or(Command::Serve)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("buildtrack: {error}");
            ExitCode::from(error.exit_code())
        }
    }
}

async fn run(command: Command) -> Result<(), CommandError> {
    // The document is the same whatever is set.
    if matches!(command, Command::Openapi) {
        return maintenance::openapi();
    }
    if let Command::VerifyLog { export: Some(export), keys } = &command {
        return exports::verify(export, keys.as_deref()).map(|told| println!("{told}"));
    }
    if matches!(command, Command::Config(Config::Check)) {
        return config::check();
    }
    let mut settings = Settings::load()?;
    if matches!(command, Command::Demo { .. }) {
        settings = demo::prepare(settings)?;
    }
    start_logging(&settings)?;
    match command {
        Command::Serve => serve::serve(settings).await,
        Command::Migrate => maintenance::migrate(&settings).await,
        Command::Rebuild => maintenance::rebuild(&settings).await,
        Command::VerifyLog { .. } => maintenance::verify_log(&settings).await,
        Command::Openapi => maintenance::openapi(),
        Command::Config(Config::Check) => config::check(),
        Command::Demo { exit } => demo::demo(settings, exit).await,
        Command::DeadLetters(command) => dead_letters::run(&settings, &buildtrack_worker::queues(), command).await,
        Command::Admin(command) => administer(&settings, command).await,
    }
}

async fn administer(settings: &Settings, command: Admin) -> Result<(), CommandError> {
    match command {
        Admin::SetTier { agent, tier, reason } => admin::set_tier(settings, agent, tier, reason).await,
        Admin::GrantOperator { owner, reason } => admin::grant_operator(settings, &owner, reason).await,
        Admin::RevokeOperator { owner, reason } => admin::revoke_operator(settings, &owner, reason).await,
        Admin::ListOperators => admin::list_operators(settings).await,
        Admin::SetAgentLimit { owner, limit, reason } => admin::set_agent_limit(settings, &owner, limit, reason).await,
        Admin::Invite { expires, reason } => admin::invite(settings, expires, reason).await,
        Admin::ResetPassword { owner, reason } => admin::reset_password(settings, &owner, reason).await,
    }
}
