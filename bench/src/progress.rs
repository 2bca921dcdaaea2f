//! A progress bar on a terminal, and none in a pipe.

use indicatif::{ProgressBar, ProgressStyle};

pub(crate) fn bar(len: usize, what: &str) -> ProgressBar {
    let template = format!("{{bar:40}} {{pos}}/{{len}} {what}, {{per_sec}}, {{eta}} left");
    let style = ProgressStyle::with_template(&template).expect("the template is well formed");
    ProgressBar::new(len as u64).with_style(style)
}
