//! Logging in and out, and profiles.

use std::io::{self, IsTerminal, Read};

use buildtrack_terminal::{note, prompt};
use chrono::{DateTime, Utc};
use clap::{Args, Subcommand};
use rustix::termios::{LocalModes, OptionalActions, tcgetattr, tcsetattr};
use serde_json::{Value, json};
use url::Url;

use crate::{
    Surroundings,
    addresses::{LOCAL, is_this_machine},
    client::{Client, Options, decode, unexpected},
    display::member,
    failure::Failure,
    output::Output,
    profiles::{Keyring, Profile, profile_name},
    transport::{Call, Transport},
};

/// The environment variable with an agent's key.
const KEY: &str = "ARAF_KEY";
/// The bytes of a key or a password that are read.
const SECRET_MAX: u64 = 1000;

/// Logs an agent in with its key, or an owner with a password, and stores a profile.
#[derive(Debug, Args)]
pub struct Login {
    /// Logs in an owner instead: reads the password from standard input. The session ends after 24 hours
    #[arg(long, value_name = "ADDRESS")]
    email: Option<String>,
    #[command(flatten)]
    pub(crate) options: Options,
}

/// Ends the session and removes the profile.
#[derive(Debug, Args)]
pub struct Logout {
    #[command(flatten)]
    pub(crate) options: Options,
}

/// Shows the holder of the session.
#[derive(Debug, Args)]
pub struct Whoami {
    #[command(flatten)]
    pub(crate) options: Options,
}

/// The profiles of this user.
#[derive(Debug, Subcommand)]
pub enum ProfileCommand {
    /// Lists the profiles; the current one has a star.
    List(ListProfiles),
    /// Makes a profile the current one.
    Use(UseProfile),
}

/// Lists the profiles; the current one has a star.
#[derive(Debug, Args)]
pub struct ListProfiles {
    #[command(flatten)]
    options: Options,
}

/// Makes a profile the current one.
#[derive(Debug, Args)]
pub struct UseProfile {
    /// The profile's name
    #[arg(value_parser = profile_name)]
    name: String,
    #[command(flatten)]
    options: Options,
}

impl Login {
    pub(crate) async fn run(&self, output: &Output, surroundings: Surroundings) -> Result<(), Failure> {
        let keyring = Keyring::of_user()?;
        let mut profiles = keyring.load()?;
        let name = profiles.name(self.options.profile.as_deref());
        let known = profiles.profiles.get(&name).map(|profile| profile.server.clone());
        let server = self.options.server.clone().or(known).unwrap_or_else(|| LOCAL.to_owned());
        warn_of_plain_text(&server, output);
        let transport = Transport::new(&server, output, surroundings)?;
        let (path, body, key) = self.credentials()?;
        let session: Value = decode(&transport.call(&Call::post(path, Some(body)).repeatable(), None).await?)?;
        let token =
            session.get("token").and_then(Value::as_str).ok_or_else(|| unexpected("a session without token"))?;
        let me: Value = decode(&transport.call(&Call::get("/api/v1/me"), Some(token)).await?)?;
        let profile = Profile {
            server,
            id: member(&me, "/id"),
            name: member(&me, "/name"),
            key,
            token: Some(token.to_owned()),
            expires_at: session.get("expiresAt").and_then(Value::as_str).and_then(time),
        };
        let shown = json!({ "profile": name, "server": profile.server, "id": profile.id, "name": profile.name });
        let line = format!("{} ({}) is logged in at {}. Profile: {name}", profile.name, profile.id, profile.server);
        profiles.set(&name, profile)?;
        profiles.current = Some(name);
        keyring.save(&profiles, &(surroundings.random)())?;
        output.show(&shown, || line)
    }

    /// The path and the body of the login, and the key to store.
    fn credentials(&self) -> Result<(&'static str, Value, Option<String>), Failure> {
        if let Some(email) = &self.email {
            let password = read_secret("Password: ")?;
            return Ok(("/api/v1/sessions", json!({ "email": email, "password": password }), None));
        }
        let key = match std::env::var(KEY) {
            Ok(key) => key.trim().to_owned(),
            Err(_) => read_secret("Key (araf_…): ")?,
        };
        Ok(("/agent-login", json!({ "key": key }), Some(key)))
    }
}

impl Logout {
    pub(crate) async fn run(&self, output: &Output, surroundings: Surroundings) -> Result<(), Failure> {
        let keyring = Keyring::of_user()?;
        let mut profiles = keyring.load()?;
        let name = profiles.name(self.options.profile.as_deref());
        let Some(profile) = profiles.profiles.remove(&name) else {
            return Err(Failure::NotLoggedIn(format!("There is no profile {name}.")));
        };
        if profiles.current.as_deref() == Some(&name) {
            profiles.current = None;
        }
        keyring.save(&profiles, &(surroundings.random)())?;
        if let Some(token) = &profile.token {
            let transport = Transport::new(&profile.server, output, surroundings)?;
            match transport.call(&Call::delete("/api/v1/sessions/current"), Some(token)).await {
                // The session has ended already.
                Err(Failure::Refused(problem)) if problem.status() == 401 => {}
                Err(failure) => output.note(&format!("The session ends by itself: {failure}")),
                Ok(_) => {}
            }
        }
        output.show(&json!({ "profile": name, "removed": true }), || format!("The profile {name} is removed."))
    }
}

impl Whoami {
    pub(crate) async fn run(&self, client: &mut Client<'_>) -> Result<(), Failure> {
        let me = client.send(&Call::get("/api/v1/me")).await?;
        client.output.show(&me, || {
            let (name, id, kind, tier) =
                (member(&me, "/name"), member(&me, "/id"), member(&me, "/type"), member(&me, "/tier"));
            format!("{name} ({id}), {kind}, tier {tier}, at {}", client.transport().server())
        })
    }
}

impl ProfileCommand {
    pub(crate) fn options(&self) -> &Options {
        match self {
            Self::List(ListProfiles { options }) | Self::Use(UseProfile { options, .. }) => options,
        }
    }

    pub(crate) fn run(&self, output: &Output, surroundings: Surroundings) -> Result<(), Failure> {
        let keyring = Keyring::of_user()?;
        let mut profiles = keyring.load()?;
        if let Self::Use(UseProfile { name, .. }) = self {
            if !profiles.profiles.contains_key(name) {
                return Err(Failure::NotLoggedIn(format!(
                    "There is no profile {name}: buildtrack login --profile {name}"
                )));
            }
            profiles.current = Some(name.clone());
            keyring.save(&profiles, &(surroundings.random)())?;
        }
        for (name, profile) in &profiles.profiles {
            let is_current = profiles.current.as_ref() == Some(name);
            let shown = json!({
                "profile": name, "current": is_current, "server": profile.server, "id": profile.id, "name": profile.name,
            });
            output.show(&shown, || {
                let star = if is_current { "*" } else { " " };
                format!("{star} {}  {} ({}) at {}", output.bold(name), profile.name, profile.id, profile.server)
            })?;
        }
        Ok(())
    }
}

fn time(text: &str) -> Option<DateTime<Utc>> {
    text.parse().ok()
}

fn warn_of_plain_text(server: &str, output: &Output) {
    if server.starts_with("http:") && !Url::parse(server).is_ok_and(|url| is_this_machine(&url)) {
        output.note("Warning: http: sends the key unencrypted. Use https: unless you trust the network.");
    }
}

/// Reads a line from standard input. A terminal does not show what is typed.
fn read_secret(question: &str) -> Result<String, Failure> {
    let failed = |error: io::Error| Failure::Failed(format!("standard input: {error}"));
    let stdin = io::stdin();
    let mut text = String::new();
    if stdin.is_terminal() {
        prompt(question);
        let before = tcgetattr(&stdin).map_err(|error| failed(error.into()))?;
        let mut silent = before.clone();
        silent.local_modes.remove(LocalModes::ECHO);
        tcsetattr(&stdin, OptionalActions::Now, &silent).map_err(|error| failed(error.into()))?;
        let read = stdin.read_line(&mut text);
        let restored = tcsetattr(&stdin, OptionalActions::Now, &before);
        note("");
        read.map_err(failed)?;
        restored.map_err(|error| failed(error.into()))?;
    } else {
        stdin.take(SECRET_MAX).read_to_string(&mut text).map_err(failed)?;
    }
    let secret = text.trim_end_matches(['\r', '\n']);
    if secret.is_empty() {
        Err(Failure::Usage("Standard input has no key and no password.".to_owned()))
    } else {
        Ok(secret.to_owned())
    }
}
