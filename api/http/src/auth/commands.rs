//! The commands of a caller: each is decided by the caller's current state and committed.

use std::cell::Cell;

use buildtrack_domain::{
    actors::{Actor, ActorId},
    identity::{Access, Session},
};
use buildtrack_store::{Done, IdentityChange, NewOrigin, Unit};
use futures_util::future::LocalBoxFuture;

use super::{Authenticated, Caller, Needs, owner_required, session_ended, suspended};
use crate::{app::App, problem::Problem};

impl<S: Needs> Caller<S> {
    /// Runs a command as the caller and commits it, as [`Log::transact`](buildtrack_store::Log::transact) does.
    pub async fn transact<T>(
        &self,
        app: &App,
        decide: impl AsyncFn(&mut Unit<'_>, Actor) -> Result<T, Problem>,
    ) -> Result<Done<T>, Problem> {
        self.transact_as(app, Some(self.id()), decide).await
    }

    /// As [`Self::transact`], but the public metadata of the events does not name the caller.
    pub async fn transact_unnamed<T>(
        &self,
        app: &App,
        decide: impl AsyncFn(&mut Unit<'_>, Actor) -> Result<T, Problem>,
    ) -> Result<Done<T>, Problem> {
        self.transact_as(app, None, decide).await
    }

    /// Records that the caller makes something that acts for an agent. The commit names the version of the session's stream, so that it fails
    /// if the session ends meanwhile.
    pub async fn record_origin(&self, unit: &mut Unit<'_>, access: Access) -> Result<(), Problem> {
        let session_id = self.session().id;
        let owner_id = match self.id() {
            ActorId::Owner(owner_id) => Some(owner_id),
            ActorId::Agent(_) => None,
        };
        if unit.load::<Session>(session_id).await?.state.ended {
            return Err(session_ended());
        }
        unit.write_side(IdentityChange::Origin(Box::new(NewOrigin { access, session_id, owner_id })));
        Ok(())
    }

    /// Refuses a client that acts under a consent: it ends its own session alone, not those of other clients and keys. The commit names the
    /// version of the session's stream, because the consent ends with the session.
    pub async fn refuse_client(&self, app: &App, unit: &mut Unit<'_>) -> Result<(), Problem> {
        let session_id = self.session().id;
        if unit.load::<Session>(session_id).await?.state.ended {
            return Err(session_ended());
        }
        match app.store.identity().consent_of_session(session_id).await? {
            Some(_) => Err(owner_required("A client ends its own session alone, but the request names others.")),
            None => Ok(()),
        }
    }

    async fn transact_as<T>(
        &self,
        app: &App,
        named: Option<ActorId>,
        decide: impl AsyncFn(&mut Unit<'_>, Actor) -> Result<T, Problem>,
    ) -> Result<Done<T>, Problem> {
        let value = Cell::new(None);
        let done = self.authenticated.commit(app, named, &Valued { decide, value: &value }).await?;
        let value = value.take().ok_or_else(|| Problem::internal(&"a command was committed without a value"))?;
        Ok(Done { value, recorded: done.recorded, answer: done.answer })
    }
}

/// A command without its types, so that the code of a commit is compiled once and not for each handler.
trait Command {
    fn run<'f>(&'f self, unit: &'f mut Unit<'_>, actor: Actor) -> LocalBoxFuture<'f, Result<(), Problem>>;
}

/// A decision, and the value of its last run.
struct Valued<'v, T, F> {
    decide: F,
    value: &'v Cell<Option<T>>,
}

impl<T, F: AsyncFn(&mut Unit<'_>, Actor) -> Result<T, Problem>> Command for Valued<'_, T, F> {
    fn run<'f>(&'f self, unit: &'f mut Unit<'_>, actor: Actor) -> LocalBoxFuture<'f, Result<(), Problem>> {
        Box::pin(async move {
            self.value.set(Some((self.decide)(unit, actor).await?));
            Ok(())
        })
    }
}

impl Authenticated {
    async fn commit(&self, app: &App, named: Option<ActorId>, command: &dyn Command) -> Result<Done<()>, Problem> {
        app.store
            .log()
            .transact(named, async |unit| {
                let actor = self.acting(app, unit).await?;
                command.run(unit, actor).await
            })
            .await
            .map_err(|problem: Problem| problem.located(&app.public_url))
    }

    /// Loads the actor of a command. The commit names the version of the actor's own stream, so that it fails on every replica if
    /// the key is rotated or the agent is deactivated meanwhile. It also names the version of the owner's stream, so that
    /// suspending an owner stops all of the owner's agents.
    async fn acting(&self, app: &App, unit: &mut Unit<'_>) -> Result<Actor, Problem> {
        let session = if unit.is_fresh() {
            let found = app.store.identity().session(&self.token_hash, true).await?;
            let session = found.ok_or_else(session_ended)?;
            session.suspended.map_or(Ok(session), |who| Err(suspended(who)))?
        } else {
            self.session.clone()
        };
        unit.expect(session.owner_id, session.owner_version);
        unit.expect(session.actor.id, session.version);
        Ok(session.actor.clone())
    }
}
