//! The command line: arguments, console, exit codes, and nothing else. Commands, each in its own file.

mod arguments;
mod attacks;
mod audit;
mod canaries;
mod completions;
mod console;
mod convert;
mod demo;
mod diff;
mod doctor;
mod explain;
mod init;
mod interrupt;
mod misleading;
mod plan;
mod policy;
mod probe;
mod progress;
mod progress_file;
mod rag_server;
mod recorded;
mod report;
mod run;
mod serve;
mod study;
mod verdict;
mod verify;
mod work;

use std::ffi::OsString;

use clap::{CommandFactory, FromArgMatches};
use guestlist::{Error, ExitCode};

use self::arguments::{Arguments, Command};
use self::console::Console;

/// Runs the command that was typed, the program's name first; errors end on stderr.
pub fn run(typed: impl IntoIterator<Item = OsString>) -> ExitCode {
    let matched = Arguments::command().try_get_matches_from(typed);
    let parsed = matched.and_then(|matches| {
        let arguments = Arguments::from_arg_matches(&matches)?;
        Ok((arguments, recorded::command(&matches)))
    });
    let (arguments, again) = match parsed {
        Ok(parsed) => parsed,
        Err(error) => {
            // Help and version are not errors; clap knows which is which.
            if !error.use_stderr() {
                return match console::written(error.print()) {
                    Ok(()) => ExitCode::Pass,
                    Err(error) => {
                        console::usage_error(&format!("error: {}", error.explained()));
                        ExitCode::Error
                    }
                };
            }
            console::usage_error(&error.render().to_string());
            return ExitCode::Error;
        }
    };
    let console = Console::new(&arguments.output);
    interrupt::install();
    let outcome = dispatch(arguments.command, again, &console);
    let outcome = outcome.and_then(|code| console.heard().map(|()| code));
    console.progress_file().conclude(&outcome);
    match outcome {
        Ok(code) => code,
        Err(error) => {
            console.error(&error);
            ExitCode::from(&error)
        }
    }
}

/// `again` is the command as it was typed, for the report.
fn dispatch(command: Command, again: String, console: &Console) -> Result<ExitCode, Error> {
    match command {
        Command::Demo(options) => demo::run(&options, console),
        Command::Init(options) => init::run(&options, console),
        Command::Plan(options) => plan::run(&options, console),
        Command::Run(options) => run::run(&options, again, console),
        Command::Probe(options) => probe::run(&options, console),
        Command::Work(options) => work::run(&options, console),
        Command::Audit(options) => audit::run(*options, again, console),
        Command::Canaries(options) => canaries::run(&options, console),
        Command::Attacks => attacks::run(console),
        Command::Explain(options) => explain::run(&options, console),
        Command::Convert(options) => convert::run(&options, console),
        Command::Diff(options) => diff::run(&options, console),
        Command::Doctor(options) => doctor::run(&options, console),
        Command::Policy(options) => policy::run(&options, console),
        Command::Report(options) => report::run(&options, console),
        Command::Verify(options) => verify::run(&options, console),
        Command::Sign(options) => verify::sign(&options, console),
        Command::Serve(options) => serve::run(&options, console),
        Command::RagServer(options) => rag_server::run(&options, console),
        Command::Study(options) => study::run(&options, again, console),
        Command::Completions(options) => completions::run(&options, console),
    }
}
