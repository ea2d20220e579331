//! The client of one command: the profile, its session, and requests with its token.
//!
//! **Invariant:** a token or a key goes to the server of its profile only.

use chrono::{DateTime, TimeDelta, Utc};
use clap::Args;
use reqwest::Response;
use serde::{Deserialize, de::DeserializeOwned};
use serde_json::{Value, json};

use crate::{
    Surroundings,
    addresses::{LOCAL, server_address},
    failure::Failure,
    output::Output,
    profiles::{Keyring, Profile, profile_name},
    transport::{Call, Transport},
};

/// How long before its end a session is renewed.
const RENEWED_BEFORE: TimeDelta = TimeDelta::minutes(5);
/// The entries of a page.
const PAGE: usize = 200;

/// Options of every command.
#[derive(Debug, Args)]
pub(crate) struct Options {
    /// The profile: a server, and the credentials for it [default: the current one]
    #[arg(long, value_name = "NAME", value_parser = profile_name)]
    pub(crate) profile: Option<String>,
    /// The address of another server than the profile's. It gets no credentials
    #[arg(long, value_name = "URL", value_parser = server_address)]
    pub(crate) server: Option<String>,
    /// Prints JSON, one document a line
    #[arg(long)]
    pub(crate) json: bool,
}

/// A session as both logins return it.
#[derive(Deserialize)]
#[serde(rename_all = "camelCase")]
struct OpenedSession {
    token: String,
    expires_at: DateTime<Utc>,
}

/// What a command needs to speak to a server.
#[derive(Debug)]
pub(crate) struct Client<'a> {
    pub(crate) output: &'a Output,
    pub(crate) surroundings: Surroundings,
    transport: Transport<'a>,
    keyring: Keyring,
    name: String,
    profile: Option<Profile>,
}

impl<'a> Client<'a> {
    /// The client of the chosen profile, and of the server that the command line names instead.
    pub(crate) fn open(options: &Options, output: &'a Output, surroundings: Surroundings) -> Result<Self, Failure> {
        let keyring = Keyring::of_user()?;
        let mut profiles = keyring.load()?;
        let name = profiles.name(options.profile.as_deref());
        let stored = profiles.profiles.remove(&name);
        if let (Some(named), None, None) = (&options.profile, &stored, &options.server) {
            return Err(Failure::NotLoggedIn(format!(
                "There is no profile {named}: buildtrack login --profile {named}"
            )));
        }
        let server = options.server.clone().or_else(|| stored.as_ref().map(|profile| profile.server.clone()));
        let server = server.unwrap_or_else(|| LOCAL.to_owned());
        let profile = stored.filter(|profile| profile.server == server);
        let transport = Transport::new(&server, output, surroundings)?;
        Ok(Self { output, surroundings, transport, keyring, name, profile })
    }

    pub(crate) fn transport(&self) -> &Transport<'a> {
        &self.transport
    }

    /// Sends a request with a session.
    pub(crate) async fn send(&mut self, call: &Call) -> Result<Value, Failure> {
        self.send_as(call).await
    }

    /// The same, with an answer of any type.
    pub(crate) async fn send_as<T: DeserializeOwned>(&mut self, call: &Call) -> Result<T, Failure> {
        if self.token().await?.is_none() {
            return Err(self.not_logged_in());
        }
        self.request(call).await
    }

    /// Sends a request without a session.
    pub(crate) async fn anonymous(&self, call: &Call) -> Result<Value, Failure> {
        decode(&self.transport.call(call, None).await?)
    }

    /// Sends a request that needs no session, with one if there is one.
    pub(crate) async fn read(&mut self, call: &Call) -> Result<Value, Failure> {
        self.request(call).await
    }

    async fn request<T: DeserializeOwned>(&mut self, call: &Call) -> Result<T, Failure> {
        let token = self.token().await?;
        let text = match self.transport.call(call, token.as_deref()).await {
            Err(failure) if self.can_renew(&failure, token.is_some()) => {
                let token = self.renew().await?;
                self.transport.call(call, token.as_deref()).await?
            }
            answered => answered?,
        };
        decode(&text)
    }

    /// Opens a stream of events behind a position, with a session if there is one.
    pub(crate) async fn stream(
        &mut self,
        path: &str,
        query: &[(&'static str, String)],
        position: u64,
    ) -> Result<Response, Failure> {
        let token = self.token().await?;
        match self.transport.stream(path, query, position, token.as_deref()).await {
            Err(failure) if self.can_renew(&failure, token.is_some()) => {
                let token = self.renew().await?;
                self.transport.stream(path, query, position, token.as_deref()).await
            }
            answered => answered,
        }
    }

    /// The entries of a list, up to this many, from all its pages.
    pub(crate) async fn list(&mut self, call: &Call, most: usize) -> Result<Vec<Value>, Failure> {
        let (mut items, mut cursor) = (Vec::new(), None::<String>);
        while items.len() < most {
            let limit = PAGE.min(most - items.len());
            let page = self.read(&call.clone().with("limit", Some(limit)).with("cursor", cursor.take())).await?;
            let found = page.get("items").and_then(Value::as_array).cloned().unwrap_or_default();
            let is_empty = found.is_empty();
            items.extend(found);
            cursor = page.get("nextCursor").and_then(Value::as_str).map(ToOwned::to_owned);
            if cursor.is_none() || is_empty {
                break;
            }
            self.output.progress(&format!("{} entries …", items.len()));
        }
        items.truncate(most);
        Ok(items)
    }

    /// A POST that is safe to repeat.
    pub(crate) fn post(&self, path: impl Into<String>, body: Option<Value>) -> Call {
        Call::post(path, body).keyed((self.surroundings.random)())
    }

    /// The token of the session, which is renewed before it ends; `None` without a session.
    pub(crate) async fn token(&mut self) -> Result<Option<String>, Failure> {
        let Some(profile) = &self.profile else { return Ok(None) };
        let now = (self.surroundings.now)();
        let left = profile.expires_at.map_or(TimeDelta::zero(), |end| end - now);
        let needed = if profile.key.is_some() { RENEWED_BEFORE } else { TimeDelta::zero() };
        if profile.token.is_some() && left > needed {
            Ok(profile.token.clone())
        } else if profile.key.is_some() {
            self.renew().await
        } else {
            Ok(None)
        }
    }

    fn can_renew(&self, failure: &Failure, has_token: bool) -> bool {
        let is_refused = matches!(failure, Failure::Refused(problem) if problem.status() == 401);
        is_refused && has_token && self.profile.as_ref().is_some_and(|profile| profile.key.is_some())
    }

    /// Logs in with the stored key, and stores the new token.
    async fn renew(&mut self) -> Result<Option<String>, Failure> {
        let key = self.profile.as_ref().and_then(|profile| profile.key.clone());
        let Some(key) = key else { return Err(self.not_logged_in()) };
        let call = Call::post("/agent-login", Some(json!({ "key": key }))).repeatable();
        let session: OpenedSession = decode(&self.transport.call(&call, None).await?)?;
        if let Some(profile) = &mut self.profile {
            profile.token = Some(session.token.clone());
            profile.expires_at = Some(session.expires_at);
            let mut profiles = self.keyring.load()?;
            profiles.set(&self.name, profile.clone())?;
            self.keyring.save(&profiles, &(self.surroundings.random)())?;
        }
        Ok(Some(session.token))
    }

    /// The failure of a command that needs a session.
    pub(crate) fn not_logged_in(&self) -> Failure {
        let server = self.transport.server();
        Failure::NotLoggedIn(format!(
            "The profile {} has no session at {server}: buildtrack login --server {server}",
            self.name
        ))
    }

    /// The id of the agent or owner whose session this is.
    pub(crate) fn own_id(&self) -> Result<String, Failure> {
        self.profile.as_ref().map(|profile| profile.id.clone()).ok_or_else(|| self.not_logged_in())
    }

    /// The position of the last event on the log.
    pub(crate) async fn end_of_log(&mut self) -> Result<u64, Failure> {
        let checkpoint = self.read(&Call::get("/api/v1/log/checkpoint")).await?;
        checkpoint.get("position").and_then(Value::as_u64).ok_or_else(|| unexpected("a checkpoint without position"))
    }
}

/// Reads an answer. An empty one, as of 204, is null.
pub(crate) fn decode<T: DeserializeOwned>(text: &str) -> Result<T, Failure> {
    let text = if text.is_empty() { "null" } else { text };
    serde_json::from_str(text).map_err(|error| unexpected(&error.to_string()))
}

/// The failure for an answer that this client does not understand.
pub(crate) fn unexpected(reason: &str) -> Failure {
    Failure::Failed(format!("The answer is not one of a Buildtrack server of this version: {reason}"))
}
