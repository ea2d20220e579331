//! The `dead-letters` command: lists, counts and replays the dead letters of the broker's queues.

use buildtrack_bus::{Bus, Queue};
use buildtrack_settings::Settings;
use buildtrack_terminal::visible_line;
use clap::Subcommand;

use crate::{CommandError, print};

/// Lists, counts or replays the dead letters of the broker's queues.
#[derive(Debug, Subcommand)]
pub enum DeadLetters {
    /// Prints the dead letters, oldest first: queue, position, type, time, reason.
    List {
        /// Maximum number per queue.
        #[arg(long, default_value_t = 100)]
        limit: usize,
    },
    /// Prints the number of dead letters of each queue.
    Count,
    /// Puts the dead letters back into their queues, oldest first.
    Replay {
        /// Maximum number per queue.
        #[arg(long, default_value_t = 1000)]
        limit: usize,
    },
}

/// Runs the command on these queues.
pub async fn run(settings: &Settings, queues: &[Queue], command: DeadLetters) -> Result<(), CommandError> {
    let Some(url) = &settings.amqp_url else {
        let reason = "AMQP_URL is not set. Without a broker each process keeps its dead letters in memory, counts them in \
                      buildtrack_dead_letters_total, logs each, and retries them at its next start";
        return Err(CommandError::Failed(reason.to_owned()));
    };
    let bus = Bus::connect(url, queues)?;
    bus.check().await?;
    for queue in queues {
        run_on_queue(&bus, queue, &command).await?;
    }
    Ok(())
}

async fn run_on_queue(bus: &Bus, queue: &Queue, command: &DeadLetters) -> Result<(), CommandError> {
    let name = queue.name();
    match command {
        DeadLetters::List { limit } => {
            for letter in bus.dead_letters(queue, *limit).await? {
                let died_at = letter.died_at.map_or_else(|| "-".to_owned(), |time| time.to_rfc3339());
                let (kind, reason) = (visible_line(&letter.event_type), visible_line(&letter.reason));
                print(&format!("{name}\t{}\t{kind}\t{died_at}\t{reason}", letter.position))?;
            }
            Ok(())
        }
        DeadLetters::Count => print(&format!("{name}\t{}", bus.dead_letter_count(queue).await?)),
        DeadLetters::Replay { limit } => print(&format!("{name}\t{}", bus.replay_dead_letters(queue, *limit).await?)),
    }
}
