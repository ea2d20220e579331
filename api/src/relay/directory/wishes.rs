//! Looking for somebody who can do something.

use std::{cmp::Reverse, collections::HashMap, str::FromStr};

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::relay::{
    Did,
    directory::{Intent, Ranked, Wish, rank},
};

use super::{
    parties::all_shown,
    schemas::{Directory, Fit, Party},
};
use crate::{
    app::App,
    http::{dialect::AgoraError, guard::app_of, problem::Problem, query::Parameters},
    relay::allowance::admit_address,
};

/// Agents that are compared at most: of more, those who have registered last.
const CANDIDATES: i64 = 1000;
/// In which currency prices are compared where nothing is said.
const CURRENCY: &str = "USD";

/// Finds agents that can do something, the best first; each tells why it stands where it does (`match`).
///
/// One capability has to fit all that is asked for. `translation.*` means all below `translation`, also where an agent offers
/// it. A score is made of four parts: the share of its threads that an agent has delivered (40 %), how many of those who fit
/// ask as much or more (25 %), the share of its promises of time that it has kept (20 %), and whether it is there (15 %); of
/// two with the same score the one that was registered first comes first. Compared are a `fixed_price`, and a `metered_rate`
/// for one unit, or for a thousand characters, tokens, words or bytes; what is free costs nothing; a subscription, and a price
/// in another currency, cannot be compared: it does not fit where there is a `max_price`, and counts as the dearest.
#[utoipa::path(
    operation_id = "discoverParties",
    tag = "Relay",
    params(
        ("intent" = Option<String>, Query, description = "The service, or all below one", example = "translation.*"),
        ("language" = Option<String>, Query, description = "One of `supported_languages`, or a variety of it: `zh` finds `zh-Hans`", example = "zh"),
        ("max_price" = Option<f64>, Query, description = "The most that it may cost", example = 0.05),
        ("currency" = Option<String>, Query, description = "Of `max_price`, and in which prices are compared: `USD` where nothing is said", example = "USD"),
        ("cursor" = Option<String>, Query, description = "`cursor` of the page before. Scores change meanwhile: who has come before it since is not shown"),
        ("limit" = Option<i64>, Query, description = "1 to 200", example = 50),
    ),
    responses(
        (status = 200, description = "The agents that fit", body = Directory),
        (status = 400, description = "`INVALID_REQUEST`: `invalid_parameter`", body = AgoraError),
        (status = 429, description = "`UNAVAILABLE`: `rate_limited`", body = AgoraError),
    ),
)]
#[get("/v1/discover")]
pub(crate) async fn discover(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    admit_address(&app, &request)?;
    let mut parameters = Parameters::of(&request, &["intent", "language", "max_price", "currency", "cursor", "limit"]);
    let wish = wish(&mut parameters);
    let after: Option<After> = parameters.get("cursor", "the cursor of an earlier answer");
    let limit = usize::try_from(parameters.limit()).unwrap_or_default();
    parameters.finish()?;
    let candidacies = app.store.candidates(wish.intent.as_ref(), CANDIDATES).await?;
    let dids = candidacies.iter().map(|one| (one.candidate.position, one.did.clone())).collect();
    let mut ranked = rank(&wish, candidacies.into_iter().map(|one| one.candidate).collect());
    ranked.retain(|one| after.is_none_or(|after| after < After::of(one)));
    let has_more = ranked.len() > limit;
    ranked.truncate(limit);
    let cursor = ranked.last().filter(|_| has_more).map(|last| After::of(last).to_string());
    let agents = fitting(&app, &wish, &ranked, &dids).await?;
    Ok(HttpResponse::Ok().json(Directory { ok: true, agents, has_more, cursor }))
}

fn wish(parameters: &mut Parameters) -> Wish {
    let max_price: Option<f64> = parameters.get("max_price", "a number, 0 or more");
    if max_price.is_some_and(|price| !price.is_finite() || price < 0.0) {
        parameters.refuse("max_price", "max_price is no price", "Give a number, 0 or more.");
    }
    Wish {
        intent: parameters.get::<Intent>("intent", "a name in parts, such as translation.en_zh or translation.*"),
        language: parameters.text("language"),
        max_price,
        currency: parameters.text("currency").map_or_else(|| CURRENCY.to_owned(), |currency| currency.to_uppercase()),
    }
}

/// Those who fit as they are shown, in the same order. Who has withdrawn at this moment is left out.
async fn fitting(app: &App, wish: &Wish, ranked: &[Ranked], dids: &HashMap<i64, Did>) -> Result<Vec<Party>, Problem> {
    let wanted: Vec<_> = ranked.iter().filter_map(|one| dids.get(&one.candidate.position)).cloned().collect();
    let views = app.store.parties_of(&wanted).await?;
    let shown = all_shown(app, &views).await?;
    let mut shown: HashMap<i64, Party> = views.iter().map(|view| view.position).zip(shown).collect();
    let with_fit = |one: &Ranked| {
        let party = shown.remove(&one.candidate.position)?;
        Some(Party { fit: Some(fit(wish, one)), ..party })
    };
    Ok(ranked.iter().filter_map(with_fit).collect())
}

fn fit(wish: &Wish, ranked: &Ranked) -> Fit {
    let offering = &ranked.candidate.listing.offerings[ranked.offering];
    let intents = match &wish.intent {
        Some(intent) => offering.meeting(intent).map(str::to_owned).collect(),
        None => offering.intents.clone(),
    };
    Fit::new(ranked, intents, &wish.currency)
}

/// Where a page ended: in the order of scores, and then of positions.
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
