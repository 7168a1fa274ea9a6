//! The command line: arguments, console, exit codes, and nothing else. Commands, each in its own file.

mod arguments;
mod asking_progress;
mod attacks;
mod audit;
mod audit_fewshot;
mod audit_probes;
mod audit_scores;
mod audit_tokens;
mod completions;
mod console;
mod convert;
mod demo;
mod diff;
mod explain;
mod fewshot;
mod findings;
mod flags;
mod init;
mod interrupt;
mod language;
mod misleading;
mod plan;
mod progress;
mod published;
mod rag_server;
mod report;
mod retrieval;
mod run;
mod scoring_progress;
mod serve;
mod source;
mod time;
mod training_progress;
mod work;

use clap::Parser;
use guestlist::kinds::classifier::config::{self, Kind};
use guestlist::{Error, ExitCode};

use self::arguments::{Arguments, Command};
use self::console::Console;

/// Runs the command that was asked for; errors end on stderr.
pub fn run() -> ExitCode {
    let arguments = match Arguments::try_parse() {
        Ok(arguments) => arguments,
        Err(error) => {
            // Help and version are not errors; clap knows which is which.
            if !error.use_stderr() {
                let _ = error.print();
                return ExitCode::Pass;
            }
            console::usage_error(&error.render().to_string());
            return ExitCode::Error;
        }
    };
    let console = Console::new(&arguments.output);
    interrupt::install();
    let outcome = dispatch(arguments.command, &console);
    console.published().conclude(&outcome);
    match outcome {
        Ok(code) => code,
        Err(error) => {
            console.error(&error);
            ExitCode::from(&error)
        }
    }
}

fn dispatch(command: Command, console: &Console) -> Result<ExitCode, Error> {
    match command {
        Command::Demo(options) => demo::run(&options, console),
        Command::Init(options) => init::run(&options, console),
        Command::Plan(options) => plan::run(&options, console),
        Command::Run(options) => run::run(&options, console),
        Command::Probe(options) => probe(&options, console),
        Command::Work(options) => work::run(&options, console),
        Command::Audit(options) => audit::run(&options, console),
        Command::Attacks => attacks::run(console),
        Command::Explain(options) => explain::run(&options, console),
        Command::Convert(options) => convert::run(&options, console),
        Command::Diff(options) => diff::run(&options, console),
        Command::Report(options) => report::run(&options, console),
        Command::Serve(options) => serve::run(&options, console),
        Command::RagServer(options) => rag_server::run(&options, console),
        Command::Completions(options) => completions::run(&options, console),
    }
}

/// One question to a service, whatever is asked about it.
fn probe(options: &arguments::Probe, console: &Console) -> Result<ExitCode, Error> {
    match config::kind(&options.config)? {
        Kind::Source => source::probe(options, console),
        _ => retrieval::probe(options, console),
    }
}
