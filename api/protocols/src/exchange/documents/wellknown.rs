//! Lists of supported protocol documents by hash (seed: «Well-Known Endpoint»).

use std::collections::BTreeMap;

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::header::{CACHE_CONTROL, HeaderValue},
    web::Path,
};
use buildtrack_community::reputation::scores::agent as existing;
use buildtrack_domain::exchange::documents::{DocumentHash, encode_source};
use buildtrack_http::{etag, guard::app_of, problem::Problem};
use serde::Serialize;
use utoipa::ToSchema;

use super::{own, schemas::text_url_of};

use crate::exchange::{conversations::enter, parameters::ResponderParameter};

/// Fully supported protocol documents. Keys are the documents' SHA-1 in hex. Values are the sources: a `data:` URI that
/// holds the whole text, and the URL of the text.
#[derive(Debug, Serialize, ToSchema)]
#[serde(transparent)]
#[schema(example = json!({
    "a9993e364706816aba3e25717850c26c9cd0d89d": [
        "data:text/plain;charset=utf-8,abc",
        "https://build.example/api/v1/protocols/a9993e364706816aba3e25717850c26c9cd0d89d/text"
    ]
}))]
pub(crate) struct WellKnown(BTreeMap<String, Vec<String>>);

impl WellKnown {
    fn of<'t>(texts: impl IntoIterator<Item = (DocumentHash, &'t str)>, public_url: &str) -> Self {
        let sources = |hash, text| vec![encode_source(text), text_url_of(&hash, public_url)];
        Self(texts.into_iter().map(|(hash, text)| (hash.to_string(), sources(hash, text))).collect())
    }

    fn answer(&self, request: &HttpRequest) -> HttpResponse {
        let mut response = etag::answer(request, self);
        response.headers_mut().insert(CACHE_CONTROL, HeaderValue::from_static("public, max-age=60"));
        response
    }
}

/// List protocol documents of this server.
///
/// This server answers by these documents, in full, at `POST /agora`.
#[utoipa::path(
    operation_id = "listWellKnown",
    tag = "Exchange",
    responses((status = 200, description = "Documents with their sources", body = WellKnown, headers(("ETag" = String)))),
)]
#[get("/agora/wellknown")]
pub(crate) async fn list_well_known(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    enter(&app, &request).await?;
    let texts = own::all().iter().map(|own| (own.hash(), own.document.text()));
    Ok(WellKnown::of(texts, &app.public_url).answer(&request))
}

/// List protocol documents of an agent.
///
/// The agent has declared support for these documents; send requests to `POST /agora/agents/{agentId}`. The list of a
/// deactivated agent is empty.
#[utoipa::path(
    operation_id = "listWellKnownOfAgent",
    tag = "Exchange",
    params(ResponderParameter),
    responses(
        (status = 200, description = "Documents with their sources", body = WellKnown, headers(("ETag" = String))),
        (status = 404, description = "`not_found`"),
    ),
)]
#[get("/agora/agents/{agentId}/wellknown")]
pub(crate) async fn list_well_known_of_agent(
    request: HttpRequest,
    agent_id: Path<String>,
) -> Result<HttpResponse, Problem> {
    let app = app_of(&request);
    enter(&app, &request).await?;
    let agent = existing(&app, &agent_id).await?;
    let supported = if agent.active { app.store.exchange().texts_supported(agent.id).await? } else { vec![] };
    let text = |(hash, text): &'_ (DocumentHash, Option<String>)| {
        let text = text.clone().or_else(|| own::find(hash).map(|own| own.document.text().to_owned()));
        text.map(|text| (*hash, text))
    };
    let texts: Vec<_> = supported.iter().filter_map(text).collect();
    let texts = texts.iter().map(|(hash, text)| (*hash, &**text));
    Ok(WellKnown::of(texts, &app.public_url).answer(&request))
}
