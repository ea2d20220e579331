use super::*;

fn read(environment: &[(&str, &str)]) -> Result<Settings, SettingsError> {
    Settings::read(environment.iter().map(|(key, value)| ((*key).to_owned(), (*value).to_owned())))
}

#[test]
fn storage_limits_apply_to_the_selected_database() {
    let embedded = read(&[("BUILDTRACK_DISK_FLOOR", "1GiB")]).unwrap().storage_limits();
    assert_eq!((embedded.floor.map(|(_, bytes)| bytes), embedded.ceiling), (Some(1 << 30), None));
    assert!(read(&[("BUILDTRACK_DISK_FLOOR", "0")]).unwrap().storage_limits().floor.is_none());
    let url = ("DATABASE_URL", "postgres://localhost/x");
    let secret = ("BUILDTRACK_SECRET", "a secret of at least 32 characters");
    let served = read(&[url, secret, ("BUILDTRACK_DATABASE_CEILING", "10GiB")]).unwrap().storage_limits();
    assert_eq!((served.floor, served.ceiling), (None, Some(10 << 30)));
}

#[test]
fn the_defaults_are_sqlite_on_the_loopback_address() {
    let settings = read(&[]).unwrap();
    assert_eq!(settings.public_url(), "http://127.0.0.1:8080");
    assert!(matches!(settings.database(), Database::Sqlite(path) if path.ends_with("buildtrack.sqlite")));
}

#[test]
fn the_environment_overrides_the_file() {
    let folder = tempfile::tempdir().unwrap();
    let file = folder.path().join("settings.toml");
    std::fs::write(&file, "worker = false\nlog = \"debug\"\ntrusted_proxies = [\"10.0.0.0/8\", \"::1\"]").unwrap();
    let settings = read(&[("BUILDTRACK_CONFIG", file.to_str().unwrap()), ("BUILDTRACK_LOG", "warn")]).unwrap();
    assert!(!settings.worker);
    assert_eq!(settings.log, "warn");
    assert!(settings.trusts("10.1.2.3".parse().unwrap()) && settings.trusts("::1".parse().unwrap()));
    assert!(!settings.trusts("11.1.2.3".parse().unwrap()));
}

#[test]
fn the_public_url_names_a_server_or_a_path_on_one() {
    let long = format!("/{}", "x".repeat(99));
    for (origin, base) in [
        ("https://build.example", ""),
        ("http://[::1]:8080", ""),
        ("https://shared.example", "/tools"),
        ("https://shared.example", "/Tools/build-track_2.0~a"),
        ("https://shared.example", &long),
    ] {
        for slash in ["", "/"] {
            let settings = read(&[("BUILDTRACK_PUBLIC_URL", &format!("{origin}{base}{slash}"))]).unwrap();
            assert_eq!((settings.public_url(), settings.base_path()), (format!("{origin}{base}"), base));
        }
    }
    let longer = format!("{long}x");
    let parts = [
        "//",
        "/tools//",
        "//tools",
        "/tools//build",
        "/to%6Fls",
        "/a b",
        "/ü",
        "/a;b",
        "/{a}",
        "/a\"b",
        "/tools?",
        "/tools?a=b",
        "/tools#",
        "/tools/#a",
        "?",
        "?a=b",
        "#",
        "/#a",
        &*longer,
    ];
    let parts = parts.map(|part| format!("https://build.example{part}"));
    let others = ["ftp://build.example", "data:text", "https://"].map(ToOwned::to_owned);
    for url in parts.iter().chain(&others) {
        let fault =
            read(&[("BUILDTRACK_PUBLIC_URL", url)]).err().unwrap_or_else(|| panic!("{url} is accepted")).to_string();
        let named =
            format!("BUILDTRACK_PUBLIC_URL is {url:?}: expected a URL without query, fragment and user, such as");
        assert!(fault.contains(&named), "{fault}");
    }
    for url in ["https://ada@build.example", "https://ada:hunter2@build.example"] {
        let fault = read(&[("BUILDTRACK_PUBLIC_URL", url)]).err().unwrap().to_string();
        assert!(fault.contains("BUILDTRACK_PUBLIC_URL has a value that cannot be used") && !fault.contains("hunter2"));
    }
}

#[test]
fn queues_and_their_shares_have_defaults() {
    let settings = read(&[("BUILDTRACK_WAITING_PER_OWNER", "5"), ("BUILDTRACK_PASSWORD_HASHES", "4")]).unwrap();
    assert_eq!((settings.waiting, settings.waiting_per_network), (256, 64));
    assert_eq!((settings.waiting_per_owner, settings.waiting_per_agent), (5, 8));
    assert_eq!((settings.live_streams_per_owner, settings.live_streams_per_agent), (400, 100));
    assert_eq!((settings.password_hashes.get(), settings.password_queue), (4, 128));
    assert!(read(&[("BUILDTRACK_PASSWORD_HASHES", "0")]).is_err());
}

#[test]
fn a_secret_of_digits_is_read_as_text() {
    let digits = "12345678901234567890123456789012";
    assert_eq!(read(&[("BUILDTRACK_SECRET", digits)]).unwrap().secret.as_deref(), Some(digits));
}

#[test]
fn a_fault_names_the_variable_its_value_and_the_expected_form() {
    for (key, value, named) in [
        ("BUILDTRACK_TARGET_RATE", "rate=none", "BUILDTRACK_TARGET_RATE is \"rate=none\": expected"),
        ("BUILDTRACK_BINDD", "x", "BUILDTRACK_BINDD is not a setting; did you mean BUILDTRACK_BIND?"),
        ("BUILDTRACK_QWERTYUIOP", "x", "BUILDTRACK_QWERTYUIOP is not a setting"),
        ("BUILDTRACK_BIND", "x", "BUILDTRACK_BIND is \"x\": expected an address and a port, such as 127.0.0.1:8080"),
        ("BUILDTRACK_WORKER", "perhaps", "BUILDTRACK_WORKER is \"perhaps\": expected on or off"),
        ("BUILDTRACK_RATE_LIMITS", "free=0", "BUILDTRACK_RATE_LIMITS is \"free=0\": expected such as free=15"),
        ("BUILDTRACK_RATE_LIMITS", "login=1,gratis=1", "(\"gratis=1\" is not a limit; expected free, pro"),
        ("BUILDTRACK_DELIVERY_RETENTION", "1w", "expected a length of time such as 30d"),
        ("BUILDTRACK_REGISTRATION", "maybe", "BUILDTRACK_REGISTRATION is \"maybe\": expected open, invite or closed"),
        ("BUILDTRACK_AGENTS_PER_OWNER", "0", "BUILDTRACK_AGENTS_PER_OWNER is \"0\""),
        ("BUILDTRACK_SMTP_URL", "mail.example", "expected smtps://user:password@host:port"),
        ("BUILDTRACK_SMTP_URL", "smtps://mail.example", "BUILDTRACK_MAIL_FROM"),
        ("BUILDTRACK_LIVE_AGE", "0", "BUILDTRACK_LIVE_AGE is \"0\": expected whole seconds, from 1 to 4294967295"),
        ("BUILDTRACK_TRUSTED_PROXIES", "10.0.0.0/64", "expected addresses or networks"),
        ("BUILDTRACK_ARENA_PYTHON", "", "BUILDTRACK_ARENA_PYTHON is \"\": expected a program"),
        ("BUILDTRACK_ARENA_TASKS_DIR", "", "BUILDTRACK_ARENA_TASKS_DIR is \"\": expected a folder with task files"),
        ("BUILDTRACK_LOG", "=info=", "BUILDTRACK_LOG is \"=info=\": expected levels"),
        ("BUILDTRACK_SECRET", "hunter2", "BUILDTRACK_SECRET has a value that cannot be used"),
        (
            "DATABASE_URL",
            "mysql://hunter2@x",
            "DATABASE_URL has a value that cannot be used (it is not shown): expected postgres://",
        ),
        (
            "AMQP_URL",
            "http://hunter2@x",
            "AMQP_URL has a value that cannot be used (it is not shown): expected amqp://",
        ),
        ("AMQP_URL", "amqp://x", "AMQP_URL needs DATABASE_URL"),
        ("DATABASE_URL", "postgres://x", "BUILDTRACK_SECRET is required with PostgreSQL"),
        ("BUILDTRACK_CONFIG", "/nonexistent/settings.toml", "/nonexistent/settings.toml"),
    ] {
        let error = read(&[(key, value)]).err().map(|error| error.to_string()).unwrap_or_default();
        assert!(error.contains(named) && !error.contains("hunter2"), "{key}={value}: {error}");
    }
}

#[test]
fn all_faults_are_reported_at_once() {
    let wrong = [
        ("BUILDTRACK_BIND", "x"),
        ("BUILDTRACK_WORKR", "on"),
        ("BUILDTRACK_LOG_FORMAT", "xml"),
        ("AMQP_URL", "amqp://x"),
    ];
    let Err(SettingsError::Invalid(Faults(faults))) = read(&wrong) else { panic!("the settings are accepted") };
    let message = Faults(faults).to_string();
    let lines: Vec<_> = message.lines().map(str::trim).collect();
    assert_eq!(lines.len(), 4, "{message}");
    for (name, _) in wrong {
        assert!(lines.iter().any(|line| line.starts_with(name)), "{name} is not in:\n{message}");
    }
}

#[test]
fn the_table_lists_every_setting_and_its_default() {
    let known: std::collections::BTreeSet<_> = KNOWN.iter().map(|known| known.key).collect();
    assert_eq!(known, reading::fields().iter().copied().collect(), "KNOWN in known.rs and the fields of Settings");
    let defaults = KNOWN.iter().filter_map(|known| Some((known.variable(), known.default?.to_owned())));
    assert_eq!(format!("{:#?}", Settings::read(defaults).unwrap()), format!("{:#?}", Settings::default()));
}

#[test]
fn values_in_force_are_shown_without_secrets() {
    let given = [
        ("BUILDTRACK_SECRET", "hunter2"),
        ("DATABASE_URL", "postgres://bt:hunter2@x/y"),
        ("BUILDTRACK_LIVE_AGE", "60"),
    ];
    let given = reading::given(given.map(|(key, value)| (key.to_owned(), value.to_owned()))).unwrap();
    let shown = reading::in_force(&given);
    assert!(shown.contains(&("BUILDTRACK_LIVE_AGE".into(), "60".into())), "{shown:?}");
    assert!(shown.contains(&("BUILDTRACK_BIND".into(), "127.0.0.1:8080".into())), "{shown:?}");
    assert!(!format!("{shown:?}").contains("hunter2"), "{shown:?}");
}
