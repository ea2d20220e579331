//! The audit trail: what operators did, with their reasons.

use std::collections::HashMap;

use actix_web::{HttpRequest, HttpResponse, get};
use askama::Template;
use buildtrack_domain::{
    event::Event,
    identity::{Act, OperationEvent},
    ids::OwnerId,
    moderation::CaseEvent,
};
use buildtrack_http::{guard::app_of, page::Page, problem::Problem};
use buildtrack_pages::{Frame, Pager, Trail, filters};
use buildtrack_store::{ActFilter, OperatorAct, OwnerView};
use chrono::{DateTime, Utc};

use super::{Operating, Section, case::action_text, frame};

use crate::{Portal, answer};

/// The acts of a page.
const ACTS: i64 = 40;

#[derive(Template)]
#[template(path = "portal/operator/audit.html")]
struct AuditPage {
    frame: Frame,
    portal: Portal,
    section: Section,
    /// The owners who may moderate, and whether only this one's acts are listed.
    operators: Vec<(OwnerView, bool)>,
    acts: Vec<ActShown>,
    pager: Pager,
}

/// An act of an operator.
struct ActShown {
    position: i64,
    /// The operator; `None` for a command on the server's machine.
    by: Option<OwnerId>,
    /// The operator's name, if it may still moderate.
    name: Option<String>,
    /// The key of the act's name.
    what: &'static str,
    subject: Option<String>,
    reason: Option<String>,
    at: DateTime<Utc>,
}

impl ActShown {
    fn of(act: OperatorAct, names: &HashMap<OwnerId, String>) -> Self {
        let OperatorAct { position, operator_id: by, event, recorded_at: at } = act;
        let (what, subject, reason) = match event {
            Event::Case(CaseEvent::Decided(data)) => {
                (action_text(data.action), Some(data.subject.to_string()), Some(data.reason))
            }
            Event::Operation(OperationEvent::Done(data)) => (act_text(data.act), data.subject, data.reason),
            _ => ("operator-act-other", None, None),
        };
        let name = by.and_then(|by| names.get(&by).cloned());
        Self { position, by, name, what, subject, reason, at }
    }
}

/// The key of an act's name.
fn act_text(act: Act) -> &'static str {
    match act {
        Act::GrantOperator => "operator-act-grant",
        Act::RevokeOperator => "operator-act-revoke",
        Act::SetTier => "operator-act-tier",
        Act::SetAgentLimit => "operator-act-limit",
        Act::ResetPassword => "operator-act-password",
        Act::Invite => "operator-act-invite",
        Act::ReplayDeadLetters => "operator-act-letters",
    }
}

/// Lists what operators did, newest first.
#[get("/operator/audit")]
pub(super) async fn list(request: HttpRequest, _: Operating) -> Result<HttpResponse, Problem> {
    let (parameters, trail) = Trail::read(&request, &["operator", "cursor"]);
    let mut parameters = parameters.without_empty();
    let by: Option<OwnerId> = parameters.get("operator", "the id of an owner");
    let before = parameters.cursor();
    parameters.finish()?;
    let store = &app_of(&request).store;
    let operators = store.identity().operators().await?;
    let names: HashMap<_, _> = operators.iter().map(|owner| (owner.id, owner.display_name.clone())).collect();
    let rows = store.moderation().operator_acts(&ActFilter { by, before, limit: ACTS + 1 }).await?;
    let page = Page::shown(rows, ACTS, |act: &OperatorAct| act.position, |act| ActShown::of(act, &names));
    let operator = by.map(|by| by.to_string()).unwrap_or_default();
    let chosen = |owner: OwnerView| {
        let is_chosen = by == Some(owner.id);
        (owner, is_chosen)
    };
    answer(
        &request,
        &AuditPage {
            frame: frame(&request, "operator-audit"),
            portal: Portal::of(&request, "operator"),
            section: Section::new("audit"),
            operators: operators.into_iter().map(chosen).collect(),
            acts: page.items,
            pager: trail.pager(page.next_cursor.as_deref(), "operator-more", |cursor| {
                let cursor = cursor.map(|cursor| format!("&cursor={cursor}")).unwrap_or_default();
                format!("/portal/operator/audit?operator={operator}{cursor}")
            }),
        },
    )
}
