//! Requests as they are read, and turns as they are lowered.

mod requests;
mod turns;
