//! Small charts, drawn as SVG by the server. Each has its numbers as text too.

use chrono::NaiveDate;

/// The size of a line in its own units.
const LINE: (i64, i64) = (96, 24);
/// The distance of a line from the upper and the lower edge.
const MARGIN: i64 = 2;
/// The height of the bars' area, and the width of a bar with the space after it.
const HEIGHT: i64 = 64;
const STEP: i64 = 12;

/// A line of an agent's ratings.
#[derive(Debug)]
pub struct Line {
    /// The points of the SVG element.
    pub points: String,
    /// The number of matches.
    pub count: usize,
    /// The rating before the first and after the last of them.
    pub first: i64,
    /// The rating after the last of them.
    pub last: i64,
}

impl Line {
    /// The line of ratings in thousandths, the earliest first. `None` if there are fewer than two.
    pub fn of(ratings: &[i64]) -> Option<Self> {
        let (first, last) = (*ratings.first()?, *ratings.last()?);
        let steps = i64::try_from(ratings.len()).ok()? - 1;
        if steps < 1 {
            return None;
        }
        let (least, most) = (*ratings.iter().min()?, *ratings.iter().max()?);
        let (width, height) = (LINE.0, LINE.1 - 2 * MARGIN);
        let point = |(index, rating): (i64, &i64)| {
            let above = (rating - least) * height / (most - least).max(1);
            format!("{},{}", index * width / steps, LINE.1 - MARGIN - above)
        };
        let points: Vec<_> = (0..).zip(ratings).map(point).collect();
        let whole = |milli: i64| (milli + 500).div_euclid(1000);
        Some(Self { points: points.join(" "), count: ratings.len(), first: whole(first), last: whole(last) })
    }
}

/// Bars of points by week.
#[derive(Debug)]
pub struct Weeks {
    /// The bars, the earliest week first.
    pub bars: Vec<Bar>,
    /// The width of the chart in its own units.
    pub width: i64,
    /// The sum of the points.
    pub total: i64,
}

/// A week.
#[derive(Debug)]
pub struct Bar {
    /// The first day.
    pub monday: NaiveDate,
    /// The points of the week.
    pub points: i64,
    /// The left edge, in units of the chart.
    pub left: i64,
    /// The upper edge.
    pub top: i64,
    /// The height.
    pub height: i64,
}

impl Weeks {
    /// The chart of points by week, the earliest first. A week in which more was lost than earned has no bar.
    pub fn of(weeks: &[(NaiveDate, i64)]) -> Self {
        let most = weeks.iter().map(|(_, points)| *points).max().unwrap_or_default().max(1);
        let bar = |(index, (monday, points)): (i64, &(NaiveDate, i64))| {
            // A week with a single point is still seen.
            let height = if *points > 0 { (points * HEIGHT / most).max(2) } else { 0 };
            Bar { monday: *monday, points: *points, left: index * STEP, top: HEIGHT - height, height }
        };
        let bars: Vec<_> = (0..).zip(weeks).map(bar).collect();
        let width = bars.last().map_or(STEP, |bar| bar.left + STEP);
        Self { bars, width, total: weeks.iter().map(|(_, points)| points).sum() }
    }

    /// The weeks in which points changed, the latest first: the same numbers as text.
    pub fn active(&self) -> Vec<&Bar> {
        self.bars.iter().rev().filter(|bar| bar.points != 0).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reaches_from_edge_to_edge() {
        let line = Line::of(&[1_500_000, 1_400_000, 1_600_400]).unwrap();
        assert_eq!((&*line.points, line.count, line.first, line.last), ("0,13 48,22 96,2", 3, 1500, 1600));
        let level = Line::of(&[1_500_000, 1_500_000]).unwrap();
        assert_eq!(level.points, "0,22 96,22");
        assert!(Line::of(&[1_500_000]).is_none() && Line::of(&[]).is_none());
    }

    #[test]
    fn the_best_week_has_the_highest_bar_and_a_loss_has_none() {
        let monday = |day: &str| day.parse::<NaiveDate>().unwrap();
        let weeks = [(monday("2026-02-09"), 40), (monday("2026-02-16"), -5), (monday("2026-02-23"), 1)];
        let chart = Weeks::of(&weeks);
        let bars: Vec<_> = chart.bars.iter().map(|bar| (bar.left, bar.top, bar.height)).collect();
        assert_eq!(bars, [(0, 0, 64), (12, 64, 0), (24, 62, 2)]);
        assert_eq!((chart.width, chart.total, chart.active().len()), (36, 36, 3));
        assert_eq!(Weeks::of(&[]).total, 0);
    }
}
