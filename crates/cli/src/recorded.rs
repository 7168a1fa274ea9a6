//! The command that gives a report again, made from the options themselves.

use clap::ArgMatches;
use clap::parser::ValueSource;

use super::arguments::Arguments;

/// What does not change a report: equal audits have equal reports. What a study is about stands on its page.
const IRRELEVANT: [&str; 15] = [
    "about",
    "json",
    "quiet",
    "verbose",
    "threads",
    "help",
    "version",
    "out",
    "figures",
    "junit",
    "markdown",
    "sarif",
    "ask_again",
    "executor",
    "workers",
];

/// `guestlist audit signals.npz --target 0 …`: every option that counts, with the value that it had,
/// the usual ones too.
pub fn command(matches: &ArgMatches) -> String {
    let root = <Arguments as clap::CommandFactory>::command();
    let (mut command, mut matches) = (&root, matches);
    let mut words = vec!["guestlist".to_owned()];
    while let Some((name, within)) = matches.subcommand() {
        words.push(name.to_owned());
        let Some(subcommand) = command.find_subcommand(name) else {
            return words.join(" ");
        };
        (command, matches) = (subcommand, within);
    }
    let implied = implied(command, matches);
    let counts = |id: &str| !IRRELEVANT.contains(&id) && !implied.contains(&id);
    for argument in command.get_arguments() {
        let id = argument.get_id().as_str();
        let given = matches.value_source(id);
        if !counts(id) || given.is_none() {
            continue;
        }
        words.extend(written(
            argument,
            matches,
            given == Some(ValueSource::CommandLine),
        ));
    }
    words.join(" ")
}

/// What a configuration says, where one stands in the place of options: their usual values do not count.
fn implied<'c>(command: &'c clap::Command, matches: &ArgMatches) -> Vec<&'c str> {
    let stands_for_others = |argument: &&clap::Arg| {
        let flag = argument.get_id() == "config" && argument.get_long().is_some();
        flag && matches.value_source("config") == Some(ValueSource::CommandLine)
    };
    let config = command.get_arguments().find(stands_for_others);
    let others = config.map(|config| command.get_arg_conflicts_with(config));
    let others = others.into_iter().flatten();
    others.map(|argument| argument.get_id().as_str()).collect()
}

fn written(argument: &clap::Arg, matches: &ArgMatches, typed: bool) -> Vec<String> {
    let id = argument.get_id().as_str();
    let flag = argument.get_long().map(|long| format!("--{long}"));
    if !argument.get_action().takes_values() {
        let set = typed && matches.get_flag(id);
        return flag.filter(|_| set).into_iter().collect();
    }
    let values = matches.get_raw(id).into_iter().flatten();
    let values: Vec<String> = values.map(|value| value.to_string_lossy().into()).collect();
    let Some(flag) = flag else {
        return values.iter().map(|value| quoted(value)).collect();
    };
    if values.is_empty() {
        return Vec::new();
    }
    match argument.get_value_delimiter() {
        Some(delimiter) => vec![flag, quoted(&values.join(&delimiter.to_string()))],
        None => values
            .iter()
            .flat_map(|value| [flag.clone(), quoted(value)])
            .collect(),
    }
}

/// The word as a shell takes it.
pub fn quoted(word: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "-_./,=@:+".contains(c);
    if !word.is_empty() && word.chars().all(plain) {
        word.to_string()
    } else {
        format!("'{}'", word.replace('\'', "'\\''"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn recorded(words: &[&str]) -> String {
        let root = <Arguments as clap::CommandFactory>::command();
        let all = std::iter::once("guestlist").chain(words.iter().copied());
        command(&root.try_get_matches_from(all).unwrap())
    }

    /// A value that an argument takes.
    fn example(argument: &clap::Arg) -> String {
        let values = argument.get_possible_values();
        match (values.first(), argument.get_id().as_str()) {
            (Some(value), _) => value.get_name().to_owned(),
            (None, "settings") => "rmia.gamma=2".into(),
            (None, "checkpoints") => "1000=a.parquet".into(),
            (None, _) => "3".into(),
        }
    }

    /// Nothing that was typed and counts is lost, of any command that leaves a report.
    #[test]
    fn every_option_is_in_the_recorded_command() {
        let root = <Arguments as clap::CommandFactory>::command();
        for (name, input) in [("audit", "signals.npz"), ("run", "guestlist.toml")] {
            let subcommand = root.find_subcommand(name).unwrap();
            let mut checked = 0;
            for argument in subcommand.get_arguments() {
                let id = argument.get_id().as_str();
                let Some(long) = argument.get_long() else {
                    continue;
                };
                if IRRELEVANT.contains(&id) {
                    continue;
                }
                let flag = format!("--{long}");
                let mut words = vec![name.to_owned(), input.to_owned(), flag.clone()];
                if argument.get_action().takes_values() {
                    words.push(example(argument));
                }
                if id == "records" {
                    words.extend(["--slice".into(), "label".into()]);
                }
                let words: Vec<&str> = words.iter().map(String::as_str).collect();
                let told = recorded(&words);
                let wanted = words[2..words.len().min(4)].join(" ");
                assert!(told.contains(&wanted), "{wanted} is not in {told}");
                assert!(
                    told.starts_with(&format!("guestlist {name} {input}")),
                    "{told}"
                );
                // And it says the same again.
                let again: Vec<&str> = told.split(' ').skip(1).collect();
                assert_eq!(recorded(&again), told);
                checked += 1;
            }
            assert!(checked >= 2, "{name}: {checked}");
        }
    }

    #[test]
    fn commands_within_commands_are_named() {
        let told = recorded(&["study", "ez", "full=a b.parquet", "--about", "Speeches."]);
        assert_eq!(told, "guestlist study ez 'full=a b.parquet'");
    }

    #[test]
    fn what_the_shell_would_take_apart_is_quoted() {
        let told = recorded(&["audit", "it's here.npz", "--documents", "a b.jsonl"]);
        assert!(told.contains(r"'it'\''s here.npz'"), "{told}");
        assert!(told.contains("--documents 'a b.jsonl'"), "{told}");
    }
}
