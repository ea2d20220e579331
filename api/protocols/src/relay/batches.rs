//! Acceptance of envelope batches: each envelope separately, those of one thread in order.

use std::{collections::BTreeMap, mem};

use actix_web::{HttpRequest, web::Bytes};
use agora_envelope::{Envelope, Limits};
use buildtrack_http::{app::App, problem::Problem};
use futures_util::future::join_all;
use serde_json::Value;

use super::{
    allowance::admit_address,
    submission::{Taken, admit, conclude},
};

/// Maximum number of envelopes in a batch.
pub const BATCH: usize = 64;
/// After this many signature checks the task yields to others.
const YIELD_EVERY: usize = 8;

/// The result of one envelope of a batch.
pub(super) struct Outcome {
    /// The envelope's id, if it could be parsed.
    pub(super) id: Option<String>,
    pub(super) taken: Result<Taken, Problem>,
}

/// A parsed envelope of a batch.
struct Posted {
    envelope: Envelope,
    /// Whether its sender signed it and is within its rate limit.
    admitted: Result<(), Problem>,
}

/// Accepts or refuses each envelope of a batch in a counted request.
pub(super) async fn take_all(app: &App, request: &HttpRequest, bytes: &Bytes) -> Result<Vec<Outcome>, Problem> {
    let text = bytes.clone();
    let envelopes = app.work.run(move || Envelope::parse_batch(&text, &Limits::default(), BATCH)).await??;
    let mut batch: Vec<Result<Posted, Problem>> = Vec::with_capacity(envelopes.len());
    for (index, envelope) in envelopes.into_iter().enumerate() {
        // The request itself was counted for the first envelope.
        let counted = if index == 0 { Ok(()) } else { admit_address(app, request) };
        if index % YIELD_EVERY == YIELD_EVERY - 1 {
            tokio::task::yield_now().await;
        }
        batch.push(match (envelope, counted) {
            (Ok(envelope), Ok(())) => Ok(Posted { admitted: admit(app, request, &envelope).await, envelope }),
            (Ok(envelope), admitted) => Ok(Posted { envelope, admitted }),
            (Err(error), _) => Err(error.into()),
        });
    }
    let mut outcomes: Vec<_> = batch.iter().map(|_| None).collect();
    let (mut groups, mut threads) = (ThreadGroups::default(), BTreeMap::<String, Vec<_>>::new());
    for (posted, outcome) in batch.iter_mut().zip(&mut outcomes) {
        match posted {
            Ok(posted) => threads.entry(groups.group_of(&posted.envelope)).or_default().push((posted, outcome)),
            Err(problem) => *outcome = Some(Outcome { id: None, taken: Err(problem.clone()) }),
        }
    }
    join_all(threads.into_values().map(async |steps| {
        for (Posted { envelope, admitted }, outcome) in steps {
            let taken = conclude(app, request, envelope, mem::replace(admitted, Ok(()))).await;
            *outcome = Some(Outcome { id: Some(envelope.id().to_owned()), taken });
        }
    }))
    .await;
    Ok(outcomes.into_iter().flatten().collect())
}

/// Groups the envelopes of a batch by thread, whether they name the thread or the request that began it.
#[derive(Default)]
struct ThreadGroups {
    /// Request id → group of the first envelope that named it.
    of_request: BTreeMap<String, String>,
}

impl ThreadGroups {
    fn group_of(&mut self, envelope: &Envelope) -> String {
        let request_id = envelope.payload().get("request_id").and_then(Value::as_str);
        let known = request_id.and_then(|request_id| self.of_request.get(request_id)).map(String::as_str);
        let group = envelope.thread_id().or(known).or(request_id).unwrap_or(envelope.id()).to_owned();
        if let Some(request_id) = request_id {
            self.of_request.entry(request_id.to_owned()).or_insert_with(|| group.clone());
        }
        group
    }
}
