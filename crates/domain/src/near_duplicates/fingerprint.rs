//! Fingerprints of texts for near-duplicate detection (one-permutation `MinHash`), a few hundred bytes each.
//!
//! The measure is the Jaccard index of the sets of three consecutive characters, as estimated by `MinHash` with one
//! permutation (Li, Owen and Zhang, "One Permutation Hashing", 2012): each set's hashes fall into bins, and each bin
//! keeps the smallest. Three characters are part of a word in English and most of one in Korean or Chinese, so no text
//! needs word segmentation.

use unicode_normalization::UnicodeNormalization;
use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};

/// Texts with fewer bytes are brief: thanks, a vote in words, "done". A Korean or Chinese character carries about as
/// much as three Latin letters, and has as many bytes.
const BRIEF: u32 = 40;
/// Texts with at least this many bytes are compared by their parts. In a shorter text, one word is a large difference.
const COMPARED: u32 = 80;
/// The number of bins in a sketch. The estimate has an error of about 0.04.
const BINS: u8 = 128;
/// The value of a bin without a hash.
const EMPTY: u16 = u16::MAX;
/// One in this many bins may differ: near-duplicates have a Jaccard index of at least 0.8. One different word in a
/// hundred letters stays above that; unrelated texts of one language are far below.
const TOLERANCE: u8 = 5;
/// Near-duplicates never differ in more bins than this. Half of each of the first [`HEAD`] bins distinguishes most
/// unrelated texts; these halves are stored inline, where the processor prefetches them.
const MOST_DIFFERING: u8 = BINS / TOLERANCE;
const HEAD: usize = 32;

type Sketch = [u16; BINS as usize];

/// The fingerprint of a text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Fingerprint {
    /// The length of the folded text.
    bytes: u32,
    /// A hash of the whole folded text.
    whole: u64,
    /// The lower halves of the sketch's first bins.
    head: [u8; HEAD],
    /// The sketch of its parts; `None` for texts that are too short to compare by parts.
    sketch: Option<Box<Sketch>>,
}

impl Fingerprint {
    /// The fingerprint of a text.
    pub fn of(text: &str) -> Self {
        let (mut bytes, mut whole, mut shingle) = (0, 0, 0);
        let mut sketch: Sketch = [EMPTY; BINS as usize];
        fold(text, |character| {
            bytes += character.len_utf8();
            whole = mixed(whole ^ u64::from(character));
            // A character has 21 bits, so three of them fit.
            shingle = (shingle << 21 | u64::from(character)) & (u64::MAX >> 1);
            let hash = mixed(shingle);
            let bin = &mut sketch[(hash >> 57) as usize];
            *bin = ((hash & 0xffff) as u16).min(*bin);
        });
        let bytes = u32::try_from(bytes).unwrap_or(u32::MAX);
        let mut head = [0; HEAD];
        head.iter_mut().zip(sketch).for_each(|(half, bin)| [*half, _] = bin.to_le_bytes());
        Self { bytes, whole, head, sketch: (bytes >= COMPARED).then(|| Box::new(sketch)) }
    }

    /// Whether the text is so short that repeating it is normal.
    pub fn is_brief(&self) -> bool {
        self.bytes < BRIEF
    }

    /// Whether both folded texts are equal.
    pub fn is_same(&self, other: &Self) -> bool {
        (self.bytes, self.whole) == (other.bytes, other.whole)
    }

    /// Whether both texts are equal or near-duplicates.
    pub fn is_near(&self, other: &Self) -> bool {
        let compared = self.sketch.as_ref().zip(other.sketch.as_ref());
        self.is_same(other) || self.may_be_alike(other) && compared.is_some_and(|(left, right)| are_alike(left, right))
    }

    /// Bins whose halves differ also differ.
    fn may_be_alike(&self, other: &Self) -> bool {
        let halves = self.head.iter().zip(&other.head);
        halves.map(|(left, right)| u8::from(left != right)).sum::<u8>() <= MOST_DIFFERING
    }
}

/// Whether few enough of the non-empty bins differ.
fn are_alike(left: &Sketch, right: &Sketch) -> bool {
    // Counters have the width of the bins, so that the compiler vectorizes the comparison.
    let (mut filled, mut differing) = (0_u16, 0_u16);
    for (left, right) in left.iter().zip(right) {
        filled += u16::from(left & right != EMPTY);
        differing += u16::from(left != right);
    }
    differing * u16::from(TOLERANCE) <= filled
}

/// Spreads a number over all 64 bits (the finalizer of `SplitMix64`).
fn mixed(number: u64) -> u64 {
    let number = number.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let number = (number ^ number >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let number = (number ^ number >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    number ^ number >> 31
}

/// The characters that count: NFKC in lower case, with one space for each run of other characters between them.
fn fold(text: &str, mut each: impl FnMut(char)) {
    let (mut begun, mut gap) = (false, false);
    let mut take = |character| match sort(character) {
        Sort::Nothing => {}
        Sort::Gap => gap = begun,
        Sort::Letter => {
            if std::mem::take(&mut gap) {
                each(' ');
            }
            begun = true;
            each(character);
        }
    };
    if text.is_ascii() {
        text.bytes().for_each(|byte| take(byte.to_ascii_lowercase().into()));
    } else {
        text.nfkc().flat_map(char::to_lowercase).for_each(take);
    }
}

enum Sort {
    /// Letters, marks, numbers and symbols.
    Letter,
    /// Spaces, punctuation and control characters.
    Gap,
    /// Invisible characters.
    Nothing,
}

fn sort(character: char) -> Sort {
    match character {
        'a'..='z' | '0'..='9' => return Sort::Letter,
        '\0'..='\u{7f}' => return Sort::Gap,
        '\u{fe00}'..='\u{fe0f}' => return Sort::Nothing,
        _ => {}
    }
    match (character.general_category(), character.general_category_group()) {
        (GeneralCategory::Format, _) => Sort::Nothing,
        (
            _,
            GeneralCategoryGroup::Letter
            | GeneralCategoryGroup::Mark
            | GeneralCategoryGroup::Number
            | GeneralCategoryGroup::Symbol,
        ) => Sort::Letter,
        _ => Sort::Gap,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Unrelated texts, long enough to be compared by their parts.
    const TEXTS: [&str; 12] = [
        "Every push should carry a signature over the exact bytes of its body, so that a receiver need not parse it first.",
        "I measured the pipeline on two cores: multi-row statements give three times the rate of single inserts in a loop.",
        "Who redacts a message keeps its place in the log; the hash chain verifies as before, and only the words are gone.",
        "A receiver that answers with a redirect is counted as failed. Should we say so in the documentation of endpoints?",
        "The proposal is to let maintainers archive a workspace, and to keep handing it over for the owner alone, as today.",
        "서명은 본문의 정확한 바이트에 대해 계산되어야 하며, 수신자는 먼저 본문을 파싱할 필요가 없어야 합니다.",
        "두 개의 코어에서 측정해 보니 여러 행을 한 번에 삽입하는 쪽이 하나씩 삽입하는 것보다 세 배나 빨랐습니다.",
        "메시지를 철회해도 로그에서의 자리는 그대로 남고 해시 체인도 이전과 같이 검증되며, 글만 사라집니다.",
        "每次推送都应当对正文的确切字节进行签名,这样接收方就不必先解析正文,也能确认消息确实来自服务器。",
        "我们在两个核心上做了测量:多行语句的写入速度大约是循环中逐行插入的三倍,因此值得保留批量写入的做法。",
        "撤回消息之后,它在日志中的位置仍然保留,哈希链照常可以验证,消失的只是文字本身,其他人的投票也还在。",
        "サーバーは署名付きの通知を送り、受信側は本文のバイト列をそのまま検証します。再送は一日以上続けられます。",
    ];

    fn near(left: &str, right: &str) -> bool {
        Fingerprint::of(left).is_near(&Fingerprint::of(right))
    }

    #[test]
    fn unrelated_texts_are_not_near() {
        for (index, left) in TEXTS.iter().enumerate() {
            for right in &TEXTS[index + 1..] {
                assert!(!near(left, right), "{left} / {right}");
            }
        }
    }

    #[test]
    fn case_forms_of_letters_spaces_and_punctuation_make_no_difference() {
        let text = "Push, don't poll: a push costs one request, and a poll costs thousands.";
        for other in [
            "PUSH, DON'T POLL: A PUSH COSTS ONE REQUEST, AND A POLL COSTS THOUSANDS!!!",
            "  push\tdon't\n\n**poll** — a push costs one request; and a poll costs thousands ",
            "Ｐｕｓｈ, don’t poll: a p\u{200b}ush costs one request, and a poll costs thousands.",
        ] {
            assert!(Fingerprint::of(text).is_same(&Fingerprint::of(other)), "{other}");
        }
    }

    #[test]
    fn one_changed_word_is_a_near_duplicate_and_another_half_is_not() {
        for text in TEXTS {
            let less = text.char_indices().nth(5).unwrap().0;
            assert!(near(text, &text[less..]), "{text}");
            assert!(near(text, &format!("{text} 2")), "{text}");
        }
        assert!(near(TEXTS[0], &TEXTS[0].replace("receiver", "listener")));
        assert!(near(TEXTS[5], &TEXTS[5].replace("정확한", "그대로의")));
        assert!(near(TEXTS[8], &TEXTS[8].replace("推送", "通知")));
        let (begin, end) = (TEXTS[0].split_at(56).0, TEXTS[1].split_at(56).1);
        let mixed = format!("{begin}{end}");
        assert!(!near(&mixed, TEXTS[0]) && !near(&mixed, TEXTS[1]));
    }

    #[test]
    fn short_texts_are_compared_exactly() {
        let step = |number| format!("Step {number} of 10 is done; the next one is under way now.");
        assert!(near(&step(3), &step(3)) && !near(&step(3), &step(4)));
        assert!(!Fingerprint::of(&step(3)).is_brief());
    }

    #[test]
    fn short_texts_are_brief_in_any_language() {
        for text in ["+1", "Done.", "…", "Thanks, I will have a look!", "감사합니다", "谢谢,我会看一下", "🚀🚀"]
        {
            assert!(Fingerprint::of(text).is_brief(), "{text}");
        }
        for text in TEXTS {
            assert!(!Fingerprint::of(text).is_brief(), "{text}");
        }
    }

    #[test]
    fn emoji_are_no_punctuation() {
        assert!(!Fingerprint::of("🚀").is_same(&Fingerprint::of("👍")));
    }

    /// Random words of one language.
    fn prose(words: std::ops::Range<usize>) -> impl Strategy<Value = Vec<String>> {
        proptest::collection::vec("[a-z]{2,9}|[가-힣]{2,4}|[一-鿿]{2,4}", words)
    }

    proptest! {
        #[test]
        fn a_text_is_near_itself_with_any_white_space(text in "\\PC{0,300}") {
            let spaced = format!("  {text}\n");
            prop_assert!(near(&text, &text) && near(&text, &spaced));
            prop_assert_eq!(Fingerprint::of(&text), Fingerprint::of(&text));
        }

        #[test]
        fn nearness_is_symmetric(left in prose(1..60), right in prose(1..60)) {
            let (left, right) = (left.join(" "), right.join(" "));
            prop_assert_eq!(near(&left, &right), near(&right, &left));
        }

        #[test]
        fn one_changed_word_in_a_hundred_is_a_near_duplicate(words in prose(100..200), index: prop::sample::Index, other in "[a-z]{3,9}") {
            let mut changed = words.clone();
            *index.get_mut(&mut changed) = other;
            prop_assert!(near(&words.join(" "), &changed.join(" ")));
        }

        #[test]
        fn texts_without_common_words_are_not_near(left in prose(20..200), right in prose(20..200)) {
            prop_assume!(left.iter().all(|word| !right.contains(word)));
            prop_assert!(!near(&left.join(" "), &right.join(" ")));
        }
    }
}
