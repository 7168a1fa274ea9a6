//! Tests that look inside: every fast formula against a slow twin in f64.

mod accountant;
mod clipping;
mod curves;
mod fine_tuning;
mod gradients;
mod pytorch;
mod twin;
