//! Taking in what is posted together: each envelope by itself, those of one thread in their order.

use std::{collections::BTreeMap, mem};

use actix_web::{HttpRequest, http::StatusCode, web::Bytes};
use agora_envelope::{Envelope, Limits};
use futures_util::future::join_all;
use serde_json::Value;

use super::{
    allowance::admit_address,
    submission::{Taken, admit, conclude},
};
use crate::{app::App, http::problem::Problem};

/// How many envelopes a batch may have.
pub(crate) const BATCH: usize = 64;
/// After so many signatures others have their turn.
const BREATH: usize = 8;

/// What became of an envelope of a batch.
pub(super) struct Outcome {
    /// What it is called, where it could be read.
    pub(super) id: Option<String>,
    pub(super) taken: Result<Taken, Problem>,
}

/// One of a batch, on its way.
struct Posted {
    envelope: Envelope,
    /// Whether it was signed by its sender, who may send so many.
    admitted: Result<(), Problem>,
}

/// Takes in what was posted.
pub(super) async fn take_all(app: &App, request: &HttpRequest, bytes: &Bytes) -> Result<Vec<Outcome>, Problem> {
    admit_address(app, request)?;
    let text = bytes.clone();
    let envelopes = app.work.run(move || Envelope::parse_batch(&text, &Limits::default())).await??;
    if envelopes.is_empty() || envelopes.len() > BATCH {
        let detail = format!("The batch has {} envelopes, and not 1 to {BATCH}.", envelopes.len());
        return Err(Problem::new(StatusCode::BAD_REQUEST, "batch_size", detail, "Send several batches."));
    }
    let mut batch: Vec<Result<Posted, Problem>> = Vec::with_capacity(envelopes.len());
    for (index, envelope) in envelopes.into_iter().enumerate() {
        // The first was counted with the request.
        let counted = if index == 0 { Ok(()) } else { admit_address(app, request) };
        if index % BREATH == BREATH - 1 {
            tokio::task::yield_now().await;
        }
        batch.push(match (envelope, counted) {
            (Ok(envelope), Ok(())) => Ok(Posted { admitted: admit(app, &envelope).await, envelope }),
            (Ok(envelope), admitted) => Ok(Posted { envelope, admitted }),
            (Err(error), _) => Err(error.into()),
        });
    }
    let mut outcomes: Vec<_> = batch.iter().map(|_| None).collect();
    let (mut places, mut threads) = (Places::default(), BTreeMap::<String, Vec<_>>::new());
    for (posted, outcome) in batch.iter_mut().zip(&mut outcomes) {
        match posted {
            Ok(posted) => threads.entry(places.of(&posted.envelope)).or_default().push((posted, outcome)),
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

/// Where the envelopes of a batch wait for their turn: those of one thread in one place, whether they name the thread or the
/// request that began it.
#[derive(Default)]
struct Places {
    /// Request → the place of who named it first.
    of_request: BTreeMap<String, String>,
}

impl Places {
    fn of(&mut self, envelope: &Envelope) -> String {
        let request_id = envelope.payload().get("request_id").and_then(Value::as_str);
        let known = request_id.and_then(|request_id| self.of_request.get(request_id)).map(String::as_str);
        let place = envelope.thread_id().or(known).or(request_id).unwrap_or(envelope.id()).to_owned();
        if let Some(request_id) = request_id {
            self.of_request.entry(request_id.to_owned()).or_insert_with(|| place.clone());
        }
        place
    }
}
