//! The page of a forum post for an owner who takes part, and the form that writes one.

use actix_web::{HttpRequest, HttpResponse, get, post, web::Path};
use askama::Template;
use buildtrack_community::forum::{
    pages::{PostQuery, PostShown},
    posts,
    schemas::NewPost,
};
use buildtrack_domain::{
    forum::{BODY_MAX, TAGS_MAX, TITLE_MAX},
    ids::{PostId, ReplyId},
    workspaces::TAG_MAX,
};
use buildtrack_http::{
    app::App,
    guard::app_of,
    idempotency::Key,
    problem::Problem,
    query::{Parameters, path_id},
};
use buildtrack_pages::{self as pages, Fragment, Frame, Span, TextAct, TextShown, filters};

use super::{
    Portal, SignedIn, answer,
    discussions::Reading,
    form::Form,
    frame, refused, see,
    shown::{Field, FormShown, Kind, Refused},
};

/// The characters of all tags with the ends of their lines.
const TAG_LINES: u64 = TAGS_MAX * (TAG_MAX + 2);

#[derive(Template)]
#[template(path = "portal/new-post.html")]
struct NewPostPage {
    frame: Frame,
    portal: Portal,
    form: FormShown,
}

/// The form for a new post.
#[get("/forum/new")]
pub(super) async fn show_new(request: HttpRequest, _: SignedIn) -> Result<HttpResponse, Problem> {
    Parameters::of(&request, &[]).finish()?;
    let portal = Portal::of(&request, "discussions");
    let form = post_form(&portal.token);
    answer(&request, &new_post_page(&request, portal, form))
}

fn new_post_page(request: &HttpRequest, portal: Portal, form: FormShown) -> NewPostPage {
    NewPostPage { frame: frame(&pages::language(request).say("write-new-post")), portal, form }
}

fn post_form(token: &str) -> FormShown {
    let fields = vec![
        Field::new("title", "write-title", Kind::Text, TITLE_MAX),
        Field::new("body", "write-text", Kind::Long, BODY_MAX).help("write-markdown"),
        Field::new("tags.lines", "write-tags", Kind::Long, TAG_LINES).help("write-one-a-line").optional(),
    ];
    FormShown::new("post", "/portal/forum", "write-post-post", token).with(fields)
}

/// Writes a post, and goes to its page.
#[post("/forum")]
pub(super) async fn write(request: HttpRequest, owner: SignedIn, form: Form<NewPost>) -> Result<HttpResponse, Problem> {
    let Form { entered, body } = form;
    let app = app_of(&request);
    let written = async { posts::write_post(&app, &owner.0.caller, &body?, &Key::default()).await }.await;
    match written {
        Ok((post_id, _)) => Ok(see(&format!("/portal/forum/{post_id}"))),
        Err(problem) => {
            let portal = Portal::of(&request, "discussions");
            let form = post_form(&portal.token).filled(&entered, &problem);
            let page = new_post_page(&request, Portal::of(&request, "discussions"), form);
            Err(refused(&request, problem, portal, |portal| NewPostPage { portal, ..page }))
        }
    }
}

#[derive(Template)]
#[template(path = "portal/post.html")]
struct PostPage {
    frame: Frame,
    portal: Portal,
    shown: PostShown,
}

/// What a reader can do: the part of the page below the replies.
#[derive(Template)]
#[template(path = "portal/post-part.html")]
struct PostPart {
    /// The address of the page, below which its forms are sent.
    address: String,
    acts: String,
    token: String,
    /// The key of its title.
    title: &'static str,
    form: FormShown,
    /// The author of the reply that the form answers.
    replied: Option<String>,
    /// The own text that the reader wants to withdraw.
    withdrawn: Option<String>,
}

/// What the reader of a post's page wants to see and do.
#[derive(Debug, Default)]
struct Wish {
    span: Option<Span>,
    reply_to: Option<ReplyId>,
    edit: Option<Own>,
    withdraw: Option<Own>,
}

/// A text of the page: the post, or a reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Own {
    Post(PostId),
    Reply(ReplyId),
}

impl std::str::FromStr for Own {
    type Err = buildtrack_domain::ids::InvalidId;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        text.parse().map(Self::Post).or_else(|_| text.parse().map(Self::Reply))
    }
}

impl std::fmt::Display for Own {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Post(id) => write!(formatter, "{id}"),
            Self::Reply(id) => write!(formatter, "{id}"),
        }
    }
}

/// A post with the forms of what its reader can do.
#[get("/forum/{id}")]
pub(super) async fn show(request: HttpRequest, id: Path<String>, owner: SignedIn) -> Result<HttpResponse, Problem> {
    let post_id: PostId = path_id(&id, "post")?;
    let mut parameters = Parameters::of(&request, &["cursor", "after", "replyTo", "edit", "withdraw"]);
    let wish = Wish {
        span: Some(Span::from_last(&mut parameters)),
        reply_to: parameters.get("replyTo", "the id of a reply"),
        edit: parameters.get("edit", "the id of the post or of a reply"),
        withdraw: parameters.get("withdraw", "the id of the post or of a reply"),
    };
    parameters.finish()?;
    answer(&request, &read(&request, &owner, post_id, &wish, None).await?)
}

/// The problem of a form, which the post's page shows with what was entered.
pub(super) async fn refuse(
    request: &HttpRequest,
    owner: &SignedIn,
    post_id: PostId,
    edit: Option<Own>,
    form: Refused<'_>,
) -> Problem {
    let wish = Wish { reply_to: form.entered.text("replyTo").parse().ok(), edit, ..Wish::default() };
    let problem = form.problem.clone();
    match read(request, owner, post_id, &wish, Some(&form)).await {
        Ok(page) => refused(request, problem, Portal::of(request, "discussions"), |portal| PostPage { portal, ..page }),
        Err(_) => problem,
    }
}

async fn read(
    request: &HttpRequest,
    owner: &SignedIn,
    post_id: PostId,
    wish: &Wish,
    refused: Option<&Refused<'_>>,
) -> Result<PostPage, Problem> {
    let (app, portal, reader) = (app_of(request), Portal::of(request, "discussions"), owner.0.caller.id());
    let path = format!("/portal/forum/{post_id}");
    let span = wish.span.unwrap_or(Span::LAST);
    let query = PostQuery { path: path.clone(), span };
    let mut shown = PostShown::read(&app, post_id, &query).await?;
    let texts: Vec<_> = std::iter::once(&shown.text).chain(&shown.replies).chain(&shown.solution).collect();
    let reading = Reading::of(&app, (path, reader, span), &texts).await?;
    let is_asker = reading.is_own(&shown.text);
    shown.text.acts = acts(&shown.text, &reading, None);
    for text in shown.replies.iter_mut().chain(&mut shown.solution) {
        text.acts = acts(text, &reading, Some(is_asker));
    }
    let mut part = PostPart::read(&app, post_id, &shown, &reading, wish).await?;
    part.form = part.form.again(refused);
    part.token.clone_from(&portal.token);
    part.form.token.clone_from(&portal.token);
    shown.part = Some(Fragment::of(request, &part)?);
    Ok(PostPage { frame: frame(&shown.title(portal.language)), portal, shown })
}

/// What a reader can do with the post, or with a reply to the reader's own or another's post.
fn acts(text: &TextShown, reading: &Reading, reply: Option<bool>) -> Vec<TextAct> {
    let mut acts = reading.acts(text);
    if text.missing.is_some() {
        return acts;
    }
    if reading.is_own(text) {
        acts.insert(0, TextAct::link("write-edit", reading.wanting("edit", &text.id)));
    }
    if reply.is_some() {
        acts.insert(0, TextAct::link("write-reply", reading.wanting("replyTo", &text.id)));
    }
    match reply {
        Some(true) if text.is_solution => acts.push(TextAct::button("write-undo", reading.form("acts"), "undo")),
        Some(true) => acts.push(TextAct::button("write-accept", reading.form("solution"), "replyId")),
        _ => {}
    }
    acts
}

impl PostPart {
    async fn read(
        app: &App,
        post_id: PostId,
        shown: &PostShown,
        reading: &Reading,
        wish: &Wish,
    ) -> Result<Self, Problem> {
        let reader = reading.reader;
        let edited = match wish.edit {
            Some(Own::Reply(reply_id)) => {
                app.store.forum().reply(post_id, reply_id).await?.filter(|reply| reply.author_id == reader)
            }
            _ => None,
        };
        let replied = match wish.reply_to {
            Some(reply_id) => app.store.forum().reply(post_id, reply_id).await?,
            None => None,
        };
        let is_edited = wish.edit == Some(Own::Post(post_id)) && reading.is_own(&shown.text);
        let (title, form) = match edited {
            Some(reply) => ("write-edit", reply_changes_form(&reading.address, reply.id, &reply.body)),
            None if is_edited => ("write-edit", post_changes_form(shown, &reading.address)),
            None => ("write-write-reply", reply_form(&reading.address, wish.reply_to)),
        };
        Ok(Self {
            address: reading.address.clone(),
            acts: reading.form("acts"),
            token: String::new(),
            title,
            form,
            replied: replied.map(|reply| reply.author_name),
            withdrawn: wish.withdraw.map(|own| own.to_string()),
        })
    }
}

fn text_field() -> Field {
    Field::new("body", "write-text", Kind::Long, BODY_MAX).help("write-markdown")
}

fn reply_form(address: &str, reply_to: Option<ReplyId>) -> FormShown {
    let form = FormShown::new("reply", format!("{address}/replies"), "write-post-reply", "").with(vec![text_field()]);
    match reply_to {
        Some(reply_to) => form.hidden("replyTo", reply_to.to_string()),
        None => form,
    }
}

fn post_changes_form(shown: &PostShown, address: &str) -> FormShown {
    let post = &shown.post;
    let fields = vec![
        Field::new("title", "write-title", Kind::Text, TITLE_MAX).holding(&post.title),
        text_field().holding(&post.body),
        Field::new("tags.list", "write-tags", Kind::Long, TAG_LINES)
            .help("write-one-a-line")
            .optional()
            .holding(&post.tags.join("\n")),
    ];
    FormShown::new("changes", format!("{address}/changes"), "write-save", "").with(fields)
}

fn reply_changes_form(address: &str, reply_id: ReplyId, body: &str) -> FormShown {
    let action = format!("{address}/replies/{reply_id}/changes");
    FormShown::new("changes", action, "write-save", "").with(vec![text_field().holding(body)])
}
