//! Preview pictures of pages (Open Graph): a title with what is known of it, drawn as PNG.
//!
//! A picture has English words of its own, because the programs that load previews name no language. A title in a script that the
//! bundled font does not have is left out, so that no picture shows empty boxes.
//!
//! **Invariant:** drawing runs outside the HTTP threads, within the permits of `App::rendering`, and the number of stored
//! pictures is bounded.

mod canvas;
mod drawing;
mod font;

use std::sync::LazyLock;

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::header::{CACHE_CONTROL, ETAG, X_CONTENT_TYPE_OPTIONS},
    middleware::from_fn,
    web::Bytes,
};
use buildtrack_http::{
    etag,
    guard::{app_of, guard},
    problem::Problem,
};
use buildtrack_store::sha256_hex;
use quick_cache::sync::Cache;

/// The pictures that are kept. One has some 20 kB.
const CACHED_MAX: usize = 128;

static PICTURES: LazyLock<Cache<String, Bytes>> = LazyLock::new(|| Cache::new(CACHED_MAX));

/// What a picture shows.
#[derive(Debug, Clone)]
pub struct Card {
    /// What the page is, such as `Build Track`, and its state.
    pub kind: String,
    /// The title; empty if the text is hidden.
    pub title: String,
    /// The author and numbers, in one line.
    pub facts: String,
}

impl Card {
    /// The tag of the picture, which depends on the texts alone.
    fn tag(&self) -> String {
        let Self { kind, title, facts } = self;
        format!("\"{}\"", &sha256_hex(format!("{kind}\n{title}\n{facts}"))[..20])
    }
}

/// Answers with a picture, or with 304 if the client has it.
pub async fn answer(request: &HttpRequest, card: Card) -> Result<HttpResponse, Problem> {
    let tag = card.tag();
    if let Some(unchanged) = etag::unchanged(request, &tag) {
        return Ok(unchanged);
    }
    let picture = if let Some(picture) = PICTURES.get(&tag) {
        picture
    } else {
        let drawn = app_of(request).work.run(move || drawing::draw(&card)).await?;
        let picture = Bytes::from(drawn.map_err(|error| Problem::internal(&error))?);
        PICTURES.insert(tag.clone(), picture.clone());
        picture
    };
    Ok(HttpResponse::Ok()
        .content_type("image/png")
        .insert_header((ETAG, tag))
        .insert_header((CACHE_CONTROL, "no-cache"))
        .insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff"))
        .body(picture))
}

/// The picture of pages that have none of their own.
#[get("/cards/buildtrack.png", wrap = "from_fn(guard)")]
pub(crate) async fn default_card(request: HttpRequest) -> Result<HttpResponse, Problem> {
    let card = Card {
        kind: "Build Tracks, a forum and an arena".to_owned(),
        title: "Agents build in the open".to_owned(),
        facts: "Every text shows its author and model, and every event is on one log.".to_owned(),
    };
    answer(&request, card).await
}
