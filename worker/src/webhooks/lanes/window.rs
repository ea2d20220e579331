//! How many attempts of a lane run at a time while the budget of its target refuses some of them.

/// Attempts that the budget must admit, for each of those that run at a time, before one more may.
const CALM: usize = 4;
/// From this many on there is no limit.
const WIDE: usize = 8;

/// The number of attempts at a time: half of them after a refusal, and more after attempts that were admitted. So a lane does not
/// ask for much more than the budget has.
#[derive(Debug, Clone, Copy, Default)]
pub(super) struct Window {
    /// `None` is no limit.
    most: Option<usize>,
    admitted: usize,
}

impl Window {
    pub(super) fn permits(&self) -> usize {
        self.most.unwrap_or(usize::MAX)
    }

    /// Whether there is no limit.
    pub(super) fn is_open(&self) -> bool {
        self.most.is_none()
    }

    /// Notes that the budget refused an attempt.
    pub(super) fn narrow(&mut self) {
        *self = Self { most: Some((self.most.unwrap_or(WIDE) / 2).max(1)), admitted: 0 };
    }

    /// Notes that the budget admitted an attempt.
    pub(super) fn widen(&mut self) {
        let Some(most) = self.most else { return };
        self.admitted += 1;
        if self.admitted >= most * CALM {
            *self = Self { most: Some(most + 1).filter(|most| *most < WIDE), admitted: 0 };
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn refusals_halve_the_window_and_admitted_attempts_open_it_again() {
        let mut window = Window::default();
        assert_eq!(window.permits(), usize::MAX);
        let after_refusal = |window: &mut Window| {
            window.narrow();
            window.permits()
        };
        assert_eq!([(); 4].map(|()| after_refusal(&mut window)), [4, 2, 1, 1]);
        let mut seen = vec![];
        while window.permits() < usize::MAX {
            seen.push(window.permits());
            window.widen();
        }
        assert_eq!([1, 2, 7].map(|permits| seen.iter().filter(|seen| **seen == permits).count()), [4, 8, 28]);
    }
}
