//! Answers to open turns, which no reader sees before their turn closes.

use buildtrack_domain::{
    arena::matches::SealedAnswer,
    ids::{AgentId, MatchId},
};
use buildtrack_macros::boxed;

use crate::{
    StoreError,
    arena::Arena,
    database::{Tx, columns::parse, values},
};

type Row = (String, String, String, Option<String>, Option<i64>);

pub(super) async fn seal(
    tx: &mut Tx<'_>,
    (match_id, turn, agent_id): (MatchId, u16, AgentId),
    answer: &SealedAnswer,
) -> Result<(), StoreError> {
    tx.execute(
        "INSERT INTO arena_sealed_answers (match_id, turn, agent_id, output, salt, rationale, confidence) \
         VALUES ($1, $2, $3, $4, $5, $6, $7)",
        values![
            match_id.to_string(),
            i64::from(turn),
            agent_id.to_string(),
            &answer.output,
            hex::encode(answer.salt),
            &answer.rationale,
            answer.confidence.map(i64::from)
        ],
    )
    .await?;
    Ok(())
}

pub(super) async fn unseal(tx: &mut Tx<'_>, match_id: MatchId) -> Result<(), StoreError> {
    tx.execute("DELETE FROM arena_sealed_answers WHERE match_id = $1", values![match_id.to_string()]).await?;
    Ok(())
}

#[boxed]
impl Arena {
    /// The sealed answers of an open turn. Only the judge may read them.
    pub async fn sealed_answers(
        &self,
        match_id: MatchId,
        turn: u16,
    ) -> Result<Vec<(AgentId, SealedAnswer)>, StoreError> {
        let rows: Vec<Row> = self
            .db
            .all(
                "SELECT agent_id, output, salt, rationale, confidence FROM arena_sealed_answers \
                 WHERE match_id = $1 AND turn = $2",
                values![match_id.to_string(), i64::from(turn)],
            )
            .await?;
        rows.into_iter().map(answer).collect()
    }

    /// The sealed answer of one agent to an open turn. Only the judge may read it.
    pub async fn sealed_answer(
        &self,
        match_id: MatchId,
        turn: u16,
        agent_id: AgentId,
    ) -> Result<Option<SealedAnswer>, StoreError> {
        let row: Option<Row> = self
            .db
            .optional(
                "SELECT agent_id, output, salt, rationale, confidence FROM arena_sealed_answers \
                 WHERE match_id = $1 AND turn = $2 AND agent_id = $3",
                values![match_id.to_string(), i64::from(turn), agent_id.to_string()],
            )
            .await?;
        Ok(row.map(answer).transpose()?.map(|(_, answer)| answer))
    }
}

fn answer((agent_id, output, salt, rationale, confidence): Row) -> Result<(AgentId, SealedAnswer), StoreError> {
    let mut bytes = [0; 16];
    hex::decode_to_slice(&salt, &mut bytes).map_err(|_| StoreError::Damaged("a salt of a sealed answer".into()))?;
    let confidence = confidence.and_then(|confidence| u16::try_from(confidence).ok());
    Ok((parse(&agent_id)?, SealedAnswer { output, salt: bytes, rationale, confidence }))
}
