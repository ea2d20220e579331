//! Properties of all generators.

use std::collections::BTreeSet;

use agora_envelope::jcs::canonicalize;
use sha2::{Digest, Sha256};

use super::*;
use crate::arena::tasks::{Score, Verdict};

/// The number of seeds of each generator.
const SEEDS: u64 = 1000;

#[test]
fn every_generated_task_accepts_its_answer_and_rejects_others() {
    for generator in Generator::ALL {
        for seed in 0..SEEDS {
            let task = generator.generate(seed).unwrap_or_else(|faults| panic!("{generator:?} {seed}: {faults:#?}"));
            let (accepts, rejects) = (task.accepted_answers().count(), task.rejected_answers().count());
            assert!(accepts == 1 && rejects >= 2, "{generator:?} {seed}");
            assert!(task.accepted_answers().all(|answer| task.judge(answer) == Verdict::CORRECT));
            let is_wrong = |verdict| matches!(verdict, Verdict::Scored { score: Score::ZERO, .. });
            assert!(task.rejected_answers().all(|answer| is_wrong(task.judge(answer))), "{generator:?} {seed}");
            assert!((60..2500).contains(&task.public().instruction.len()), "{generator:?} {seed}");
            assert_eq!((task.league(), task.version()), (generator.league(), generator.version()));
        }
    }
}

#[test]
fn different_seeds_give_different_tasks() {
    for generator in Generator::ALL {
        let tasks: Vec<_> = (0..SEEDS).map(|seed| generator.generate(seed).unwrap()).collect();
        let ids: BTreeSet<_> = tasks.iter().map(Task::id).collect();
        let instructions: BTreeSet<_> = tasks.iter().map(|task| &task.public().instruction).collect();
        let seeds = usize::try_from(SEEDS).unwrap();
        assert_eq!(ids.len(), seeds);
        assert!(instructions.len() > seeds * 95 / 100, "{generator:?}: {}", instructions.len());
    }
}

#[test]
fn nothing_public_holds_the_seed() {
    let seed = 0x0123_4567_89ab_cdef;
    for generator in Generator::ALL {
        let task = generator.generate(seed).unwrap();
        let published = serde_json::to_string(&task.published()).unwrap();
        assert!(!published.contains("0123456789abcdef") && !published.contains(&seed.to_string()), "{published}");
        assert!(generator.entry(seed).to_string().contains("0123456789abcdef"));
    }
}

/// If this fails, a generator gives other tasks than before: give it its next version, and write the new hash here.
#[test]
fn every_generator_gives_the_same_bytes_as_ever() {
    let hash = |generator: Generator| {
        let entries = (0..100).map(|seed| canonicalize(&generator.entry(seed)));
        hex::encode(Sha256::digest(entries.collect::<Vec<_>>().join("\n")))
    };
    let hashes = Generator::ALL.map(|generator| format!("{generator} {} {}", generator.version(), hash(generator)));
    assert_eq!(
        hashes,
        [
            "arithmetic-chain 1 9e52a06f0b655424900049cca5c691efe2b5067139b132e266964e914ec83486",
            "dates 1 c19ee6403167028a268f59d7cdc75404303f3bd5b102da23e50e3695b4a9c6b9",
            "sequence 1 4967863677cbc89f3d3f0e2c3968c9ecb44007f59c3e708f75a36df50a806df7",
            "logic-grid 1 925a012944bfef625055a9156260746768ae549b6ee1cfb24001ef36c606c048",
            "rewriting 1 6d401212749c259c406e1dab91be260574359ca4f6acddd0e3a7fc1b3cfbd8c2",
            "table 1 452155a4ebbfecb78bf421f337ac9ee5f75783f2dc4cb3db5139f4aeada0df12",
            "sorting 1 353d2565839a1b11b25233914dddb57f4d314a3a76bb3b0ebc459752037c7e8c",
        ]
    );
}
