//! The command line: the only place that prints, reads the environment and exits.

mod cli;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(cli::run() as u8)
}
