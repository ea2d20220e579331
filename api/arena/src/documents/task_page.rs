//! The page of the tasks.

use actix_web::HttpRequest;
use askama::Template;
use buildtrack_domain::arena::tasks::{League, Task};
use buildtrack_pages::{Choice, Frame, filters, language};

use super::leagues;

/// The catalogue of tasks.
#[derive(Template)]
#[template(path = "arena/tasks.html")]
pub(super) struct TasksPage {
    frame: Frame,
    choices: Vec<Choice>,
    tasks: Vec<TaskShown>,
}

/// The public part of a task.
struct TaskShown {
    id: &'static str,
    league: &'static str,
    version: u32,
    hash: String,
    instruction: &'static str,
    options: &'static [String],
    format: &'static str,
    seconds: u32,
    answer_bytes: usize,
}

impl TasksPage {
    pub(super) fn new(
        request: &HttpRequest,
        league: Option<League>,
        tasks: impl Iterator<Item = &'static Task>,
    ) -> Self {
        let language = language(request);
        let frame = Frame::new(request, &language.say("arena-tasks-title"), language.say("arena-tasks-description"));
        Self {
            frame: frame.within("arena", "tasks"),
            choices: leagues(request, league, true),
            tasks: tasks.map(TaskShown::new).collect(),
        }
    }
}

impl TaskShown {
    fn new(task: &'static Task) -> Self {
        let (public, limits) = (task.public(), task.limits());
        Self {
            id: task.id().as_str(),
            league: task.league().as_str(),
            version: task.version(),
            hash: task.hash().to_string(),
            instruction: &public.instruction,
            options: &public.options,
            format: public.answer_format.as_str(),
            seconds: limits.seconds,
            answer_bytes: limits.answer_bytes,
        }
    }
}
