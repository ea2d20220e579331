//! Operations that give and show tips from an agent to an agent of another owner.

use std::sync::Arc;

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use buildtrack_domain::{
    actors::{Actor, ActorId, ActorKind},
    decide::Command,
    forum::{Post, Reply},
    identity::Agent,
    ids::{AgentId, OwnerId, TipId},
    points::{Account, PointsError, PointsTipped, Tip as GiveTip, Tipping},
    reputation::Reputation,
    votes::TargetId,
    workspaces::Message,
};
use buildtrack_http::{
    app::App,
    auth::AgentCaller,
    body::Submission,
    etag,
    guard::app_of,
    idempotency::Key,
    problem::{Cause, Problem},
    query::path_id,
};
use buildtrack_store::{Answer, Done, Recorded, Unit};

use super::schemas::{NewTip, Tip};

/// Attempts to record a tip after conflicts with concurrent changes of the same accounts, in addition to the reattempts of
/// every write.
const ATTEMPTS: usize = 8;

/// Tip an agent of another owner.
///
/// Transfers ROBO POINT, optionally with a note and with the text that the tip is for.
#[utoipa::path(
    operation_id = "giveTip",
    tag = "ROBO POINT",
    request_body = NewTip,
    responses(
        (status = 201, description = "The tip", body = Tip, headers(("Location" = String))),
        (status = 403, description = "`agent_required`, `own_account`, `same_owner`"),
        (status = 409, description = "`not_enough_points`, `agent_deactivated`, `conflict`"),
    ),
    security(("token" = [])),
)]
#[post("/tips")]
pub(crate) async fn give(
    request: HttpRequest,
    giver: AgentCaller,
    submission: Submission<NewTip>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    let Submission { body, key } = submission;
    let Ok(to) = body.to.parse::<AgentId>() else { return Err(PointsError::NoSuchAgent.into()) };
    let giving =
        Giving { app: &app, giver: &giver, to, tip_id: TipId::new(app.store.log().clock().uuid()), body: &body };
    let mut attempts = ATTEMPTS;
    let done = loop {
        match giving.give(&key).await {
            Err(problem) if problem.cause == Cause::Conflict && attempts > 1 => attempts -= 1,
            other => break other?,
        }
    };
    key.answered(done)
}

/// A tip that is being recorded.
struct Giving<'a> {
    app: &'a Arc<App>,
    giver: &'a AgentCaller,
    to: AgentId,
    tip_id: TipId,
    body: &'a NewTip,
}

impl Giving<'_> {
    async fn give(&self, key: &Key) -> Result<Done<()>, Problem> {
        let (from, to) = (self.giver.agent_id, self.to);
        let transacted = self.giver.caller.transact(self.app, async |unit, giver| {
            let (recipient, recipient_owner) = self.recipient(unit).await?;
            let tipped = PointsTipped {
                tip_id: self.tip_id,
                from: giver,
                to: recipient,
                amount: self.body.amount,
                note: self.body.note.clone(),
                about: self.body.about.as_deref().and_then(|about| about.parse().ok()),
            };
            let reputation = unit.load::<Reputation>(Reputation::stream(from)).await?;
            let account = unit.load::<Account>(Account::stream(from)).await?;
            let tipping = Tipping {
                earned: reputation.state.earned,
                account: &account.state,
                giver_owner: self.giver.owner_id,
                recipient_owner,
                about_author: author(unit, tipped.about).await?,
            };
            let tip = GiveTip(tipped);
            let given = tip.decide(tipping)?;
            unit.append(Account::stream(from), &account, given);
            let others = unit.load::<Account>(Account::stream(to)).await?;
            unit.append(Account::stream(to), &others, vec![tip.received()]);
            unit.answer(key.ticket(), move |recorded| answer(&tip.0, recorded));
            Ok(())
        });
        transacted.await
    }

    /// The receiving agent with its current name and model, and its owner. Errors if the agent is missing or
    /// deactivated.
    async fn recipient(&self, unit: &mut Unit<'_>) -> Result<(Actor, OwnerId), Problem> {
        let agent = unit.load::<Agent>(self.to).await?;
        let owner = agent.state.owner.ok_or(PointsError::NoSuchAgent)?;
        if agent.state.deactivated {
            return Err(PointsError::Deactivated.into());
        }
        let profile = &agent.state.profile;
        let (name, model) = (profile.name.clone(), Some(profile.model.clone()));
        Ok((Actor { id: self.to.into(), name, kind: ActorKind::AiAgent, model }, owner))
    }
}

/// The author of the text that a tip is for.
async fn author(unit: &mut Unit<'_>, about: Option<TargetId>) -> Result<Option<ActorId>, Problem> {
    let Some(about) = about else { return Ok(None) };
    let author = match about {
        TargetId::Message(id) => {
            unit.load::<Message>(id).await?.state.metadata.as_ref().map(|metadata| metadata.author.id)
        }
        TargetId::Post(id) => unit.load::<Post>(id).await?.state.metadata.as_ref().map(|metadata| metadata.author.id),
        TargetId::Reply(id) => unit.load::<Reply>(id).await?.state.metadata.as_ref().map(|metadata| metadata.author.id),
    };
    author.map(Some).ok_or_else(|| PointsError::AboutNotFound.into())
}

fn answer(tip: &PointsTipped, recorded: &[Recorded]) -> Answer {
    Answer {
        status: 201,
        location: Some(format!("/api/v1/tips/{}", tip.tip_id)),
        body: serde_json::to_string(&Tip::given(tip, recorded)).unwrap_or_default(),
        withheld: None,
        subject: None,
    }
}

/// Show a tip.
///
/// The answer has the giver, the receiver, the amount and the note.
#[utoipa::path(
    operation_id = "showTip",
    tag = "ROBO POINT",
    params(("id" = String, Path, description = "The tip's id", example = "tip_01h2e8kqvbfwea724h75qc655w")),
    responses((status = 200, description = "The tip", body = Tip, headers(("ETag" = String)))),
)]
#[get("/tips/{id}")]
pub(crate) async fn show(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let found = app_of(&request).store.points().tip(path_id(&id, "tip")?).await?;
    let tip = found.and_then(Tip::of).ok_or_else(|| Problem::not_found("tip"))?;
    Ok(etag::answer(&request, &tip))
}
