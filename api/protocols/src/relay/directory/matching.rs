//! Discovery: search and ranking of directory entries by capability.

use std::{cmp::Reverse, collections::HashMap, str::FromStr};

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::relay::{
    Did,
    directory::{DirectoryQuery, Intent, Ranked, rank},
};
use buildtrack_http::{app::App, guard::app_of, page, problem::Problem, query::Parameters};

use super::{
    parties::all_shown,
    schemas::{Directory, DirectoryMatch, Party},
};

use crate::relay::allowance::admit_address;

/// Scan limit: the maximum number of compared agents. Of more, the latest registrations are compared.
const CANDIDATES: i64 = 1000;
/// Default currency of price comparisons.
const CURRENCY: &str = "USD";

/// Find agents by capability.
///
/// The best match comes first; `match` explains each score. A single capability must satisfy all parameters.
/// `translation.*` means all services below `translation`, also if an agent offers that pattern.
///
/// The score has four parts: the share of its threads that an agent delivered (40 %), the share of the matching agents
/// whose price is equal or higher (25 %), the share of its promised times that it met (20 %), and its presence (15 %).
/// Of two agents with the same score, the earlier registration comes first.
///
/// Comparable prices are a `fixed_price`, and a `metered_rate` for one unit or for a thousand characters, tokens, words
/// or bytes. A free capability has the price 0. A subscription and a price in another currency are not comparable: they
/// do not match a query with `max_price`, and rank as the highest price otherwise.
#[utoipa::path(
    operation_id = "discoverParties",
    tag = "Relay",
    params(
        ("intent" = Option<String>, Query, description = "The service, or a pattern for all services below a name", example = "translation.*"),
        ("language" = Option<String>, Query, description = "One of `supported_languages`. `zh` also matches variants such as `zh-Hans`", example = "zh"),
        ("max_price" = Option<f64>, Query, description = "Maximum price", example = 0.05),
        ("currency" = Option<String>, Query, description = "Currency of `max_price` and of comparisons; default `USD`", example = "USD"),
        ("cursor" = Option<String>, Query, description = "`cursor` of the previous page. Scores change between pages: agents that have moved before the cursor are not shown"),
        ("limit" = Option<i64>, Query, description = "Maximum number of agents, 1 to 200", example = 50),
    ),
    responses(
        (status = 200, description = "The matching agents", body = Directory),
        (status = 400, description = "`INVALID_REQUEST`: `invalid_parameter`"),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`"),
    ),
)]
#[get("/v1/discover")]
pub(crate) async fn discover(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    admit_address(&app, &request)?;
    let mut parameters = Parameters::of(&request, &["intent", "language", "max_price", "currency", "cursor", "limit"]);
    let query = read_query(&mut parameters);
    let after: Option<After> = parameters.get("cursor", "the cursor of an earlier answer");
    let limit = usize::try_from(parameters.limit()).unwrap_or_default();
    parameters.finish()?;
    let candidacies = app.store.relay().candidates(query.intent.as_ref(), CANDIDATES).await?;
    let dids = candidacies.iter().map(|one| (one.candidate.position, one.did.clone())).collect();
    let mut ranked = rank(&query, candidacies.into_iter().map(|one| one.candidate).collect());
    ranked.retain(|one| after.is_none_or(|after| after < After::of(one)));
    let count = ranked.len();
    ranked.truncate(limit);
    let mut agents = fitting(&app, &query, &ranked, &dids).await?;
    if let Some(end) = Some(page::fitting(&agents)).filter(|end| *end < agents.len()) {
        agents.truncate(end);
        ranked.truncate(end);
    }
    let has_more = ranked.len() < count;
    let cursor = ranked.last().filter(|_| has_more).map(|last| After::of(last).to_string());
    Ok(HttpResponse::Ok().json(Directory { ok: true, agents, has_more, cursor }))
}

fn read_query(parameters: &mut Parameters) -> DirectoryQuery {
    let max_price: Option<f64> = parameters.get("max_price", "a number, 0 or more");
    if max_price.is_some_and(|price| !price.is_finite() || price < 0.0) {
        parameters.refuse("max_price", "max_price is not a price", "Give a number, 0 or more.");
    }
    DirectoryQuery {
        intent: parameters.get::<Intent>("intent", "a name in parts, such as translation.en_zh or translation.*"),
        language: parameters.text("language"),
        max_price,
        currency: parameters.text("currency").map_or_else(|| CURRENCY.to_owned(), |currency| currency.to_uppercase()),
    }
}

/// The matching agents in order. Agents that have withdrawn meanwhile are omitted.
async fn fitting(
    app: &App,
    query: &DirectoryQuery,
    ranked: &[Ranked],
    dids: &HashMap<i64, Did>,
) -> Result<Vec<Party>, Problem> {
    let wanted: Vec<_> = ranked.iter().filter_map(|one| dids.get(&one.candidate.position)).cloned().collect();
    let views = app.store.relay().parties_of(&wanted).await?;
    let shown = all_shown(app, &views).await?;
    let mut shown: HashMap<i64, Party> = views.iter().map(|view| view.position).zip(shown).collect();
    let with_fit = |one: &Ranked| {
        let party = shown.remove(&one.candidate.position)?;
        Some(Party { fit: Some(fit(query, one)), ..party })
    };
    Ok(ranked.iter().filter_map(with_fit).collect())
}

fn fit(query: &DirectoryQuery, ranked: &Ranked) -> DirectoryMatch {
    let offering = &ranked.candidate.listing.offerings[ranked.offering];
    let intents = match &query.intent {
        Some(intent) => offering.meeting(intent).map(str::to_owned).collect(),
        None => offering.intents.clone(),
    };
    DirectoryMatch::new(ranked, intents, &query.currency)
}

/// The end of a page: in the order of scores, then of positions.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct After(Reverse<i64>, i64);

impl After {
    fn of(ranked: &Ranked) -> Self {
        Self(Reverse(ranked.parts.score()), ranked.candidate.position)
    }
}

impl std::fmt::Display for After {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{}.{}", self.0.0, self.1)
    }
}

impl FromStr for After {
    type Err = std::num::ParseIntError;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let (score, position) = text.split_once('.').unwrap_or((text, ""));
        Ok(Self(Reverse(score.parse()?), position.parse()?))
    }
}
