//! The wire format of AAP (seed `aap-agora-arena.txt`): the round that the server sends, the agent's answer, and its health.

use buildtrack_domain::{
    arena::{
        matches::{RATIONALE_MAX, SealedAnswer},
        tasks::{ANSWER_BYTES_MAX, Answer, League, PublicTask, TaskLimits},
    },
    ids::{AgentId, MatchId},
};
use buildtrack_store::clock::random;
use chrono::{DateTime, Utc};
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};
use uuid::Uuid;

/// The protocol's version.
pub(super) const VERSION: &str = "1.0";
/// The seconds for which the token of a round is valid beyond its deadline, and that of a health check from now on.
const TOKEN_GRACE: i64 = 60;

/// A round: the body of `POST <base>/agora`.
pub(super) struct Round<'t> {
    pub(super) match_id: MatchId,
    pub(super) round: u16,
    pub(super) total_rounds: u16,
    pub(super) opponents: usize,
    pub(super) league: League,
    pub(super) public: &'t PublicTask,
    pub(super) limits: TaskLimits,
}

impl Round<'_> {
    /// The body, with every field of the seed.
    pub(super) fn body(&self) -> String {
        #[derive(Serialize)]
        struct Body<'t> {
            version: &'static str,
            league: League,
            match_id: MatchId,
            round: u16,
            total_rounds: u16,
            task: buildtrack_domain::arena::tasks::AapTask<'t>,
            time_limit_seconds: u32,
            max_tokens: u32,
            rules: &'t [String],
            opponent_count: usize,
        }
        let (public, limits) = (self.public, self.limits);
        let body = Body {
            version: VERSION,
            league: self.league,
            match_id: self.match_id,
            round: self.round,
            total_rounds: self.total_rounds,
            task: public.aap(),
            time_limit_seconds: limits.seconds,
            max_tokens: limits.tokens,
            rules: &public.rules,
            opponent_count: self.opponents,
        };
        // Plain structs of strings and numbers: encoding cannot fail.
        serde_json::to_string(&body).unwrap_or_default()
    }
}

/// The claims of a round's token (seed: «El JWT contiene»), with those of RFC 7519.
pub(super) fn claims(
    (agent_id, match_id): (AgentId, MatchId),
    (issuer, audience): (&str, &str),
    due_at: DateTime<Utc>,
    token_id: Uuid,
) -> String {
    claims_of((agent_id, Some(match_id)), (issuer, audience), due_at, token_id)
}

/// The claims of a health check's token: those of a round, without a match.
pub(super) fn health_claims(
    agent_id: AgentId,
    (issuer, audience): (&str, &str),
    now: DateTime<Utc>,
    token_id: Uuid,
) -> String {
    claims_of((agent_id, None), (issuer, audience), now, token_id)
}

fn claims_of(
    (agent_id, match_id): (AgentId, Option<MatchId>),
    (issuer, audience): (&str, &str),
    from: DateTime<Utc>,
    token_id: Uuid,
) -> String {
    let expires_at = from.timestamp() + TOKEN_GRACE;
    json!({
        "agent_id": agent_id,
        "match_id": match_id,
        "expires_at": expires_at,
        "exp": expires_at,
        "iss": issuer,
        "aud": audience,
        "sub": agent_id,
        "jti": token_id.to_string(),
    })
    .to_string()
}

/// Reads an agent's answer; `None` if the body is not one. Members that the server has no use for are ignored.
pub(super) fn read_answer(body: &[u8]) -> Option<SealedAnswer> {
    #[derive(Deserialize)]
    struct Body {
        answer: Value,
        #[serde(default)]
        confidence: Option<Value>,
        #[serde(default)]
        reasoning: Option<Value>,
    }
    let body: Body = serde_json::from_slice(body).ok()?;
    if body.answer.is_null() {
        return None;
    }
    let output = Answer::from_json(&body.answer).as_str().to_owned();
    if output.len() > ANSWER_BYTES_MAX || output.contains('\0') {
        return None;
    }
    let rationale = body.reasoning.as_ref().and_then(Value::as_str).map(shortened).filter(|text| !text.is_empty());
    let confidence = body.confidence.as_ref().and_then(Value::as_f64).and_then(thousandths);
    Some(SealedAnswer { output, salt: random(), rationale, confidence })
}

/// A confidence from 0 to 1 in thousandths.
#[expect(clippy::cast_possible_truncation, clippy::cast_sign_loss, reason = "the number is between 0 and 1000")]
fn thousandths(confidence: f64) -> Option<u16> {
    (0.0..=1.0).contains(&confidence).then(|| (confidence * 1000.0).round() as u16)
}

fn shortened(text: &str) -> String {
    text.chars().filter(|character| *character != '\0').take(RATIONALE_MAX).collect()
}

/// What an agent says of its health: the body of `GET <base>/agora/health`.
#[derive(Debug, Default, Deserialize)]
pub(super) struct Health {
    pub(super) status: String,
    #[serde(default)]
    max_concurrent: Option<Value>,
}

impl Health {
    /// How many rounds the agent says that it answers at once. Anything but a number from 0 on says nothing.
    pub(super) fn max_concurrent(&self) -> Option<i64> {
        self.max_concurrent.as_ref().and_then(Value::as_i64).filter(|rounds| *rounds >= 0)
    }
}

/// Reads the answer to a health check; `None` if it does not say that the agent is well.
pub(super) fn read_health(body: &[u8]) -> Option<Health> {
    serde_json::from_slice(body).ok().filter(|health: &Health| health.status == "ok")
}

#[cfg(test)]
mod tests {
    use super::*;
    use buildtrack_domain::arena::tasks::Bank;

    #[test]
    fn a_round_has_every_field_of_the_seed() {
        let task = Bank::bundled().in_league(League::Trivia).next().unwrap();
        let match_id = MatchId::new(Uuid::from_u128(1));
        let (public, limits, league) = (task.public(), task.limits(), task.league());
        let round = Round { match_id, round: 5, total_rounds: 10, opponents: 99, league, public, limits };
        let body: Value = serde_json::from_str(&round.body()).unwrap();
        for name in [
            "version",
            "league",
            "match_id",
            "round",
            "total_rounds",
            "task",
            "time_limit_seconds",
            "max_tokens",
            "rules",
            "opponent_count",
        ] {
            assert!(body.get(name).is_some(), "{name}");
        }
        for name in ["description", "input_format", "output_format", "options"] {
            assert!(body["task"].get(name).is_some(), "{name}");
        }
        assert_eq!((&body["league"], &body["opponent_count"]), (&json!("trivia"), &json!(99)));
    }

    #[test]
    fn an_answer_is_read_from_the_seeds_example_and_from_any_value() {
        let seed = br#"{"answer":"Canberra","confidence":0.95,"reasoning":"It is the capital","subagents_used":["k"],
            "tools_used":[],"tokens":150,"latency_ms":340}"#;
        let answer = read_answer(seed).unwrap();
        assert_eq!((&*answer.output, answer.confidence), ("Canberra", Some(950)));
        assert_eq!(answer.rationale.as_deref(), Some("It is the capital"));
        assert_eq!(read_answer(br#"{"answer":42}"#).unwrap().output, "42");
        let odd = read_answer(br#"{"answer":"x","confidence":"high","reasoning":7}"#).unwrap();
        assert_eq!((odd.confidence, odd.rationale), (None, None));
        for invalid in [&b"{}"[..], b"[]", b"", b"<html>", br#"{"answer":null}"#, b"\xff"] {
            assert!(read_answer(invalid).is_none());
        }
        let long = format!(r#"{{"answer":"{}"}}"#, "x".repeat(ANSWER_BYTES_MAX + 1));
        assert!(read_answer(long.as_bytes()).is_none());
    }

    #[test]
    fn health_is_good_only_if_it_says_ok() {
        let seed =
            br#"{"status":"ok","version":"1.0","capabilities":["trivia"],"avg_latency_ms":340,"max_concurrent":5}"#;
        assert_eq!(read_health(seed).unwrap().max_concurrent(), Some(5));
        for bad in [&br#"{"status":"down"}"#[..], b"ok", b"", br#"{"ok":true}"#] {
            assert!(read_health(bad).is_none());
        }
    }

    #[test]
    fn a_number_of_rounds_that_cannot_be_read_says_nothing() {
        for (text, expected) in
            [("0", Some(0)), ("-1", None), ("\"5\"", None), ("1.5", None), ("[]", None), ("null", None)]
        {
            let health = read_health(format!(r#"{{"status":"ok","max_concurrent":{text}}}"#).as_bytes()).unwrap();
            assert_eq!(health.max_concurrent(), expected, "{text}");
        }
        assert_eq!(read_health(br#"{"status":"ok"}"#).unwrap().max_concurrent(), None);
    }

    #[test]
    fn the_token_of_a_health_check_names_no_match_and_ends_after_a_minute() {
        let (agent_id, token_id) = (AgentId::new(Uuid::from_u128(1)), Uuid::from_u128(2));
        let now = DateTime::from_timestamp(1_745_000_000, 0).unwrap();
        let claims = health_claims(agent_id, ("https://build.example", "https://agent.example"), now, token_id);
        let expected = json!({
            "agent_id": agent_id, "match_id": null, "expires_at": 1_745_000_060, "exp": 1_745_000_060,
            "iss": "https://build.example", "aud": "https://agent.example", "sub": agent_id, "jti": token_id.to_string(),
        });
        assert_eq!(serde_json::from_str::<Value>(&claims).unwrap(), expected);
    }
}
