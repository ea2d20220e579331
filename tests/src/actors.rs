//! Actors: owners and agents with sessions, and the Build Tracks they work in.

use std::{ops::Deref, sync::LazyLock, time::Duration};

use argon2::{Argon2, password_hash::PasswordHasher};
use buildtrack_domain::{
    decide::Command,
    identity::{Email, OwnerEvent, OwnerRegistered, RegisterOwner},
    ids::{OwnerId, SessionId},
};
use buildtrack_store::{IdentityChange, Scope, StoreError, sha256_hex};
use serde_json::{Value, json};

use crate::{Caller, Mailbox, TestApp};

/// The lifetime of an owner's session.
const SESSION: Duration = Duration::from_hours(24);
/// The password of every owner, and its hash. To hash and verify one for each owner would take a fifth of the time of all tests.
const PASSWORD: &str = "correct horse battery staple";
static PASSWORD_HASH: LazyLock<String> = LazyLock::new(|| {
    let hash = Argon2::default().hash_password_with_salt(PASSWORD.as_bytes(), b"the salt of all.").unwrap();
    hash.to_string()
});

/// A human owner with a session.
#[derive(Debug, Clone)]
pub struct Owner {
    caller: Caller,
    /// `ow_…`
    pub id: String,
    /// The display name.
    pub name: String,
    /// Derived from the name.
    pub email: String,
    /// The same for all owners.
    pub password: String,
    /// The owner's session.
    pub token: String,
}

/// An agent with a session that has all scopes.
#[derive(Debug, Clone)]
pub struct Agent {
    caller: Caller,
    /// `ag_…`
    pub id: String,
    /// The public name.
    pub name: String,
    /// The model.
    pub model: String,
    /// `araf_…`
    pub key: String,
    /// `whsec_…`
    pub webhook_secret: String,
    /// The agent's session.
    pub token: String,
}

impl Deref for Owner {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl Deref for Agent {
    type Target = Caller;

    fn deref(&self) -> &Caller {
        &self.caller
    }
}

impl Owner {
    /// Opens an account and a session, with the commit that the API makes.
    pub(crate) async fn open(app: &TestApp, name: &str) -> Self {
        let (store, email) = (app.store(), Self::email_of(name));
        let clock = store.log().clock();
        let (owner_id, session_id) = (OwnerId::new(clock.uuid()), SessionId::new(clock.uuid()));
        // As long as a token of the server.
        let token = format!("bts_{:.43}", sha256_hex(session_id.to_string()));
        let opened: Result<_, StoreError> = store
            .log()
            .transact(Some(owner_id.into()), async |unit| {
                let (email_hash, email_sealed) = store.identity().sealed_email(&email)?;
                let claim = format!("email:{email_hash}");
                let address = unit.load::<Email>(&claim).await?;
                let claimed = RegisterOwner { owner_id }.decide(&address.state).expect("no other owner has the name");
                unit.append(&claim, &address, claimed);
                unit.begin(owner_id, [OwnerEvent::from(OwnerRegistered { owner_id, display_name: name.to_owned() })]);
                let password_hash = PASSWORD_HASH.clone();
                unit.write_side(IdentityChange::Account { owner_id, email_hash, email_sealed, password_hash });
                unit.write_side(IdentityChange::Session {
                    id: session_id,
                    token_hash: sha256_hex(&token),
                    holder: owner_id.to_string(),
                    scopes: Scope::ALL.map(Scope::as_str).join(" "),
                    key_id: None,
                    expires_at: clock.after(SESSION),
                });
                Ok(())
            })
            .await;
        opened.unwrap();
        store.identity().cache_issued_token(&sha256_hex(&token));
        let caller = app.anonymous().with_token(&token);
        let (id, name) = (owner_id.to_string(), name.to_owned());
        Self { caller, id, name, email, password: PASSWORD.to_owned(), token }
    }

    /// Opens an account with the token of a mail, and a session with the password.
    pub(crate) async fn confirm(app: &TestApp, mailbox: &Mailbox, name: &str) -> Self {
        let (anonymous, email) = (app.anonymous(), Self::email_of(name));
        let account = json!({ "email": email, "password": PASSWORD, "displayName": name });
        anonymous.post("/api/v1/accounts", account).await.expect_status(202);
        app.deliver().await;
        let sent = mailbox.take();
        let token = sent.iter().find(|sent| sent.to == email).expect("a message to the address").token();
        anonymous.post("/api/v1/account-confirmations", json!({ "token": token })).await.expect_status(201);
        let session = anonymous.post("/api/v1/sessions", json!({ "email": email, "password": PASSWORD })).await;
        let session = session.expect_status(201);
        let (id, token) = (session.text_at("/ownerId"), session.text_at("/token"));
        let (caller, name) = (anonymous.with_token(&token), name.to_owned());
        Self { caller, id, name, email, password: PASSWORD.to_owned(), token }
    }

    fn email_of(name: &str) -> String {
        let letters = name.to_lowercase();
        // The part before the @ has at most 64 characters.
        let local: String = letters.chars().filter(char::is_ascii_alphanumeric).take(60).collect();
        format!("{local}@example.org")
    }

    /// A new agent of this owner, logged in.
    pub async fn agent(&self, name: &str) -> Agent {
        self.agent_with(name, json!({})).await
    }

    /// A new agent whose events are pushed to `webhook_url`.
    pub async fn agent_at(&self, name: &str, webhook_url: &str) -> Agent {
        self.agent_with(name, json!({ "webhookUrl": webhook_url })).await
    }

    /// A new agent, registered with these fields in addition to name and model.
    pub async fn agent_with(&self, name: &str, mut body: Value) -> Agent {
        let model = "claude-opus-4-8";
        body["name"] = name.into();
        body["model"] = model.into();
        let registered = self.post("/api/v1/agents", body).await.expect_status(201);
        let [id, key, webhook_secret] = ["/agent/id", "/key", "/webhookSecret"].map(|at| registered.text_at(at));
        let session = self.log_in(&key, json!(null)).await.expect_status(200);
        let token = session.text_at("/token");
        let caller = self.caller.with_token(&token);
        Agent { caller, id, name: name.to_owned(), model: model.to_owned(), key, webhook_secret, token }
    }
}

impl Agent {
    /// The path of its endpoints.
    pub fn webhooks(&self) -> String {
        format!("/api/v1/agents/{}/webhooks", self.id)
    }

    /// The id of the endpoint that its registration created.
    pub async fn webhook(&self) -> String {
        self.get(&format!("/api/v1/agents/{}", self.id)).await.text_at("/webhook/id")
    }

    /// Another session of this agent, with these scopes.
    pub async fn session(&self, scopes: &[&str]) -> Caller {
        let session = self.log_in(&self.key, json!(scopes)).await.expect_status(200);
        self.caller.with_token(&session.text_at("/token"))
    }
}

impl Caller {
    /// Logs an agent in; with all scopes where `scopes` is null.
    pub async fn log_in(&self, key: &str, scopes: Value) -> crate::Reply {
        let mut body = json!({ "key": key });
        if !scopes.is_null() {
            body["scopes"] = scopes;
        }
        self.post("/agent-login", body).await
    }
}

/// A Build Track, and the paths of its resources.
#[derive(Debug, Clone)]
pub struct Track {
    /// `ws_…`
    pub id: String,
}

impl Track {
    /// The workspace's path.
    pub fn path(&self) -> String {
        format!("/api/v1/workspaces/{}", self.id)
    }

    /// The path of its members.
    pub fn members(&self) -> String {
        format!("{}/members", self.path())
    }

    /// The path of the caller's own membership.
    pub fn membership(&self) -> String {
        format!("{}/members/me", self.path())
    }

    /// The path of its messages.
    pub fn messages(&self) -> String {
        format!("{}/messages", self.path())
    }

    /// The path of one message.
    pub fn message(&self, id: &str) -> String {
        format!("{}/messages/{id}", self.path())
    }
}
