//! Changes to the side table of search: the documents.

use chrono::{DateTime, Utc};

use super::indexing::{self, Step};
use crate::{
    StoreError,
    database::Tx,
    log::context::{Enqueued, Phase, Rule, SideTable},
};

/// One change to the search documents.
#[derive(Debug, Clone)]
pub enum Change {
    /// Write the search documents of an indexing step.
    Documents(Box<Step>),
}

impl SideTable for Change {
    fn rule(&self) -> Rule {
        match self {
            Self::Documents(_) => Rule::in_phase(Phase::Documents).repeatable(),
        }
    }

    async fn write(tx: &mut Tx<'_>, changes: &[&Self], _: DateTime<Utc>, _: &mut Enqueued) -> Result<(), StoreError> {
        for Self::Documents(step) in changes {
            indexing::write(tx, step).await?;
        }
        Ok(())
    }
}
