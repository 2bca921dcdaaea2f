//! What C may do wrong, and that the header says what is here.

mod header;
mod hostile;
mod sources;
