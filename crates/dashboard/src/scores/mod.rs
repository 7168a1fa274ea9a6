//! `scores.parquet`, read in pieces: row groups and columns that a page needs, never the whole file.

mod cache;
mod places;
mod search;
mod table;
mod top;

pub use self::cache::Cache;
pub use self::places::{Place, places};
pub use self::search::search;
pub use self::table::{Row, Table};
pub use self::top::{MOST as MOST_EXPOSED, top};

#[cfg(test)]
mod tests;
