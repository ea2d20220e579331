//! Styles, scripts and pictures of the pages. Their names hold a hash of their contents, so that browsers keep them for ever.

use std::sync::LazyLock;

use actix_web::{
    HttpRequest, HttpResponse, get,
    http::{
        StatusCode,
        header::{CACHE_CONTROL, ETAG, X_CONTENT_TYPE_OPTIONS},
    },
    middleware::Compress,
    web,
};
use buildtrack_http::{etag, problem::Problem};
use buildtrack_store::sha256_hex;

/// How long a file is kept: a year. Its contents never change.
const IMMUTABLE: &str = "public, max-age=31536000, immutable";

/// A file of the folder `assets`.
#[derive(Debug)]
struct Asset {
    name: &'static str,
    media_type: &'static str,
    text: &'static str,
    /// The path with the hash of the contents.
    path: String,
    /// Its tag, a weak one: the file is sent with and without compression.
    tag: String,
}

macro_rules! files {
    ($($name:literal: $media_type:literal),* $(,)?) => {
        vec![$(Asset::new($name, $media_type, include_str!(concat!("assets/", $name)))),*]
    };
}

static ASSETS: LazyLock<Vec<Asset>> = LazyLock::new(|| {
    files!(
        "pages.css": "text/css; charset=utf-8",
        "pages.js": "text/javascript; charset=utf-8",
        "battle.js": "text/javascript; charset=utf-8",
        "replay.js": "text/javascript; charset=utf-8",
        "live.js": "text/javascript; charset=utf-8",
        "log.js": "text/javascript; charset=utf-8",
        "portal.js": "text/javascript; charset=utf-8",
        "reference.css": "text/css; charset=utf-8",
        "reference.js": "text/javascript; charset=utf-8",
        "trial.js": "text/javascript; charset=utf-8",
        "icon.svg": "image/svg+xml",
    )
});

impl Asset {
    fn new(name: &'static str, media_type: &'static str, text: &'static str) -> Self {
        let (stem, extension) = name.rsplit_once('.').unwrap_or((name, ""));
        let hash = sha256_hex(text);
        let hash = &hash[..12];
        Self {
            name,
            media_type,
            text,
            path: format!("/assets/{stem}.{hash}.{extension}"),
            tag: format!("W/\"{hash}\""),
        }
    }
}

/// The path of an asset with this file name.
pub fn asset(name: &str) -> &'static str {
    ASSETS.iter().find(|asset| asset.name == name).map_or("", |asset| &asset.path)
}

/// An asset. Another hash than the current one is unknown, so that no cache keeps newer contents under an older name.
#[get("/{name}")]
async fn serve(request: HttpRequest, name: web::Path<String>) -> Result<HttpResponse, Problem> {
    let asset = ASSETS.iter().find(|asset| asset.path.strip_prefix("/assets/") == Some(name.as_str()));
    let asset = asset.ok_or_else(|| {
        let hint = "Load the page again: it names the current files.";
        Problem::new(StatusCode::NOT_FOUND, "not_found", "There is no such file.", hint)
    })?;
    let is_known = etag::is_known(&request, &asset.tag);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((CACHE_CONTROL, IMMUTABLE)).insert_header((ETAG, &*asset.tag));
    if is_known {
        return Ok(response.finish());
    }
    Ok(response.content_type(asset.media_type).insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff")).body(asset.text))
}

/// The picture that browsers and feed readers ask for at a fixed address: `icon.svg` in 32 pixels, a PNG within an ICO file.
const FAVICON: &[u8] = include_bytes!("assets/favicon.ico");
/// How long it is kept: a day. Its address does not change with its contents.
const FAVICON_MAX_AGE: &str = "public, max-age=86400";

static FAVICON_TAG: LazyLock<String> = LazyLock::new(|| format!("\"{}\"", &sha256_hex(FAVICON)[..12]));

/// The icon of the site, for clients that do not read the link to it in a page.
#[get("/favicon.ico")]
async fn favicon(request: HttpRequest) -> HttpResponse {
    let is_known = etag::is_known(&request, &FAVICON_TAG);
    let mut response = if is_known { HttpResponse::NotModified() } else { HttpResponse::Ok() };
    response.insert_header((CACHE_CONTROL, FAVICON_MAX_AGE)).insert_header((ETAG, FAVICON_TAG.as_str()));
    if is_known {
        return response.finish();
    }
    response.content_type("image/x-icon").insert_header((X_CONTENT_TYPE_OPTIONS, "nosniff")).body(FAVICON)
}

/// The routes of the assets.
pub(crate) fn assets(config: &mut web::ServiceConfig) {
    config.service(favicon).service(web::scope("/assets").wrap(Compress::default()).service(serve));
}

#[cfg(test)]
mod tests {
    use std::{fs, path::Path};

    use super::{ASSETS, asset};

    /// The text of every template below a folder.
    fn templates(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
        let texts = entries.map(|path| match path.extension().and_then(|extension| extension.to_str()) {
            _ if path.is_dir() => templates(&path),
            Some("html") => vec![fs::read_to_string(path).unwrap()],
            _ => vec![],
        });
        texts.flatten().collect()
    }

    #[test]
    fn templates_name_assets_that_exist_and_hold_no_script_or_style() {
        let texts = templates(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"));
        assert!(texts.len() > 5);
        let mut named = 0;
        for text in &texts {
            for name in text.split("asset(\"").skip(1).filter_map(|rest| rest.split('"').next()) {
                assert!(!asset(name).is_empty(), "{name}");
                named += 1;
            }
            for forbidden in
                ["<style", "style=", "<script>", "onclick=", "onload=", "javascript:", "src=\"http", "href=\"http"]
            {
                assert!(!text.contains(forbidden), "{forbidden} in {text}");
            }
        }
        assert!(named >= ASSETS.len(), "{named}");
    }
}
