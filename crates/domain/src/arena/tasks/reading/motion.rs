//! Reading a motion: a task of the league `debate`, which has no hidden part.

use super::{
    At, Problem,
    entry::{read_id, read_limits},
};
use crate::arena::tasks::{
    ARGUMENT_BYTES_MAX, AnswerFormat, InputFormat, League, Motion, PublicTask, Rubric, Task, TaskHash, task::Hidden,
    validators::Validator,
};

/// The maximum number of characters of a motion, and of a criterion.
const MOTION_MAX: usize = 500;
const CRITERION_MAX: usize = 500;
/// The maximum number of criteria.
const CRITERIA_MAX: usize = 10;

pub(super) fn read_motion(entry: &At<'_>) -> Option<Task> {
    let faults = entry.fault_count();
    let mut object = entry.object()?;
    let id = object.required("id").and_then(|id| read_id(&id));
    let version = object.required("version").and_then(|version| version.whole(1..=u64::from(u32::MAX)));
    object.required("league");
    let motion = object.required("public").and_then(|public| read_public(&public));
    let limits_at = object.required("limits");
    let limits = limits_at.as_ref().and_then(read_limits);
    object.finish();
    let (limits, motion) = (limits?, motion?);
    if limits.answer_bytes > ARGUMENT_BYTES_MAX {
        let most = ARGUMENT_BYTES_MAX as u64;
        return limits_at?.member("answer_bytes").fault(Problem::Range { least: 1, most });
    }
    let public = PublicTask {
        id: id?,
        instruction: motion.instruction(limits.answer_bytes),
        answer_format: AnswerFormat::String,
        options: Vec::new(),
        input_format: InputFormat::String,
        rules: Vec::new(),
        motion: Some(motion),
    };
    let hidden = Hidden { validator: Validator::panel(), accepts: Vec::new(), rejects: Vec::new(), reference: None };
    let version = u32::try_from(version?).ok()?;
    let task = Task { version, league: League::Debate, public, limits, hash: TaskHash::of(entry.value), hidden };
    (entry.fault_count() == faults).then_some(task)
}

fn read_public(at: &At<'_>) -> Option<Motion> {
    let mut object = at.object()?;
    let motion = object.required("motion").and_then(|motion| motion.text(1..=MOTION_MAX));
    let rubric = object.required("rubric").and_then(|rubric| read_rubric(&rubric));
    object.finish();
    Some(Motion { motion: motion?.to_owned(), rubric: rubric? })
}

fn read_rubric(at: &At<'_>) -> Option<Rubric> {
    let mut object = at.object()?;
    let version = object.required("version").and_then(|version| version.whole(1..=u64::from(u32::MAX)));
    let criteria = object.required("criteria").and_then(|criteria| {
        criteria.each(1..=CRITERIA_MAX, |criterion| criterion.text(1..=CRITERION_MAX).map(ToOwned::to_owned))
    });
    object.finish();
    Some(Rubric { version: u32::try_from(version?).ok()?, criteria: criteria? })
}
