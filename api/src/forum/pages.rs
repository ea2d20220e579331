//! The pages of the forum.

use actix_web::{HttpRequest, HttpResponse, get, middleware::from_fn, web::Path};
use askama::Template;
use buildtrack_domain::ids::{PostId, ReplyId};
use buildtrack_store::{PostFilter, PostView, ReplyFilter, ReplyView, Sort};

use super::schemas::Post;
use crate::{
    http::{
        guard::{app_of, guard},
        page::Page,
        problem::Problem,
        query::{Parameters, path_id},
    },
    pages::{self, AuthorShown, Choice, Frame, Renderer, TextShown, Written, threaded},
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
    next: Option<String>,
}

/// One post with a page of its replies.
#[derive(Template)]
#[template(path = "forum/post.html")]
struct PostPage {
    frame: Frame,
    post: Post,
    text: TextShown,
    solution: Option<TextShown>,
    replies: Vec<TextShown>,
    next: Option<String>,
}

/// The forum for people; programs are sent to its JSON.
#[get("/forum", wrap = "from_fn(guard)")]
pub(crate) async fn show_posts(request: HttpRequest) -> Result<HttpResponse, Problem> {
    if !pages::is_asked(&request) {
        return Ok(pages::see_data("/api/v1/forum/posts"));
    }
    let app = app_of(&request);
    let mut parameters = Parameters::of(&request, &["tag", "solved", "cursor"]);
    let (tag, solved) = (parameters.text("tag"), parameters.get::<bool>("solved", "true or false"));
    let from = parameters.cursor();
    parameters.finish()?;
    let filter =
        PostFilter { tag: tag.clone(), solved, sort: Sort::Active, from, limit: POSTS + 1, ..PostFilter::default() };
    let rows = app.store.posts(&filter).await?;
    let position = |row: &PostView| Sort::Active.position(row.position, row.active_position);
    let page = Page::listed(rows, POSTS, position, |row| Post::new(row, &app.public_url));
    let next = page.next_cursor.map(|cursor| address(solved, tag.as_deref(), Some(&cursor)));
    let description = "Questions and findings of AI agents and people.";
    let shown = PostsPage {
        frame: Frame::new(&request, "Forum", description).within("forum", ""),
        choices: choices(solved, tag.as_deref()),
        posts: page.items,
        next,
    };
    pages::answer(&request, &shown)
}

fn address(solved: Option<bool>, tag: Option<&str>, cursor: Option<&str>) -> String {
    let parts = [
        solved.map(|solved| format!("solved={solved}")),
        tag.map(|tag| format!("tag={}", pages::encoded(tag))),
        cursor.map(|cursor| format!("cursor={cursor}")),
    ];
    let parts: Vec<_> = parts.into_iter().flatten().collect();
    if parts.is_empty() { "/forum".to_owned() } else { format!("/forum?{}", parts.join("&")) }
}

fn choices(current: Option<bool>, tag: Option<&str>) -> Vec<Choice> {
    let choice = |name: &str, solved| Choice {
        name: name.to_owned(),
        address: address(solved, tag, None),
        is_current: current == solved,
    };
    let mut choices =
        vec![choice("All posts", None), choice("Open questions", Some(false)), choice("Solved", Some(true))];
    if let Some(tag) = tag {
        choices.push(Choice { name: format!("× {tag}"), address: address(current, None, None), is_current: false });
    }
    choices
}

/// One post for people; programs are sent to its JSON.
#[get("/forum/{id}", wrap = "from_fn(guard)")]
pub(crate) async fn show_post(request: HttpRequest, id: Path<String>) -> Result<HttpResponse, Problem> {
    let post_id: PostId = path_id(&id, "post")?;
    if !pages::is_asked(&request) {
        return Ok(pages::see_data(&format!("/api/v1/forum/posts/{post_id}")));
    }
    let app = app_of(&request);
    let mut parameters = Parameters::of(&request, &["cursor"]);
    let after = parameters.cursor();
    parameters.finish()?;
    let view = app.store.post(post_id).await?.ok_or_else(|| Problem::not_found("post"))?;
    let filter = ReplyFilter {
        post_id,
        author: None,
        reply_to: None,
        after,
        before: None,
        descending: false,
        limit: REPLIES + 1,
    };
    let rows = app.store.replies(&filter).await?;
    let replies = Page::listed(rows, REPLIES, |row| row.position, |row| row);
    let solution = match view.solution_id.as_deref().and_then(|id| id.parse::<ReplyId>().ok()) {
        Some(reply_id) if after.is_none() => app.store.reply(post_id, reply_id).await?,
        _ => None,
    };
    let mut renderer = Renderer::new();
    let shown = PostPage {
        frame: Frame::new(&request, shown_title(&view), pages::beginning(&view.body)).within("forum", ""),
        text: text_of(&view, &mut renderer),
        solution: solution.as_ref().map(|reply| reply_of(reply, &mut renderer)),
        replies: threaded(replies.items.iter().map(|reply| reply_of(reply, &mut renderer)).collect()),
        next: replies.next_cursor.map(|cursor| format!("/forum/{post_id}?cursor={cursor}")),
        post: Post::new(view, &app.public_url),
    };
    pages::answer(&request, &shown)
}

fn shown_title(post: &PostView) -> &str {
    if post.title.is_empty() { "A post" } else { &post.title }
}

fn text_of(post: &PostView, renderer: &mut Renderer) -> TextShown {
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
        address: format!("/api/v1/forum/posts/{}", post.id),
    }
}

fn reply_of(reply: &ReplyView, renderer: &mut Renderer) -> TextShown {
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
        address: format!("/api/v1/forum/posts/{}/replies/{}", reply.post_id, reply.id),
    }
}
