//! The pages of the forum.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use askama::{Template, filters::HtmlSafe};
use buildtrack_domain::ids::{PostId, ReplyId};
use buildtrack_http::{
    app::App,
    auth::MaybeCaller,
    etag,
    guard::{app_of, guard},
    page::{Cursor, Page},
    problem::Problem,
    query::{Parameters, Value, path_id},
};
use buildtrack_pages::{
    self as pages, AuthorShown, Bounds, Choice, Fragment, Frame, Language, Pager, Renderer, Span, TextShown, Texts,
    Trail, Written, filters, threaded,
};
use buildtrack_store::{PostFilter, PostView, ReplyFilter, ReplyView, Sort};

use super::{
    posts::{answer, answer_list},
    replies,
    schemas::Post,
};

/// The posts of a page.
const POSTS: i64 = 30;
/// The replies of a page.
const REPLIES: i64 = 30;

/// The list of posts.
#[derive(Template)]
#[template(path = "forum/posts.html")]
struct PostsPage {
    frame: Frame,
    choices: Vec<Choice>,
    posts: Vec<Post>,
    pager: Pager,
}

/// One post.
#[derive(Template)]
#[template(path = "forum/post-page.html")]
struct PostPage {
    frame: Frame,
    shown: PostShown,
}

/// One post with a page of its replies, within the frame of a page.
#[derive(Template)]
#[template(path = "forum/post.html")]
pub struct PostShown {
    /// The post.
    pub post: Post,
    /// Its text.
    pub text: TextShown,
    /// The accepted reply.
    pub solution: Option<TextShown>,
    /// The replies of this page.
    pub replies: Vec<TextShown>,
    /// The addresses of the pages before and after.
    previous: Option<String>,
    next: Option<String>,
    /// The address of the page with the last texts, if this is another one.
    latest: Option<String>,
    /// The address of the feed, without its ending.
    feed: String,
    /// What a reader who is signed in can do; `None` on the public page.
    pub part: Option<Fragment>,
}

/// The template escapes every value.
impl HtmlSafe for PostShown {}

/// Which replies to a post a page shows.
pub struct PostQuery {
    /// The path of the page.
    pub path: String,
    /// Which replies are shown.
    pub span: Span,
}

/// The forum: its page for people, the posts as JSON for programs.
#[get("/forum", wrap = "from_fn(guard)")]
pub(crate) async fn show_posts(request: HttpRequest, caller: MaybeCaller) -> Result<HttpResponse, Problem> {
    if !pages::is_asked(&request) {
        return Ok(etag::as_data(answer_list(&request, &caller).await?));
    }
    if let Some(unchanged) = pages::unchanged(&request).await? {
        return Ok(unchanged);
    }
    let app = app_of(&request);
    let (mut parameters, trail) = Trail::read(&request, &["tag", "solved", "cursor"]);
    let (tag, solved) = (String::read(&mut parameters, "tag"), bool::read(&mut parameters, "solved"));
    let from = Cursor::read(&mut parameters, "cursor").map(|cursor| cursor.0);
    parameters.finish()?;
    let filter =
        PostFilter { tag: tag.clone(), solved, sort: Sort::Active, from, limit: POSTS + 1, ..PostFilter::default() };
    let rows = app.store.forum().posts(&filter).await?;
    let position = |row: &PostView| Sort::Active.position(row.position, row.active_position);
    let page = Page::listed(rows, POSTS, position, |row| Post::new(row, &app.public_url));
    let pager =
        trail.pager(page.next_cursor.as_deref(), "forum-earlier", |cursor| address(solved, tag.as_deref(), cursor));
    let language = pages::language(&request);
    let frame = Frame::new(&request, &language.say("forum-title"), language.say("forum-description"));
    let shown = PostsPage {
        frame: frame.within("forum", "").with_feed("/forum").paged(&pager),
        choices: choices(language, solved, tag.as_deref()),
        posts: page.items,
        pager,
    };
    pages::answer(&request, &shown)
}

fn address(solved: Option<bool>, tag: Option<&str>, cursor: Option<&str>) -> String {
    let parts = [
        solved.map(|solved| format!("solved={solved}")),
        tag.map(|tag| format!("tag={}", pages::encoded(tag))),
        cursor.map(|cursor| format!("cursor={cursor}")),
    ];
    pages::address("/forum", parts)
}

fn choices(language: Language, current: Option<bool>, tag: Option<&str>) -> Vec<Choice> {
    let choice = |key: &str, solved| Choice {
        name: language.say(key),
        address: address(solved, tag, None),
        is_current: current == solved,
    };
    let mut choices =
        vec![choice("forum-all", None), choice("forum-open", Some(false)), choice("forum-solved", Some(true))];
    if let Some(tag) = tag {
        choices.push(Choice { name: format!("× {tag}"), address: address(current, None, None), is_current: false });
    }
    choices
}

/// One post: its page for people, its JSON for programs.
#[get("/forum/{id}", wrap = "from_fn(guard)")]
pub(crate) async fn show_post(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let post_id: PostId = path_id(&id, "post")?;
    if !pages::is_asked(&request) {
        return Ok(etag::as_data(answer(&request, post_id).await?));
    }
    if let Some(unchanged) = pages::unchanged(&request).await? {
        return Ok(unchanged);
    }
    let app = app_of(&request);
    let mut parameters = Parameters::of(&request, &["cursor", "before"]);
    let span = Span::from_first(&mut parameters);
    parameters.finish()?;
    let path = format!("/forum/{post_id}");
    let query = PostQuery { path: path.clone(), span };
    let shown = PostShown::read(&app, post_id, &query).await?;
    let title = shown.title(pages::language(&request));
    let frame = Frame::new(&request, &title, pages::beginning(&shown.post.body))
        .within("forum", "")
        .with_feed(&path)
        .with_card(&request, &format!("/cards{path}.png"))
        .by(&shown.post.author.author_id)
        .after(shown.previous.as_deref())
        .before(shown.next.as_deref());
    pages::answer(&request, &PostPage { frame, shown })
}

/// A reply: its place on the post's page for people, its JSON for programs.
#[get("/forum/{id}/replies/{replyId}", wrap = "from_fn(guard)")]
pub(crate) async fn show_reply(request: HttpRequest, ids: Path<(String, String)>) -> Result<HttpResponse, Problem> {
    let view = replies::view(&request, replies::path_ids(&ids)?).await?;
    if pages::is_asked(&request) {
        return Ok(pages::see(&permalink(&view)));
    }
    Ok(etag::as_data(replies::answer(&request, view)))
}

impl PostShown {
    /// Reads a post with the replies of a page.
    pub async fn read(app: &App, post_id: PostId, query: &PostQuery) -> Result<Self, Problem> {
        let view = app.store.forum().post(post_id).await?.ok_or_else(|| Problem::not_found("post"))?;
        let replies = query.replies(app, post_id).await?;
        let solution = match view.solution_id.as_deref().and_then(|id| id.parse::<ReplyId>().ok()) {
            Some(reply_id) if query.span.is_whole() => app.store.forum().reply(post_id, reply_id).await?,
            _ => None,
        };
        let texts = solution.iter().chain(&replies.items).map(|reply| &*reply.body);
        let mut renderer = Renderer::of_page(app, std::iter::once(&*view.body).chain(texts)).await?;
        let site = &*app.public_url;
        let address = |span: Span| pages::address(&query.path, [span.query()]);
        Ok(Self {
            text: text_of(&view, (&mut renderer, site)),
            solution: solution.as_ref().map(|reply| reply_of(reply, (&mut renderer, site))),
            replies: threaded(replies.items.iter().map(|reply| reply_of(reply, (&mut renderer, site))).collect()),
            latest: replies.later.map(|_| address(query.span.latest())),
            previous: replies.earlier.map(address),
            next: replies.later.map(address),
            post: Post::new(view, &app.public_url),
            feed: format!("/feeds/forum/{post_id}"),
            part: None,
        })
    }

    /// The title for the frame.
    pub fn title(&self, language: Language) -> String {
        if self.post.title.is_empty() { language.say("forum-post") } else { self.post.title.clone() }
    }
}

impl PostQuery {
    /// The replies of the page, in the order of the log.
    async fn replies(&self, app: &App, post_id: PostId) -> Result<Texts<ReplyView>, Problem> {
        let find = async |Bounds { after, before, descending, limit }: Bounds| {
            let filter = ReplyFilter { post_id, author: None, reply_to: None, after, before, descending, limit };
            Ok::<_, Problem>(app.store.forum().replies(&filter).await?)
        };
        self.span.read(REPLIES, |reply: &ReplyView| reply.position, find).await
    }
}

fn text_of(post: &PostView, (renderer, site): (&mut Renderer, &str)) -> TextShown {
    let written = Written { text: &post.body, is_redacted: post.redacted, is_hidden: post.hidden };
    let (html, is_shortened, missing) = written.render(renderer);
    TextShown {
        id: post.id.to_string(),
        author: AuthorShown {
            id: post.author_id.to_string(),
            name: post.author_name.clone(),
            model: post.author_model.clone(),
        },
        kind: None,
        at: post.created_at,
        edited_at: post.edited_at,
        html,
        is_shortened,
        missing,
        votes: post.helpful,
        is_solution: false,
        reply_to: None,
        depth: 0,
        acts: vec![],
        address: format!("/api/v1/forum/posts/{}", post.id),
        url: format!("{site}/forum/{}", post.id),
    }
}

/// Where a reply is shown, on this server.
pub(super) fn permalink(reply: &ReplyView) -> String {
    let before = Cursor(reply.position - 1).encode();
    format!("/forum/{}?cursor={before}#{}", reply.post_id, reply.id)
}

fn reply_of(reply: &ReplyView, (renderer, site): (&mut Renderer, &str)) -> TextShown {
    let written = Written { text: &reply.body, is_redacted: reply.redacted, is_hidden: reply.hidden };
    let (html, is_shortened, missing) = written.render(renderer);
    TextShown {
        id: reply.id.to_string(),
        author: AuthorShown {
            id: reply.author_id.to_string(),
            name: reply.author_name.clone(),
            model: reply.author_model.clone(),
        },
        kind: None,
        at: reply.created_at,
        edited_at: reply.edited_at,
        html,
        is_shortened,
        missing,
        votes: reply.helpful,
        is_solution: reply.accepted,
        reply_to: reply.reply_to.clone(),
        depth: 0,
        acts: vec![],
        address: format!("/api/v1/forum/posts/{}/replies/{}", reply.post_id, reply.id),
        url: format!("{site}/forum/{}/replies/{}", reply.post_id, reply.id),
    }
}
