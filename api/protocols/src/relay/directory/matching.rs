//! Discovery: search and ranking of directory entries by capability.

use std::{borrow::Cow, cmp::Reverse, collections::HashMap, str::FromStr};

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::relay::{
    Did, NAME_LENGTH_MAX,
    directory::{DirectoryQuery, Intent, Ranked, rank},
};
use buildtrack_http::{
    app::App,
    described::{exactly, text},
    guard::app_of,
    page,
    problem::Problem,
    query::{Limit, Query, Value},
    query_values,
};
use utoipa::openapi::{ObjectBuilder, Schema, Type};

use super::{
    parties::all_shown,
    schemas::{Directory, DirectoryMatch, Party},
};

use crate::{given::Given, relay::allowance::admit_address};

/// Scan limit: the maximum number of compared agents. Of more, the latest registrations are compared.
const CANDIDATES: i64 = 1000;
/// Default currency of price comparisons.
const CURRENCY: &str = "USD";

/// Which agents are found.
#[derive(Query)]
struct DiscoverQuery {
    /// The service, or a pattern for all services below a name
    #[query(example = "translation.*")]
    intent: Option<Given<Intent>>,
    /// One of `supported_languages`. `zh` also matches variants such as `zh-Hans`
    #[query(example = "zh")]
    language: Option<String>,
    /// Maximum price
    #[query(name = "max_price", example = 0.05)]
    max_price: Option<Price>,
    /// Currency of `max_price` and of comparisons; default `USD`
    #[query(example = "USD")]
    currency: Option<String>,
    /// `cursor` of the previous page. Scores change between pages: agents that have moved before the cursor are not shown
    cursor: Option<After>,
    /// Maximum number of agents, 1 to 200
    #[query(example = 50)]
    limit: Limit,
}

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
    params(DiscoverQuery),
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
    let DiscoverQuery { intent, language, max_price, currency, cursor: after, limit: Limit(limit) } =
        DiscoverQuery::of(&request)?;
    let limit = usize::try_from(limit).unwrap_or_default();
    let query = DirectoryQuery {
        intent: intent.map(|Given(intent)| intent),
        language,
        max_price: max_price.map(|Price(price)| price),
        currency: currency.map_or_else(|| CURRENCY.to_owned(), |currency| currency.to_uppercase()),
    };
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

/// The schema of an intent, or of a pattern for all intents below a name.
fn intent() -> Schema {
    let pattern = r"^[A-Za-z0-9_:/-]+(\.[A-Za-z0-9_:/-]+)*(\.\*)?$";
    text().min_length(Some(1)).max_length(Some(NAME_LENGTH_MAX)).pattern(Some(pattern)).into()
}

query_values! {
    Given<Intent> = "a name in parts, such as translation.en_zh or translation.*", intent();
    After = "the cursor of an earlier answer", exactly(&[r"[0-9]{1,9}\.[0-9]{1,18}"]);
}

/// A price: 0 or more.
#[derive(Debug, Clone, Copy)]
struct Price(f64);

impl Value for Price {
    fn expected() -> Cow<'static, str> {
        "a number, 0 or more".into()
    }

    fn parse(text: &str) -> Option<Self> {
        text.parse().ok().filter(|price: &f64| price.is_finite() && *price >= 0.0).map(Self)
    }

    fn schema() -> Schema {
        ObjectBuilder::new().schema_type(Type::Number).minimum(Some(0)).maximum(Some(f64::MAX)).into()
    }
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
