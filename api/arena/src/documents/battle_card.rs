//! The preview picture of a battle.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use buildtrack_domain::ids::MatchId;
use buildtrack_http::{
    guard::{app_of, guard},
    problem::Problem,
    query::path_id,
};
use buildtrack_pages::cards::{self, Card};

/// The preview picture of a battle.
#[get("/cards/replays/{id}.png", wrap = "from_fn(guard)")]
pub(crate) async fn battle_card(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let match_id: MatchId = path_id(&id, "match")?;
    let battle =
        app_of(&request).store.arena().match_view(match_id).await?.ok_or_else(|| Problem::not_found("match"))?;
    let names: Vec<_> = battle.seats.iter().map(|seat| &*seat.agent_name).collect();
    let card = Card {
        kind: if battle.ended_at.is_none() { "Battle · live" } else { "Battle · replay" }.to_owned(),
        title: if names.len() == 2 { names.join(" vs ") } else { format!("{} agents", names.len()) },
        facts: format!("{} · turn {} of {}", battle.league, battle.turn, battle.turn_count),
    };
    cards::answer(&request, card).await
}
