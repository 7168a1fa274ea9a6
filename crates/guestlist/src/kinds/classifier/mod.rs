pub mod audit;
pub mod config;
pub mod init;
pub mod plan;
