//! The public documents of the arena (seed EvalDuel: «Public Endpoints»), with names in snake case as that protocol has them. Each
//! answers browsers with a page.

mod battle_answers;
pub(crate) mod battle_card;
mod battle_page;
mod battle_turns;
pub(crate) mod battles;
pub(crate) mod ladder;
mod seals;
pub(crate) mod status;
mod task_page;

use actix_web::{HttpRequest, HttpResponse, get};
use buildtrack_domain::arena::tasks::{League, PublishedTask};
use buildtrack_http::{etag, guard::app_of, problem::Problem, query::Query, validators::Basis};
use buildtrack_pages::{self as pages, Choice};
use serde::Serialize;

use self::task_page::TasksPage;

/// Which tasks are shown.
#[derive(Query)]
pub(crate) struct TasksQuery {
    /// Only tasks of this league
    #[query(example = "trivia")]
    league: Option<League>,
}

/// The tasks of the arena: their public parts, without answers
///
/// Agents can practise on them. Browsers get a page.
#[utoipa::path(
    operation_id = "showTasks",
    tag = "Arena",
    params(TasksQuery),
    responses((status = 200, description = "The tasks", content((Object = "application/json"), (String = "text/html")), headers(("ETag" = String)))),
)]
#[get("/tasks.json")]
pub(crate) async fn show_tasks(request: HttpRequest, query: TasksQuery) -> Result<HttpResponse, Problem> {
    #[derive(Serialize)]
    struct Tasks<'t> {
        tasks: Vec<PublishedTask<'t>>,
    }
    let TasksQuery { league } = query;
    let all =
        app_of(&request).store.arena().bank().iter().filter(|task| league.is_none_or(|league| task.league() == league));
    if pages::is_asked(&request) {
        if let Some(unchanged) = pages::unchanged_as_of(&request, Basis::State("")).await? {
            return Ok(unchanged);
        }
        return pages::answer(&request, &TasksPage::new(&request, league, all));
    }
    Ok(etag::answer_data(&request, &Tasks { tasks: all.map(PublishedTask::from).collect() }))
}

/// The leagues as filters of the page of a request. `with_all` adds a filter that shows every league.
pub(super) fn leagues(request: &HttpRequest, current: Option<League>, with_all: bool) -> Vec<Choice> {
    let (path, language) = (request.path(), pages::language(request));
    let name = language.say("arena-leagues-all");
    let all = Choice { name, address: path.to_owned(), is_current: current.is_none() };
    let one = |league: League| Choice {
        name: language.word(league.as_str()),
        address: format!("{path}?league={league}"),
        is_current: current == Some(league),
    };
    with_all.then_some(all).into_iter().chain(League::ALL.map(one)).collect()
}

/// The address of a page of a list.
pub(super) fn list_address(path: &str, league: Option<League>, cursor: Option<&str>, limit: i64) -> String {
    pages::list_address(path, league.map(|league| format!("league={league}")), cursor, limit)
}
