//! What lies beside the scores about one record: exchanges with a service, words and their sources,
//! tokens and their probabilities. Each is a bounded read, and all of it is text from outside.

pub mod attribution;
pub mod exchanges;
mod lines;
pub mod tokens;
