//! Thinking times of the agents.

/// Numbers that spread the agents' answers, the same in each run (xorshift64*).
pub(super) struct Random(pub(super) u64);

impl Random {
    /// A number from 0 to 1.
    #[expect(clippy::cast_precision_loss, reason = "53 bits are kept")]
    pub(super) fn next(&mut self) -> f64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
