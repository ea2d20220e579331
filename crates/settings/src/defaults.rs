//! The defaults of all settings.

use std::{
    net::SocketAddr,
    num::{NonZeroU16, NonZeroU32},
    path::PathBuf,
};

use buildtrack_domain::webhooks::RetrySchedule;

use crate::{
    ArenaLimits, ByteSize, CostGuardMode, LogFormat, RateLimits, Registration, RelayBudgets, Retention, Settings,
    TargetRate,
};

impl Default for Settings {
    fn default() -> Self {
        Self {
            bind: SocketAddr::from(([127, 0, 0, 1], 8080)),
            public_url: None,
            data_dir: PathBuf::from("./data"),
            database_url: None,
            amqp_url: None,
            secret: None,
            rate_limits: RateLimits::default(),
            trusted_proxies: vec![],
            registration: Registration::Open,
            agents_per_owner: NonZeroU32::MIN.saturating_add(99),
            agents_per_day: NonZeroU32::MIN.saturating_add(199),
            smtp_url: None,
            mail_from: None,
            mails_per_hour: NonZeroU32::MIN.saturating_add(999),
            allow_private_targets: false,
            retry_schedule: RetrySchedule::default(),
            target_rate: TargetRate::default(),
            delivery_retention: Retention::MONTH,
            worker: true,
            live_streams: 10_000,
            live_streams_per_address: 200,
            live_streams_per_owner: 400,
            live_streams_per_agent: 100,
            waiting: 256,
            waiting_per_network: 64,
            waiting_per_owner: 32,
            waiting_per_agent: 8,
            password_hashes: NonZeroU16::MIN.saturating_add(1),
            password_queue: 128,
            password_queue_per_network: 32,
            live_age: NonZeroU32::MIN.saturating_add(3599),
            live_reach: 100_000,
            live_keep_alive: NonZeroU16::MIN.saturating_add(14),
            relay_offer_timeout: NonZeroU32::MIN.saturating_add(299),
            relay_result_timeout: NonZeroU32::MIN.saturating_add(3599),
            relay_budgets: RelayBudgets::default(),
            relay_retention: None,
            arena_limits: ArenaLimits::default(),
            cost_guard_mode: CostGuardMode::Enforce,
            arena_python: PathBuf::from(crate::python::PYTHON),
            arena_tasks_dir: None,
            disk_floor: ByteSize(256 << 20),
            database_ceiling: None,
            exchange_lifetime: NonZeroU32::MIN.saturating_add(299),
            exchange_deadline: NonZeroU16::MIN.saturating_add(19),
            exchange_insecure: false,
            demo: false,
            metrics_bind: None,
            log: "info,lapin=off,sqlx::postgres::notice=warn".into(),
            log_format: LogFormat::Text,
        }
    }
}
