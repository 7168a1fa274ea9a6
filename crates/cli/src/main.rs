//! The program `guestlist`.

/// Returns memory to threads rather than to the system: large score vectors come and go.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

fn main() -> std::process::ExitCode {
    std::process::ExitCode::from(guestlist_cli::run(std::env::args_os()) as u8)
}
