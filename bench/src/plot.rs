//! The distributions of the engines as a drawing: how many calls take at least so long, with both axes
//! logarithmic, so that tails show.

use std::fmt::Write;
use std::fs;
use std::path::Path;

use crate::corpus::BenchError;
use crate::engine::OURS;
use crate::maskbench::{PeerResult, Results};
use crate::stats::{Durations, Summary};

/// A panel's size, and the room around it for labels.
const WIDTH: f64 = 440.0;
const HEIGHT: f64 = 280.0;
const MARGIN: f64 = 56.0;

/// Decades of microseconds across, and of shares up.
const FIRST_DECADE: i32 = -1;
const LAST_DECADE: i32 = 7;
const LEAST_SHARE: i32 = -5;

/// One colour for each engine, told apart without seeing red and green.
const COLOURS: [&str; 3] = ["#0072b2", "#d55e00", "#009e73"];

/// Writes the drawing: mask + accept of the cold pass on the left, time to the first mask on the right.
pub(crate) fn write(path: &Path, results: &Results) -> Result<(), BenchError> {
    fs::write(path, svg(results)).map_err(|error| BenchError::write(path, error))
}

/// A line of a panel: the engine's name and its durations.
type Curve<'a> = (&'a str, &'a Durations);

fn svg(results: &Results) -> String {
    let ours = &results.ours.times;
    let theirs = |durations: fn(&PeerResult) -> &Durations| {
        results.peers.iter().map(move |peer| (peer.name, durations(peer)))
    };
    let mut cold: Vec<Curve<'_>> = vec![(OURS, &ours.cold)];
    cold.extend(theirs(|peer| &peer.tally.times.cold));
    let mut first: Vec<Curve<'_>> = vec![(OURS, &ours.to_first_mask)];
    first.extend(theirs(|peer| &peer.tally.times.to_first_mask));
    let panels = [panel("mask + accept, cold", &cold), panel("text to first mask", &first)];
    let (width, height) = (2.0 * (WIDTH + 2.0 * MARGIN), HEIGHT + 2.0 * MARGIN);
    format!(
        "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 {width} {height}\" font-family=\"sans-serif\" font-size=\"12\">\n\
         <rect width=\"100%\" height=\"100%\" fill=\"white\"/>\n\
         <g transform=\"translate({MARGIN} {MARGIN})\">\n{}</g>\n<g transform=\"translate({} {MARGIN})\">\n{}</g>\n</svg>\n",
        panels[0],
        width / 2.0 + MARGIN,
        panels[1],
    )
}

fn panel(title: &str, curves: &[Curve<'_>]) -> String {
    let mut svg = format!(
        "<text x=\"0\" y=\"-20\" font-weight=\"bold\">{title}: share of calls that take at least so long</text>\n"
    );
    svg.push_str(&grid());
    for (at, (name, durations)) in curves.iter().enumerate() {
        let (colour, y) = (COLOURS[at % COLOURS.len()], 16.0 * at as f64 + 16.0);
        let points = points(&durations.summary());
        let _ = writeln!(
            svg,
            "<polyline fill=\"none\" stroke=\"{colour}\" stroke-width=\"1.5\" points=\"{points}\"/>"
        );
        let x = WIDTH - 8.0;
        let _ =
            writeln!(svg, "<text x=\"{x}\" y=\"{y}\" text-anchor=\"end\" fill=\"{colour}\">{name}</text>");
    }
    svg
}

fn grid() -> String {
    let mut svg = String::new();
    for decade in FIRST_DECADE..=LAST_DECADE {
        let x = across(10f64.powi(decade));
        let label = match decade {
            ..3 => format!("{} µs", 10f64.powi(decade)),
            3..6 => format!("{} ms", 10f64.powi(decade - 3)),
            6.. => format!("{} s", 10f64.powi(decade - 6)),
        };
        let _ = writeln!(svg, "<path d=\"M{x:.1} 0V{HEIGHT}\" stroke=\"#ddd\"/>");
        let _ =
            writeln!(svg, "<text x=\"{x:.1}\" y=\"{}\" text-anchor=\"middle\">{label}</text>", HEIGHT + 18.0);
    }
    for decade in LEAST_SHARE..=0 {
        let (y, percent) = (up(10f64.powi(decade)), 10f64.powi(decade + 2));
        let _ = writeln!(svg, "<path d=\"M0 {y:.1}H{WIDTH}\" stroke=\"#ddd\"/>");
        let _ = writeln!(svg, "<text x=\"-6\" y=\"{:.1}\" text-anchor=\"end\">{percent} %</text>", y + 4.0);
    }
    svg
}

/// A few points in each decade of shares are enough for the eye.
fn points(summary: &Summary) -> String {
    const PER_DECADE: i32 = 24;
    let mut points = String::new();
    for step in (LEAST_SHARE * PER_DECADE..=0).rev() {
        let share = 10f64.powf(f64::from(step) / f64::from(PER_DECADE));
        if let Some(micros) = summary.percentile(1.0 - share) {
            let _ = write!(points, "{:.1},{:.1} ", across(micros), up(share));
        }
    }
    points.truncate(points.trim_end().len());
    points
}

fn across(micros: f64) -> f64 {
    let (first, last) = (f64::from(FIRST_DECADE), f64::from(LAST_DECADE));
    WIDTH * ((micros.max(f64::MIN_POSITIVE).log10() - first) / (last - first)).clamp(0.0, 1.0)
}

fn up(share: f64) -> f64 {
    HEIGHT * (share.log10() / f64::from(LEAST_SHARE)).abs()
}

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_curve_falls_to_the_right() {
        let mut durations = Durations::default();
        (1..=100_000).for_each(|micros| durations.push(Duration::from_micros(micros)));
        let points = points(&durations.summary());
        let points: Vec<(f64, f64)> = points
            .split(' ')
            .map(|point| point.split_once(',').expect("two numbers"))
            .map(|(x, y)| (x.parse().expect("a number"), y.parse().expect("a number")))
            .collect();
        assert!(points.windows(2).all(|pair| pair[0].0 <= pair[1].0 && pair[0].1 <= pair[1].1));
        assert_eq!(points.first().map(|point| point.1), Some(0.0));
        assert_eq!(points.last().map(|point| point.1), Some(HEIGHT));
    }
}
