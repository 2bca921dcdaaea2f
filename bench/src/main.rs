//! Placeholder while the stages are built.
fn main() {}
