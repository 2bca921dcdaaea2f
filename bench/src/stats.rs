//! Percentiles of durations, and the memory of this process.

use std::fs;
use std::time::Duration;

use serde_json::{Value, json};

/// Durations of calls of one kind.
#[derive(Debug, Default, Clone)]
pub(crate) struct Durations(Vec<Duration>);

impl Durations {
    pub(crate) fn push(&mut self, duration: Duration) {
        self.0.push(duration);
    }

    pub(crate) fn append(&mut self, others: &Self) {
        self.0.extend_from_slice(&others.0);
    }

    /// Takes the least of each of these and of others of the same calls.
    pub(crate) fn lower(&mut self, others: &Self) {
        assert_eq!(self.0.len(), others.0.len(), "the same calls were made");
        self.0.iter_mut().zip(&others.0).for_each(|(least, other)| *least = (*least).min(*other));
    }

    /// In microseconds; 0 where there is none.
    pub(crate) fn longest(&self) -> f64 {
        self.0.iter().max().map_or(0.0, |duration| micros(*duration))
    }

    /// Mean, percentiles and maximum in microseconds; null where nothing was measured.
    pub(crate) fn summary(&self) -> Summary {
        let mut sorted = self.0.clone();
        sorted.sort_unstable();
        Summary { sorted }
    }
}

/// Durations in order.
pub(crate) struct Summary {
    sorted: Vec<Duration>,
}

impl Summary {
    /// In microseconds: the smallest duration that at least `share` of all do not exceed.
    pub(crate) fn percentile(&self, share: f64) -> Option<f64> {
        let rank = (share * self.sorted.len() as f64).ceil() as usize;
        self.sorted.get(rank.saturating_sub(1)).map(|duration| micros(*duration))
    }

    /// In microseconds.
    pub(crate) fn mean(&self) -> Option<f64> {
        let count = self.sorted.len();
        (count > 0).then(|| micros(self.sorted.iter().sum()) / count as f64)
    }

    /// The columns of the report, null where nothing was measured.
    pub(crate) fn document(&self) -> Value {
        self.columns().into_iter().map(|(name, micros)| (name.to_owned(), json!(micros))).collect()
    }

    /// Our columns as parts of theirs: how many times longer they take.
    pub(crate) fn ratios(&self, theirs: &Self) -> Vec<(&'static str, Option<f64>)> {
        let ratio = |(ours, theirs): (Option<f64>, Option<f64>)| Some(theirs? / ours?);
        let columns = self.columns().into_iter().zip(theirs.columns());
        columns.map(|((name, ours), (_, theirs))| (name, ratio((ours, theirs)))).collect()
    }

    fn columns(&self) -> [(&'static str, Option<f64>); 6] {
        [
            ("mean", self.mean()),
            ("p50", self.percentile(0.5)),
            ("p90", self.percentile(0.9)),
            ("p99", self.percentile(0.99)),
            ("p999", self.percentile(0.999)),
            ("max", self.percentile(1.0)),
        ]
    }

    /// The same in a line.
    pub(crate) fn line(&self) -> String {
        let number = |value: Option<f64>| value.map_or("-".to_owned(), |value| format!("{value:.1}"));
        let columns = self.columns().map(|(name, micros)| format!("{} {}", title(name), number(micros)));
        format!("{} µs ({} calls)", columns.join(", "), self.sorted.len())
    }
}

/// A column's name in print.
pub(crate) fn title(column: &str) -> &str {
    if column == "p999" { "p99.9" } else { column }
}

fn micros(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e3
}

/// The most memory that this process had resident, in MiB, where the system tells.
pub(crate) fn peak_rss_mb() -> Option<f64> {
    status_mb("VmHWM:")
}

/// The memory that this process has resident, in MiB, where the system tells.
pub(crate) fn rss_mb() -> Option<f64> {
    status_mb("VmRSS:")
}

fn status_mb(field: &str) -> Option<f64> {
    let status = fs::read_to_string("/proc/self/status").ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(field))?;
    let kib: f64 = line.trim().strip_suffix("kB")?.trim().parse().ok()?;
    Some(kib / 1024.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_least_of_each_call_is_taken() {
        let of = |micros: [u64; 3]| Durations(micros.map(Duration::from_micros).into());
        let mut least = of([3, 1, 2]);
        least.lower(&of([1, 2, 3]));
        assert_eq!(least.0, of([1, 1, 2]).0);
    }

    #[test]
    fn percentiles_are_values_that_occurred() {
        let mut durations = Durations::default();
        assert_eq!(durations.summary().document()["p50"], Value::Null);
        (1..=1_000).rev().for_each(|micros| durations.push(Duration::from_micros(micros)));
        let summary = durations.summary();
        let shares = [0.5, 0.9, 0.99, 0.999, 1.0].map(|share| summary.percentile(share));
        assert_eq!(shares, [500.0, 900.0, 990.0, 999.0, 1_000.0].map(Some));
        assert_eq!(summary.mean(), Some(500.5));
        assert_eq!(summary.ratios(&summary).last(), Some(&("max", Some(1.0))));
    }
}
