//! The numbers' room: special functions, distributions, small solvers, ROC
//! counts, boosted trees, a small trained head and seeded random streams.
//!
//! Numbers in, numbers out. There is no I/O here, no clock and no
//! knowledge of attacks, members or files. Out-of-domain arguments give NaN or
//! `None`, as each function says; nothing here panics on data.

pub mod beta;
pub mod binomial;
pub mod boosting;
mod cholesky;
pub mod correlated;
pub mod head;
pub mod logistic;
pub mod normal;
pub mod normality;
pub mod ridge;
pub mod ridge_operator;
pub mod roc;
pub mod sparse;
pub mod special;
pub mod streams;
pub mod student;
pub mod vectors;
