//! The command line: the only place that prints, reads the environment and exits.

mod cli;

/// Returns memory to threads rather than to the system: large score vectors come and go.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(cli::run() as u8)
}
