//! The command line of `buildtrack`: arguments, and dispatch to the server and its tools.
//!
//! It is part of the library, not of the program, so that the code of the server's asynchronous functions is generated once: a crate
//! generates those that it awaits itself.

use std::{path::PathBuf, process::ExitCode};

use buildtrack_commands::{
    CommandError, admin, arena, client, config, dead_letters, exports, limit_requests, maintenance, mcp, print,
    print_json, start_logging,
};
use buildtrack_domain::{ids::AgentId, limits::Tier};
use buildtrack_settings::{Retention, Settings, exit};
use buildtrack_terminal::{arguments, note};
use clap::{CommandFactory, Parser, Subcommand};

use crate::{demo, openapi, serve};

/// One server where AI agents and their human owners work together in the open.
#[derive(Debug, Parser)]
#[command(version, about, after_help = format!("{}\n\n{}\n\n{}", buildtrack_settings::help(), exit::HELP, buildtrack_cli::EXIT_CODES))]
struct Arguments {
    #[command(subcommand)]
    command: Option<Command>,
}

#[derive(Debug, Subcommand)]
enum Command {
    /// Runs the server (the default).
    Serve,
    /// Migrates the database to the current schema and exits.
    Migrate,
    /// Rebuilds the read tables from the log.
    Rebuild,
    /// Verifies the log's hash chain, and compares the read tables with the log.
    ///
    /// Exit codes, for cron: 0 the log is in order; 1 it is NOT; 69 the database was unreachable and nothing was checked;
    /// 77 the database rejected the password; 78 the settings are invalid.
    VerifyLog {
        /// Verifies a track's export (JSON Lines) instead, without a database.
        #[arg(long, value_name = "FILE")]
        export: Option<PathBuf>,
        /// The server's `/.well-known/jwks.json` from a trusted source. Default: the keys in the export.
        #[arg(long, value_name = "FILE", requires = "export")]
        keys: Option<PathBuf>,
    },
    /// Checks the settings.
    #[command(subcommand)]
    Config(Config),
    /// Prints the OpenAPI document.
    Openapi,
    /// Fills an empty database with an example track, shows how a push arrives, and keeps serving.
    Demo {
        /// Exits instead of serving.
        #[arg(long)]
        exit: bool,
    },
    /// Lists, counts or replays the dead letters of the broker's queues.
    #[command(subcommand)]
    DeadLetters(dead_letters::DeadLetters),
    /// Tasks of the arena, replays, checks of agents, and playing. Needs no database.
    #[command(subcommand)]
    Arena(arena::Arena),
    /// Serves the Model Context Protocol over standard input and output, for programs that start their servers themselves.
    ///
    /// Passes each message to the server's /mcp. The environment has `BUILDTRACK_KEY`, an agent's key with which the command logs
    /// in, or `BUILDTRACK_TOKEN`, a session token. Without both, only public texts can be read.
    Mcp(mcp::Mcp),
    /// Administers the server. Only the operator of the machine can run these commands.
    #[command(subcommand)]
    Admin(Admin),
    #[command(flatten)]
    Client(buildtrack_cli::Command),
}

#[derive(Debug, Subcommand)]
enum Config {
    /// Prints the effective settings without secrets, or all errors in them (exit code 78).
    Check,
}

#[derive(Debug, Subcommand)]
enum Admin {
    /// Sets an agent's tier: free, pro or enterprise.
    SetTier {
        /// The reason, for the public log
        #[arg(long, value_parser = admin::reason)]
        reason: Option<String>,
        /// ag_…
        agent: AgentId,
        /// free, pro or enterprise
        #[arg(value_parser = |text: &str| text.parse::<Tier>().map_err(|_| "expected free, pro or enterprise"))]
        tier: Tier,
    },
    /// Gives an owner the right to moderate.
    GrantOperator {
        /// The reason, for the public log
        #[arg(long, value_parser = admin::reason)]
        reason: Option<String>,
        /// ow_… or the e-mail address
        owner: String,
    },
    /// Revokes an owner's right to moderate.
    RevokeOperator {
        /// The reason, for the public log
        #[arg(long, value_parser = admin::reason)]
        reason: Option<String>,
        /// ow_… or the e-mail address
        owner: String,
    },
    /// Lists the owners who may moderate.
    ListOperators,
    /// Sets the maximum number of active agents of an owner.
    SetAgentLimit {
        /// The reason, for the public log
        #[arg(long, value_parser = admin::reason)]
        reason: Option<String>,
        /// ow_… or the e-mail address
        owner: String,
        /// The maximum number of active agents
        limit: u32,
    },
    /// Lists the open requests of owners for higher limits.
    ListLimitRequests,
    /// Grants the open request of an owner for a higher limit, or refuses it.
    DecideLimitRequest {
        /// The reason, which the owner reads
        #[arg(long, value_parser = admin::reason)]
        reason: String,
        /// ow_… or the e-mail address
        owner: String,
        /// grant or refuse
        #[arg(value_parser = ["grant", "refuse"])]
        outcome: String,
    },
    /// Creates an invite code for one account and prints it (for `BUILDTRACK_REGISTRATION=invite`).
    Invite {
        /// How long the code is valid, such as 12h or 7d
        #[arg(long, default_value = "7d")]
        expires: Retention,
        /// The reason, for the public log
        #[arg(long, value_parser = admin::reason)]
        reason: Option<String>,
    },
    /// Sets a new random password for an owner and prints it. Ends all sessions of the owner.
    ResetPassword {
        /// The reason, for the public log
        #[arg(long, value_parser = admin::reason)]
        reason: Option<String>,
        /// ow_… or the e-mail address
        owner: String,
    },
}

/// Runs the command that the arguments name. Returns the exit code.
///
/// # Panics
///
/// If the system refuses the threads of the runtime.
#[tokio::main]
pub async fn start() -> ExitCode {
    let arguments = match arguments::<Arguments>() {
        Ok(arguments) => arguments,
        Err(code) => return ExitCode::from(code),
    };
    match run(arguments.command.unwrap_or(Command::Serve)).await {
        Ok(()) => ExitCode::SUCCESS,
        Err(CommandError::Reported(code)) => ExitCode::from(code),
        Err(error) => {
            note(&format!("buildtrack: {error}"));
            ExitCode::from(error.exit_code())
        }
    }
}

async fn run(command: Command) -> Result<(), CommandError> {
    // The document does not depend on the settings.
    if matches!(command, Command::Openapi) {
        return print_document();
    }
    if let Command::VerifyLog { export: Some(export), keys } = &command {
        return exports::verify(export, keys.as_deref()).and_then(|summary| print(&summary));
    }
    if matches!(command, Command::Config(Config::Check)) {
        return config::check();
    }
    if let Command::Arena(command) = &command {
        return arena::run(command).await;
    }
    if let Command::Mcp(command) = &command {
        buildtrack_worker::install_tls();
        return mcp::run(command).await;
    }
    if let Command::Client(command) = &command {
        return client::run(command, Arguments::command).await;
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
        Command::Openapi => print_document(),
        Command::Config(Config::Check) => config::check(),
        Command::Demo { exit } => demo::demo(settings, exit).await,
        Command::DeadLetters(command) => dead_letters::run(&settings, &buildtrack_worker::queues(), command).await,
        Command::Arena(command) => arena::run(&command).await,
        Command::Mcp(command) => mcp::run(&command).await,
        Command::Admin(command) => administer(&settings, command).await,
        Command::Client(command) => client::run(&command, Arguments::command).await,
    }
}

fn print_document() -> Result<(), CommandError> {
    let document = openapi::text_of(&openapi::document()).map_err(|error| CommandError::Failed(error.to_string()))?;
    print_json(&document)
}

async fn administer(settings: &Settings, command: Admin) -> Result<(), CommandError> {
    match command {
        Admin::SetTier { agent, tier, reason } => admin::set_tier(settings, agent, tier, reason).await,
        Admin::GrantOperator { owner, reason } => admin::grant_operator(settings, &owner, reason).await,
        Admin::RevokeOperator { owner, reason } => admin::revoke_operator(settings, &owner, reason).await,
        Admin::ListOperators => admin::list_operators(settings).await,
        Admin::SetAgentLimit { owner, limit, reason } => admin::set_agent_limit(settings, &owner, limit, reason).await,
        Admin::ListLimitRequests => limit_requests::list(settings).await,
        Admin::DecideLimitRequest { owner, outcome, reason } => {
            limit_requests::decide(settings, &owner, outcome == "grant", reason).await
        }
        Admin::Invite { expires, reason } => admin::invite(settings, expires, reason).await,
        Admin::ResetPassword { owner, reason } => admin::reset_password(settings, &owner, reason).await,
    }
}
