//! Reading one task, and its self tests.

use std::collections::BTreeSet;

use super::{At, Object, Problem, motion::read_motion};
use crate::arena::tasks::{
    ANSWER_BYTES_MAX, Answer, AnswerFormat, INSTRUCTION_MAX, InputFormat, League, OPTIONS_MAX, PublicTask, Task,
    TaskHash, TaskId, TaskLimits, Verdict,
    task::Hidden,
    validators::{Normalisation, Validator},
};

/// The maximum number of characters of an option.
const OPTION_MAX: usize = 200;
/// The maximum number of rules, and of characters of each.
const RULES_MAX: usize = 16;
const RULE_MAX: usize = 64;
/// The maximum number of answers in each of the self tests.
const SELF_TESTS_MAX: usize = 64;

/// Reads a task and runs its self tests.
pub(in crate::arena::tasks) fn read_entry(entry: &At<'_>) -> Option<Task> {
    if entry.member_text("league") == Some(League::Debate.as_str()) {
        return read_motion(entry);
    }
    let faults = entry.fault_count();
    let mut object = entry.object()?;
    let id = object.required("id").and_then(|id| read_id(&id));
    let version = object.required("version").and_then(|version| version.whole(1..=u64::from(u32::MAX)));
    let league: Option<League> = object.required("league").and_then(|league| league.word());
    let public = object.required("public").and_then(|public| read_public(&public, id));
    let limits = object.required("limits").and_then(|limits| read_limits(&limits));
    let hidden_at = object.required("hidden");
    let hidden = hidden_at.as_ref().and_then(|hidden| read_hidden(hidden, public.as_ref()));
    object.finish();
    check_league(entry, league?, public.as_ref()?.answer_format)?;
    let task = Task {
        version: u32::try_from(version?).ok()?,
        league: league?,
        public: public?,
        limits: limits?,
        hash: TaskHash::of(entry.value),
        hidden: hidden?,
    };
    if entry.fault_count() == faults {
        run_self_tests(&task, &hidden_at?);
    }
    (entry.fault_count() == faults).then_some(task)
}

pub(super) fn read_id(at: &At<'_>) -> Option<TaskId> {
    match at.string()?.parse() {
        Ok(id) => Some(id),
        Err(error) => at.fault(Problem::Id(error)),
    }
}

fn read_public(at: &At<'_>, id: Option<TaskId>) -> Option<PublicTask> {
    let mut object = at.object()?;
    let instruction = object.required("instruction").and_then(|text| text.text(1..=INSTRUCTION_MAX));
    let answer_format = object.required("answer_format").and_then(|format| format.word());
    let options = object.or("options", Vec::new(), |options| read_options(&options));
    let input_format = object.or("input_format", InputFormat::String, |format| format.word());
    let rules = object.or("rules", Vec::new(), |rules| rules.each(1..=RULES_MAX, read_rule));
    object.finish();
    Some(PublicTask {
        id: id?,
        instruction: instruction?.to_owned(),
        answer_format: answer_format?,
        options: options?,
        input_format: input_format?,
        rules: rules?,
        motion: None,
    })
}

/// Options differ from each other also after normalisation, because agents may answer with their text.
fn read_options(at: &At<'_>) -> Option<Vec<String>> {
    let mut seen = BTreeSet::new();
    at.each(2..=OPTIONS_MAX, |option| {
        let text = option.text(1..=OPTION_MAX)?;
        let normalised = Normalisation::default().apply(text);
        if normalised.is_empty() {
            return option.fault(Problem::Blank);
        }
        if !seen.insert(normalised) {
            return option.fault(Problem::Twice(text.to_owned()));
        }
        Some(text.to_owned())
    })
}

fn read_rule(at: &At<'_>) -> Option<String> {
    let text = at.text(1..=RULE_MAX)?;
    let is_name = text.bytes().all(|byte| byte.is_ascii_lowercase() || byte.is_ascii_digit() || byte == b'_');
    if is_name { Some(text.to_owned()) } else { at.fault(Problem::Expected("a name such as only_one_answer")) }
}

pub(super) fn read_limits(at: &At<'_>) -> Option<TaskLimits> {
    let mut object = at.object()?;
    let seconds = object.required("seconds").and_then(|seconds| seconds.whole(1..=3600));
    let tokens = object.required("tokens").and_then(|tokens| tokens.whole(1..=1_000_000));
    let answer_bytes = object.required("answer_bytes").and_then(|bytes| bytes.whole(1..=ANSWER_BYTES_MAX as u64));
    object.finish();
    Some(TaskLimits {
        seconds: u32::try_from(seconds?).ok()?,
        tokens: u32::try_from(tokens?).ok()?,
        answer_bytes: usize::try_from(answer_bytes?).ok()?,
    })
}

fn read_hidden(at: &At<'_>, public: Option<&PublicTask>) -> Option<Hidden> {
    let mut object = at.object()?;
    let validator = object.required("validator").and_then(|validator| Validator::read(&validator, public));
    let is_python = public.is_some_and(|public| public.answer_format == AnswerFormat::PythonSource);
    let reference = read_reference(&mut object, is_python);
    let answers = |at: At<'_>| at.each(1..=SELF_TESTS_MAX, |answer| Some(Answer::from_json(answer.value)));
    let accepts = if is_python {
        object.or("accepts", Vec::new(), answers)
    } else {
        object.required("accepts").and_then(answers)
    };
    let rejects = object.required("rejects").and_then(answers);
    // Part of the hash alone: without it, a published hash would confirm a guess at the answer.
    let salt = object.or("salt", (), |salt| salt.text(16..=256).map(|_| ()));
    object.finish();
    salt?;
    Some(Hidden { validator: validator?, accepts: accepts?, rejects: rejects?, reference: reference? })
}

fn read_reference(object: &mut Object<'_>, is_python: bool) -> Option<Option<Answer>> {
    let field = if is_python { Some(object.required("reference")?) } else { object.optional("reference") };
    match field {
        None => Some(None),
        Some(at) if !is_python => at.fault(Problem::PythonOnly),
        Some(at) => at.text(1..=ANSWER_BYTES_MAX).map(|source| Some(Answer::new(source))),
    }
}

/// The leagues `structured` and `python` have one format each, and no other league has programs.
fn check_league(entry: &At<'_>, league: League, format: AnswerFormat) -> Option<()> {
    let fits = match league {
        League::Python => format == AnswerFormat::PythonSource,
        League::Structured => format == AnswerFormat::Json,
        // Motions are read apart.
        League::Debate => false,
        League::Trivia | League::Reasoning => format != AnswerFormat::PythonSource,
    };
    if fits { Some(()) } else { entry.member("league").fault(Problem::League(league, format)) }
}

/// Judges the answers of the self tests, except programs: these run in the sandbox.
fn run_self_tests(task: &Task, hidden: &At<'_>) {
    let check = |answers: &[Answer], field: &str, fault: fn(_, _) -> Problem, is_right: fn(Verdict) -> bool| {
        for (index, answer) in answers.iter().enumerate() {
            if let verdict @ Verdict::Scored { score, reason } = task.judge(answer)
                && !is_right(verdict)
            {
                hidden.member(field).item(index).fault::<()>(fault(score, reason));
            }
        }
    };
    check(&task.hidden.accepts, "accepts", Problem::NotAccepted, |verdict| verdict == Verdict::CORRECT);
    check(&task.hidden.rejects, "rejects", Problem::NotRejected, |verdict| {
        matches!(verdict, Verdict::WRONG | Verdict::MALFORMED | Verdict::TOO_LONG)
    });
}
